package written_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
	"outline-mcp/tools/written"
)

// corpus returns the texts that a real Outline stored, what was sent to it for them, and
// the documents of the sample workspace.
func corpus(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, r := range fixtures.Recorded[struct{ Markdown, Text, Export string }](t, "roundtrip") {
		texts = append(texts, r.Markdown, r.Text, r.Export)
	}
	type state struct{ Text string }
	for _, file := range []string{"patches", "writes"} {
		for _, r := range fixtures.Recorded[struct {
			Request       state
			Before, After state
		}](t, file) {
			texts = append(texts, r.Before.Text, r.Request.Text, r.After.Text)
		}
	}
	sample := os.DirFS("../../internal/fakeoutline/content")
	err := fs.WalkDir(sample, ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			text, err := fs.ReadFile(sample, path)
			texts = append(texts, string(text))
			return err
		}
		return err
	})
	if err != nil || len(texts) < 5000 {
		t.Fatalf("%d texts: %v", len(texts), err)
	}
	return texts
}

func TestRecordedTextsStayAsTheyAre(t *testing.T) {
	for i, text := range corpus(t) {
		if got, changed := written.Unescape(text, ""); changed || got != text {
			t.Errorf("unescaped: %q", text)
		}
		if e, found := written.FindElision(text, text+"\n\nMore", text); found {
			t.Errorf("%d: %+v", i, e)
		}
		if text == "…" {
			continue
		}
		if e, found := written.FindElision("Some old text\n\nof three\n\nparagraphs", text, ""); found {
			t.Errorf("%d: %+v in %q", i, e, text)
		}
	}
}
