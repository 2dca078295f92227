package tools_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

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
