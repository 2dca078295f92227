package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
)

// wikiRevisions are n revisions of the first document, whose texts differ in all lines.
func wikiRevisions(n int, text func(n int) string) (revisions []fakeoutline.Revision) {
	for i := range n {
		revisions = append(revisions, fakeoutline.Revision{
			ID: uuid(30_000 + i), DocumentID: uuid(1), Title: longTitle(i), Name: longTitle(i), Text: text(i), AuthType: "oauth", CreatedBy: uuid(99_000_000), CreatedAt: wikiDay(-n + i),
		})
	}
	return revisions
}

func verifyRevisions(t *testing.T, limit int) {
	seed := crowded()
	seed.Revisions = wikiRevisions(crowd, func(n int) string { return fmt.Sprint(n) })
	var want, got []string
	for _, r := range seed.Revisions {
		want = append(want, r.ID)
	}
	pieces := readToEnd(t, limit, wiki(t, seed), "list_revisions", map[string]any{"document_id": uuid(1), "limit": 100})
	far(t, pieces)
	for _, p := range pieces {
		got = append(got, sameEntries(t, p)...)
	}
	sameOnce(t, want, got)
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
		if _, shown, _ := strings.Cut(p.Text, "\n\n"); shown != strings.TrimRight(piece, "\n") {
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

func revisionLimitChecks() map[string]limitCheck {
	return map[string]limitCheck{
		"a long text": func(t *testing.T, limit int) {
			verifyRevision(t, limit, map[string]any{"revision_id": uuid(30_000)}, manual(5*limit))
		},
		"a long diff": func(t *testing.T, limit int) {
			verifyRevision(t, limit, map[string]any{"document_id": uuid(1), "compare_with": "previous"}, lines("old", limit/20), lines("new", limit/20))
		},
		"a diff of one enormous line": func(t *testing.T, limit int) {
			verifyRevision(t, limit, map[string]any{"revision_id": uuid(30_000), "compare_with": uuid(30_001)}, strings.Repeat("endless ", limit/2), "short")
		},
	}
}

// verifyRestoredDiff restores a revision of which every line differs.
func verifyRestoredDiff(t *testing.T, limit int) {
	seed := oldLines()
	seed.Revisions = wikiRevisions(1, func(int) string { return lines("new", 1500) })
	answer := success(t, limited(t, limit, true, wiki(t, seed)), limit, "restore_document", map[string]any{"document_id": uuid(1), "revision_id": uuid(30_000)})
	cut := decoded[cutDiff](t, answer.Structured)
	said := fmt.Sprintf("of the diff left out: read_document with start_line %d shows what is there.", cut.NextStartLine)
	if cut.LeftOut == 0 || !strings.HasSuffix(answer.Text, said) || !strings.Contains(answer.Text, strings.TrimSuffix(cut.Diff, "\n")) {
		t.Errorf("%d lines left out: %.500s", cut.LeftOut, answer.Text)
	}
}
