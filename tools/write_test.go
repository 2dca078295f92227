package tools_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// Documents and collections of the sample workspace.
const (
	operations = "8441e5d2-7545-4078-bd93-c21942e16c7f"
	handbook   = "0fab7f1a-fdba-4122-aff2-e36f5b12c335"
	finance    = "426dbcc2-474d-43cf-898f-2502dd113a32"
	soup       = "488d6e14-db91-4e8e-99b4-c468545e6dc7"
	voyages    = "b356b644-ca14-49db-bc87-3861df27cfd6"
)

// as returns a client that acts with a key on a workspace.
func as(t *testing.T, sample *fakeoutline.Workspace, key string) *client.Client {
	t.Helper()
	return connectTo(t, app.Options{Config: load(t, "OUTLINE_API_KEY="+key), Transport: sample.Transport(), Now: sample.Now})
}

func newSample(t *testing.T) *fakeoutline.Workspace {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// topTitles returns the titles at the top level of a collection, in order.
func topTitles(t *testing.T, c *client.Client, collection string) []string {
	t.Helper()
	type structure struct{ Documents []struct{ Title string } }
	answer, _ := read[structure](t, c, "get_collection_structure", map[string]any{"collection_id": collection, "max_depth": 1})
	var titles []string
	for _, d := range answer.Documents {
		titles = append(titles, d.Title)
	}
	return titles
}

type created struct {
	CreatedIDs []string `json:"created_ids"`
}

func createLetters(t *testing.T, c *client.Client, letters string) []string {
	t.Helper()
	var documents []map[string]any
	for _, letter := range strings.Split(letters, "") {
		documents = append(documents, map[string]any{"title": letter, "collection_id": operations})
	}
	answer, _ := read[created](t, c, "batch_create_documents", map[string]any{"documents": documents})
	if len(answer.CreatedIDs) != len(letters) {
		t.Fatalf("%d documents created", len(answer.CreatedIDs))
	}
	return answer.CreatedIDs
}

// letters returns the top-level documents with titles of one letter, in order.
func letters(t *testing.T, c *client.Client) string {
	var found string
	for _, title := range topTitles(t, c, operations) {
		if len(title) == 1 {
			found += title
		}
	}
	return found
}

func TestCreatedSiblingsStandInTheOrderAsked(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	createLetters(t, c, "abcdefgh")
	if got := letters(t, c); got != "abcdefgh" {
		t.Errorf("they stand as %s", got)
	}
	if first := topTitles(t, c, operations)[0]; first != "a" {
		t.Errorf("the first document of the collection is %s", first)
	}
}

func TestADocumentIsMovedToItsFinalIndex(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	ids := createLetters(t, c, "abcde")
	want := "abcde"
	for _, move := range []struct{ letter, index int }{{0, 2}, {0, 4}, {0, 0}, {4, 0}, {2, 3}, {3, 1}, {1, 1}, {0, 3}} {
		answer, err := cli.Call(t.Context(), c, "move_document", map[string]any{"document_id": ids[move.letter], "index": move.index})
		if err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
		letter := "abcde"[move.letter : move.letter+1]
		rest := strings.Replace(want, letter, "", 1)
		want = rest[:move.index] + letter + rest[move.index:]
		if got := letters(t, c); got != want {
			t.Fatalf("after %s to %d they stand as %s, want %s", letter, move.index, got, want)
		}
	}
}

func TestMovedDocumentsStandLastInTheOrderAsked(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	ids := createLetters(t, c, "abcd")
	order := []string{ids[2], ids[0], ids[3], ids[1]}
	for _, arguments := range []map[string]any{{"document_ids": order, "collection_id": operations}, {"document_ids": order, "collection_id": handbook}} {
		answer, err := cli.Call(t.Context(), c, "batch_move_documents", arguments)
		if err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
		titles := topTitles(t, c, arguments["collection_id"].(string))
		if last := titles[len(titles)-4:]; !slices.Equal(last, []string{"c", "a", "d", "b"}) {
			t.Errorf("they stand as %v", titles)
		}
	}
}

func TestAppendedTextIsAParagraphOfItsOwn(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	before, _ := read[documentPiece](t, c, "read_document", map[string]any{"document_id": soup})
	if answer, err := cli.Call(t.Context(), c, "update_document", map[string]any{"document_id": soup, "text": "In November there is pumpkin.", "append": true}); err != nil || answer.Code != "" {
		t.Fatal(err, answer.Text)
	}
	after, _ := read[documentPiece](t, c, "read_document", map[string]any{"document_id": soup})
	if after.Text != before.Text+"\n\nIn November there is pumpkin." {
		t.Errorf("the document is now:\n%s", after.Text)
	}
}

func TestADocumentGoesThroughItsWholeLife(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	status := func() string {
		d, _ := read[struct{ Status string }](t, c, "read_document", map[string]any{"document_id": soup})
		return d.Status
	}
	for _, step := range []struct{ tool, becomes string }{
		{"archive_document", "archived"}, {"unarchive_document", "published"}, {"delete_document", "deleted"}, {"restore_document", "published"},
	} {
		if answer, err := cli.Call(t.Context(), c, step.tool, map[string]any{"document_id": soup}); err != nil || answer.Code != "" {
			t.Fatal(step.tool, err, answer.Text)
		}
		if got := status(); got != step.becomes {
			t.Errorf("after %s it is %s", step.tool, got)
		}
	}
	if answer, err := cli.Call(t.Context(), c, "delete_document", map[string]any{"document_id": soup, "permanent": true}); err != nil || answer.Code != "" {
		t.Fatal(err, answer.Text)
	}
	if answer, err := cli.Call(t.Context(), c, "read_document", map[string]any{"document_id": soup}); err != nil || answer.Code != output.NotFound {
		t.Errorf("after deleting it for good: %v, %s", err, answer.Text)
	}
}

// TestWhatComesBackFromTheArchiveWithADocumentIsTold archives a document below another,
// and then that one: Outline brings back both, and what is below.
func TestWhatComesBackFromTheArchiveWithADocumentIsTold(t *testing.T) {
	for _, tool := range []string{"unarchive_document", "restore_document"} {
		seed := emptySeed()
		seed.Documents = append(seed.Documents, wikiPage(1, "", "Harbour", "x"), wikiPage(2, uuid(1), "Old pier", "x"), wikiPage(3, uuid(2), "Planks", "x"), wikiPage(4, uuid(1), "Crane", "x"), wikiPage(5, "", "Hill", "x"))
		c := limited(t, defaultLimit, true, wiki(t, seed))
		note := func(tool string, n int) string {
			answer := success(t, c, defaultLimit, tool, map[string]any{"document_id": uuid(n)})
			told := decoded[struct{ Note string }](t, answer.Structured).Note
			if !strings.Contains(answer.Text, told) {
				t.Errorf("%s: the text lacks %q", tool, told)
			}
			return told
		}
		expectNote := func(tool string, n int, want ...string) {
			t.Helper()
			got := note(tool, n)
			if len(want) == 0 && got != "" || !containsAll(got, want...) {
				t.Errorf("%s of %d: %q, want %q", tool, n, got, want)
			}
		}
		expectNote("archive_document", 2)
		expectNote("archive_document", 1, "archived before, and unarchiving it brings them back", `"Old pier"`, `"Planks"`)
		expectNote(tool, 1, "3 documents below it also came back", `"Old pier"`, `"Planks"`, `"Crane"`, "regardless of when they were archived")
		expectNote("archive_document", 5)
		expectNote(tool, 5)
	}
}

func containsAll(s string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(s, part) })
}

