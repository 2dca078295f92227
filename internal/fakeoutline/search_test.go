package fakeoutline

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

func searchWorkspace(t testing.TB) *Workspace {
	return newTestWorkspace(t,
		Document{Title: "Buoy maintenance", Text: "How to look after a buoy, and which *tools* to bring."},
		Document{Title: "Harbour", Text: "One buoy here.\n\nAnother buoy there.\n\nA third buoy."},
		Document{Title: "Cable", Text: "The buoy is mentioned once."},
		Document{Title: "Policies", Text: "A refund is paid within ten days. The refund policy is short."},
		Document{Title: "🚀 Launch", Text: "Count **down**, then go."},
		Document{Title: "دليل الميناء", Text: "اتصل بالمرفأ قبل الدخول. القناة 12."},
		Document{Title: "Überblick", Text: "Die Größe der STRASSE ist bekannt."},
		Document{Title: "Old buoy list", Text: "x", ArchivedAt: noon},
		Document{Title: "Draft about a buoy", Text: "x", Revision: draftRevision},
		Document{Title: "Deleted buoy", Text: "x", DeletedAt: noon},
		Document{Title: "Code", Text: "Run this:\n\n```sh\n# a comment with xylophone\nmake buoyant_now\n```\n\n| key | value |\n|-----|-------|\n| **mast** | [teak](https://example.com/oak) |"},
		Document{Title: "Far apart", Text: "anchor " + strings.Repeat("word ", 200) + "chain"},
		Document{Title: "Near", Text: "The anchor and its chain."},
	)
}

func TestSearchFinds(t *testing.T) {
	w := searchWorkspace(t)
	published := `"statusFilter":["published"]`
	tests := []struct {
		name, body string
		want       []string
	}{
		{"titles before texts and more occurrences before fewer", `{"query":"buoy",` + published + `}`, []string{"Buoy maintenance", "Harbour", "Code", "Cable"}},
		{"drafts and archived documents without a filter of status, deleted ones never", `{"query":"buoy list"}`, []string{"Old buoy list"}},
		{"what an empty filter of status leaves open", `{"query":"draft about","statusFilter":[]}`, []string{"Draft about a buoy"}},
		{"drafts alone", `{"query":"buoy","statusFilter":["draft"]}`, []string{"Draft about a buoy"}},
		{"archived documents alone", `{"query":"buoy","statusFilter":["archived"]}`, []string{"Old buoy list"}},
		{"only documents with every word", `{"query":"buoy tools"}`, []string{"Buoy maintenance"}},
		{"words whatever their case", `{"query":"BUOY Tools"}`, []string{"Buoy maintenance"}},
		{"letters beyond ASCII whatever their case", `{"query":"ÜBERBLICK größe strasse"}`, []string{"Überblick"}},
		{"the beginning of a single word", `{"query":"xylo"}`, []string{"Code"}},
		{"whole words only among several", `{"query":"xylo comment"}`, []string{}},
		{"a part of a word in quotes", `{"query":"\"ylopho\""}`, []string{"Code"}},
		{"any of the words between |", `{"query":"xylophone | teak | refund"}`, []string{"Code", "Policies"}},
		{"no document with a word after -", `{"query":"buoy -tools",` + published + `}`, []string{"Cable", "Harbour"}},
		{"singular and plural of a word", `{"query":"refunds policies"}`, []string{"Policies"}},
		{"a phrase in its order", `{"query":"\"refund policy\""}`, []string{"Policies"}},
		{"no phrase in another order", `{"query":"\"policy refund\""}`, []string{}},
		{"a phrase over a stop word", `{"query":"\"anchor and its chain\""}`, []string{"Near"}},
		{"no phrase over as many other words", `{"query":"\"refund paid\""}`, []string{}},
		{"a phrase and a word", `{"query":"short \"refund is paid\""}`, []string{"Policies"}},
		{"no phrase from the title into the text", `{"query":"\"harbour one\""}`, []string{}},
		{"words near each other before words far apart", `{"query":"anchor chain"}`, []string{"Near", "Far apart"}},
		{"words next to an emoji", `{"query":"launch"}`, []string{"🚀 Launch"}},
		{"right-to-left text", `{"query":"الميناء"}`, []string{"دليل الميناء"}},
		{"digits between right-to-left words", `{"query":"القناة 12"}`, []string{"دليل الميناء"}},
		{"text in code", `{"query":"xylophone"}`, []string{"Code"}},
		{"text in tables and links, not their addresses", `{"query":"mast teak"}`, []string{"Code"}},
		{"no address of a link", `{"query":"oak"}`, []string{}},
		{"nothing for a blank query", `{"query":"  "}`, []string{}},
		{"nothing for an empty query", `{"query":""}`, []string{}},
		{"nothing for stop words alone", `{"query":"the of and"}`, []string{}},
		{"nothing for an emoji alone", `{"query":"🚀"}`, []string{}},
		{"nothing but no error for broken syntax", `{"query":"foo & | ! ( \"unbalanced"}`, []string{}},
		{"words after an unbalanced quote", `{"query":"refund \"policy"}`, []string{"Policies"}},
		{"what one user wrote", `{"query":"buoy","userId":"` + people["other"] + `"}`, []string{}},
		{"what is in one collection", `{"query":"buoy","collectionId":"` + readOnlyID + `"}`, []string{}},
		{"what was changed in the last day", `{"query":"refund","dateFilter":"day"}`, []string{"Policies"}},
		{"in the order of change", `{"query":"buoy",` + published + `,"sort":"updatedAt","direction":"ASC"}`, []string{"Buoy maintenance", "Harbour", "Cable", "Code"}},
		{"in the order of titles", `{"query":"buoy",` + published + `,"sort":"title","direction":"ASC"}`, []string{"Buoy maintenance", "Cable", "Code", "Harbour"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := call(t, w, keyOf("member"), "documents.search", test.body)
			expectTitles(t, answer, test.want...)
			if answer.OK && *answer.Pagination.Total != len(test.want) {
				t.Errorf("total is %d, want %d", *answer.Pagination.Total, len(test.want))
			}
		})
	}
}

