package tools_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
)

// collectionOf creates a collection of published documents with these texts.
func (e *editing) collectionOf(t *testing.T, texts ...string) (collection string, ids []string) {
	t.Helper()
	created, err := e.calm.CreateCollection(t.Context(), outline.CreateCollectionParams{Name: "Renamed"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		document, err := e.calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Page", Text: text, CollectionID: created.ID, Publish: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, document.ID)
	}
	return created.ID, ids
}

func TestAReplacementWithinLongerWordsOfACollectionIsTold(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "outside", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "A pot, lamps, lampes, Mars, Pot’s, the pot's, Spotting, Spotting, 精算はpotで東京", "The pot, teapots, the depot, pot_id", "pot2 "+strings.Repeat("o", 100)+"pot __pot__")
	arguments := map[string]any{"collection_id": collection, "except": []string{"teapots"}, "dry_run": true}
	ask := func(old string) string {
		arguments["edits"] = []map[string]any{{"old_text": old, "new_text": "kettle"}, {"old_text": "The", "new_text": "Each"}}
		pages, answer := e.editPages(t, arguments)
		if told := strings.Count(answer.Text, "longer words"); told != strings.Count(strings.Join(pages.Notes, ""), "longer words") || told != strings.Count(string(answer.Structured), "longer words") {
			t.Errorf("notes of the call: %q: %s: %s", pages.Notes, answer.Text, answer.Structured)
		}
		return answer.Text
	}
	if text := ask("pot"); strings.Count(text, "longer words") != 1 || !strings.Contains(text, "Note: edits[0] also matches inside longer words: Spotting, depot, pot_id. To keep any of them, add them to except.") {
		t.Error(text)
	}
	delete(arguments, "except")
	if text := ask("ot2 ooo"); !strings.Contains(text, "words: pot2 "+strings.Repeat("o", 43)+". ") {
		t.Error(text)
	}
	if text := ask("Mar"); !strings.Contains(text, "longer words: Mars. ") {
		t.Error(text)
	}
	for _, whole := range []string{" pot,", "東", "lamp"} {
		if text := ask(whole); strings.Contains(text, "longer words") {
			t.Error(text)
		}
	}
	arguments["dry_run"], arguments["except"] = false, []string{"teapots"}
	if text := ask("pot"); !strings.Contains(text, "Note: edits[0] also changed longer words: Spotting, depot, pot_id.") {
		t.Error(text)
	}
	alone := map[string]any{"document_id": ids[0], "dry_run": true, "edits": []map[string]any{{"old_text": "ket", "new_text": "pot", "all_occurrences": true}}}
	if _, answer := e.editPages(t, alone); answer.Code != "" || !strings.Contains(answer.Text, "dry_run of edits") || strings.Contains(answer.Text, "longer words") {
		t.Error(answer.Text)
	}
}

func TestAReplacementInACollectionLeavesExceptionsAndIsMadeOnce(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "Harbor outside of the collection", fakeoutline.Options{})
	collection, ids := e.collectionOf(t,
		"Harbor, *Harbor*\n\n* The Harbor Act of 1911\n* [Harbor](https://example.com/Harbor)",
		"Only the Harbor Act of 1911",
		"Nothing of that name",
		"Harbor Bay and Harbor")
	want := []string{
		"Harbor Bay, *Harbor Bay*\n\n* The Harbor Act of 1911\n* [Harbor Bay](https://example.com/Harbor)",
		"Only the Harbor Act of 1911",
		"Nothing of that name",
		"Harbor Bay and Harbor Bay",
	}
	arguments := map[string]any{"collection_id": collection, "except": []string{"Harbor Act"},
		"edits": []map[string]any{{"old_string": "Harbor", "new_string": "Harbor Bay"}}, "dry_run": true}
	pages, answer := e.editPages(t, arguments)
	if pages.Succeeded != 2 || pages.Failed != 0 || pages.Documents[0].Occurrences != 3 || pages.Documents[1].Occurrences != 1 || e.textOf(t, ids[3]) != "Harbor Bay and Harbor" {
		t.Fatalf("dry run: %+v: %s", pages, answer.Text)
	}
	arguments["dry_run"] = false
	if pages, answer = e.editPages(t, arguments); pages.Succeeded != 2 {
		t.Fatalf("%+v: %s", pages, answer.Text)
	}
	for i, id := range ids {
		if got := e.textOf(t, id); got != want[i] {
			t.Errorf("document %d: %q, want %q", i, got, want[i])
		}
	}
	if _, answer = e.editPages(t, arguments); answer.Code != "not_found" || !strings.Contains(answer.Text, "already reads like new_text") {
		t.Errorf("again: %s %s", answer.Code, answer.Text)
	}
	if got := e.textOf(t, e.id); got != "Harbor outside of the collection" {
		t.Errorf("outside: %q", got)
	}
}