func TestDeletingForGoodWithoutTheRightChangesNothing(t *testing.T) {
	sample := newSample(t)
	c := as(t, sample, fakeoutline.MemberKey)
	answer, err := cli.Call(t.Context(), c, "delete_document", map[string]any{"document_id": soup, "permanent": true})
	if err != nil || answer.Code != output.Forbidden || !strings.Contains(answer.Text, "nothing was deleted: only an admin's key") {
		t.Errorf("%v %s: %s", err, answer.Code, answer.Text)
	}
	if d, _ := read[struct{ Status string }](t, c, "read_document", map[string]any{"document_id": soup}); d.Status != "published" {
		t.Errorf("it is %s", d.Status)
	}
}

// writes are one call of each tool that writes, and the objects that they need.
func writes() map[string]map[string]any {
	return map[string]map[string]any{
		"create_document":         {"title": "x", "collection_id": operations},
		"update_document":         {"document_id": soup, "title": "x"},
		"move_document":           {"document_id": soup, "collection_id": operations},
		"archive_document":        {"document_id": soup},
		"unarchive_document":      {"document_id": "f61e97e4-d5b2-43cc-a11a-89ce44a8dc48"},
		"delete_document":         {"document_id": soup},
		"restore_document":        {"document_id": "c5320877-aa3f-4d70-9e76-857651f7c87f"},
		"update_comment":          {"comment_id": "5e571eaa-66c1-44e7-8859-90d2e844c762", "text": "x"},
		"delete_comment":          {"comment_id": "5e571eaa-66c1-44e7-8859-90d2e844c762"},
		"create_template":         {"title": "x", "text": "x"},
		"create_collection":       {"name": "x"},
		"update_collection":       {"collection_id": operations, "name": "x"},
		"delete_collection":       {"collection_id": operations},
		"batch_create_documents":  {"documents": []any{map[string]any{"title": "x", "collection_id": operations}}},
		"batch_update_documents":  {"updates": []any{map[string]any{"id": soup, "title": "x"}}},
		"batch_move_documents":    {"document_ids": []any{soup}, "collection_id": operations},
		"batch_archive_documents": {"document_ids": []any{soup}},
		"batch_delete_documents":  {"document_ids": []any{soup}},
	}
}

