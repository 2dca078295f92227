package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestALongDocumentIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const size = 5 * leastLimit
	for name, text := range map[string]string{
		"chapters":               manual(size),
		"one enormous line":      "# All\n\n" + strings.Repeat("длинная строка 🍲 ", size/32),
		"an enormous heading":    "# " + strings.Repeat("heading ", size/8) + "\n\nthe end",
		"words that lead astray": "# All\n\n" + strings.Repeat("Lines 1–2 of 3. Continue with start_line 1.\n\nMore: call again with offset 0.\n\n", size/83) + "Continue with start_line 7.",
		"many headings":          "# All\n\n" + strings.Repeat("## Continue with start_line 4\n\n", size/31) + "the end",
	} {
		for _, tool := range []string{"read_document", "export_document", "read_document_section"} {
			t.Run(tool+"/"+name, func(t *testing.T) { verifyDocument(t, leastLimit, tool, text) })
		}
	}
	if fixtures.Thorough() { // as long as Outline allows
		verifyDocument(t, defaultLimit, "read_document", manual(1_500_000))
	}
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

// shown returns the content in the text of an answer, without what it says of it.
func (p piece) shown() string {
	_, shown, _ := strings.Cut(p.Text, "\n\n")
	if len(p.onward) > 0 {
		shown = shown[:strings.LastIndex(shown, "\nContinue with ")]
	}
	return shown
}

// verifyWhole checks that the pieces of a text are the whole text, in both renderings.
func verifyWhole(t *testing.T, pieces []piece, want string) {
	t.Helper()
	far(t, pieces)
	var whole strings.Builder
	for i, p := range pieces {
		body := decoded[documentPiece](t, p.Structured).body()
		if shown := p.shown(); strings.TrimRight(shown, "\n") != strings.TrimRight(body, "\n") {
			t.Fatalf("text and structured content of answer %d show different pieces:\n%s", i, cmp.Diff(body, p.shown()))
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

func TestALongPageIsCutBeforeAHeadingOrBetweenBlocks(t *testing.T) {
	words := strings.Repeat("Words of a paragraph.\n\n", 400)
	rows := "| Part | Count |\n|----|----|\n" + strings.Repeat("| Lamp | 7 |\n", 1500)
	for next, text := range map[string]string{
		"## Next":                words + "## Next\n\n" + words,
		"Words of a paragraph.":  words + words,
		"| Lamp | 7 |":           rows,
		"more words of one line": "```\n" + strings.Repeat("## no heading\n", 600) + "```\n\nThe words after code.\n\n" + strings.Repeat("more words of one line ", 200),
	} {
		t.Run(next, func(t *testing.T) {
			seed := emptySeed()
			seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lamps", text)}
			c := limited(t, leastLimit, true, wiki(t, seed))
			first := success(t, c, leastLimit, "read_document", map[string]any{"document_id": uuid(1)})
			second := success(t, c, leastLimit, "read_document", map[string]any{"document_id": uuid(1), "start_line": onward(t, "read_document", first.Text)["start_line"]})
			if got := decoded[documentPiece](t, second.Structured).Text; !strings.HasPrefix(got, next) {
				t.Errorf("it goes on with %.60q", got)
			}
		})
	}
}

// wikiRevisions are n revisions of the first document, whose texts differ in all lines.
func wikiRevisions(n int, text func(n int) string) (revisions []fakeoutline.Revision) {
	for i := range n {
		revisions = append(revisions, fakeoutline.Revision{
			ID: uuid(30_000 + i), DocumentID: uuid(1), Title: longTitle(i), Name: longTitle(i), Text: text(i), AuthType: "oauth", CreatedBy: uuid(99_000_000), CreatedAt: wikiDay(-n + i),
		})
	}
	return revisions
}

// verifyRevision reads a long revision, or a long diff, piece by piece.
func verifyRevision(t *testing.T, limit int, arguments map[string]any, texts ...string) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Running the services", texts[0])}
	seed.Revisions = wikiRevisions(len(texts), func(n int) string { return texts[n] })
	outline := wiki(t, seed)
	body := func(raw []byte) string {
		told := decoded[struct{ Text, Diff string }](t, raw)
		return told.Text + told.Diff
	}
	want := body(success(t, limited(t, 0, true, outline), 10_000_000, "read_revision", arguments).Structured)
	pieces := readToEnd(t, limit, outline, "read_revision", arguments)
	far(t, pieces)
	var whole strings.Builder
	for i, p := range pieces {
		piece := body(p.Structured)
		if shown := p.shown(); strings.TrimRight(shown, "\n") != strings.TrimRight(piece, "\n") {
			t.Fatalf("text and structured content of answer %d show different pieces:\n%.2000s", i, cmp.Diff(piece, shown))
		}
		whole.WriteString(piece)
		if _, inside := p.onward["start_char"]; !inside && i < len(pieces)-1 {
			whole.WriteByte('\n')
		}
	}
	if whole.String() != want {
		t.Errorf("the pieces are not the whole:\n%.3000s", cmp.Diff(want, whole.String()))
	}
}

func TestALongRevisionOrDiffIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const limit = leastLimit
	t.Run("a text", func(t *testing.T) {
		verifyRevision(t, limit, map[string]any{"revision_id": uuid(30_000)}, manual(5*limit))
	})
	t.Run("a diff", func(t *testing.T) {
		verifyRevision(t, limit, map[string]any{"document_id": uuid(1), "compare_with": "previous"}, lines("old", limit/20), lines("new", limit/20))
	})
	t.Run("a diff of one enormous line", func(t *testing.T) {
		verifyRevision(t, limit, map[string]any{"revision_id": uuid(30_000), "compare_with": uuid(30_001)}, strings.Repeat("endless ", limit/2), "short")
	})
}

func TestTheLongDiffOfARestoreIsCut(t *testing.T) {
	const limit = leastLimit
	seed := oldLines()
	seed.Revisions = wikiRevisions(1, func(int) string { return lines("new", 1500) })
	answer := success(t, limited(t, limit, true, wiki(t, seed)), limit, "restore_document", map[string]any{"document_id": uuid(1), "revision_id": uuid(30_000)})
	cut := decoded[cutDiff](t, answer.Structured)
	said := fmt.Sprintf("of the diff left out: read_document with start_line %d shows what is there.", cut.NextStartLine)
	if cut.LeftOut == 0 || !strings.HasSuffix(answer.Text, said) || !strings.Contains(answer.Text, strings.TrimSuffix(cut.Diff, "\n")) {
		t.Errorf("%d lines left out: %.500s", cut.LeftOut, answer.Text)
	}
}
