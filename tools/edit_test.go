package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// between sits between the server and the workspace, sees each request, and may
// change it.
type between struct {
	http.RoundTripper
	mu       sync.Mutex
	requests []string
	update   func(n int, request map[string]any) // before the n-th update, from 1
	updates  int

	create  func(request map[string]any)
	restore func(request map[string]any)

	lose     bool   // the answer to the next update
	after    func() // that is carried out
	answered func() // after the next answer
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	endpoint := path.Base(r.URL.Path)
	b.mu.Lock()
	b.requests = append(b.requests, endpoint)
	b.mu.Unlock()
	if endpoint == "documents.update" && !strings.Contains(string(raw), "00000000-0000-4000-8000-000000000000") && b.update != nil {
		var request map[string]any
		if err := json.Unmarshal(raw, &request); err != nil {
			return nil, err
		}
		b.updates++
		b.update(b.updates, request)
		if raw, err = json.Marshal(request); err != nil {
			return nil, err
		}
	}
	if change := map[string]func(map[string]any){"documents.create": b.create, "documents.restore": b.restore}[endpoint]; change != nil {
		var request map[string]any
		if err := json.Unmarshal(raw, &request); err != nil {
			return nil, err
		}
		change(request)
		if raw, err = json.Marshal(request); err != nil {
			return nil, err
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	answer, err := b.RoundTripper.RoundTrip(r)
	if then := b.answered; err == nil && then != nil {
		b.answered = nil
		then()
	}
	if err == nil && b.lose {
		_ = answer.Body.Close()
		b.lose = false
		b.after()
		return nil, syscall.ECONNRESET
	}
	return answer, err
}

// editing is a server on a workspace with one document, whose requests are
// recorded.
type editing struct {
	*between
	c    *client.Client
	calm *outline.Client
	id   string
}

func newEditing(t *testing.T, text string, opts fakeoutline.Options, settings ...string) *editing {
	t.Helper()
	var created atomic.Bool
	if opts.Now == nil { // the document was created an hour ago: nobody else is at work on it
		opts.Now = func() time.Time {
			if created.Load() {
				return time.Now()
			}
			return time.Now().Add(-time.Hour)
		}
	}
	sample, err := fakeoutline.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	e := newEditingOn(t, sample, settings...)
	document, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Under test", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	e.id = document.ID
	created.Store(true)
	return e
}

// newEditingOf is newEditing for a document that Markdown cannot express.
func newEditingOf(t *testing.T, tree *prosemirror.Node, opts fakeoutline.Options, settings ...string) *editing {
	t.Helper()
	sample, err := fakeoutline.Empty(opts, fakeoutline.Seed{
		Users:     []fakeoutline.User{{ID: uuid(90001), Name: "Ada", Role: fakeoutline.Admin}},
		Keys:      []fakeoutline.Key{{Secret: fakeoutline.AdminKey, UserID: uuid(90001)}},
		Documents: []fakeoutline.Document{{ID: uuid(1), URLID: "undertest1", Title: "Under test", Tree: tree, CreatedBy: uuid(90001), UpdatedBy: uuid(90001), Revision: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := newEditingOn(t, sample, settings...)
	e.id = uuid(1)
	return e
}

func newEditingOn(t *testing.T, sample *fakeoutline.Workspace, settings ...string) *editing {
	t.Helper()
	e := &editing{between: &between{RoundTripper: sample.Transport()}}
	e.c = connectTo(t, app.Options{Config: load(t, settings...), Transport: e.between, Now: sample.Now})
	var err error
	if e.calm, err = outline.New(outline.Options{BaseURL: fakeoutline.BaseURL, Credentials: outline.StaticKey(fakeoutline.AdminKey), Transport: sample.Transport()}); err != nil {
		t.Fatal(err)
	}
	return e
}

// tree is the document as Outline stores it.
func (e *editing) tree(t *testing.T) *prosemirror.Node {
	t.Helper()
	document, err := e.calm.DocumentWithTree(t.Context(), e.id)
	if err != nil {
		t.Fatal(err)
	}
	return document.Tree
}

// text is what the document says now.
func (e *editing) text(t *testing.T) string {
	t.Helper()
	document, err := e.calm.Document(t.Context(), e.id)
	if err != nil {
		t.Fatal(err)
	}
	return document.Text
}

// theirs is a change by another user.
func (e *editing) theirs(t *testing.T, find, text string) {
	t.Helper()
	if _, err := edit.Update(t.Context(), e.calm, edit.Params{ID: e.id, EditMode: "patch", FindText: find, Text: &text}); err != nil {
		t.Fatal(err)
	}
}

// do calls an endpoint that the client of this program does not have.
func (e *editing) do(t *testing.T, endpoint string, arguments map[string]any) {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := e.RoundTripper.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", endpoint, answer.Status)
	}
}

// comment adds a comment on a passage and returns its ID.
func (e *editing) comment(t *testing.T, anchor string) string {
	t.Helper()
	comment, err := e.calm.CreateComment(t.Context(), outline.CreateCommentParams{DocumentID: e.id, Text: "About " + anchor, AnchorText: anchor})
	if err != nil {
		t.Fatal(err)
	}
	return comment.ID
}

// edited is what edit_document answers, in success and in failure.
type edited struct {
	EditsApplied   int  `json:"edits_applied"`
	Changed        bool `json:"changed"`
	Verified       bool `json:"verified"`
	RevisionBefore int  `json:"revision_before"`
	Revision       int  `json:"revision"`
	CharsBefore    int  `json:"chars_before"`
	CharsAfter     int  `json:"chars_after"`
	Diff           string
	Notes          []string
	Error          string
	LeftOut        int `json:"diff_lines_left_out"`
	Restored       bool
	Lost           *struct {
		CommentAnchors  []string `json:"comment_anchors"`
		HighlightColors int      `json:"highlight_colors"`
		ColumnWidths    int      `json:"column_widths"`
	}
}

// edit calls edit_document with pairs of old and new text.
func (e *editing) edit(t *testing.T, arguments map[string]any, pairs ...string) (edited, cli.Answer) {
	t.Helper()
	var edits []map[string]any
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, map[string]any{"old_text": pairs[i], "new_text": pairs[i+1]})
	}
	all := map[string]any{"document_id": e.id, "edits": edits}
	for k, v := range arguments {
		all[k] = v
	}
	answer, err := cli.Call(t.Context(), e.c, "edit_document", all)
	if err != nil {
		t.Fatal(err)
	}
	var result edited
	if err := json.Unmarshal(answer.Structured, &result); err != nil {
		t.Fatal(err)
	}
	return result, answer
}

func TestEditsChangeWhatTheySayAndNothingElse(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		edits []string
		want  string
	}{
		"one":                              {"one two three", []string{"two", "2"}, "one 2 three"},
		"one after the other":              {"one two three", []string{"two", "four", "four three", "five"}, "one five"},
		"deletion":                         {"one two three", []string{" two", ""}, "one three"},
		"of a heading":                     {"# A\n\nwords\n\n# B", []string{"# B", "# C"}, "# A\n\nwords\n\n# C"},
		"of a list item":                   {"* one\n* two\n* three", []string{"* two", "* 2"}, "* one\n* 2\n* three"},
		"of a list item with another mark": {"* one\n* two\n* three", []string{"- two", "- 2\n- 2.5"}, "* one\n* 2\n* 2.5\n* three"},
		"with another quotation mark":      {`say "yes" now`, []string{"“yes”", `"no"`}, `say "no" now`},
		"whose passage first stands inside a line": {
			"4 \\* two is eight\n\n* one\n* two is it", []string{"- two is", "* 2 is"}, "4 \\* two is eight\n\n* one\n* 2 is it"},
		"of what an edit wrote, which is formed anew": {
			"one\n\nend", []string{"one", "|a|b|\n|-|-|\n|1|2|", "|1|2|", "|1|3|"}, "| a   | b   |\n|-----|-----|\n| 1   | 3   |\n\nend"},
		"of a sign":        {"if a == b", []string{"a == b", "a != b"}, "if a != b"},
		"of several lines": {"one\n\ntwo\n\nthree", []string{"one\n\ntwo", "1\n\n2"}, "1\n\n2\n\nthree"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, test.text, fakeoutline.Options{})
			result, answer := e.edit(t, nil, test.edits...)
			if answer.Code != "" || !result.Changed || !result.Verified || result.EditsApplied != len(test.edits)/2 {
				t.Fatalf("%+v\n%s", result, answer.Text)
			}
			if got := e.text(t); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}

func TestOneEditReadsTextTreeAndRevisionsAndWritesOnce(t *testing.T) {
	e := newEditing(t, "one two", fakeoutline.Options{})
	for i, want := range []int{5, 4} { // features are probed once
		e.requests = nil
		if _, answer := e.edit(t, nil, []string{"one", "1"}[i], "1"+fmt.Sprint(i)); answer.Code != "" {
			t.Fatal(answer.Text)
		}
		if len(e.requests) != want {
			t.Errorf("edit %d: %v", i, e.requests)
		}
	}
}

func TestNothingIsWrittenWhenOneEditDoesNotFit(t *testing.T) {
	e := newEditing(t, "one two two", fakeoutline.Options{})
	for _, second := range [][2]string{{"three", "output.NotFound"}, {"two", ""}, {"one", "it is 1 by then"}} {
		_, answer := e.edit(t, nil, "one", "1", second[0], "x")
		if answer.Code != output.NotFound && answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "nothing was written: edits[1]: ") {
			t.Errorf("%s: %s", second[0], answer.Text)
		}
	}
	if e.updates != 0 || e.text(t) != "one two two" {
		t.Errorf("%d updates, %q", e.updates, e.text(t))
	}
}

func TestADryRunShowsWhatWouldChange(t *testing.T) {
	e := newEditing(t, "one\n\ntwo", fakeoutline.Options{})
	result, answer := e.edit(t, map[string]any{"dry_run": true}, "two", "three")
	if result.Changed || result.Verified || result.EditsApplied != 0 || !strings.Contains(result.Diff, "-two") || !strings.Contains(result.Diff, "+three") {
		t.Errorf("%+v", result)
	}
	if !strings.Contains(answer.Text, "Nothing was written") || e.text(t) != "one\n\ntwo" {
		t.Errorf("%s\n%q", answer.Text, e.text(t))
	}
}

// inTwoRequests returns a document in which "one" and "two" can be edited together
// only by losing a comment between them, and its revision.
func inTwoRequests(t *testing.T) (*editing, int) {
	e := newEditing(t, "one at first\n\nkept\n\ntwo then three", fakeoutline.Options{})
	e.comment(t, "kept")
	document, err := e.calm.Document(t.Context(), e.id)
	if err != nil {
		t.Fatal(err)
	}
	return e, document.Revision
}

func TestEditsGoOnAfterSomebodyElseChangedTheDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		at           int // the update before which they write
		find, theirs string
		expected     bool
		applied      int
		code         output.Code
		text         string
	}{
		"elsewhere":                       {1, "three", "THREE", false, 2, "", "1 at first\n\nkept\n\n2 then THREE"},
		"elsewhere, in between":           {2, "three", "THREE", false, 2, "", "1 at first\n\nkept\n\n2 then THREE"},
		"elsewhere, in between, expected": {2, "three", "THREE", true, 2, "", "1 at first\n\nkept\n\n2 then THREE"},
		"elsewhere, although expected":    {1, "three", "THREE", true, 0, output.Conflict, "one at first\n\nkept\n\ntwo then THREE"},
		"the passage":                     {1, "one", "ONE", false, 0, output.NotFound, "ONE at first\n\nkept\n\ntwo then three"},
		"a later passage":                 {1, "two", "TWO", false, 0, output.NotFound, "one at first\n\nkept\n\nTWO then three"},
		"the next passage":                {2, "two", "TWO", false, 1, output.NotFound, "1 at first\n\nkept\n\nTWO then three"},
		"so that the next one is twice":   {2, "three", "two", false, 1, output.InvalidArguments, "1 at first\n\nkept\n\ntwo then two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, revision := inTwoRequests(t)
			e.update = func(n int, _ map[string]any) {
				if n == test.at {
					e.theirs(t, test.find, test.theirs)
				}
			}
			arguments := map[string]any{}
			if test.expected {
				arguments["expected_revision"] = revision
			}
			result, answer := e.edit(t, arguments, "one", "1", "two", "2")
			if answer.Code != test.code || result.EditsApplied != test.applied {
				t.Errorf("%+v\n%s", result, answer.Text)
			}
			if got := e.text(t); got != test.text {
				t.Errorf("it says %q", got)
			}
			if test.applied == 1 && (!strings.Contains(answer.Text, "1 edit of 2, edits[0], stands. The rest was not made") || !strings.Contains(result.Diff, "+1 ") || result.RevisionBefore != revision || result.Revision <= revision) {
				t.Errorf("%+v\n%s", result, answer.Text)
			}
		})
	}
}

