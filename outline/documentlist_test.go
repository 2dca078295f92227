package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/test/fixtures"
)

// listed returns the recording of a list with a number.
func listed(t *testing.T, number string) recording {
	t.Helper()
	return recordedIn(t, "lists", number)
}

// recordedIn returns the recording in a file with a number.
func recordedIn(t *testing.T, file, number string) recording {
	t.Helper()
	list := fixtures.Recorded[recording](t, file)
	i := slices.IndexFunc(list, func(r recording) bool { return r.number() == number })
	if i < 0 {
		t.Fatalf("%s has no recording %s", file, number)
	}
	return list[i]
}

// replaying returns a client of a server that answers as recorded and returns an error
// for a request that lacks a field of the recorded one.
func replaying(t *testing.T, rec recording) *outline.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var sent map[string]any
		if err := json.Unmarshal(raw, &sent); err != nil {
			t.Error(err)
		}
		for name, want := range object(rec.Request.Body) {
			if diff := cmp.Diff(want, sent[name]); diff != "" && (name != "offset" || sent[name] != nil) {
				t.Errorf("%s (-recorded +sent):\n%s", name, diff)
			}
		}
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(rec.Response.Status)
		_, _ = w.Write(rec.Response.Body)
	}, nil)
}

func TestListsOfDocumentsAreRequestedAndReadAsRecorded(t *testing.T) {
	const handbook = "0ecac1b0-b2ea-4166-b2e0-cbba3e982603"
	for number, params := range map[string]outline.DocumentListParams{
		"540": {DocumentFilter: outline.DocumentFilter{CollectionID: handbook}, Sort: "updatedAt", Ascending: true, Limit: 2},
		"547": {DocumentFilter: outline.DocumentFilter{CollectionID: handbook}, Sort: "popularityScore", Limit: 2},
	} {
		t.Run(number, func(t *testing.T) {
			rec := listed(t, number)
			page, err := replaying(t, rec).Documents(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			var answer map[string]any
			if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
				t.Fatal(err)
			}
			sameAnswer(t, page.Page, answer)
			equal(t, "more", page.More, len(page.Items) < page.Total)
			equal(t, "incomplete", page.Incomplete, false)
		})
	}
}

func TestSharedDocumentsAreRequestedAndReadAsRecorded(t *testing.T) {
	rec := recordedIn(t, "series2", "1164")
	var answer map[string]any
	if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
		t.Fatal(err)
	}
	page, err := replaying(t, rec).Documents(t.Context(), outline.DocumentListParams{SharedWithMe: true, Sort: "title"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "total", page.Total, 2)
	for i, document := range objects(object(answer["data"])["documents"]) {
		sameFields(t, "document", fieldsOf(t, page.Items[1-i]), document) // descending, and recorded ascending
	}
	if _, err := replaying(t, recordedIn(t, "series2", "1168")).Documents(t.Context(), outline.DocumentListParams{SharedWithMe: true}); !errors.Is(err, outline.ErrForbidden) {
		t.Error(err)
	}
}

// libraryDay is a day of a library, long ago.
func libraryDay(n int) time.Time { return time.Date(2020, 1, 1+n, 0, 0, 0, 0, time.UTC) }