func TestSearchWithoutQueryListsWithoutRanking(t *testing.T) {
	answer := call(t, searchWorkspace(t), keyOf("member"), "documents.search", `{"limit":3}`)
	expectTitles(t, answer, "Near", "Far apart", "Code")
	for _, result := range data[[]map[string]any](t, answer) {
		if len(result) != 1 {
			t.Errorf("a result has more than a document: %d keys", len(result))
		}
	}
	if *answer.Pagination.Total != 12 {
		t.Errorf("total is %d, want all 12 that are not in the trash", *answer.Pagination.Total)
	}
}

func TestSnippetShowsTheFirstMatch(t *testing.T) {
	filling := strings.Repeat("filling ", 100)
	w := newTestWorkspace(t,
		Document{Title: "Long", Text: filling + "ahead the marlin swims " + filling},
		Document{Title: "Blocks", Text: "# Head\n\nA **tuna** line\nwith more.\n\n* item one\n* item two tuna\n\n:::info\nA notice.\n:::\n\nhard\\nbreak"},
		Document{Title: "Salmon", Text: "Nothing about it here, only some words that follow each other."},
		Document{Title: "Two words", Text: "herring and pilchard herring pilchard end."},
		Document{Title: "Markup", Text: "`<b>` and & stay with the sturgeon."},
		Document{Title: "Trout"},
		Document{Title: "Arabic", Text: "اتصل بالمرفأ قبل الدخول"},
	)
	tests := []struct{ name, query, want string }{
		{"in the middle of a long text", "marlin", " filling filling filling filling filling filling ahead the <b>marlin</b> swims" + strings.Repeat(" filling", 21)},
		{"with every match marked and blocks on lines", "tuna", "Head\nA <b>tuna</b> line with more.\nitem one\nitem two <b>tuna</b>\nA notice.\nhard"},
		{"or the beginning where only the title matches", "salmon", "Nothing about it here, only some words that follow each other"},
		{"with the whole query as one mark", "herring pilchard", "<b>herring</b> and <b>pilchard</b> <b>herring pilchard</b> end"},
		{"with nothing marked where the query has syntax", "herring|pilchard", "herring and pilchard herring pilchard end"},
		{"with the text as it is", "sturgeon", "<b> and & stay with the <b>sturgeon</b>"},
		{"of a document without text", "trout", ""},
		{"of right-to-left text", "قبل", "اتصل بالمرفأ <b>قبل</b>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, _ := json.Marshal(map[string]any{"query": test.query})
			results := data[[]titled](t, call(t, w, keyOf("member"), "documents.search", string(body)))
			if len(results) != 1 {
				t.Fatalf("%d results", len(results))
			}
			if results[0].Context != test.want {
				t.Errorf("snippet is\n%q, want\n%q", results[0].Context, test.want)
			}
			if results[0].Ranking <= 0 {
				t.Errorf("ranking is %v", results[0].Ranking)
			}
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	w := searchWorkspace(t)
	tests := []struct {
		name, endpoint, body string
		status               int
		message              string
	}{
		{"an unknown collection", "documents.search", `{"query":"x","collectionId":"` + documentID(99) + `"}`, 403, "Authorization error"},
		{"a collection that is not a UUID", "documents.search", `{"query":"x","collectionId":"openopen01"}`, 400, "collectionId: Invalid UUID"},
		{"an unknown document to search in", "documents.search", `{"query":"x","documentId":"` + documentID(99) + `"}`, 403, "Authorization error"},
		{"an unknown status", "documents.search", `{"query":"x","statusFilter":["gone"]}`, 400, `0: Invalid option: expected one of "published"|"archived"|"draft"`},
		{"an unknown order", "documents.search", `{"query":"x","sort":"index"}`, 400, `sort: Invalid option: expected one of "createdAt"|"updatedAt"|"title"`},
		{"a query that is no text", "documents.search", `{"query":5}`, 400, "query: Invalid input: expected string, received number"},
		{"titles without a query", "documents.search_titles", `{}`, 400, "query: Invalid input: expected string, received undefined"},
		{"titles for a blank query", "documents.search_titles", `{"query":" "}`, 400, "query: Invalid input"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expectError(t, call(t, w, keyOf("member"), test.endpoint, test.body), test.status, test.message)
		})
	}
}

func TestSearchTitlesFindsParts(t *testing.T) {
	w := searchWorkspace(t)
	tests := []struct {
		name, body string
		want       []string
	}{
		{"of titles, the last changed first", `{"query":"BUOY"}`, []string{"Draft about a buoy", "Old buoy list", "Buoy maintenance"}},
		{"in the middle of a word", `{"query":"uoy main"}`, []string{"Buoy maintenance"}},
		{"in published documents", `{"query":"buoy","statusFilter":["published"]}`, []string{"Buoy maintenance"}},
		{"that are emoji", `{"query":"🚀"}`, []string{"🚀 Launch"}},
		{"but not of texts", `{"query":"refund"}`, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := call(t, w, keyOf("member"), "documents.search_titles", test.body)
			expectTitles(t, answer, test.want...)
			if answer.Pagination.Total != nil {
				t.Error("the answer has a total")
			}
		})
	}
}

