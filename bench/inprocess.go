package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// A session is the program's server in this process, on standard input and
// output. It measures the time between the line of a request and the line of
// the answer, without a network.
type session struct {
	app    *app.App
	in     *io.PipeWriter
	out    *answers
	cancel context.CancelFunc
	ended  chan struct{} // closed when the server has ended, with err
	err    error
}

// answers receives the server's output, and signals when a line is complete.
type answers struct {
	line  []byte
	ready chan struct{}
}

// Write implements io.Writer.
func (a *answers) Write(p []byte) (int, error) {
	a.line = append(a.line, p...)
	if bytes.HasSuffix(p, []byte("\n")) {
		a.ready <- struct{}{}
	}
	return len(p), nil
}

// newSession serves the Outline behind transport.
func newSession(ctx context.Context, transport http.RoundTripper, settings ...string) (*session, error) {
	return serve(ctx, app.Options{Transport: transport}, settings...)
}

// serve starts a server with options and the key of the workspace's admin.
func serve(ctx context.Context, options app.Options, settings ...string) (*session, error) {
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, settings...))
	if err != nil {
		return nil, err
	}
	options.Config, options.Version, options.Log = loaded, "bench", app.NewLogger(io.Discard, loaded)
	server, err := app.New(options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	in, input := io.Pipe()
	s := &session{app: server, in: input, out: &answers{ready: make(chan struct{})}, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.err = server.ServeStdio(ctx, in, s.out)
	}()
	if _, err := s.ask([]byte(initialize + "\n")); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *session) close() {
	s.in.Close()
	<-s.ended
	s.cancel()
}

// ask sends a line and returns the one that answers it, valid until the next.
func (s *session) ask(line []byte) ([]byte, error) {
	s.out.line = s.out.line[:0]
	if _, err := s.in.Write(line); err != nil {
		return nil, err
	}
	select {
	case <-s.out.ready:
		return s.out.line, nil
	case <-s.ended:
		return nil, fmt.Errorf("the server has ended: %w", s.err)
	}
}

// call returns a function that makes one call of a tool, which must not fail.
func (s *session) call(tool string, arguments map[string]any) func() error {
	line := []byte(toolsCall(2, tool, arguments) + "\n")
	return func() error {
		answer, err := s.ask(line)
		if err != nil {
			return err
		}
		if bytes.Contains(answer[max(0, len(answer)-200):], []byte(`"isError":true`)) || !bytes.Contains(answer[:min(200, len(answer))], []byte(`"result"`)) {
			return fmt.Errorf("%s answers %.300s", tool, answer)
		}
		return nil
	}
}

// handle returns a function that makes one call of a tool's handler, without
// the protocol around it.
func (s *session) handle(ctx context.Context, tool string, arguments map[string]any) func() error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	for _, bound := range s.app.Tools() {
		if bound.Name == tool {
			return func() error {
				result, err := bound.Handler(ctx, request)
				if err == nil && result.IsError {
					err = fmt.Errorf("%s answers %.300v", tool, result.Content)
				}
				return err
			}
		}
	}
	return func() error { return fmt.Errorf("there is no tool %s", tool) }
}

// A cost is what something took: seconds, and bytes allocated.
type cost struct{ time, allocated float64 }

// measure runs something once.
func measure(run func() error) (cost, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	err := run()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	return cost{took.Seconds(), float64(after.TotalAlloc - before.TotalAlloc)}, err
}

// inTurns measures two things alternately, a number of times after two that do
// not count. The pairs are of time and of allocated bytes.
func inTurns(count int, ours, floor func() error) (took, allocated pair, err error) {
	for turn := range count + 2 {
		f, err := measure(floor)
		if err != nil {
			return took, allocated, err
		}
		o, err := measure(ours)
		if err != nil {
			return took, allocated, err
		}
		if turn >= 2 {
			took.add(o.time, f.time)
			allocated.add(o.allocated, f.allocated)
		}
	}
	return took, allocated, nil
}

// A recording answers each endpoint with the same bytes.
type recording map[string][]byte

// record calls each endpoint of a workspace once.
func record(ctx context.Context, w *fakeoutline.Workspace, requests map[string]string) (recording, error) {
	r := recording{}
	for endpoint, body := range requests {
		answer, err := askOutline(ctx, &http.Client{Transport: w.Transport()}, fakeoutline.BaseURL, endpoint, fakeoutline.AdminKey, body)
		if err != nil {
			return nil, err
		}
		r[endpoint] = answer
	}
	return r, nil
}

// RoundTrip implements http.RoundTripper.
func (r recording) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return nil, err
		}
	}
	answer := r[path.Base(request.URL.Path)]
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}
