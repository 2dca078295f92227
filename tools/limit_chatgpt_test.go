package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

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
