package tools_test

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// rewriting is a server that shows the text of documents in another form than this
// program's model.
type rewriting struct {
	http.RoundTripper
	old, new string
}

func (r rewriting) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(request)
	if err != nil || path.Base(request.URL.Path) != "documents.info" || request.Header.Get("x-api-version") != "" {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.ReplaceAll(body, []byte(r.old), []byte(r.new))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

func TestWithoutTreesTheTextIsComparedAndTheAnswerSaysSo(t *testing.T) {
	const (
		notShown = "this Outline returned no document tree, or one too large to compare"
		notKnown = "this server cannot reproduce everything in this document exactly"
	)
	for name, test := range map[string]struct {
		options  fakeoutline.Options
		rewrites bool
		notes    []string
		want     string
	}{
		"no trees":     {fakeoutline.Options{NoTree: true}, false, []string{notShown}, "* 1 more\n* two"},
		"another form": {fakeoutline.Options{}, true, []string{notKnown}, "* 1 more\n* two"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, "* one more\n* two", test.options)
			if test.rewrites {
				e.RoundTripper = rewriting{e.RoundTripper, `"text":"* one`, `"text":"*  one`}
			}
			for _, dry := range []bool{true, false} {
				result, answer := e.edit(t, map[string]any{"dry_run": dry}, "one", "1")
				if answer.Code != "" || result.Verified || !dry && len(result.Notes) != len(test.notes)+1 { // and the note that a draft has no revision to return to
					t.Errorf("%+v\n%s", result, answer.Text)
				}
				for _, note := range test.notes {
					if !strings.Contains(strings.Join(result.Notes, "\n"), note) {
						t.Errorf("notes %v", result.Notes)
					}
				}
			}
			if got := e.text(t); got != test.want {
				t.Errorf("it says %q", got)
			}
			// It is no longer written in another form.
			appended, text := tell(t, e.c, "update_document", map[string]any{"document_id": e.id, "text": "three", "append": true})
			if !appended.Changed || appended.Verified != test.rewrites || strings.Contains(text, ", verified false") == test.rewrites {
				t.Errorf("%+v\n%s", appended, text)
			}
		})
	}
}

func TestAPassageThatOutlineDoesNotFindOrFailsOnIsAnsweredWithWhatWorks(t *testing.T) {
	for name, test := range map[string]struct {
		text, old, new string
		code           output.Code
		says           string
	}{
		"an empty paragraph":  {"One.\n\n\\\n\nTwo.", "One.\n\n\nTwo", "1.\n\n2", output.NotFound, "Choose a passage without them"},
		"words behind a name": {"See @[A person with a long name](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) inside.", " inside", " outside", output.UpstreamError, "such as the whole paragraph"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, test.text, fakeoutline.Options{NoTree: true})
			before := e.text(t)
			_, answer := e.edit(t, nil, test.old, test.new)
			if answer.Code != test.code || !strings.Contains(answer.Text, "nothing was written: ") || !strings.Contains(answer.Text, test.says) || e.text(t) != before {
				t.Errorf("%s\n%q", answer.Text, e.text(t))
			}
			e = newEditing(t, test.text, fakeoutline.Options{})
			if result, answer := e.edit(t, nil, test.old, test.new); answer.Code != "" || !result.Verified {
				t.Errorf("with trees: %s", answer.Text)
			}
		})
	}
}

func TestADocumentOfVeryManyNodesIsComparedByItsText(t *testing.T) {
	const dense = 52_000
	e := newEditing(t, strings.Repeat("*a* ", dense)+"\n\nthe end", fakeoutline.Options{})
	result, answer := e.edit(t, nil, "the end", "the very end")
	if answer.Code != "" || result.Verified || len(result.Notes) != 2 || !strings.Contains(result.Notes[0], "too large to compare") {
		t.Errorf("%.2000s\n%q", answer.Text, result.Notes)
	}
	if got := e.text(t); !strings.HasSuffix(got, "the very end") || strings.Count(got, "*a*") != dense {
		t.Errorf("it ends with %q", got[max(0, len(got)-100):])
	}
}

// TestRecordedPatchesHoldThroughEditDocument makes the patches that a real
// Outline was recorded with (048 to 051 and 306 to 311), on the texts that they
// were made on, and expects the texts that it answered. Where it took the first
// of two passages, or none, the tool says what to do. Where it left an empty
// paragraph behind (051), the tool takes the whole paragraph away.
func TestRecordedPatchesHoldThroughEditDocument(t *testing.T) {
	const (
		guide   = "prepended\n\n# H\n\nfirst paragraph\n\nsecond paragraph\n\nappended legacyappended no newline"
		changed = "prepended\n\n# H\n\nfirst paragraph\n\nSECOND para\n\nappended legacyappended no newline"
		probe   = "# Alpha\n\nfoo bar\n\nfoo bar\n\nsome **bold** text and a [link](https://example.com)\n\n* one\n* two"
		first   = "# Alpha\n\nFOO bar\n\nfoo bar\n\nsome **bold** text and a [link](https://example.com)\n\n* one\n* two"
		marks   = "# Alpha\n\nFOO bar\n\nfoo bar\n\nsome *plain* text and a [link](https://example.com)\n\n* one\n* two"
		blocks  = "# Alpha\n\nFOO bar\n\nmerged\n\nblocks *plain* text and a [link](https://example.com)\n\n* one\n* two"
	)
	for name, test := range map[string]struct {
		text, old, new string
		want           string // the text afterwards
		code           output.Code
		says           string
	}{
		"048, a paragraph":                 {guide, "second paragraph", "SECOND para", changed, "", ""},
		"049, what does not occur":         {changed, "does not occur", "x", changed, output.NotFound, "nothing was written"},
		"050, nothing to look for":         {changed, "", "x", changed, output.InvalidArguments, "old_text"},
		"051, a deletion":                  {changed, "first paragraph", "", "prepended\n\n# H\n\nSECOND para\n\nappended legacyappended no newline", "", ""},
		"306, two passages":                {probe, "foo", "FOO", probe, output.InvalidArguments, "occurs 2 times"},
		"306, the first of two":            {probe, "# Alpha\n\nfoo", "# Alpha\n\nFOO", first, "", ""},
		"307, across marks":                {first, "some **bold** text", "some *plain* text", marks, "", ""},
		"308, the plain text of marks":     {marks, "some plain text", "x", marks, output.NotFound, "line 7: some *plain* text"},
		"309, across blocks":               {marks, "foo bar\n\nsome", "merged\n\nblocks", blocks, "", ""},
		"310, an item with another bullet": {blocks, "- two", "- two\n- three", strings.Replace(blocks, "* two", "* two\n* three", 1), "", ""},
		"311, in another case":             {blocks, "ALPHA", "x", blocks, output.NotFound, "line 1: # Alpha"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, test.text, fakeoutline.Options{})
			if got := e.text(t); got != test.text {
				t.Fatalf("it begins as %q", got)
			}
			_, answer := e.edit(t, nil, test.old, test.new)
			if answer.Code != test.code || !strings.Contains(answer.Text, test.says) {
				t.Errorf("code %q: %s", answer.Code, answer.Text)
			}
			if got := e.text(t); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