func TestAnOutlineThatIsTooOldIsNamed(t *testing.T) {
	e := newEditing(t, "one two three", fakeoutline.Options{NoPatches: true})
	for tool, arguments := range map[string]map[string]any{
		"edit_document":   {"document_id": e.id, "edits": []any{map[string]any{"old_text": "one", "new_text": "1"}}},
		"update_document": {"document_id": e.id, "text": "four", "append": true},
	} {
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil || answer.Code != output.Unsupported || !strings.Contains(answer.Text, "this Outline is too old; the supported versions are 1.8, 1.9 and the main branch.") {
			t.Errorf("%s: %v, %s", tool, err, answer.Text)
		}
	}
	if got := e.text(t); got != "one two three" {
		t.Errorf("it says %q", got)
	}
}

func TestADiffDoesNotRepeatWhatTheCallerSent(t *testing.T) {
	long := strings.Repeat("Each buoy reports its position. ", 40)
	for _, test := range []struct {
		name, text, old, new string
		want                 []string // parts of the diff
	}{
		{"lines that are added", "one\n\ntwo", "two", lines("new", 300), []string{"\n\n-two\n+new 0 new", "\n+… 571 lines\n", "\n+new 299 new"}},
		{"lines that are removed", "one\n\n" + lines("old", 300), lines("old", 300), "two", []string{"\n\n-old 0 old", "\n-… 571 lines\n", "\n-old 299 oldoldoldoldoldoldoldoldoldold\n+two"}},
		{"a word of a long line", long + "Ünique. " + long, "Ünique", "Üniform", []string{"\n-…ports its", "its position. Ünique. Each", "its …\n+…", "its position. Üniform. Each", "its …\n"}},
		{"a word of a long line, and another line", long + "Ünique. " + long, "Ünique. " + long, "Üniform. " + long + "\n\nNew", []string{"its position. Ünique. Each", "its position. Üniform. Each", "\n+New"}},
		{"a word of a long line, and another line before it", long + "Ünique. " + long + "end", long + "Ünique. ", "New\n\n" + long + "Üniform. ", []string{"its position. Ünique. Each", "its position. Üniform. Each", "\n+New"}},
		{"words far apart in a long line", long + long, long + long, "Our " + strings.TrimSuffix(long+long, "position. ") + "place.", []string{"+Our Each", "its place."}},
		{"a line that is hardly too long", "one", "one", strings.Repeat("n", 410), []string{"+" + strings.Repeat("n", 410)}},
		{"a long line for a short one", "one", "one", long + long, []string{"\n-one\n+Each buoy reports its position. Each", "…", " position."}},
	} {
		e := newEditing(t, test.text, fakeoutline.Options{})
		dry, preview := e.edit(t, map[string]any{"dry_run": true}, test.old, test.new)
		result, answer := e.edit(t, nil, test.old, test.new)
		for _, want := range test.want {
			if !strings.Contains(answer.Text, want) {
				t.Errorf("%s: without %q: %s", test.name, want, answer.Text)
			}
		}
		if len(answer.Text) > 1600 || result.LeftOut > 0 {
			t.Errorf("%s: %d characters, %d lines left out", test.name, len(answer.Text), result.LeftOut)
		}
		_, rest, _ := strings.Cut(result.Diff, "@@")
		if _, previewed, _ := strings.Cut(dry.Diff, "@@"); previewed != rest || !strings.Contains(preview.Text, strings.TrimSpace(rest)) || !strings.Contains(rest, strings.TrimSpace(strings.Split(test.new, "\n")[0])) {
			t.Errorf("%s: the structured diff and the preview are not whole: %s, %s", test.name, result.Diff, preview.Text)
		}
	}
}