func TestWhatAReplacementInACollectionLeavesIsTold(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "outside", fakeoutline.Options{})
	const kept = "[x](https://example.com/Kelp) <https://kelp.example.com/Kelp/2> https://example.com/Kelp, www.example.com/Kelp <https://example.com/Kelp>"
	collection, ids := e.collectionOf(t, kept+" Kelp", "kelp, KELP, **Ke**lp, ~~kel~~p, Weed, weed, Weed Kelp", "Page Kelp")
	e.do(t, "documents.update", map[string]any{"id": ids[2], "title": "Kelp"})
	const told = `left as they are: 1 title ("Kelp"), 5 places in addresses, 2 in other upper or lower case, 1 with marks inside`
	arguments := map[string]any{"collection_id": collection, "edits": []any{map[string]any{"old_text": "Kelp", "new_text": "Weed"}, map[string]any{"old_text": "Absent", "new_text": "Weed"}}}
	for _, arguments["dry_run"] = range []any{true, false} {
		if pages, answer := e.editPages(t, arguments); len(pages.Notes) != 1 || pages.Notes[0] != told || !strings.Contains(answer.Text, told) {
			t.Errorf("%q: %s", pages.Notes, answer.Text)
		}
	}
	if got := e.textOf(t, ids[0]); got != kept+" Weed" {
		t.Error(got)
	}
	if _, answer := e.editPages(t, arguments); !strings.Contains(answer.Text, "already reads like new_text; "+told) {
		t.Error(answer.Text)
	}
}

func TestAnExceptionThatKeepsNothingIsRefused(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "Kelp Ltd alone", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "Kelp Ltd and Kelp", "Only Kelp Inc here")
	one := map[string]any{"old_text": "Kelp", "new_text": "Weed", "all_occurrences": true}
	of := func(id string) map[string]any {
		return map[string]any{"document_id": id, "old_text": "Kelp", "new_text": "Weed", "all_occurrences": true}
	}
	for name, test := range map[string]struct {
		arguments map[string]any
		except    []string
		says      string
	}{
		"other case":           {map[string]any{"collection_id": collection, "edits": []any{one}}, []string{"Kelp Ltd", "Kelp ltd"}, `the passage of except "Kelp ltd". Upper and lower case count`},
		"a title":              {map[string]any{"collection_id": collection, "edits": []any{one}}, []string{"Kelp page"}, `except "Kelp page"`},
		"without old_text":     {map[string]any{"collection_id": collection, "edits": []any{one}}, []string{"Ltd"}, "except[0] keeps nothing"},
		"in a document":        {map[string]any{"document_id": e.id, "edits": []any{one}}, []string{"Kelp Inc"}, `except "Kelp Inc"`},
		"in several documents": {map[string]any{"edits": []any{of(ids[0]), of(ids[1])}}, []string{"Kelp Ltd", "Kelp Inc", "Kelp AG"}, `except "Kelp AG"`},
	} {
		test.arguments["except"] = test.except
		for _, test.arguments["dry_run"] = range []any{true, false} {
			if _, answer := e.editPages(t, test.arguments); answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, test.says) {
				t.Errorf("%s: %s", name, answer.Text)
			}
		}
	}
	if e.textOf(t, e.id) != "Kelp Ltd alone" || e.textOf(t, ids[0]) != "Kelp Ltd and Kelp" {
		t.Error("something was written")
	}
	for range 2 {
		e.editPages(t, map[string]any{"collection_id": collection, "edits": []any{one}, "except": []string{"Kelp Ltd", "Kelp Inc"}})
	}
	if e.textOf(t, ids[0]) != "Kelp Ltd and Weed" || e.textOf(t, ids[1]) != "Only Kelp Inc here" {
		t.Error(e.textOf(t, ids[0]))
	}
}