func TestWithoutTheRightNothingIsWritten(t *testing.T) {
	for _, key := range []string{fakeoutline.ViewerKey, fakeoutline.ScopedKey} {
		for tool, arguments := range writes() {
			t.Run(fmt.Sprint(tool, " with ", key), func(t *testing.T) {
				answer, err := cli.Call(t.Context(), as(t, newSample(t), key), tool, arguments)
				if err != nil {
					t.Fatal(err)
				}
				if answer.Code != output.Forbidden || !strings.Contains(answer.Text, "refused") {
					t.Errorf("code %q: %s", answer.Code, answer.Text)
				}
			})
		}
	}
}

func TestWhatIsPrivateStaysPrivate(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.MemberKey)
	for tool, arguments := range map[string]map[string]any{
		"get_collection_structure": {"collection_id": finance},
		"create_document":          {"title": "x", "collection_id": finance},
		"move_document":            {"document_id": voyages, "collection_id": finance},
		"search_documents":         {"query": "salary", "collection_id": finance},
		"export_collection":        {"collection_id": finance},
	} {
		answer, err := cli.Call(t.Context(), c, tool, arguments)
		if err != nil || answer.Code != output.Forbidden {
			t.Errorf("%s: %v, code %q: %s", tool, err, answer.Code, answer.Text)
		}
	}
}

func TestABodyThatIsTooLongIsRefusedBeforeItIsSent(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	long := strings.Repeat("😀", 768_001) // two UTF-16 code units each
	for tool, arguments := range map[string]map[string]any{
		"create_document": {"title": "x", "collection_id": operations, "text": long},
		"update_document": {"document_id": soup, "text": long},
	} {
		answer, err := cli.Call(t.Context(), c, tool, arguments)
		if err != nil || answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "1536000") {
			t.Errorf("%s: %v, code %q: %.300s", tool, err, answer.Code, answer.Text)
		}
	}
}

