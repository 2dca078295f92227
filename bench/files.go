package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/hostile"
)

// What the benchmark of files reads and writes, in bytes.
const (
	imageSize  = 5_000_000
	uploadSize = 100 << 20
)

// runFiles measures reading large images and uploading a large file.
func runFiles(ctx context.Context, l *lab) (result, error) {
	var rows []row
	for _, picture := range []struct {
		what, contentType string
		encode            func(io.Writer, image.Image) error
		noise             uint64
	}{
		{"a JPEG", "image/jpeg", func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 92}) }, 40},
		{"a PNG", "image/png", png.Encode, 8},
	} {
		data, side, err := largeImage(picture.encode, picture.noise)
		if err != nil {
			return result{}, err
		}
		took, above, err := l.readImage(ctx, picture.contentType, data)
		if err != nil {
			return result{}, err
		}
		rows = append(rows,
			row{what: fmt.Sprintf("read_attachment: %s of %.1f MB, %d × %d pixels", picture.what, float64(len(data))/1e6, side, side), ours: single(took, inSeconds), goal: atMost(0.4, inSeconds), judged: took},
			row{what: picture.what + ": maximum memory above idle", ours: single(above, inMiB), goal: atMost(60, inMiB), judged: above})
	}
	seconds, above, err := l.upload(ctx)
	if err != nil {
		return result{}, err
	}
	return result{rows: append(rows,
		row{what: "upload_attachment: a file of 100 MiB", ours: single(seconds, inSeconds)},
		row{what: "upload: maximum memory above idle", ours: single(above, inMiB), goal: atMost(8, inMiB), judged: above},
	)}, nil
}

// largeImage returns a square image of imageSize bytes or a little more, and its side in
// pixels. The noise is that of a photo, which hardly compresses.
func largeImage(encode func(io.Writer, image.Image) error, noise uint64) (data []byte, side int, err error) {
	for side = 1600; ; side += 100 {
		picture := image.NewRGBA(image.Rect(0, 0, side, side))
		random := rand.NewPCG(1, 2)
		for i := range picture.Pix {
			picture.Pix[i] = byte(i>>12) + byte(random.Uint64()%noise)
			if i%4 == 3 {
				picture.Pix[i] = 255
			}
		}
		var b bytes.Buffer
		if err := encode(&b, picture); err != nil || b.Len() >= imageSize {
			return b.Bytes(), side, err
		}
	}
}

// readImage reads an image several times. The time is that of the processors for each
// read, in seconds; the memory is the most in MiB, above that when idle.
func (l *lab) readImage(ctx context.Context, contentType string, data []byte) (took, above float64, err error) {
	seed := seedOf(1, func(int) fakeoutline.Document { return page(documentID, "", "Images", "text") })
	seed.Attachments = []fakeoutline.Attachment{{ID: numbered(1), DocumentID: documentID, UserID: userID, Name: "image", ContentType: contentType, Content: data}}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		return 0, 0, err
	}
	server := httptest.NewServer(w)
	defer server.Close()
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + server.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = p.end() }()
	p.out = bufio.NewReaderSize(p.out, 8<<20) // an answer holds the image in base64
	if _, err := p.ask(initialize); err != nil {
		return 0, 0, err
	}
	idle, _, err := hostile.Memory(p.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	before, err := p.cpu()
	if err != nil {
		return 0, 0, err
	}
	reads := pick(l, 9, 3)
	for range reads {
		answer, err := p.ask(toolsCall(2, "read_attachment", arguments{"attachment_id": numbered(1)}))
		if err != nil || !bytes.Contains(answer, []byte("image below")) {
			return 0, 0, fmt.Errorf("read_attachment answers %.300s: %w", answer, err)
		}
	}
	after, err := p.cpu()
	if err != nil {
		return 0, 0, err
	}
	_, most, err := hostile.Memory(p.cmd.Process.Pid)
	return (after - before) / float64(reads), float64(most-idle) / (1 << 20), err
}

// upload uploads a file to an Outline that does not keep it. The memory is the most in
// MiB, above that when idle.
func (l *lab) upload(ctx context.Context) (seconds, above float64, err error) {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/attachments.create", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"ok":true,"data":{"uploadUrl":"/api/files.create","form":{"key":"k"},"attachment":{"id":%q,"name":"file","size":"%d"}}}`, numbered(1), uploadSize)
	})
	received := int64(0)
	mux.HandleFunc("/api/files.create", func(w http.ResponseWriter, r *http.Request) {
		received, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true,"success":true}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	path := filepath.Join(l.dir, "upload.bin")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return 0, 0, err
	}
	defer os.Remove(path)
	if err := os.Truncate(path, uploadSize); err != nil {
		return 0, 0, err
	}
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + server.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_TOOLS=all", "OUTLINE_FILES_DIR=" + l.dir})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return 0, 0, err
	}
	idle, _, err := hostile.Memory(p.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	answer, err := p.ask(toolsCall(2, "upload_attachment", arguments{"name": "upload.bin", "path": path}))
	seconds = time.Since(begin).Seconds()
	if err != nil || received < uploadSize || strings.Contains(string(answer), `"isError":true`) {
		return 0, 0, fmt.Errorf("upload_attachment sends %d bytes and answers %.300s: %w", received, answer, err)
	}
	_, most, err := hostile.Memory(p.cmd.Process.Pid)
	return seconds, float64(most-idle) / (1 << 20), err
}