func TestAnExceptionKeepsThePassageInTheFormsThatReadTheSame(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "outside", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "**Kelp** Ltd, Kelp\u00a0Ltd, *Kelp Ltd*, Kelp b, Kelp is Ltd, **Kelp Act** 2, XKelp b", "| Kelp | Ltd |\n|----|----|\n| Kelp Ltd | Kelp |")
	_, answer := e.editPages(t, map[string]any{"collection_id": collection, "except": []string{"Kelp Ltd", "Kelp\u00a0Act 2", "| Kelp | Ltd |", " Kelp b"}, "edits": []any{map[string]any{"old_text": "Kelp", "new_text": "Weed"}}})
	for i, want := range []string{"**Kelp** Ltd, Kelp\u00a0Ltd, *Kelp Ltd*, Kelp b, Weed is Ltd, **Kelp Act** 2, XWeed b", "| Kelp | Ltd | ||| | Kelp Ltd | Weed |"} {
		if got := e.textOf(t, ids[i]); unpadded(got) != unpadded(want) {
			t.Errorf("%q: %s", got, answer.Text)
		}
	}
}

func TestReplacementsInACollectionThatChangeEachOthersTextAreRefused(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "outside", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "Red and Blue and Dock")
	edit := func(pairs ...string) cli.Answer {
		var edits []any
		for i := 0; i < len(pairs); i += 2 {
			edits = append(edits, map[string]any{"old_text": pairs[i], "new_text": pairs[i+1]})
		}
		_, answer := e.editPages(t, map[string]any{"collection_id": collection, "edits": edits})
		return answer
	}
	for says, pairs := range map[string][]string{
		"edits[1] would change what edits[0] writes": {"Red", "Blue", "Blue", "Green"},
		"Make two calls, edits[0] first":             {"Blue", "Green", "Red", "light Blue"},
	} {
		if answer := edit(pairs...); answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, says) {
			t.Errorf("%s: %s", says, answer.Text)
		}
	}
	if answer := edit("Red", "Red Bay", "Dock", "Red Bay"); answer.Code != "" {
		t.Errorf("what stays as it is: %s", answer.Text)
	}
	if got := e.textOf(t, ids[0]); got != "Red Bay and Blue and Red Bay" {
		t.Errorf("%q", got)
	}
}

func TestEditsNeedADocumentOrACollection(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "one two", fakeoutline.Options{})
	one := map[string]any{"old_text": "one", "new_text": "1"}
	for says, arguments := range map[string]map[string]any{
		"edits[0] needs a document_id":         {"edits": []any{one}},
		"but not both":                         {"document_id": e.id, "collection_id": "Galley", "edits": []any{one}},
		"except needs all_occurrences":         {"document_id": e.id, "except": []string{"x"}, "edits": []any{one}},
		"expected_revision is of one document": {"collection_id": "Galley", "expected_revision": 1, "edits": []any{one}},
	} {
		if _, answer := e.editPages(t, arguments); answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, says) {
			t.Errorf("%s: %s", says, answer.Text)
		}
	}
	if pages, answer := e.editPages(t, map[string]any{"edits": []any{map[string]any{"document_id": e.id, "old_text": "one", "new_text": "1"}}}); answer.Code != "" {
		t.Errorf("a document_id of the edit alone: %+v %s", pages, answer.Text)
	}
}

func TestExceptionsMayOverlap(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "ababa stays, b goes", fakeoutline.Options{})
	_, answer := e.editPages(t, map[string]any{"document_id": e.id, "except": []string{"aba"}, "edits": []any{map[string]any{"old_text": "b", "new_text": "X", "all_occurrences": true}}})
	if got := e.textOf(t, e.id); got != "ababa stays, X goes" {
		t.Errorf("%q: %s", got, answer.Text)
	}
}

func TestEditsOfSeveralDocumentsShowTheChangeAndLittleElse(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "elsewhere", fakeoutline.Options{})
	far := strings.Repeat("what nobody asked for ", 10)
	collection, _ := e.collectionOf(t, "First.\n\n"+far+"Harbor master "+far+"end.\n\nLast.", "The Harbor")
	for _, dry := range []bool{true, false} {
		_, answer := e.editPages(t, map[string]any{"collection_id": collection, "edits": []map[string]any{{"old_text": "Harbor", "new_text": "Port"}}, "dry_run": dry})
		for _, want := range []string{"Harbor master", "Port master", "occurrences 1", "-The Harbor\n+The Port"} {
			if !strings.Contains(answer.Text, want) {
				t.Errorf("dry run %t: %q is not in %s", dry, want, answer.Text)
			}
		}
		for _, not := range []string{"First.", "end.", "http", "To undo"} {
			if strings.Contains(answer.Text, not) {
				t.Errorf("dry run %t: %q is in %s", dry, not, answer.Text)
			}
		}
		if strings.Contains(answer.Text, "earlier_revision_id ") == dry {
			t.Errorf("dry run %t: earlier_revision_id in %s", dry, answer.Text)
		}
	}
}