// Outline answers nobody while it works on a large table.
func TestNoToolSendsATableThatWouldKeepOutlineBusy(t *testing.T) {
	table := func(rows int, row string, columns int) string {
		return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat(row+"\n", rows)
	}
	two := "| b | c |"
	texts := map[string]string{
		"many rows":             table(2500, two, 2),
		"many columns":          table(1, "| b |", 2501),
		"short rows":            table(500, "| b |", 10),
		"short rows of many":    table(65, "b", 1000),
		"rows without bars":     table(2500, "b", 2),
		"several tables":        strings.Repeat(table(100, two, 2)+"\n", 25),
		"tables in a quotation": "> " + strings.ReplaceAll(table(2500, two, 2), "\n", "\n> "),
	}
	most := table(2499, two, 2) // and the row of headers
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for tool, arguments := range map[string]func(string) map[string]any{
		"create_document": func(text string) map[string]any {
			return map[string]any{"title": "x", "collection_id": operations, "text": text}
		},
		"update_document": func(text string) map[string]any { return map[string]any{"document_id": soup, "text": text} },
		"edit_document": func(text string) map[string]any {
			return map[string]any{"document_id": soup, "edits": []any{map[string]any{"old_text": "x", "new_text": text}}}
		},
		"batch_create_documents": func(text string) map[string]any {
			return map[string]any{"documents": []any{map[string]any{"title": "x", "collection_id": operations, "text": text}}}
		},
		"batch_update_documents": func(text string) map[string]any {
			return map[string]any{"updates": []any{map[string]any{"document_id": soup, "text": text}}}
		},
		"create_template": func(text string) map[string]any { return map[string]any{"title": "x", "text": text} },
		"import_document": func(text string) map[string]any {
			return map[string]any{"collection_id": operations, "name": "x.md", "text": text}
		},
	} {
		for name, text := range texts {
			answer, err := cli.Call(t.Context(), c, tool, arguments(text))
			if err != nil || answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "cells (rows × columns), more than the 5000") {
				t.Errorf("%s, %s: %v, %.400s", tool, name, err, answer.Text)
			}
		}
	}
	answer, err := cli.Call(t.Context(), c, "create_document", map[string]any{"title": "x", "collection_id": operations, "text": most})
	if err != nil || answer.Code != "" {
		t.Errorf("as many as may be: %v, %.300s", err, answer.Text)
	}
}

func TestNoImportSendsATableThatWouldKeepOutlineBusy(t *testing.T) {
	const cell = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
	row := "<w:tr>" + strings.Repeat(cell, 3) + "</w:tr>"
	files := map[string]string{
		"x.md":       "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 2500),
		"x.txt":      "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 2500),
		"x":          "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 2500),
		"x.html":     "<table>" + strings.Repeat("<tr><td>a</td><TD class=b>b</TD><th\n>c</th></tr>", 1700),
		"comma.csv":  strings.Repeat("a,\"b\n,\",c\n", 1700),
		"semi.csv":   "a;b;c\n" + strings.Repeat("a\n", 1700),
		"x.tsv":      strings.Repeat("a\tb\tc\r\n", 1700),
		"utf-16.csv": "\xFF\xFE" + strings.Repeat("a\x00,\x00b\x00\n\x00", 2501),
		"x.mhtml":    "MIME-Version: 1.0\r\n\r\n" + strings.Repeat("<td=\r\n>a</td>", 5001),
		"x.docx":     string(wordFile(t, "<w:tbl>"+strings.Repeat(row, 1700)+"</w:tbl>")),
		"large.docx": string(wordFile(t, "<w:tbl>"+strings.Repeat(row, 100_000)+"</w:tbl>")),
	}
	folder := t.TempDir()
	c := withSettings(t, newSample(t).Transport(), "OUTLINE_FILES_DIR="+folder)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arguments := range []map[string]any{{"path": name}, {"text": content, "name": name}} {
			if arguments["text"] != nil && (!utf8.ValidString(content) || strings.HasSuffix(name, ".docx")) {
				continue
			}
			arguments["collection_id"] = operations
			answer, err := cli.Call(t.Context(), c, "import_document", arguments)
			if err != nil || !strings.Contains(answer.Text, "cells (rows × columns), more than the 5000") && !strings.Contains(answer.Text, "is too large when unpacked") {
				t.Errorf("%s, %s: %v, %.400s", name, slices.Collect(maps.Keys(arguments)), err, answer.Text)
			}
		}
	}
	for name, content := range map[string]string{"few.csv": strings.Repeat("a,b\n", 2500), "words.html": strings.Repeat("<p>a thin <tbody><thead>", 9000)} {
		if answer, err := cli.Call(t.Context(), c, "import_document", map[string]any{"collection_id": operations, "text": content, "name": name}); err != nil || answer.Code != "" {
			t.Errorf("%s: %v, %.300s", name, err, answer.Text)
		}
	}
}

