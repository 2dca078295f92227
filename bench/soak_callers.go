package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/output"
)

// marksPerDocument is how much a writer appends to a document before it takes a new one.
const marksPerDocument = 15

// A soaking is a soak while it goes on: what callers were told, to be compared with
// the workspace and the trails.
type soaking struct {
	fleet *fleet
	base  string // of the workspace's API, without failures
	calls atomic.Int64

	mu       sync.Mutex
	reads    []time.Duration // what calls took that succeeded
	writes   []time.Duration
	pictures []time.Duration
	slowest  time.Duration // of all calls, whatever their answers
	slow     int           // bytes that slow readers have read
	codes    map[output.Code]int
	lost     int            // calls whose connection broke
	answered map[string]int // the answers, by request ID
	marks    []mark
	notices  int // changes told to listeners
	wrong    []string
}

// A mark is what one call appended to a document.
type mark struct {
	document, text string
	request        string
	least, most    int // how often it may be there, by what the caller was told
}

func (s *soaking) isWrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// everyoneServed tells whether each kind of honest caller had a success.
func (s *soaking) everyoneServed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reads) > 0 && len(s.writes) > 0 && len(s.pictures) > 0 && s.notices > 0
}

// A toolAnswer is the answer of a call: a result, a failure with its code, or no answer at all.
type toolAnswer struct {
	request string
	text    string
	code    output.Code
	lost    bool
}

func (a toolAnswer) ok() bool { return !a.lost && a.code == "" }

// call calls a tool.
func (s *soaking) call(ctx context.Context, key, tool string, given arguments) toolAnswer {
	id := s.calls.Add(1)
	a := toolAnswer{request: strconv.FormatInt(id, 10)}
	begin := time.Now()
	body, err := send(ctx, s.fleet.client, "http://"+s.fleet.address+"/mcp", []byte(toolsCall(int(id), tool, given)), map[string]string{
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", keyHeader: key,
	})
	took := time.Since(begin)
	var reply struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent struct{ Code output.Code }
			IsError           bool
		}
		Error any
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slowest = max(s.slowest, took)
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	if err != nil {
		a.lost = true
		s.lost++
		return a
	}
	s.answered[a.request]++
	for _, content := range reply.Result.Content {
		a.text += content.Text
	}
	switch {
	case reply.Error != nil:
		a.code = output.Internal
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %.300s", tool, body))
	case reply.Result.IsError:
		a.code = reply.Result.StructuredContent.Code
	}
	switch {
	case a.code != "":
		s.codes[a.code]++
	case tool == "update_document":
		s.writes = append(s.writes, took)
	case tool == "read_attachment":
		s.pictures = append(s.pictures, took)
	default:
		s.reads = append(s.reads, took)
	}
	return a
}

const keyHeader = "X-Outline-API-Key"

// read makes a reading call, whose answer must have the title of the small document.
func (s *soaking) read(ctx context.Context, key string) {
	tools := []struct {
		name  string
		given arguments
	}{
		{"read_document", arguments{"document_id": smallDocument}},
		{"get_document_outline", arguments{"document_id": smallDocument}},
		{"search_documents", arguments{"query": smallTitle}},
	}
	tool := tools[rand.IntN(len(tools))]
	if a := s.call(ctx, key, tool.name, tool.given); a.ok() && !strings.Contains(a.text, smallTitle) {
		s.isWrong("%s answered %.300s", tool.name, a.text)
	}
}

// write appends marks to documents of its own until ctx ends. Each success must be
// seen by the next read, whichever replica answers it.
func (s *soaking) write(ctx context.Context, caller int64) error {
	key := userKey(caller)
	for ctx.Err() == nil {
		document, err := s.newDocument(context.WithoutCancel(ctx), key)
		if err != nil {
			return err
		}
		for n := 0; n < marksPerDocument && ctx.Err() == nil; n++ {
			text := fmt.Sprintf("mark %d of caller %d.", n, caller)
			a := s.call(context.WithoutCancel(ctx), key, "update_document", arguments{"document_id": document, "text": "\n\n" + text, "append": true})
			m := mark{document: document, text: text, request: a.request, least: 1, most: 1}
			switch {
			case a.lost, a.code == output.OutcomeUnknown, a.code == output.WriteMismatch:
				m.least = 0
			case a.code != "":
				m.least, m.most = 0, 0
			}
			s.mu.Lock()
			s.marks = append(s.marks, m)
			s.mu.Unlock()
			if a.ok() {
				if seen := s.call(ctx, key, "read_document", arguments{"document_id": document}); seen.ok() && !strings.Contains(seen.text, text) {
					s.isWrong("%s was appended to %s, and then it was not there", text, document)
				}
			}
			pause(ctx, 500*time.Millisecond)
		}
	}
	return nil
}

// newDocument creates a document without the server.
func (s *soaking) newDocument(ctx context.Context, key string) (string, error) {
	collection, err := askOutline(ctx, http.DefaultClient, s.base, "collections.info", key, `{"id":"`+smallCollection+`"}`)
	if err != nil {
		return "", err
	}
	var of struct{ Data struct{ ID string } }
	if err := json.Unmarshal(collection, &of); err != nil {
		return "", err
	}
	created, err := askOutline(ctx, http.DefaultClient, s.base, "documents.create", key, `{"title":"Soak","text":"Begin.","publish":true,"collectionId":"`+of.Data.ID+`"}`)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(created, &of); err != nil {
		return "", err
	}
	return of.Data.ID, nil
}

// checkMarks compares what callers were told about their writes with the workspace,
// and returns the request IDs of the writes that were done.
func (s *soaking) checkMarks(ctx context.Context) (done []string, err error) {
	bodies := map[string]string{}
	for _, m := range s.marks {
		body, read := bodies[m.document]
		if !read {
			answer, err := askOutline(ctx, http.DefaultClient, s.base, "documents.info", userKey(0), `{"id":"`+m.document+`"}`)
			if err != nil {
				return nil, err
			}
			body = string(answer)
			bodies[m.document] = body
		}
		n := strings.Count(body, m.text)
		if n > 0 {
			done = append(done, m.request)
		}
		if n < m.least || n > m.most {
			s.isWrong("%s is %d times in %s, not %d to %d times", m.text, n, m.document, m.least, m.most)
		}
	}
	return done, nil
}

// listen listens for changes of a collection until ctx ends, again whenever its stream
// ends.
func (s *soaking) listen(ctx context.Context, caller int64) {
	const uri = "outline://collections/" + smallCollection
	body := `{"jsonrpc":"2.0","id":"listener","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + uri + `"]},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	client := &http.Client{Transport: s.fleet.client.Transport} // without a time limit
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.fleet.address+"/mcp", strings.NewReader(body))
		if err != nil {
			panic(err) // the address is well formed
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream, application/json",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen", keyHeader: userKey(caller)} {
			request.Header.Set(name, value)
		}
		if response, err := client.Do(request); err == nil {
			for lines := bufio.NewScanner(response.Body); lines.Scan(); {
				if !bytes.Contains(lines.Bytes(), []byte("notifications/resources/updated")) {
					continue
				}
				if !bytes.Contains(lines.Bytes(), []byte(uri)) {
					s.isWrong("a listener was told %.300s", lines.Text())
				}
				s.mu.Lock()
				s.notices++
				s.mu.Unlock()
			}
			_ = response.Body.Close()
		}
		pause(ctx, time.Second)
	}
}

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

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