func TestAChangeThatOutlineAcceptsAndDoesNotMakeIsTold(t *testing.T) {
	for _, lost := range []string{"title", "icon", "color"} {
		e := newEditing(t, "one", fakeoutline.Options{})
		e.update = func(_ int, request map[string]any) { delete(request, lost) }
		answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "title": "New title", "icon": "🚀", "color": "#4E5C6E", "text": "two"})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code != output.WriteMismatch || !strings.Contains(answer.Text, "the "+lost+" is ") || !strings.Contains(answer.Text, "+two") {
			t.Errorf("without %s: %s", lost, answer.Text)
		}
	}
}

func TestWhatOutlineDidNotDoIsNotCalledDone(t *testing.T) {
	for name, test := range map[string]struct {
		text, old, new string
		code           output.Code
		says           string
	}{
		"a sign":          {"if a == b", "==", "!=", output.WriteMismatch, "Outline accepted the change but did not make it"},
		"a number's sign": {"at 100 degrees", "100", "-100", output.WriteMismatch, "did not make it"},
		"strikethrough":   {"it is ~~gone~~", "~~gone~~", "gone", output.WriteMismatch, "did not make it"},
		"only form":       {"it is *so*", "*so*", "_so_", "", "Nothing changed in"},
		"blank lines":     {"one\n\ntwo", "one\n\ntwo", "one\n\n\n\n\n\ntwo", "", `write a line of \ between`},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, test.text, fakeoutline.Options{})
			e.update = func(_ int, request map[string]any) { request["text"] = request["findText"] }
			result, answer := e.edit(t, nil, test.old, test.new)
			if answer.Code != test.code || !strings.Contains(answer.Text, test.says) || result.Changed {
				t.Errorf("%s", answer.Text)
			}
		})
	}
}