func TestAPageWithALargeTableCanBeEditedBesideIt(t *testing.T) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lamps", "# Begin\n\n|a|b|\n|-|-|\n"+strings.Repeat("|c|d|\n", 3000)+"\n# End\n\nBefore.")}
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for tool, arguments := range map[string]map[string]any{
		"edit_document":   {"edits": []any{map[string]any{"old_text": "Before.", "new_text": "After."}}},
		"update_document": {"heading": "End", "text": "More.", "append": true},
	} {
		arguments["document_id"] = uuid(1)
		success(t, c, defaultLimit, tool, arguments)
	}
	if answer := bounded(t, c, defaultLimit, "create_template", map[string]any{"document_id": uuid(1)}); answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "6002 cells") {
		t.Errorf("a template of it: %s", answer.Text)
	}
}

// losing passes requests to a workspace and loses the answers that lose selects.
type losing struct {
	http.RoundTripper
	lose func(endpoint string) bool
}

func (l losing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil && l.lose(path.Base(r.URL.Path)) {
		response.Body.Close()
		return nil, errors.New("connection reset by peer")
	}
	return response, err
}

func losingClient(t *testing.T, lose func(endpoint string) bool) *client.Client {
	t.Helper()
	return withSettings(t, losing{newSample(t).Transport(), lose})
}

func TestACreationWhoseAnswerIsLostIsFoundAgain(t *testing.T) {
	creations := 0
	c := losingClient(t, func(endpoint string) bool {
		if endpoint == "documents.create" {
			creations++
		}
		return endpoint == "documents.create" && creations == 2
	})
	createLetters(t, c, "abcd")
	if got := letters(t, c); got != "abcd" {
		t.Errorf("they stand as %s", got)
	}
}

func TestAPermanentDeleteWhoseAnswerIsLostIsLookedUp(t *testing.T) {
	deletions := 0
	c := losingClient(t, func(endpoint string) bool {
		if endpoint == "documents.delete" {
			deletions++
		}
		return endpoint == "documents.delete" && deletions == 2
	})
	answer, err := cli.Call(t.Context(), c, "delete_document", map[string]any{"document_id": soup, "permanent": true})
	if err != nil || answer.Code != "" {
		t.Errorf("%v %s", err, answer.Text)
	}
}

