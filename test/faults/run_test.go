package faults

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// A bench is a server and its client on a wire.
type bench struct {
	wire    *wire
	client  *client.Client
	tools   []string
	settled func()               // ends pending requests before a call is judged; nil if there are none
	rest    time.Duration        // between runs, and after a call before it is judged
	before  map[version]snapshot // the initial state of each kind of workspace
}

// newBench starts a server with some settings. It is closed at the end of the test.
func newBench(t *testing.T, settings ...string) *bench {
	t.Helper()
	loaded, err := config.Load(append([]string{
		"OUTLINE_TOOLS=all", "OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + serverKey, "OUTLINE_STRUCTURED_OUTPUT=on",
	}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{wire: newWire(), before: map[version]snapshot{}, rest: time.Hour}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: b.wire})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range server.Tools() {
		b.tools = append(b.tools, tool.Name)
	}
	b.wire.reset(newWorkspace(version{})) // connecting does not need one
	if b.client, err = server.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.client.Close() })
	return b
}

// A run is one call of a tool and its outcome.
type run struct {
	version   version
	write     write
	answer    cli.Answer
	err       error
	steps     []snapshot // what the workspace held before the call and after each of its writes
	revision  int        // of the changed document, soon after the answer
	after     snapshot
	accepted  []string // what another user wrote in the meantime
	exchanges []*exchange
	tools     []string
}

// do calls a tool on a new workspace while the wire follows a plan.
func (b *bench) do(ctx context.Context, v version, w write, plan func(*exchange) *fault) run {
	// Rate limits of an earlier run have expired.
	time.Sleep(b.rest)
	space := newWorkspace(v)
	b.wire.reset(space)
	if _, known := b.before[v]; !known {
		b.before[v] = look(newWorkspace(v))
	}
	r := run{version: v, write: w, steps: []snapshot{b.before[v]}, tools: b.tools}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.wire.plan, b.wire.cancel = plan, cancel
	if plan == nil {
		b.wire.handled = func() {
			if s := look(space); !s.same(r.steps[len(r.steps)-1]) {
				r.steps = append(r.steps, s)
			}
		}
	}
	b.wire.human = func(mark string) error { return w.human(space, mark) }
	r.answer, r.err = cli.Call(ctx, b.client, w.tool, w.arguments)
	if id, ok := w.arguments["document_id"]; ok && r.answer.Code == "" {
		// Later, Outline may write a revision, which raises the number.
		var now seenDocument
		_ = direct(space, serverKey, "documents.info", map[string]any{"id": id}, &struct{ Document *seenDocument }{&now})
		r.revision = now.Revision
	}
	// A canceled call continues for a moment without its client, as may a request
	// whose connection was abandoned.
	time.Sleep(b.rest)
	b.wire.late.Wait()
	if b.settled != nil {
		b.settled()
	}
	r.after = look(space)
	b.wire.mu.Lock()
	defer b.wire.mu.Unlock()
	r.exchanges, r.accepted = b.wire.exchanges, b.wire.accepted
	return r
}

// model is a run without faults, which shows what a call does.
func (b *bench) model(t *testing.T, v version, w write) run {
	t.Helper()
	r := b.do(t.Context(), v, w, nil)
	if r.err != nil || r.answer.Code != "" {
		t.Fatalf("%s fails without a fault: %v %s", w.name, r.err, r.answer.Text)
	}
	if len(r.steps) < 2 || r.steps[0].same(r.after) {
		t.Fatalf("%s changes nothing", w.name)
	}
	r.checkTrees(t, v)
	return r
}

// struck reports whether a fault hit one of a run's requests.
func (r run) struck(f *fault) bool {
	return slices.ContainsFunc(r.exchanges, func(x *exchange) bool { return x.fault == f })
}

// report describes a run for whoever debugs it.
func (r run) report() string {
	text := fmt.Sprintf("%s on %s: %s\nerror: %v\nanswer: %s %s", r.write.name, r.version.name(), r.write.tool, r.err, r.answer.Code, r.answer.Text)
	for _, x := range r.exchanges {
		text += "\n  " + x.String()
	}
	for _, name := range r.steps[0].differs(r.after) {
		text += fmt.Sprintf("\n  %s was %q, is %q", name, r.steps[0].objects[name], r.after.objects[name])
	}
	if a, b := r.steps[0].shapes(), r.after.shapes(); fmt.Sprint(a) != fmt.Sprint(b) {
		text += fmt.Sprintf("\n  the trees were %q, are %q", a, b)
	}
	return text
}