func TestSearchInsideADocumentCoversWhatIsBelowIt(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Root eel"},
		Document{Title: "Child eel", ParentID: documentID(0)},
		Document{Title: "Grandchild eel", ParentID: documentID(1)},
		Document{Title: "Elsewhere eel"},
	)
	answer := call(t, w, keyOf("member"), "documents.search", `{"query":"eel","documentId":"`+documentID(1)+`"}`)
	expectTitles(t, answer, "Grandchild eel", "Child eel")
}

func TestAMatchInTheTitleRanksAboveAnyNumberInTheText(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Whale"},
		Document{Title: "Sea", Text: strings.Repeat("whale ", 5000)},
	)
	expectTitles(t, call(t, w, keyOf("member"), "documents.search", `{"query":"whale"}`), "Whale", "Sea")
}

func TestANewVersionIsFoundAndTheOldOneIsNot(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Version", Text: "earlier"})
	expectTitles(t, call(t, w, keyOf("member"), "documents.search", `{"query":"earlier"}`), "Version")

	w.store.mu.Lock()
	d := w.store.documents[documentID(0)].Document
	d.Revision, d.UpdatedAt = d.Revision+1, noon.Add(time.Hour)
	w.store.put(d, &content{source: "later"})
	w.store.mu.Unlock()

	expectTitles(t, call(t, w, keyOf("member"), "documents.search", `{"query":"earlier"}`))
	expectTitles(t, call(t, w, keyOf("member"), "documents.search", `{"query":"later"}`), "Version")
	got := data[struct{ Text string }](t, call(t, w, keyOf("member"), "documents.info", `{"id":"`+documentID(0)+`"}`))
	if got.Text != "later" {
		t.Errorf("documents.info answers %q", got.Text)
	}
}

// A wikiSearch is what a real Outline found. It held other pages, too, which the
// recording leaves out.
type wikiSearch struct {
	Kind, Query string
	Hits        []struct{ Page, Context string }
	Count       int
	Cut         bool `json:"limit_reached"` // not all of the wiki's pages that match are among the hits
}

