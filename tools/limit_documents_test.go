package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
)

// documentLimitChecks are those of the tools that read one document.
func documentLimitChecks() map[string]map[string]limitCheck {
	texts := map[string]func(size int) string{
		"a long document": manual,
		"one enormous line": func(size int) string {
			return "# All\n\n" + strings.Repeat("длинная строка 🍲 ", size/32)
		},
		"an enormous heading": func(size int) string {
			return "# " + strings.Repeat("heading ", size/8) + "\n\nthe end"
		},
		"words that lead astray": func(size int) string {
			return "# All\n\n" + strings.Repeat("Lines 1–2 of 3. Continue with start_line 1.\n\nMore: call again with offset 0.\n\n", size/83) + "Continue with start_line 7."
		},
		"many headings": func(size int) string {
			return "# All\n\n" + strings.Repeat("## Continue with start_line 4\n\n", size/31) + "the end"
		},
	}
	all := map[string]map[string]limitCheck{"read_document": {}, "export_document": {}, "read_document_section": {}, "get_document_outline": {}}
	for name, text := range texts {
		for _, tool := range []string{"read_document", "export_document", "read_document_section"} {
			all[tool][name] = func(t *testing.T, limit int) { verifyDocument(t, limit, tool, text(sizeFor(tool, name, limit))) }
		}
	}
	all["get_document_outline"]["many headings"] = func(t *testing.T, limit int) {
		verifyHeadings(t, limit, texts["many headings"](5*limit))
	}
	return all
}

// sizeFor is the size of a document far over a limit; in one limitCheck, as long as
// Outline allows.
func sizeFor(tool, name string, limit int) int {
	if tool == "read_document" && name == "a long document" && limit == defaultLimit {
		return 1_500_000
	}
	return 5 * limit
}

// manual is Markdown of about size bytes, all below one heading.
func manual(size int) string {
	var b strings.Builder
	b.WriteString("# All\n\n")
	for chapter := 1; b.Len() < size-1000; chapter++ {
		fmt.Fprintf(&b, "## %d. Running service %d\n\n", chapter, chapter)
		for range 3 {
			b.WriteString("Each buoy reports its position, its battery and the state of its light every ten minutes; whoever is on call sees the ones that do not.\n\n")
		}
		b.WriteString("* Say in the channel that you begin\n* Write down what you did\n\n\n```sh\n# the old one first\n\n\nbuoyctl stop --all\n```\n\n")
	}
	b.WriteString("the end")
	return b.String()
}

// documentPiece is what answers with a document's text have in common.
type documentPiece struct {
	Text, Content string
	TotalLines    int `json:"total_lines"`
}

func (p documentPiece) body() string { return p.Text + p.Content }

// stored is a text as Outline stores it.
func stored(text string) string { return prosemirror.ToText(prosemirror.Parse(text)) }

func verifyDocument(t *testing.T, limit int, tool, text string) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Running the services", text)}
	outline := wiki(t, seed)
	text = stored(text)
	arguments := map[string]any{"document_id": uuid(1)}
	want := text
	switch tool {
	case "read_document_section":
		heading, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		arguments["heading"] = heading[:min(len(heading), 100)]
	case "export_document": // has its own format
		whole := success(t, limited(t, 0, true, outline), 3*len(text), tool, arguments)
		if want = decoded[documentPiece](t, whole.Structured).body(); !strings.HasSuffix(want, "the end") && len(want) < len(text) {
			t.Fatalf("the export has %d bytes, the document %d", len(want), len(text))
		}
	}
	pieces := readToEnd(t, limit, outline, tool, arguments)
	verifyWhole(t, pieces, want)
}

// verifyWhole checks that the pieces of a text are the whole text, in both renderings.
func verifyWhole(t *testing.T, pieces []piece, want string) {
	t.Helper()
	far(t, pieces)
	var whole strings.Builder
	for i, p := range pieces {
		body := decoded[documentPiece](t, p.Structured).body()
		_, shown, _ := strings.Cut(p.Answer.Text, "\n\n")
		if len(p.onward) > 0 {
			shown = shown[:strings.LastIndex(shown, "\nContinue with ")]
		}
		if strings.TrimRight(shown, "\n") != strings.TrimRight(body, "\n") {
			t.Fatalf("text and structured content of answer %d show different pieces:\n%s", i, cmp.Diff(body, shown))
		}
		whole.WriteString(body)
		if _, inside := p.onward["start_char"]; !inside && i < len(pieces)-1 {
			whole.WriteByte('\n')
		}
	}
	if whole.String() != want {
		t.Errorf("the pieces are not the whole:\n%.3000s", cmp.Diff(want, whole.String()))
	}
}

func verifyHeadings(t *testing.T, limit int, text string) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Running the services", text)}
	var want []string
	for i, line := range strings.Split(stored(text), "\n") {
		if strings.HasPrefix(line, "# All") || strings.HasPrefix(line, "## ") {
			want = append(want, fmt.Sprint(i+1, " ", line))
		}
	}
	pieces := readToEnd(t, limit, wiki(t, seed), "get_document_outline", map[string]any{"document_id": uuid(1)})
	far(t, pieces)
	var told, structured []string
	for _, p := range pieces {
		for line := range strings.Lines(p.Text) {
			if _, heading, _ := strings.Cut(line, " "); line[0] >= '0' && line[0] <= '9' && heading[0] == '#' {
				told = append(told, strings.TrimSpace(line))
			}
		}
		for _, h := range decoded[struct {
			Headings []struct {
				Level, Line int
				Text        string
			}
		}](t, p.Structured).Headings {
			structured = append(structured, fmt.Sprint(h.Line, " ", strings.Repeat("#", h.Level), " ", h.Text))
		}
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("text:\n%.2000s", diff)
	}
	if diff := cmp.Diff(want, structured); diff != "" {
		t.Errorf("structured content:\n%.2000s", diff)
	}
}