// library is a workspace of documents that were created and updated a day apart, in
// opposite order: the one with the number 0 is the oldest, and the one changed last.
// Every tenth has a second author and "buoy" in its title. There are four drafts beside more than 200.
func library(t *testing.T, options fakeoutline.Options, documents int) (*outline.Client, *historical) {
	t.Helper()
	created := libraryDay(0)
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	seed := fakeoutline.Seed{
		Team: fakeoutline.Team{ID: id(900_001), Name: "Team"},
		Users: []fakeoutline.User{
			{ID: id(900_002), Name: "Ada", Email: "ada@example.com", Role: fakeoutline.Admin, CreatedAt: created},
			{ID: id(900_003), Name: "Max", Email: "max@example.com", Role: fakeoutline.Member, CreatedAt: created},
		},
		Keys:        []fakeoutline.Key{{ID: id(900_004), Secret: testKey, UserID: id(900_002)}},
		Collections: []fakeoutline.Collection{{ID: id(900_005), URLID: "C000000001", Name: "All", Permission: fakeoutline.ReadWrite, CreatedAt: created, UpdatedAt: created}},
	}
	for n := range documents {
		d := fakeoutline.Document{
			ID: id(n), URLID: fmt.Sprintf("D%09d", n), Title: fmt.Sprintf("Page %04d", n), Text: "x", CollectionID: id(900_005), Revision: 1,
			CreatedAt: created.AddDate(0, 0, n), UpdatedAt: created.AddDate(0, 0, 2*documents-n), PublishedAt: created.AddDate(0, 0, n),
			CreatedBy: id(900_002), UpdatedBy: id(900_002), Collaborators: []string{id(900_002)},
		}
		if n == 8 || n == 9 {
			d.ParentID = id(n - 1)
		}
		if n%10 == 0 {
			d.Title, d.Collaborators = fmt.Sprintf("Buoy %04d", n), []string{id(900_002), id(900_003)}
		}
		seed.Documents = append(seed.Documents, d)
	}
	for n := 0; documents > 200 && n < 4; n++ { // drafts, of which the first is in the collection
		d := seed.Documents[60*n]
		d.ID, d.URLID, d.Title, d.PublishedAt = id(800_000+n), fmt.Sprintf("E%09d", n), fmt.Sprintf("Draft %d", n), time.Time{}
		d.CreatedAt, d.UpdatedAt = d.CreatedAt.Add(time.Hour), d.UpdatedAt.Add(time.Hour)
		if n > 0 {
			d.CollectionID = ""
		}
		seed.Documents = append(seed.Documents, d)
	}
	w, err := fakeoutline.Empty(options, seed)
	if err != nil {
		t.Fatal(err)
	}
	watched := &historical{RoundTripper: w.Transport()}
	return newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = watched }), watched
}

func TestDocumentsAreFiltered(t *testing.T) {
	day := libraryDay
	max := "00000000-0000-4000-8000-000000900003"
	for name, test := range map[string]struct {
		params       outline.DocumentListParams
		first, last  string // titles
		items, total int    // total -1: the list ends with the page
	}{
		"changed lately":           {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: day(480)}, Limit: 10}, "Buoy 0000", "Page 0009", 10, -1},
		"the second page":          {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: day(480)}, Limit: 10, Offset: 10}, "Buoy 0010", "Page 0019", 10, -1},
		"past the end":             {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: day(480)}, Limit: 10, Offset: 100}, "", "", 0, 21},
		"unchanged for long":       {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedBefore: day(270)}, Limit: 100, Ascending: true}, "Page 0249", "Page 0231", 19, 19},
		"and the newest first":     {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedBefore: day(270)}, Limit: 100}, "Page 0231", "Page 0249", 19, 19},
		"a span":                   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CreatedAfter: day(40), CreatedBefore: day(60)}, Sort: "title", Ascending: true}, "Buoy 0040", "Page 0059", 20, 20},
		"both dates":               {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CreatedAfter: day(40), UpdatedAfter: day(440)}, Sort: "createdAt"}, "Buoy 0060", "Buoy 0040", 21, 21},
		"a collaborator":           {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CollaboratorID: max}, Limit: 3}, "Buoy 0000", "Buoy 0020", 3, -1},
		"a title":                  {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "buOY"}, Sort: "title", Ascending: true, Limit: 100}, "Buoy 0000", "Buoy 0240", 25, 25},
		"a title by publication":   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "buoy", UpdatedAfter: day(400)}, Sort: "publishedAt", Limit: 4}, "Buoy 0100", "Buoy 0070", 4, 11},
		"drafts":                   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"draft"}}}, "Draft 0", "Draft 3", 4, 4},
		"one draft":                {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"draft"}}, Offset: 1, Limit: 1}, "Draft 1", "Draft 1", 1, -1},
		"drafts by title":          {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"draft"}}, Sort: "title", Ascending: true}, "Draft 0", "Draft 3", 4, 4},
		"drafts changed lately":    {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"draft"}, UpdatedAfter: day(400)}}, "Draft 0", "Draft 1", 2, 2},
		"drafts of a collection":   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"draft"}, CollectionID: "00000000-0000-4000-8000-000000900005"}}, "Draft 0", "Draft 0", 1, 1},
		"any status":               {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: 70}, "Draft 0", "Page 0067", 70, -1},
		"any status, page 2":       {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: 70, Offset: 70}, "Page 0068", "Page 0136", 70, -1},
		"any status, the end":      {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: 70, Offset: 240, Sort: "createdAt"}, "Page 0012", "Buoy 0000", 14, 254},
		"any status with a title":  {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft"}, TitleContains: "2"}, Limit: 100, Sort: "title", Ascending: true}, "Buoy 0020", "Page 0249", 89, 89},
		"nothing":                  {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: day(4800)}}, "", "", 0, 0},
		"a collection and a title": {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CollectionID: "00000000-0000-4000-8000-000000900005", TitleContains: "0249"}}, "Page 0249", "Page 0249", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, release := range []fakeoutline.Release{"", "1.9.2"} {
				c, _ := library(t, fakeoutline.Options{Release: release}, 250)
				got, err := c.Documents(t.Context(), test.params)
				if err != nil {
					t.Fatal(release, err)
				}
				first, last := "", ""
				if n := len(got.Items); n > 0 {
					first, last = got.Items[0].Title, got.Items[n-1].Title
				}
				if first != test.first || last != test.last || len(got.Items) != test.items || got.Total != test.total {
					t.Errorf("%q: %q to %q, %d of %d", release, first, last, len(got.Items), got.Total)
				}
			}
		})
	}
}