func TestSearchesFindWhatARealOutlineFound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one search after the other")
	}
	w := wiki(t)
	passages, different := 0, 0
	for _, search := range fixtures.Recorded[wikiSearch](t, "wiki_searches") {
		body, _ := json.Marshal(map[string]any{"query": search.Query, "limit": 25, "statusFilter": []string{"published"}})
		var got, want []string
		shown := map[string]string{}
		for _, hit := range data[[]titled](t, call(t, w, keyOf("member"), "documents.search", string(body))) {
			got = append(got, hit.Document.Title)
			shown[hit.Document.Title] = hit.Context
		}
		for _, hit := range search.Hits {
			want = append(want, hit.Page)
			if passage, ok := shown[hit.Page]; ok && passage != hit.Context {
				different++
				t.Logf("%q shows of %s\n%q, recorded\n%q", search.Query, hit.Page, passage, hit.Context)
			}
		}
		passages += len(want)
		if search.Cut {
			got = got[:min(len(got), len(want))]
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%q finds %q, recorded %q", search.Query, got, want)
		}
		// Pages of the same rank and date are in any order.
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, recorded %q", search.Query, got, want)
		}
	}
	if different > passages/100 {
		t.Errorf("%d of %d passages differ", different, passages)
	}
}

// wiki returns a workspace with the recorded wiki.
func wiki(t *testing.T) *Workspace {
	var documents []Document
	for _, page := range fixtures.Recorded[struct{ Title, Text, Date string }](t, "wiki_pages") {
		at, err := time.Parse(time.DateOnly, page.Date)
		if err != nil { // "now"
			at = time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
		}
		documents = append(documents, Document{Title: page.Title, Text: page.Text, CreatedAt: at, UpdatedAt: at, PublishedAt: at})
	}
	return newTestWorkspace(t, documents...)
}

type answered struct {
	Status    int
	Documents []titled
	Search    struct {
		ID, Query, Source string
		Answer            *string
	}
}

func ask(t *testing.T, w *Workspace, key, body string) answered {
	t.Helper()
	res, err := w.Transport().RoundTrip(newCall(t, key, "documents.answerQuestion", body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var a answered
	if err := json.Unmarshal(text, &a); err != nil || a.Status != 200 {
		t.Fatalf("answer is %s: %v", text, err)
	}
	return a
}

func TestAQuestionIsAnsweredWithSentencesOfDocuments(t *testing.T) {
	w := newSample(t)
	a := ask(t, w, MemberKey, `{"query":"How many days of paid leave does everyone have?"}`)
	if a.Search.Answer == nil || !strings.HasPrefix(*a.Search.Answer, "Everyone has 28 days of paid leave a year") {
		t.Fatalf("answer is %v", a.Search.Answer)
	}
	if a.Documents[0].Title != "Time off" || !isUUID(a.Search.ID) {
		t.Errorf("sources are %+v", a.Documents)
	}
	again := ask(t, w, MemberKey, `{"query":"How many days of paid leave does everyone have?"}`)
	if *again.Search.Answer != *a.Search.Answer || again.Search.ID != a.Search.ID {
		t.Error("the same question has another answer")
	}
	if a := ask(t, w, MemberKey, `{"query":"xylophone quark"}`); a.Search.Answer != nil || len(a.Documents) != 0 {
		t.Errorf("to nonsense the answer is %q", *a.Search.Answer)
	}
}

func TestAnAnswerKeepsToWhatTheCallerMayRead(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Open page", Text: "The harbour code is on the door."},
		Document{Title: "Closed page", Text: "The harbour code is four seven eleven.", CollectionID: closedID},
		Document{Title: "Draft", Text: "The harbour code of a draft is this.", Revision: draftRevision},
	)
	sources := func(who, body string) (list []string) {
		for _, d := range ask(t, w, keyOf(who), body).Documents {
			list = append(list, d.Title)
		}
		slices.Sort(list)
		return list
	}
	for _, test := range []struct {
		who, more string
		want      []string
	}{
		{"member", ``, []string{"Closed page", "Open page"}},
		{"other", ``, []string{"Open page"}},
		{"guest", ``, nil},
		{"member", `,"statusFilter":"draft"`, []string{"Draft"}},
		{"member", `,"collectionId":"` + closedID + `"`, []string{"Closed page"}},
		{"member", `,"documentId":"` + documentID(0) + `"`, []string{"Open page"}},
	} {
		if got := sources(test.who, `{"query":"harbour code"`+test.more+`}`); !slices.Equal(got, test.want) {
			t.Errorf("the %s with %s gets %q, want %q", test.who, test.more, got, test.want)
		}
	}
}

func TestQuestionsAreAnsweredOnlyWhereAskedFor(t *testing.T) {
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	expectError(t, call(t, w, MemberKey, "documents.answerQuestion", `{"query":"x"}`), 404, "Resource not found")
}
