package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
)

// fileLimitChecks are those of the tools for files.
func fileLimitChecks() map[string]map[string]limitCheck {
	texts := map[string]func(size int) string{
		"a long log": func(size int) string {
			return strings.Repeat("2026-01-01 the buoy is silent\n\n", size/31) + "the end"
		},
		"one enormous line": func(size int) string { return strings.Repeat("длинная строка 🍲 ", size/32) + "the end" },
		"words that lead astray": func(size int) string {
			return strings.Repeat("Lines 1–2 of 3. Go on with start_line 1.\n\n", size/45) + "the end"
		},
	}
	all := map[string]map[string]limitCheck{"read_attachment": {}, "list_attachments": {"many": verifyAttachments}}
	for name, text := range texts {
		all["read_attachment"][name] = func(t *testing.T, limit int) { verifyTextFile(t, limit, text(5*limit)) }
	}
	return all
}

func verifyTextFile(t *testing.T, limit int, text string) {
	seed := emptySeed()
	seed.Attachments = []fakeoutline.Attachment{{ID: uuid(1), UserID: uuid(99_000_000), Name: "buoy.log", ContentType: "text/plain", Content: []byte(text)}}
	pieces := readToEnd(t, limit, wiki(t, seed), "read_attachment", map[string]any{"attachment_id": uuid(1)})
	verifyWhole(t, pieces, text)
}

// verifyAttachments lists images that all stand on one line.
func verifyAttachments(t *testing.T, limit int) {
	var text strings.Builder
	var want []string
	for n := 1; n <= 5*limit/100; n++ {
		fmt.Fprintf(&text, "![%s](/api/attachments.redirect?id=%s) ", strings.Repeat("buoy ", n%60), uuid(n))
		want = append(want, uuid(n))
	}
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Pictures", text.String())}
	pieces := readToEnd(t, limit, wiki(t, seed), "list_attachments", map[string]any{"document_id": uuid(1)})
	far(t, pieces)
	var structured, told []string
	for _, p := range pieces {
		for _, a := range decoded[struct {
			Attachments []struct {
				ID string `json:"attachment_id"`
			}
		}](t, p.Structured).Attachments {
			structured = append(structured, a.ID)
		}
		told = append(told, toldIDs(p.Text)...)
	}
	if diff := cmp.Diff(want, structured); diff != "" {
		t.Errorf("structured content:\n%.2000s", diff)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("text:\n%.2000s", diff)
	}
}
