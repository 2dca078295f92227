package fakeoutline

import (
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

// A wikiSearch is what a real Outline found. It held other pages, too, which the
// recording omits.
type wikiSearch struct {
	Kind, Query string
	Hits        []struct{ Page, Context string }
	Count       int
	Cut         bool `json:"limit_reached"` // not all of the wiki's pages that match are among the hits
}

func TestSearchesFindWhatARealOutlineFound(t *testing.T) {
	w := wiki(t)
	passages, different := 0, 0
	for _, search := range fixtures.Some(fixtures.Recorded[wikiSearch](t, "wiki_searches"), 40) {
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