func TestAnUnknownOutcomeInBetweenIsToldAsSuch(t *testing.T) {
	t.Parallel()
	e, _ := inTwoRequests(t)
	e.update = func(n int, _ map[string]any) {
		if n == 2 {
			e.lose = true
			e.after = func() { e.theirs(t, "2 then three", "something else") }
		}
	}
	result, answer := e.edit(t, nil, "one", "1", "two", "2")
	if answer.Code != output.OutcomeUnknown || result.EditsApplied != 1 || !strings.Contains(answer.Text, "except perhaps the next of them") || !strings.Contains(answer.Text, "check with read_document") {
		t.Errorf("%+v\n%s", result, answer.Text)
	}
	if got := e.text(t); got != "1 at first\n\nkept\n\nsomething else" {
		t.Errorf("it says %q", got)
	}
}

func TestAWholeTextThatNothingGuardedIsToldToHaveOverwritten(t *testing.T) {
	e := newEditing(t, "one two three", fakeoutline.Options{NoRevisionCheck: true})
	e.update = func(n int, _ map[string]any) { e.theirs(t, "three", "THREE") }
	answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": "mine"})
	if err != nil || answer.Code != "" || !strings.Contains(answer.Text, "what another user wrote may be lost") {
		t.Error(err, answer.Text)
	}
}

func TestTheTextsOfCallersCountAsTheyReadThem(t *testing.T) {
	cell := strings.Repeat("long ", 200)
	e := newEditing(t, "| Name | Value |\n|---|---|\n| "+cell+"| b |\n"+strings.Repeat("| c | d |\n", 20)+"\nEnd", fakeoutline.Options{})
	_, answer := e.edit(t, nil, "| c | d |\n\nEnd", "| c | d |\n\n<details><summary>More</summary>Hidden</details>\n\nEnd")
	if !strings.Contains(answer.Text, "details as a toggle") {
		t.Error(answer.Text)
	}
	// Stored are some 25,000 characters, most of them padding.
	short := "| Name | Value |\n|---|---|\n| " + cell[:900] + "| b |\n\nEnd"
	if answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": short}); err != nil || answer.Code != "" {
		t.Errorf("%v, %s", err, answer.Text)
	}
}