func TestSearchesAreFiltered(t *testing.T) {
	day := libraryDay
	for name, test := range map[string]struct {
		params       outline.SearchParams
		items, total int
	}{
		"changed lately":      {outline.SearchParams{Query: "x", UpdatedAfter: day(480), Limit: 10}, 10, 21},
		"the second page":     {outline.SearchParams{Query: "x", UpdatedAfter: day(480), Limit: 10, Offset: 10}, 10, 21},
		"past the end":        {outline.SearchParams{Query: "x", UpdatedAfter: day(480), Limit: 10, Offset: 100}, 0, 21},
		"a collaborator":      {outline.SearchParams{Query: "x", CollaboratorID: "00000000-0000-4000-8000-000000900003", Limit: 3}, 3, 25},
		"both":                {outline.SearchParams{Query: "buoy", UpdatedAfter: day(400), CollaboratorID: "00000000-0000-4000-8000-000000900003", CollectionID: "00000000-0000-4000-8000-000000900005"}, 11, 11},
		"below a document":    {outline.SearchParams{Query: "x", Below: "00000000-0000-4000-8000-000000000007"}, 3, 3},
		"and changed lately":  {outline.SearchParams{Query: "x", Below: "00000000-0000-4000-8000-000000000007", UpdatedAfter: day(100)}, 3, 3},
		"changed long before": {outline.SearchParams{Query: "x", Below: "00000000-0000-4000-8000-000000000007", UpdatedAfter: day(499)}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, watched := library(t, fakeoutline.Options{Now: func() time.Time { return day(501) }}, 250)
			got, err := c.Search(t.Context(), test.params)
			if err != nil || len(got.Items) != test.items || got.Total != test.total {
				t.Errorf("%d of %d, %v", len(got.Items), got.Total, err)
			}
			for _, hit := range got.Items {
				if hit.Document.UpdatedAt.Before(test.params.UpdatedAfter) {
					t.Errorf("%q was changed before", hit.Document.Title)
				}
			}
			if test.params.UpdatedAfter.IsZero() {
				equal(t, "requests", len(watched.calls), 1)
			}
		})
	}
}

func TestASearchIsRestrictedToTheTimeThatIncludesTheDate(t *testing.T) {
	for age, want := range map[time.Duration]string{
		time.Hour: `"day"`, 23*time.Hour + 30*time.Minute: `"week"`, 6 * 24 * time.Hour: `"week"`, 20 * 24 * time.Hour: `"month"`,
		40 * 24 * time.Hour: `"year"`, 400 * 24 * time.Hour: "",
	} {
		c, watched := library(t, fakeoutline.Options{Release: "1.9.2"}, 1)
		sent := ""
		watched.intercept = func(r *http.Request, endpoint string) (*http.Response, error) {
			if endpoint == "documents.search" {
				raw, err := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(raw)))
				sent = string(raw)
				return nil, err
			}
			return nil, nil
		}
		if _, err := c.Search(t.Context(), outline.SearchParams{Query: "x", UpdatedAfter: time.Now().Add(-age)}); err != nil {
			t.Fatal(err)
		}
		if _, filter, _ := strings.Cut(sent, `"dateFilter":`); !strings.HasPrefix(filter, want) || strings.Contains(sent, "dateFilter") != (want != "") {
			t.Errorf("%s: sent %s", age, sent)
		}
	}
}

