package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

func TestALongDiffIsCut(t *testing.T) {
	t.Parallel()
	t.Run("of an edit", func(t *testing.T) { verifyDiff(t, leastLimit) })
	t.Run("of a dry run", func(t *testing.T) { verifyDryRun(t, leastLimit) })
	t.Run("after another text was stored by an edit", func(t *testing.T) {
		verifyMismatch(t, leastLimit, "edit_document", map[string]any{"edits": []map[string]string{{"old_text": "old 7 ", "new_text": "new 7"}}})
	})
	t.Run("after another text was stored by an update", func(t *testing.T) {
		verifyMismatch(t, leastLimit, "update_document", map[string]any{"text": lines("new", 1500), "allow_shrink": true})
	})
	t.Run("of one enormous line", func(t *testing.T) {
		seed := emptySeed()
		seed.Documents = []fakeoutline.Document{wikiPage(1, "", "x", "first\n\n"+strings.Repeat("endless ", 20_000)+"finis\n\nlast")}
		answer := success(t, limited(t, leastLimit, true, wiki(t, seed)), 1000, "edit_document",
			map[string]any{"document_id": uuid(1), "edits": []map[string]string{{"old_text": "endless finis", "new_text": "finished"}}})
		if !strings.Contains(answer.Text, "endless endless finis\n+…") || !strings.HasSuffix(answer.Text, "endless finished") {
			t.Error(answer.Text)
		}
	})
}

func TestAFailureToFindALongPassageIsShort(t *testing.T) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "x", strings.Repeat(strings.Repeat("the same ", 5_000)+"\n\n", 20))}
	both := limited(t, leastLimit, true, wiki(t, seed))
	for _, old := range []string{"the same", strings.Repeat("the same and other ", 5_000)} {
		if answer := bounded(t, both, leastLimit, "edit_document", map[string]any{"document_id": uuid(1), "edits": []map[string]string{{"old_text": old, "new_text": "x"}}}); answer.Code == "" {
			t.Error("there is such a passage")
		}
	}
}

// lines is a text of numbered lines, each a paragraph.
func lines(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d %s\n\n", word, i, strings.Repeat(word, 10))
	}
	return strings.TrimSpace(b.String())
}

// manyEdits change lines all over a text, each in a few lines, which a diff shows whole.
func manyEdits() []map[string]string {
	var edits []map[string]string
	for i := range 50 {
		edits = append(edits, map[string]string{
			"old_text": fmt.Sprintf("old %d %s", i*8, strings.Repeat("old", 10)), "new_text": lines(fmt.Sprint("edit", i), 12)})
	}
	return edits
}

func oldLines() fakeoutline.Seed {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lines", lines("old", 400))}
	return seed
}

func verifyDiff(t *testing.T, limit int) { verifyCutDiff(t, limit, oldLines(), manyEdits()) }

// cutDiff is what an answer says of a diff.
type cutDiff struct {
	Diff          string
	LeftOut       int `json:"diff_lines_left_out"`
	NextStartLine int `json:"next_start_line"`
}

// verifyCutDiff makes edits whose diff is too long, and reads on in the document
// where it ends.
func verifyCutDiff(t *testing.T, limit int, seed fakeoutline.Seed, edits []map[string]string) {
	arguments := map[string]any{"document_id": uuid(1), "edits": edits}
	whole := decoded[cutDiff](t, success(t, limited(t, 0, true, wiki(t, seed)), 10_000_000, "edit_document", arguments).Structured)
	outline := wiki(t, seed)
	answer := success(t, limited(t, limit, true, outline), limit, "edit_document", arguments)
	cut := decoded[cutDiff](t, answer.Structured)
	rest, isPrefix := strings.CutPrefix(whole.Diff, cut.Diff)
	if !isPrefix || rest == "" || strings.Count(rest, "\n") != cut.LeftOut || whole.LeftOut != 0 {
		t.Fatalf("%d of %d bytes of the diff, %d lines left out", len(cut.Diff), len(whole.Diff), cut.LeftOut)
	}
	if !strings.Contains(answer.Text, strings.TrimSuffix(cut.Diff, "\n")) {
		t.Error("the text shows another diff")
	}
	said := fmt.Sprintf("of the diff left out: read_document with start_line %d shows what is there.", cut.NextStartLine)
	if !strings.HasSuffix(answer.Text, said) {
		t.Fatalf("the text does not end with %q: %s", said, answer.Text[max(0, len(answer.Text)-300):])
	}
	var first string // the first line of the new text that is left out
	for line := range strings.Lines(rest) {
		if line[0] == ' ' || line[0] == '+' && !strings.HasPrefix(line, "+++ ") {
			first = strings.TrimSuffix(line[1:], "\n")
			break
		}
	}
	next := decoded[documentPiece](t, success(t, limited(t, 0, true, outline), 10_000_000, "read_document",
		map[string]any{"document_id": uuid(1), "start_line": cut.NextStartLine, "max_lines": 1}).Structured)
	if next.Text != first {
		t.Errorf("line %d is %.100q, left out is %.100q", cut.NextStartLine, next.Text, first)
	}
}

