package tools_test

import (
	"bytes"
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// The tests of this file and of forged_test.go make the example calls that succeed, on
// other workspaces than the sample. A new tool has nothing to add to them.

// successes returns the example calls of a tool that succeed.
func successes(t *testing.T, tool string) []fixtures.Call {
	t.Helper()
	var calls []fixtures.Call
	for _, call := range exampleCalls(t, tool) {
		if !call.Failed() {
			calls = append(calls, call)
		}
	}
	return calls
}

// sampleWith is the sample workspace after a change of its content.
func sampleWith(t *testing.T, change func(*fakeoutline.Seed)) http.RoundTripper {
	t.Helper()
	seed, err := fakeoutline.Sample()
	if err != nil {
		t.Fatal(err)
	}
	change(&seed)
	w, err := fakeoutline.Empty(fakeoutline.Options{Answers: true, Now: fakeoutline.SampleDay}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w.Transport()
}

// ownContinuation has the tools whose answers continue in a way of their own, or not at all,
// and the test that reads them to their end.
var ownContinuation = map[string]string{
	"get_collection_structure": "TestATreeIsReadToItsEnd",
	"batch_read_documents":     "TestABatchOfDocumentsIsReadToItsEnd",
	"fetch":                    "TestFetchReadsADocumentToItsEnd",
	"search":                   "TestSearchShowsTheBestMatches",
	"ask_ai_about_documents":   "TestALongAnswerOfTheAIIsCut",
}

// TestTheAnswersOfExamplesStayUnderTheLimitAndTogetherAreTheWhole makes the example calls in
// a workspace where everything is far larger than an answer. It compares what tools that read
// answer in pieces with what they answer without a limit.
func TestTheAnswersOfExamplesStayUnderTheLimitAndTogetherAreTheWhole(t *testing.T) {
	t.Parallel()
	crowd := sampleWith(t, enlarge)
	whole, wholeText := limited(t, 0, true, crowd), limited(t, 0, false, crowd)
	both, textOnly := limited(t, leastLimit, true, crowd), limited(t, leastLimit, false, crowd)
	schemas := map[string]json.RawMessage{}
	for _, tool := range listTools(t, both) {
		schemas[tool.Name] = tool.InputSchema
	}
	continued := 0
	for _, tool := range fixtures.Some(tools.All(), 30) {
		info := tool.Info()
		for _, call := range fixtures.Some(successes(t, info.Name), 1) {
			t.Run(info.Name+"/"+call.Name, func(t *testing.T) {
				arguments := decoded[map[string]any](t, call.Arguments)
				if info.Effect != mcptool.Reads {
					answer := bounded(t, limited(t, leastLimit, true, sampleWith(t, enlarge)), leastLimit, info.Name, arguments)
					if next := onward(t, info.Name, answer.Text); len(next) > 0 {
						t.Errorf("a write is to be continued with %v", next)
					}
					return
				}
				if ownContinuation[info.Name] != "" {
					bounded(t, both, leastLimit, info.Name, arguments)
					return
				}
				if strings.Contains(string(schemas[info.Name]), `"limit":{`) { // a page larger than an answer
					arguments["limit"] = 100
				}
				want, body := contents(t, readToEndWith(t, whole, wholeText, 1<<30, info.Name, arguments))
				pieces := readToEndWith(t, both, textOnly, leastLimit, info.Name, arguments)
				got, bodyInPieces := contents(t, pieces)
				sameOnce(t, want, got)
				if diff := cmp.Diff(body, bodyInPieces); diff != "" {
					t.Errorf("the pieces are not the whole (-whole +pieces):\n%.2000s", diff)
				}
				if len(pieces) > 1 {
					continued++
				}
			})
		}
	}
	if fixtures.Thorough() && continued < 20 {
		t.Errorf("only %d answers are in pieces: the workspace is too small for this test", continued)
	}
}

// contents returns what answers hold together: the entries of their lists, each by its ID or
// as a whole, and their body, which is a text or a diff.
func contents(t *testing.T, pieces []piece) (entries []string, body string) {
	t.Helper()
	var whole strings.Builder
	for i, p := range pieces {
		before := whole.Len()
		for key, value := range decoded[map[string]json.RawMessage](t, p.Structured) {
			switch {
			case bytes.HasPrefix(value, []byte("[{")):
				for _, raw := range decoded[[]json.RawMessage](t, value) {
					entries = append(entries, key+" "+stdcmp.Or(decoded[listed](t, raw).id(), string(raw)))
				}
			case key == "text" || key == "content" || key == "diff":
				whole.WriteString(decoded[string](t, value))
			}
		}
		if _, inside := p.onward["start_char"]; !inside && i < len(pieces)-1 && whole.Len() > before {
			whole.WriteByte('\n')
		}
	}
	return entries, whole.String()
}

// enlarge makes everything in the sample far larger than an answer: each document gets long
// text and copies beside it, and there are hundreds of collections, people, comments,
// templates, revisions and attachments more. No line is longer than an answer.
func enlarge(seed *fakeoutline.Seed) {
	copies := fixtures.Count(4, 8)
	last := 0
	number := func() (n int, id, urlID string) {
		last++
		return last, uuid(last), fmt.Sprintf("N%09d", last)
	}
	for _, d := range seed.Documents {
		for range copies {
			n, id, urlID := number()
			other := d
			other.ID, other.URLID, other.Title = id, urlID, fmt.Sprintf("%.60s %d, and more to read", d.Title, n)
			if at := strings.Index(d.Text[min(len(d.Text), 1500):], "\n"); at >= 0 {
				other.Text = d.Text[:1500+at]
			}
			seed.Documents = append(seed.Documents, other)
		}
	}
	for i := range seed.Documents[:len(seed.Documents)/(copies+1)] {
		d := &seed.Documents[i]
		for n := range 250 {
			d.Text += fmt.Sprintf("\n\n## Appendix %d\n\nA line of this page, %d of many. [Plan](/api/attachments.redirect?id=%s)", n, n, uuid(500_000+n))
		}
	}
	for _, c := range seed.Comments {
		if c.ParentID != "" {
			continue
		}
		for range 60 {
			n, id, _ := number()
			c.ID, c.Data, c.Anchor = id, commentOf(fmt.Sprintf("Comment %d.", n), strings.Repeat("More of it. ", 20)), ""
			seed.Comments = append(seed.Comments, c)
		}
	}
	for _, r := range seed.Revisions {
		for range 4 {
			n, id, _ := number()
			r.ID, r.Name, r.Text = id, strings.Repeat("x", 80), strings.Repeat(fmt.Sprintf("Revision %d.\n\n", n), 500)
			seed.Revisions = append(seed.Revisions, r)
		}
	}
	seed.Revisions[0].Text += strings.Repeat("\n\nA line of the first revision.", 1000)
	for range 150 {
		n, id, urlID := number()
		c, p, s := seed.Collections[0], seed.Users[len(seed.Users)-1], seed.Templates[0]
		c.ID, c.URLID, c.Name, c.Description = id, urlID, fmt.Sprint("Archipelago ", n), strings.Repeat("All that is known of it. ", 5)
		seed.Collections = append(seed.Collections, c)
		n, id, _ = number()
		p.ID, p.Name, p.Email = id, fmt.Sprintf("Falk Number %d of the crew", n), fmt.Sprintf("%d@example.com", n)
		seed.Users = append(seed.Users, p)
		n, id, urlID = number()
		s.ID, s.URLID, s.Title, s.Tree = id, urlID, fmt.Sprint("Incident ", n), prosemirror.Parse(strings.Repeat("What happened?\n\n", 10))
		seed.Templates = append(seed.Templates, s)
	}
	for i := range seed.Attachments {
		if a := &seed.Attachments[i]; strings.HasPrefix(a.ContentType, "text/") {
			a.Content = append(a.Content, bytes.Repeat([]byte("3.3,4.1,5.2\n"), 5000)...)
		}
	}
}
