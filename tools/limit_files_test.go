package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/cli"
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

// chatGPTLimitChecks are those of the tools for ChatGPT, whose text is JSON.
func chatGPTLimitChecks() map[string]map[string]limitCheck {
	fetch := map[string]limitCheck{}
	for name, text := range map[string]func(size int) string{
		"a long document": manual,
		"one enormous line": func(size int) string {
			return "# All\n\n" + strings.Repeat(`длинная "строка" 🍲 `, size/32)
		},
	} {
		fetch[name] = func(t *testing.T, limit int) { verifyFetch(t, limit, text(5*limit)) }
	}
	return map[string]map[string]limitCheck{"fetch": fetch, "search": {"long titles": verifyChatGPTSearch}}
}

// fetched is an answer of fetch.
type fetched struct {
	ID, Title, Text string
	Metadata        struct {
		NextID string `json:"next_id"`
	}
}

// sameInText checks that the text of an answer is its structured content in JSON.
func sameInText(t *testing.T, answer cli.Answer) {
	t.Helper()
	if diff := cmp.Diff(decoded[any](t, answer.Structured), decoded[any](t, []byte(answer.Text))); diff != "" {
		t.Fatalf("text and structured content differ:\n%.2000s", diff)
	}
}

func verifyFetch(t *testing.T, limit int, text string) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Running the services", text)}
	c := limited(t, limit, false, wiki(t, seed))
	var whole strings.Builder
	id, pieces := uuid(1), 0
	for id != "" {
		answer := success(t, c, limit, "fetch", map[string]any{"id": id})
		sameInText(t, answer)
		piece := decoded[fetched](t, answer.Structured)
		whole.WriteString(piece.Text)
		if id = piece.Metadata.NextID; id != "" && !strings.Contains(id, "start_char") {
			whole.WriteByte('\n')
		}
		if pieces++; pieces > 100 {
			t.Fatalf("the answers do not end: %s", id)
		}
	}
	if pieces < 2 || whole.String() != stored(text) {
		t.Errorf("%d pieces are not the whole:\n%.3000s", pieces, cmp.Diff(stored(text), whole.String()))
	}
}

// verifyChatGPTSearch searches for more than there is room for. The best matches are
// shown, because ChatGPT cannot ask for others.
func verifyChatGPTSearch(t *testing.T, limit int) {
	seed := emptySeed()
	for n := 1; n <= 40; n++ {
		seed.Documents = append(seed.Documents, wikiPage(n, "", strings.Repeat("buoy\\", 20), "buoy"))
	}
	answer := success(t, limited(t, limit, false, wiki(t, seed)), limit, "search", map[string]any{"query": "buoy"})
	sameInText(t, answer)
	if found := decoded[struct{ Results []fetched }](t, answer.Structured).Results; len(found) < 20 || len(found) > 25 {
		t.Errorf("%d results", len(found))
	}
}
