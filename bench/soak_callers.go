package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// A soaking is a soak while it continues: what callers were told, to be compared with
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

// write appends marks to its own documents until ctx ends. Each success must be
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