func TestASearchThatOutlineCannotFilterIsIncomplete(t *testing.T) {
	c, watched := library(t, fakeoutline.Options{Release: "1.9.2"}, 1200)
	page, err := c.Search(t.Context(), outline.SearchParams{Query: "x", UpdatedAfter: libraryDay(1300)})
	if err != nil || !page.Incomplete || page.Searched != 1000 || page.Total != 1000 {
		t.Errorf("%d of %d, %v, %v", page.Total, page.Searched, page.Incomplete, err)
	}
	equal(t, "requests", len(watched.calls), 10)
}

func TestAFilteredListTakesFewRequests(t *testing.T) {
	day := libraryDay
	for name, test := range map[string]struct {
		params outline.DocumentListParams
		want   int
	}{
		"one of Outline's filters": {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{CollectionID: "00000000-0000-4000-8000-000000900005", Statuses: []string{"published", "archived"}}}, 1},
		"until the date":           {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: day(480)}}, 1},
		"from the other end":       {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedBefore: day(270)}}, 1},
		"until the page is full":   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "page"}}, 1},
		"to the end of the list":   {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "0001"}}, 3},
		"which takes no more now":  {outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "0001", UpdatedAfter: day(500)}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, watched := library(t, fakeoutline.Options{}, 250)
			if _, err := c.Documents(t.Context(), test.params); err != nil {
				t.Fatal(err)
			}
			equal(t, "requests", len(watched.calls), test.want)
		})
	}
}

func TestALongListThatOutlineCannotFilterIsIncomplete(t *testing.T) {
	c, watched := library(t, fakeoutline.Options{Release: "1.9.2"}, 3100)
	params := outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{TitleContains: "Buoy 0000"}, Ascending: true}
	page, err := c.Documents(t.Context(), params)
	if err != nil || len(page.Items) != 0 || !page.Incomplete || page.Searched != 3000 || page.Total != -1 || page.More {
		t.Errorf("%+v, %v", page, err)
	}
	equal(t, "requests", len(watched.calls), 30)

	hurried, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	page, err = c.Documents(hurried, params)
	if err != nil || !page.Incomplete || page.Searched != 100 {
		t.Errorf("searched %d, %v", page.Searched, err)
	}
}

// TestADocumentThatMovesWhileTheListIsReadIsListedOnce has another user change a document
// between the requests for two pages, so that another one is on both.
func TestADocumentThatMovesWhileTheListIsReadIsListedOnce(t *testing.T) {
	c, watched := library(t, fakeoutline.Options{Release: "1.9.2"}, 150)
	lists := 0
	watched.intercept = func(_ *http.Request, endpoint string) (*http.Response, error) {
		if endpoint == "documents.list" {
			if lists++; lists == 2 { // after the first page
				_, err := edit.Update(t.Context(), c, edit.Params{ID: "00000000-0000-4000-8000-000000000140", Title: new("Changed")})
				return nil, err
			}
		}
		return nil, nil
	}
	page, err := c.Documents(t.Context(), outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{UpdatedAfter: libraryDay(0), TitleContains: "e"}, Sort: "title", Limit: 100, Offset: 60})
	if err != nil || len(page.Items) != 75 || page.Total != 135 {
		t.Errorf("%d of %d, %v", len(page.Items), page.Total, err)
	}
}

func TestASearchByDateLeavesOutDraftsAndArchivedDocumentsUnlessAsked(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		c, _ := library(t, fakeoutline.Options{Release: release}, 20)
		if _, err := c.ArchiveDocument(t.Context(), "00000000-0000-4000-8000-000000000003"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "Draft", Text: "x"}); err != nil {
			t.Fatal(err)
		}
		for want, statuses := range map[int][]string{19: nil, 1: {"archived"}, 20: {"published", "archived"}, 21: {"draft", "published", "archived"}, 2: {"draft", "archived"}} {
			page, err := c.Search(t.Context(), outline.SearchParams{Query: "x", UpdatedAfter: libraryDay(0), StatusFilter: statuses, Limit: 100})
			if err != nil || page.Total != want {
				t.Errorf("%q, %v: %d hits, want %d, %v", release, statuses, page.Total, want, err)
			}
		}
	}
}