func TestADocumentNamedTwiceInABatchIsChangedOnce(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	answer, err := cli.Call(t.Context(), c, "batch_update_documents", map[string]any{"updates": []any{
		map[string]any{"id": soup, "text": "AAA", "append": true}, map[string]any{"id": "1wPyxUCdt9", "text": "AAA", "append": true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := read[documentPiece](t, c, "read_document", map[string]any{"document_id": soup})
	if strings.Count(text.Text, "AAA") != 1 || !strings.Contains(answer.Text, "listed twice") {
		t.Errorf("%s\n%s", answer.Text, text.Text)
	}
}

func TestRevisionZeroIsRefusedAndNotIgnored(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	answer, err := cli.Call(t.Context(), c, "update_document", map[string]any{"document_id": soup, "text": "overwritten", "expected_revision": 0})
	if err != nil || answer.Code != output.InvalidArguments {
		t.Errorf("%v %s", err, answer.Text)
	}
}

func TestOneBadTitleFailsOneItem(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for position := range 3 {
		for _, title := range []string{"", "  ", strings.Repeat("x", 101)} {
			var documents []any
			for i := range 3 {
				documents = append(documents, map[string]any{"title": fmt.Sprint("t", i), "collection_id": operations})
			}
			documents[position].(map[string]any)["title"] = title
			outcome := runBatch(t, t.Context(), c, "batch_create_documents", map[string]any{"documents": documents})
			if outcome.Succeeded != 2 || outcome.Results[position].Code != "invalid_arguments" {
				t.Errorf("position %d, title %q: %+v", position, title, outcome)
			}
		}
	}
}

func TestMovesOfSeveralCallsGoOneAtATime(t *testing.T) {
	var running, highest atomic.Int32
	c := documentsServer(t, func(_ http.ResponseWriter, endpoint, _ string) bool {
		if endpoint == "documents.move" {
			now := running.Add(1)
			defer running.Add(-1)
			if now > highest.Load() {
				highest.Store(now)
			}
			select { // held open until another one arrives
			case <-t.Context().Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
		return false
	})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			answer, err := cli.Call(t.Context(), c, "move_document", map[string]any{"document_id": uuid(i + 1), "collection_id": uuid(901)})
			if err != nil || answer.Code != "" {
				t.Error(err, answer.Text)
			}
		})
	}
	wait.Wait()
	if highest.Load() != 1 {
		t.Errorf("%d moves at a time", highest.Load())
	}
}

func TestARefusalSaysWhatIsMissing(t *testing.T) {
	w := newSample(t)
	if answer := call(t, as(t, w, fakeoutline.AdminKey), "update_collection", map[string]any{"collection_id": operations, "archived": true}); answer.Code != "" {
		t.Fatal(answer.Text)
	}
	const thread, archived = "5e571eaa-66c1-44e7-8859-90d2e844c762", "1wPyxUCdt9"
	if answer := call(t, as(t, w, fakeoutline.AdminKey), "archive_document", map[string]any{"document_id": archived}); answer.Code != "" {
		t.Fatal(answer.Text)
	}
	for _, test := range []struct {
		name, key, tool string
		arguments       map[string]any
		code            output.Code
		says            string
	}{
		{"an archived collection is renamed", fakeoutline.AdminKey, "update_collection", map[string]any{"collection_id": operations, "name": "x"}, output.Conflict, "archived false"},
		{"a comment on an archived document", fakeoutline.AdminKey, "add_comment", map[string]any{"document_id": archived, "text": "x"}, output.Conflict, "the document is archived. Bring it back"},
		{"an import below an archived document", fakeoutline.AdminKey, "import_document", map[string]any{"parent_document_id": archived, "name": "a.md", "text": "x"}, output.Conflict, "the document is archived. Bring it back"},
		{"a viewer resolves a thread", fakeoutline.ViewerKey, "update_comment", map[string]any{"comment_id": thread, "resolved": true}, output.Forbidden, "only people who may edit the document may, and in some versions of Outline whoever began it. You can reply to it with add_comment"},
		{"a viewer deletes the comment of another user", fakeoutline.ViewerKey, "delete_comment", map[string]any{"comment_id": thread}, output.Forbidden, "refused to delete the comment"},
		{"a member reads the export of another user", fakeoutline.MemberKey, "get_export", map[string]any{"export_id": "5c9a7f10-3be2-4d61-9f57-2a86d0c4e1b3"}, output.Forbidden, "Use the key that started it"},
		{"a member exports a collection", fakeoutline.MemberKey, "export_collection", map[string]any{"collection_id": "mTem8tcJ8a"}, output.Forbidden, "the role admin, in the workspace or in this collection"},
		{"a member exports the workspace", fakeoutline.MemberKey, "export_all_collections", map[string]any{}, output.Forbidden, "only those with the role admin may"},
		{"a member creates a template for all", fakeoutline.MemberKey, "create_template", map[string]any{"title": "x", "text": "x"}, output.Forbidden, "collection_id"},
		{"a viewer creates a template for a collection", fakeoutline.ViewerKey, "create_template", map[string]any{"title": "x", "text": "x", "collection_id": "mTem8tcJ8a"}, output.Forbidden, "of the collection"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := call(t, as(t, w, test.key), test.tool, test.arguments)
			if answer.Code != test.code || !strings.Contains(answer.Text, test.says) || strings.Contains(answer.Text, "list_collections") {
				t.Errorf("code %q: %s", answer.Code, answer.Text)
			}
		})
	}
}

func TestANewTextOfAResolvedThreadIsSaidToBeInOne(t *testing.T) {
	w := newSample(t)
	c := as(t, w, fakeoutline.AdminKey)
	const thread = "5e571eaa-66c1-44e7-8859-90d2e844c762"
	for _, test := range []struct {
		arguments map[string]any
		says      string
	}{
		{map[string]any{"comment_id": thread, "resolved": true}, ": the thread is resolved."},
		{map[string]any{"comment_id": thread, "text": "x"}, ": its text is replaced, the thread is resolved."},
		{map[string]any{"comment_id": thread, "resolved": false}, ": the thread is open again."},
		{map[string]any{"comment_id": thread, "text": "y"}, ": its text is replaced."},
	} {
		if answer := call(t, c, "update_comment", test.arguments); !strings.HasSuffix(strings.TrimSpace(answer.Text), test.says) {
			t.Errorf("%v: %s", test.arguments, answer.Text)
		}
	}
}

func TestArchivingACollectionSaysWhatGoesAlongAndHowToUndoIt(t *testing.T) {
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Lamps", "x"), wikiPage(2, uuid(1), "Wicks", "x"), wikiPage(3, "", "Oil", "x"))
	apart := wikiPage(4, "", "Archived before", "x")
	apart.ArchivedAt = wikiDay(5)
	seed.Documents = append(seed.Documents, apart)
	empty := seed.Collections[0]
	empty.ID, empty.URLID, empty.Name = uuid(50), "wVj43W43Sy", "Empty"
	seed.Collections = append(seed.Collections, empty)
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for _, step := range []struct {
		arguments map[string]any
		documents string // in the structured answer
		says      string
		undo      bool
	}{
		{map[string]any{"archived": false}, "", "Nothing changed in", false},
		{map[string]any{"archived": false, "name": "Works"}, "", "Updated the collection \"Works\"", false},
		{map[string]any{"archived": true, "name": "Old works"}, `"documents":3`, "which is archived with 3 documents.", true},
		{map[string]any{"archived": true}, "", "Nothing changed in", false},
		{map[string]any{"archived": false}, `"documents":3`, "which is back from the archive with 3 documents.", false},
		{map[string]any{"archived": true}, `"documents":3`, "which is archived with 3 documents.", true},
		{map[string]any{"archived": false, "name": "New works"}, `"documents":3`, "which is back from the archive with 3 documents.", false},
		{map[string]any{"collection_id": empty.ID, "archived": true}, `"documents":0`, "which is archived with 0 documents.", true},
	} {
		if step.arguments["collection_id"] == nil {
			step.arguments["collection_id"] = wikiCollection
		}
		answer := bounded(t, c, defaultLimit, "update_collection", step.arguments)
		undo := strings.Contains(answer.Text, "archived false brings it back")
		counted := strings.Contains(string(answer.Structured), `"documents":`)
		if answer.Code != "" || !strings.Contains(answer.Text, step.says) || undo != step.undo || counted != (step.documents != "") || !strings.Contains(string(answer.Structured), step.documents) ||
			!counted && strings.Contains(answer.Text, "back from") {
			t.Errorf("%v: %s %s", step.arguments, answer.Text, answer.Structured)
		}
	}
}