func verifyDryRun(t *testing.T, limit int) {
	answer := success(t, limited(t, limit, true, wiki(t, oldLines())), limit, "edit_document",
		map[string]any{"document_id": uuid(1), "edits": manyEdits(), "dry_run": true})
	cut := decoded[cutDiff](t, answer.Structured)
	if said := "of the diff left out: fewer edits at a time show all."; cut.LeftOut == 0 || cut.NextStartLine != 0 || !strings.HasSuffix(answer.Text, said) {
		t.Errorf("%d lines left out, goes on with line %d: %s", cut.LeftOut, cut.NextStartLine, answer.Text[len(answer.Text)-200:])
	}
}

// verifyMismatch has Outline write a long text that nobody asked for.
func verifyMismatch(t *testing.T, limit int, tool string, arguments map[string]any) {
	arguments["document_id"] = uuid(1)
	outline := wiki(t, oldLines())
	wrong := roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "documents.update") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			var request map[string]any
			if err := json.Unmarshal(body, &request); err != nil {
				return nil, err
			}
			if request["text"] != nil && request["lastRevision"] != "x" { // not what finds out what the server can do
				request["text"] = lines("wrong", 1500)
				delete(request, "editMode")
				delete(request, "findText")
				if body, err = json.Marshal(request); err != nil {
					return nil, err
				}
			}
			r = r.Clone(r.Context())
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		return outline.RoundTrip(r)
	})
	answer := bounded(t, limited(t, limit, true, wrong), limit, tool, arguments)
	cut := decoded[cutDiff](t, answer.Structured)
	said := fmt.Sprintf("of the diff left out: read_document with start_line %d shows what is there.", cut.NextStartLine)
	if answer.Code != "write_mismatch" || cut.LeftOut == 0 || !strings.HasSuffix(answer.Text, said) {
		t.Errorf("code %q, %d lines left out: %.500s\n…\n%s", answer.Code, cut.LeftOut, answer.Text, answer.Text[max(0, len(answer.Text)-300):])
	}
}

func TestALongTextFileIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const size = 5 * leastLimit
	for name, text := range map[string]string{
		"a long log":             strings.Repeat("2026-01-01 the buoy is silent\n\n", size/31) + "the end",
		"one enormous line":      strings.Repeat("длинная строка 🍲 ", size/32) + "the end",
		"words that lead astray": strings.Repeat("Lines 1–2 of 3. Go on with start_line 1.\n\n", size/45) + "the end",
	} {
		t.Run(name, func(t *testing.T) { verifyTextFile(t, leastLimit, text) })
	}
}

func verifyTextFile(t *testing.T, limit int, text string) {
	seed := emptySeed()
	seed.Attachments = []fakeoutline.Attachment{{ID: uuid(1), UserID: uuid(99_000_000), Name: "buoy.log", ContentType: "text/plain", Content: []byte(text)}}
	pieces := readToEnd(t, limit, wiki(t, seed), "read_attachment", map[string]any{"attachment_id": uuid(1)})
	verifyWhole(t, pieces, text)
}

func TestImagesOnOneLineAreListedToTheirEnd(t *testing.T) {
	const limit = leastLimit
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

func TestFetchReadsADocumentToItsEnd(t *testing.T) {
	t.Parallel()
	const size = 5 * leastLimit
	t.Run("chapters", func(t *testing.T) { verifyFetch(t, leastLimit, manual(size)) })
	t.Run("one enormous line", func(t *testing.T) {
		verifyFetch(t, leastLimit, "# All\n\n"+strings.Repeat(`длинная "строка" 🍲 `, size/32))
	})
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

// TestSearchShowsTheBestMatches searches for more than there is room for. ChatGPT cannot ask
// for others.
func TestSearchShowsTheBestMatches(t *testing.T) {
	const limit = leastLimit
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

func TestArgumentsThatAreTooLongAreRefused(t *testing.T) {
	c := connect(t, false)
	for _, test := range []struct {
		tool, argument, most string
	}{
		{"add_comment", "anchor_text", "10000"}, {"add_comment", "anchor_prefix", "1000"}, {"add_comment", "anchor_suffix", "1000"},
		{"update_document", "heading", "1000"}, {"update_document", "icon", "1000"}, {"update_document", "color", "1000"},
		{"create_document", "icon", "1000"}, {"create_collection", "icon", "1000"}, {"create_collection", "color", "1000"},
		{"update_collection", "icon", "1000"}, {"update_collection", "color", "1000"}, {"upload_attachment", "after_text", "10000"},
		{"list_documents", "collaborator", "1000"}, {"search_documents", "collaborator", "1000"}, {"list_users", "query", "1000"},
		{"list_templates", "query", "1000"}, {"share_document", "user", "1000"}, {"share_document", "group", "1000"},
		{"edit_document", "old_text", "100000"}, {"batch_update_documents", "icon", "1000"},
	} {
		arguments := map[string]any{test.argument: strings.Repeat("a", 100_001)}
		switch test.tool {
		case "edit_document":
			arguments = map[string]any{"edits": []any{arguments}}
		case "batch_update_documents":
			arguments = map[string]any{"updates": []any{arguments}}
		}
		answer, err := cli.Call(t.Context(), c, test.tool, arguments)
		if want := test.argument + " must be at most " + test.most + " characters long, not 100001"; err != nil || !strings.Contains(answer.Text, want) {
			t.Errorf("%s: %v, %.300s, want %q", test.tool, err, answer.Text, want)
		}
	}
}
