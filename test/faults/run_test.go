package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
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
	b := &bench{wire: newWire(), before: map[version]snapshot{}, rest: 25 * time.Hour} // in which the server forgets what a caller has read
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

// damaged returns a snapshot with a changed tree of a document.
func damaged(t *testing.T, s snapshot, name, old, new string) snapshot {
	t.Helper()
	blocks := strings.Join(s.blocks[name], "\n")
	if !strings.Contains(blocks, old) {
		t.Fatalf("%s does not hold %s", name, old)
	}
	damage := func(text string) string { return strings.Replace(text, old, new, 1) }
	s = altered(s, name, damage(s.objects[name][0]))
	s.blocks = maps.Clone(s.blocks)
	s.blocks[name] = strings.Split(damage(blocks), "\n")
	return s
}

// altered returns a snapshot with a changed object.
func altered(s snapshot, name string, values ...string) snapshot {
	s.objects = maps.Clone(s.objects)
	s.objects[name] = values
	return s
}

func TestAnUntrueAnswerIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A server remembers what its Outline can do.
		benches := map[version]*bench{}
		modelOn := func(v version, name string) run {
			if benches[v] == nil {
				benches[v] = newBench(t)
			}
			list := writes()
			return benches[v].model(t, v, list[slices.IndexFunc(list, func(w write) bool { return w.name == name })])
		}
		model := func(name string) run { return modelOn(version{}, name) }
		old := of("1.9.2")
		edited, severalAppended := model("edit"), model("append to several")
		create, appended, batch, gone := model("create a document"), model("append"), model("archive several"), model("delete for good what is not in the trash")
		editedOld, retitledOld, severalOld := modelOn(old, "edit"), modelOn(old, "retitle"), modelOn(old, "append to several")
		restored := model("restore a revision")
		overwritten := func(r *run) { r.accepted = []string{"HUMAN-1"} }
		claim := func(from, to string) func(*run) {
			return func(r *run) {
				overwritten(r)
				r.answer.Structured = bytes.Replace(r.answer.Structured, []byte(from), []byte(to), 1)
			}
		}
		lost := &exchange{endpoint: "documents.create", writes: true, fault: faultNamed("reset before it was read")}
		page := "document New page"
		for name, lie := range map[string]struct {
			model run
			by    func(*run)
		}{
			"success, and nothing is done": {create, func(r *run) { r.after = r.steps[0] }},
			"success, and it is done twice": {create, func(r *run) {
				r.after = altered(r.after, page, append(r.after.objects[page], r.after.objects[page]...)...)
			}},
			"success, and something else is done":            {appended, func(r *run) { r.after = altered(r.after, beta, r.after.objects[beta][0]+"\n\nOne more line.") }},
			"success, and another document is changed":       {appended, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"success, and another document is new":           {appended, func(r *run) { r.after = altered(r.after, "document Another", "") }},
			"success, and a document is gone":                {appended, func(r *run) { r.after = altered(r.after, gamma) }},
			"success, and a neighbor loses its color":        {edited, func(r *run) { r.after = damaged(t, r.after, alpha, `"#FDEA9B"`, "null") }},
			"success, and a neighbor loses a comment":        {edited, func(r *run) { r.after = damaged(t, r.after, alpha, alphaRemark, "new") }},
			"success, and a table loses a width":             {appended, func(r *run) { r.after = damaged(t, r.after, beta, "[137]", "null") }},
			"success, and another document loses its color":  {edited, func(r *run) { r.after = damaged(t, r.after, bystander, `"#FDEA9B"`, "null") }},
			"a batch says done, and a table loses its width": {severalAppended, func(r *run) { r.after = damaged(t, r.after, gamma, "[138]", "null") }},
			"a loss that is none":                            {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "lost", `{"column_widths":2}`) }},
			"a comment that is not lost": {edited, func(r *run) {
				r.answer.Structured = with(r.answer.Structured, "lost", `{"comment_anchors":["`+alphaRemark+`"]}`)
			}},
			"a success that is not verified": {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "verified", "false") }},
			"a restore is not verified":      {restored, func(r *run) { r.answer.Structured = with(r.answer.Structured, "verified", "false") }},
			"doubt because of a reading that worked": {restored, func(r *run) {
				r.answer.Code, r.answer.Text = output.OutcomeUnknown, "reading the document again failed: see read_document"
			}},
			"success, with another revision":  {appended, func(r *run) { r.revision += 2 }},
			"failure, and it is done":         {create, func(r *run) { r.answer.Code = output.Unreachable }},
			"failure, and it is done in part": {gone, func(r *run) { r.answer.Code, r.answer.Text, r.after = output.Unreachable, "failed", r.steps[1] }},
			"doubt without a reason":          {create, func(r *run) { r.answer.Code, r.answer.Text = output.OutcomeUnknown, "look with read_document" }},
			"doubt without help": {create, func(r *run) {
				r.answer.Code, r.answer.Text, r.exchanges = output.OutcomeUnknown, "who knows", []*exchange{lost}
			}},
			"another user's edit is lost":                              {appended, func(r *run) { r.accepted = []string{"HUMAN-1"} }},
			"another user's edit is lost, and it could not be guarded": {edited, func(r *run) { overwritten(r); r.answer.Structured = with(r.answer.Structured, "guarded", "false") }},
			"a change of a release is guarded":                         {editedOld, func(r *run) { r.answer.Structured = with(r.answer.Structured, "guarded", "true") }},
			"a change of a release is guarded, or is not":              {editedOld, claim(`"guarded":false`, `"other":false`)},
			"a change is not guarded, and it is":                       {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "guarded", "false") }},
			"another name costs another user's edit":                   {retitledOld, overwritten},
			"another user is said to have changed it": {edited, func(r *run) {
				r.answer.Text += "\nanother user changed the document while this call was under way"
			}},
			"an item of a batch is guarded on a release":     {severalOld, claim(`"guarded":false`, `"guarded":true`)},
			"a document that no item is about loses an edit": {severalOld, func(r *run) { overwritten(r); r.write.edited = alpha }},
			"a batch says done of what is not":               {batch, func(r *run) { r.after = altered(r.after, gamma, r.steps[0].objects[gamma]...) }},
			"a batch is in a state of its own":               {batch, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"a batch says not done of what is":               {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 3) }},
			"a batch has doubts without a reason":            {batch, func(r *run) { r.answer.Structured = failedItems(output.OutcomeUnknown, 3) }},
			"a batch is silent of an item":                   {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 2) }},
			"a batch changes what it has not to do":          {batch, func(r *run) { r.after = altered(r.after, alpha, "") }},
		} {
			r := lie.model
			lie.by(&r)
			if outcomes, wrong := judge(lie.model, r); wrong == "" {
				t.Errorf("%s: not seen, but taken for %q", name, outcomes)
			}
		}
		for _, loss := range []run{editedOld, severalOld} {
			overwritten(&loss)
			if outcomes, wrong := judge(loss, loss); wrong != "" || !slices.Contains(outcomes, over) {
				t.Errorf("%s, and an edit is lost that was not guarded: %q %s", loss.write.name, outcomes, wrong)
			}
		}
		for _, truth := range []run{restored, create, appended, edited, batch, severalAppended, gone, editedOld, retitledOld, severalOld} {
			outcomes, wrong := judge(truth, truth)
			if wrong != "" || slices.ContainsFunc(outcomes, func(o outcome) bool { return o != done }) {
				t.Errorf("%s: %q %s", truth.write.name, outcomes, wrong)
			}
		}
	})
}

// with returns an answer with one value replaced.
func with(answer []byte, name, value string) []byte {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		panic(err)
	}
	fields[name] = json.RawMessage(value)
	changed, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return changed
}

// failedItems is the answer of a batch in which every item failed this way.
func failedItems(code output.Code, n int) []byte {
	text := `{"succeeded":0,"failed":3,"results":[`
	for i := range n {
		if i > 0 {
			text += ","
		}
		text += `{"status":"failed","error":"see read_document","code":"` + string(code) + `"}`
	}
	return []byte(text + "]}")
}
