package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// The files of the workspace that cost a server most.
const (
	longFile      = "11111111-1111-4111-8111-111111111111"
	repeatedScans = "22222222-2222-4222-8222-222222222222"
	manyChunks    = "33333333-3333-4333-8333-333333333333"
	manyPixels    = "44444444-4444-4444-8444-444444444444"
)

// hostileFiles returns the content of each of these files.
func hostileFiles() map[string][]byte {
	var photo, drawing bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 2000, 400))
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise.Pix)
	_ = jpeg.Encode(&photo, noise, nil)
	_ = png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 4000, 4000)))
	scan := photo.Bytes()[bytes.Index(photo.Bytes(), []byte("\xFF\xDA")) : photo.Len()-2]
	const header, empty = 33, "\x00\x00\x00\x00tEXt\x96\x42\xC5\x85" // of a PNG file, and a chunk of it
	return map[string][]byte{
		longFile:      append([]byte("%PDF-1.4\n"), make([]byte, 4_900_000)...),
		repeatedScans: append(photo.Bytes()[:photo.Len()-2:photo.Len()-2], bytes.Repeat(scan, 5)...),
		manyChunks:    append(append(drawing.Bytes()[:header:header], strings.Repeat(empty, 50_000)...), drawing.Bytes()[header:]...),
		manyPixels:    drawing.Bytes(),
	}
}

// serveFile answers a request for one of the files, and reports whether it was one.
func serveFile(w http.ResponseWriter, r *http.Request, sent []byte, files map[string][]byte) bool {
	switch r.URL.Path {
	case "/api/attachments.redirect":
		for id := range files {
			if bytes.Contains(sent, []byte(id)) {
				w.Header().Set("Location", "/api/files.get?key="+id)
				w.WriteHeader(http.StatusFound)
				return true
			}
		}
	case "/api/files.get":
		if file, ok := files[r.URL.Query().Get("key")]; ok {
			_, _ = w.Write(file)
			return true
		}
	}
	return false
}

// look asks for the pictures until ctx ends.
func (s *soaking) look(ctx context.Context, caller int64) {
	pictures := []string{repeatedScans, manyChunks, manyPixels}
	for n := 0; ctx.Err() == nil; n++ {
		s.call(ctx, userKey(caller), "read_attachment", arguments{"attachment_id": pictures[n%len(pictures)]})
		pause(ctx, time.Second)
	}
}

// readSlowly asks for the long file and reads 400 bytes a second, again whenever the
// connection ends.
func (s *soaking) readSlowly(ctx context.Context, caller int64) {
	body := toolsCall(0, "read_attachment", arguments{"attachment_id": longFile, "max_bytes": 5_000_000})
	for ctx.Err() == nil {
		// Not through the balancer, which would read the answer for it.
		address := "127.0.0.1:" + s.fleet.replicas[caller%int64(len(s.fleet.replicas))].port
		s.readOneSlowly(ctx, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Mcp-Protocol-Version: 2025-11-25\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", address, keyHeader, userKey(caller), len(body), body))
		pause(ctx, time.Second)
	}
}

func (s *soaking) readOneSlowly(ctx context.Context, address, request string) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	_ = connection.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := io.WriteString(connection, request); err != nil {
		return
	}
	for some := make([]byte, 40); ; pause(ctx, 100*time.Millisecond) {
		n, err := connection.Read(some)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.slow += n
		s.mu.Unlock()
	}
}
