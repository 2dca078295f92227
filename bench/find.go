package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/hostile"
)

// What is searched, and how long Outline takes to answer.
const (
	searchedDocuments = 2000
	searchedSize      = 5000 // bytes of each
	searchedLatency   = 50 * time.Millisecond
)

// runFind measures searches of a whole workspace for what is not in it.
func runFind(ctx context.Context, l *lab) (result, error) {
	o, err := serveSearched()
	if err != nil {
		return result{}, err
	}
	defer o.end()
	var rows []row
	for _, search := range []struct {
		what  string
		given arguments
	}{
		{"a word", arguments{"query": "heliotrope"}},
		{"a regex that backtracking makes slow", arguments{"query": "(e+)+(e+)+(e+)+X$", "regex": true}},
	} {
		took, above, err := l.find(ctx, o, search.given)
		if err != nil {
			return result{}, err
		}
		rows = append(rows,
			compared(fmt.Sprintf("%s in %s documents, 10 MB", search.what, grouped(searchedDocuments)), took, inSeconds, ratioAtMost(1.3)),
			row{what: search.what + ": maximum memory above idle", ours: single(above, inMiB), goal: atMost(40, inMiB), judged: above},
		)
	}
	requests, err := l.findFirst(ctx, o)
	if err != nil {
		return result{}, err
	}
	return result{rows: append(rows, row{what: "requests for texts until the first match", ours: single(requests, plain), goal: atMost(2, plain), judged: requests})}, nil
}

// find searches everything several times, alternating with the same requests. The
// memory is the most in MiB, above that when idle.
func (l *lab) find(ctx context.Context, o *searched, given arguments) (took pair, above float64, err error) {
	p, err := l.start(ctx, product, o.environ())
	if err != nil {
		return took, 0, err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return took, 0, err
	}
	idle, _, err := hostile.Memory(p.cmd.Process.Pid)
	if err != nil {
		return took, 0, err
	}
	for range pick(l, 9, 3) {
		_ = o.texts()
		begin := time.Now()
		answer, err := p.ask(toolsCall(2, "find_in_documents", given))
		ours := time.Since(begin).Seconds()
		if err != nil {
			return took, 0, err
		}
		if !strings.Contains(string(answer), "# 0 matches") || !strings.Contains(string(answer), fmt.Sprint(searchedDocuments, " searched")) {
			return took, 0, fmt.Errorf("find_in_documents answers %.300s", answer)
		}
		floor, err := o.walk(ctx, o.texts())
		if err != nil {
			return took, 0, err
		}
		took.add(ours, floor)
	}
	_, most, err := hostile.Memory(p.cmd.Process.Pid)
	return took, float64(most-idle) / (1 << 20), err
}

// findFirst returns how many requests for texts a search for one match of a common
// word takes.
func (l *lab) findFirst(ctx context.Context, o *searched) (float64, error) {
	p, err := l.start(ctx, product, o.environ())
	if err != nil {
		return 0, err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return 0, err
	}
	_ = o.texts()
	_, err = p.ask(toolsCall(2, "find_in_documents", arguments{"query": "buoyctl", "limit": 1}))
	return float64(len(o.texts())), err
}

// searched is an Outline over HTTP that takes note of requests for texts.
type searched struct {
	server *http.Server
	base   string
	client *http.Client

	mu    sync.Mutex
	asked []string // bodies of documents.list
}

func serveSearched() (*searched, error) {
	w, err := withDocuments(searchedDocuments, func(n int) fakeoutline.Document {
		d := page(numbered(n), "", fmt.Sprintf("Service %d", n), manual(searchedSize))
		d.CreatedAt = d.CreatedAt.Add(time.Duration(n) * time.Second)
		return d
	})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &searched{base: "http://" + listener.Addr().String() + "/api", client: newClient(16)}
	o.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.HasSuffix(r.URL.Path, "/documents.list") {
			o.mu.Lock()
			o.asked = append(o.asked, string(body))
			o.mu.Unlock()
		}
		time.Sleep(searchedLatency)
		w.ServeHTTP(rw, r)
	})}
	go func() { _ = o.server.Serve(listener) }()
	return o, nil
}

func (o *searched) environ() []string {
	return []string{"OUTLINE_API_URL=" + o.base, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}
}

func (o *searched) end() {
	o.client.CloseIdleConnections()
	_ = o.server.Close()
}

// texts returns the bodies of the requests since the last call, in their order.
func (o *searched) texts() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := o.asked
	o.asked = nil
	return asked
}

// walk makes requests as the program does, as many at a time, and returns how long
// that takes.
func (o *searched) walk(ctx context.Context, bodies []string) (float64, error) {
	begin := time.Now()
	var all errgroup.Group
	all.SetLimit(4) // the default of OUTLINE_BATCH_CONCURRENCY
	for _, body := range bodies {
		all.Go(func() error {
			_, err := askOutline(ctx, o.client, o.base, "documents.list", fakeoutline.AdminKey, body)
			return err
		})
	}
	err := all.Wait()
	_ = o.texts()
	return time.Since(begin).Seconds(), err
}
