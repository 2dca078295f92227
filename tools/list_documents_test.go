package tools_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// staff are the people of a workspace for lists: two of one name, one who is
// suspended, a guest, and Hana, whose key calls use.
func staff() fakeoutline.Seed {
	seed := emptySeed()
	for n, user := range []fakeoutline.User{
		{Name: "Ines Halloway", Email: "ines@lights.example", Role: fakeoutline.Member},
		{Name: "Max Member", Email: "max@lights.example", Role: fakeoutline.Member},
		{Name: "Max Member", Email: "m.member@lights.example", Role: fakeoutline.Viewer},
		{Name: "Sue Spended", Email: "sue@lights.example", Role: fakeoutline.Member, Suspended: true},
		{Name: "Gus Guest", Email: "gus@else.example", Role: fakeoutline.Guest},
	} {
		user.ID, user.CreatedAt = uuid(99_000_010+n), wikiDay(0)
		seed.Users = append(seed.Users, user)
	}
	seed.Keys = append(seed.Keys, fakeoutline.Key{ID: uuid(99_000_020), Secret: fakeoutline.MemberKey, UserID: uuid(99_000_010), CreatedAt: wikiDay(0)},
		fakeoutline.Key{ID: uuid(99_000_021), Secret: fakeoutline.ViewerKey, UserID: uuid(99_000_014), CreatedAt: wikiDay(0)})
	for n := range 4 {
		d := wikiPage(n+1, "", fmt.Sprintf("Page %d", n+1), "x")
		d.UpdatedAt, d.Collaborators = wikiDay(0).AddDate(0, -n, 0), []string{uuid(99_000_010 + n)}
		d.CreatedAt, d.PublishedAt = d.UpdatedAt.AddDate(-1, 0, 0), d.UpdatedAt.AddDate(-1, 0, 0)
		seed.Documents = append(seed.Documents, d)
	}
	return seed
}

// eachVersion runs a test on the newest Outline and on its releases.
func eachVersion(t *testing.T, seed fakeoutline.Seed, test func(t *testing.T, c *client.Client)) {
	t.Helper()
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		t.Run(fmt.Sprintf("like %q", release), func(t *testing.T) {
			w, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, seed)
			if err != nil {
				t.Fatal(err)
			}
			test(t, limited(t, defaultLimit, true, w.Transport()))
		})
	}
}

func TestDocumentsAreListedByWhatIsAskedForOnEveryRelease(t *testing.T) {
	seed := staff()
	archived := wikiPage(5, "", "Page 5", "x")
	archived.ArchivedAt, archived.UpdatedAt = wikiDay(3), wikiDay(0).AddDate(0, -5, 0)
	draft := wikiPage(6, uuid(1), "Page 6 of mine", "x")
	draft.PublishedAt = time.Time{}
	child := wikiPage(7, uuid(2), "50% of a_page", "x")
	seed.Documents = append(seed.Documents, archived, draft, child)
	eachVersion(t, seed, func(t *testing.T, c *client.Client) {
		for name, test := range map[string]struct {
			arguments map[string]any
			want      []string
		}{
			"all":                    {nil, []string{"50% of a_page", "Page 1", "Page 2", "Page 3", "Page 4"}},
			"since":                  {map[string]any{"updated_after": "2025-12-01"}, []string{"50% of a_page", "Page 1", "Page 2"}},
			"until":                  {map[string]any{"updated_before": "2025-12-01"}, []string{"Page 3", "Page 4"}},
			"oldest first":           {map[string]any{"updated_before": "2026-01-01", "direction": "asc", "limit": 2}, []string{"Page 4", "Page 3"}},
			"created between":        {map[string]any{"created_after": "2024-10-01T09:00", "created_before": "2024-12-01T09:00Z"}, []string{"Page 3", "Page 4"}},
			"in a month":             {map[string]any{"updated_after": "2025-11", "updated_before": "2025-11"}, []string{"Page 3"}},
			"on a day":               {map[string]any{"created_after": wikiDay(0).AddDate(-1, -2, 0).Format(time.DateOnly), "created_before": wikiDay(0).AddDate(-1, -2, 0).Format(time.DateOnly)}, []string{"Page 3"}},
			"today":                  {map[string]any{"collection_id": "engineering-xVj43W43Sy", "updated_after": "Today", "updated_before": "today"}, []string{}},
			"in a week":              {map[string]any{"collection_id": "engineering-xVj43W43Sy", "updated_after": "last week", "updated_before": "Last  week"}, []string{}},
			"in a year":              {map[string]any{"collection_id": "engineering-xVj43W43Sy", "updated_after": "this year", "updated_before": "this year", "title_contains": "none"}, []string{}},
			"in a month by its name": {map[string]any{"collection_id": "engineering-xVj43W43Sy", "updated_after": "last month", "updated_before": "last month"}, []string{}},
			"whose":                  {map[string]any{"collaborator": "INES halloway"}, []string{"Page 1"}},
			"whose, by address":      {map[string]any{"collaborator": "M.Member@lights.example"}, []string{"Page 3"}},
			"whose, by UUID":         {map[string]any{"collaborator": uuid(99_000_011)}, []string{"Page 2"}},
			"whose, suspended":       {map[string]any{"collaborator": "Sue Spended"}, []string{"Page 4"}},
			"titles":                 {map[string]any{"title_contains": "PAGE", "sort": "title"}, []string{"50% of a_page", "Page 1", "Page 2", "Page 3", "Page 4"}},
			"titles, literally":      {map[string]any{"title_contains": "0% of a_"}, []string{"50% of a_page"}},
			"archived":               {map[string]any{"status": "archived"}, []string{"Page 5"}},
			"drafts":                 {map[string]any{"status": "draft"}, []string{"Page 6 of mine"}},
			"any":                    {map[string]any{"status": "any", "limit": 100}, []string{"50% of a_page", "Page 6 of mine", "Page 1", "Page 2", "Page 3", "Page 4", "Page 5"}},
			"below":                  {map[string]any{"parent_document_id": "D000000002"}, []string{"50% of a_page"}},
			"any with a filter":      {map[string]any{"status": "any", "title_contains": "page", "updated_before": "2025-09-30"}, []string{"Page 5"}},
			"drafts with a filter":   {map[string]any{"status": "draft", "title_contains": "mine"}, []string{"Page 6 of mine"}},
			"archived with a date":   {map[string]any{"status": "archived", "updated_before": "2025-12-01"}, []string{"Page 5"}},
			"below, by words":        {map[string]any{"parent_document_id": uuid(2), "title_contains": "none"}, []string{}},
			"in a collection":        {map[string]any{"collection_id": "engineering-xVj43W43Sy", "updated_before": "2024-01-01"}, []string{}},
			"by creation, ascending": {map[string]any{"sort": "created", "direction": "asc", "limit": 3}, []string{"Page 4", "Page 3", "Page 2"}},
		} {
			t.Run(name, func(t *testing.T) {
				answer := success(t, c, defaultLimit, "list_documents", test.arguments)
				listing := decoded[struct {
					Documents []struct{ Title string }
					Count     int
					Total     *int
				}](t, answer.Structured)
				got := []string{}
				for _, d := range listing.Documents {
					got = append(got, d.Title)
				}
				if diff := cmp.Diff(test.want, got); diff != "" || listing.Count != len(got) {
					t.Errorf("(-want +got):\n%s%s", diff, answer.Text)
				}
			})
		}
	})
}

func TestAPersonWhoIsNotOneIsRefusedWithThoseWhoAreMeant(t *testing.T) {
	eachVersion(t, staff(), func(t *testing.T, c *client.Client) {
		for given, says := range map[string][]string{
			"Max Member": {"collaborator \"Max Member\" is not the name of one user: give the e-mail address or the UUID.", "max@lights.example " + uuid(99_000_011), "m.member@lights.example " + uuid(99_000_012)},
			"member":     {"is not the name of one user", "max@lights.example"},
			"Inez":       {"no user has the name or e-mail address \"Inez\".", "The nearest are \"Ines Halloway\" ines@lights.example " + uuid(99_000_010)},
			"Max Muster": {"The nearest are \"Max Member\""},
		} {
			answer := bounded(t, c, defaultLimit, "list_documents", map[string]any{"collaborator": given})
			for _, part := range says {
				if !strings.Contains(answer.Text, part) {
					t.Errorf("%s: the answer lacks %q: %s", given, part, answer.Text)
				}
			}
			if want := map[bool]output.Code{true: output.NotFound, false: output.InvalidArguments}[strings.HasPrefix(says[len(says)-1], "The nearest")]; answer.Code != want {
				t.Errorf("%s: the code is %s, not %s", given, answer.Code, want)
			}
		}
	})
}

func TestAKeyThatMayNotListUsersIsToldToGiveTheUUID(t *testing.T) {
	w, err := fakeoutline.Empty(fakeoutline.Options{}, staff())
	if err != nil {
		t.Fatal(err)
	}
	c := limited(t, defaultLimit, true, withKey{w.Transport(), fakeoutline.ViewerKey})
	answer := bounded(t, c, defaultLimit, "list_documents", map[string]any{"collaborator": "Ines"})
	if answer.Code != output.Forbidden || !strings.Contains(answer.Text, "collaborator: this key may not list users") {
		t.Error(answer.Text)
	}
	success(t, c, defaultLimit, "list_documents", map[string]any{"collaborator": uuid(99_000_010)})
}

func TestWhatIsSharedWithAGuestIsListedOnRequest(t *testing.T) {
	const others = 120 // more than a page of Outline
	seed := staff()
	guest := []fakeoutline.Membership{{ID: uuid(99_000_030), UserID: uuid(99_000_014), Permission: fakeoutline.ReadWrite}}
	for n := range others {
		d := wikiPage(100+n, "", fmt.Sprintf("Shared %03d", n), "x")
		d.UpdatedAt = wikiDay(-n)
		d.Memberships = []fakeoutline.Membership{{ID: uuid(99_100_000 + n), UserID: guest[0].UserID, Permission: fakeoutline.Read}}
		seed.Documents = append(seed.Documents, d)
	}
	seed.Documents[1].Memberships = guest
	seed.Documents = append(seed.Documents, wikiPage(8, uuid(2), "Below what is shared", "x"))
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	c := limited(t, defaultLimit, true, withKey{w.Transport(), fakeoutline.ViewerKey})
	for name, test := range map[string]struct {
		arguments map[string]any
		heading   string
		titles    []string
	}{
		"nothing by default":           {map[string]any{}, "# 0 documents\n\nNothing found. Documents of any status are listed with status any.\nNote: documents that are shared with you one by one are not in this list: shared_with_me true lists them.", nil},
		"nothing that is shared":       {map[string]any{"title_contains": "Tide"}, "# 0 documents\n\nNothing found. Documents of any status are listed with status any.", nil},
		"all":                          {map[string]any{"shared_with_me": true, "limit": 1}, "# 121 documents shared with you, 1–1 shown", []string{"Shared 000"}},
		"the last page":                {map[string]any{"shared_with_me": true, "sort": "title", "offset": 119}, "121 documents shared with you, 120–121 shown", []string{"Shared 118", "Shared 119"}},
		"by title":                     {map[string]any{"shared_with_me": true, "title_contains": "page"}, "# 1 document shared with you", []string{"Page 2"}},
		"by status":                    {map[string]any{"shared_with_me": true, "status": "archived"}, "# 0 documents shared with you", nil},
		"only what is below something": {map[string]any{"shared_with_me": true, "parent_document_id": uuid(2)}, "# 0 documents shared with you", nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer := success(t, c, defaultLimit, "list_documents", test.arguments)
			var got []string
			for _, d := range decoded[struct{ Documents []struct{ Title string } }](t, answer.Structured).Documents {
				got = append(got, d.Title)
			}
			if !slices.Equal(got, test.titles) || !strings.Contains(answer.Text, test.heading) {
				t.Errorf("%q: %s", got, answer.Text)
			}
		})
	}
}

// withKey replaces the key of all requests.
type withKey struct {
	http.RoundTripper
	key string
}

// RoundTrip implements http.RoundTripper.
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.RoundTripper.RoundTrip(r)
}

func TestAListThatIsNotCompleteSaysSo(t *testing.T) {
	seed := emptySeed()
	for n := 1; n <= 3100; n++ {
		seed.Documents = append(seed.Documents, wikiPage(n, "", fmt.Sprintf("Page %04d", n), "x"))
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: "1.9.2"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	answer := success(t, limited(t, defaultLimit, true, w.Transport()), defaultLimit, "list_documents", map[string]any{"title_contains": "Page 00", "limit": 100})
	listing := decoded[struct {
		Count, Total *int
		Incomplete   bool
		Note         string
	}](t, answer.Structured)
	if !listing.Incomplete || listing.Total != nil || *listing.Count != 0 || !strings.Contains(listing.Note, "beyond the 3000 searched") || !strings.Contains(answer.Text, "Note: "+listing.Note) {
		t.Errorf("%s\n%s", answer.Text, answer.Structured)
	}
}

// requests counts the requests to each endpoint.
type requests struct {
	http.RoundTripper

	mu sync.Mutex
	of []string
}

// RoundTrip implements http.RoundTripper.
func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(strings.NewReader(string(raw)))
	r.mu.Lock()
	r.of = append(r.of, request.URL.Path[strings.LastIndexByte(request.URL.Path, '/')+1:])
	r.mu.Unlock()
	return r.RoundTripper.RoundTrip(request)
}

// without returns the requests so far but for those to an endpoint, and forgets them.
func (r *requests) without(endpoint string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.of
	r.of = nil
	return slices.DeleteFunc(all, func(one string) bool { return one == endpoint })
}

func TestRecentChangesAreOneRequestToOutlineBesideTheNamesOfCollections(t *testing.T) {
	w, err := fakeoutline.Empty(fakeoutline.Options{}, staff())
	if err != nil {
		t.Fatal(err)
	}
	counted := &requests{RoundTripper: w.Transport()}
	c := limited(t, defaultLimit, false, counted)
	success(t, c, defaultLimit, "list_documents", map[string]any{"updated_after": "2025-12-01"}) // probes for filters
	counted.without("")
	success(t, c, defaultLimit, "list_documents", map[string]any{"updated_after": "2025-12-01"})
	if of := counted.without("collections.list"); !slices.Equal(of, []string{"documents.list"}) {
		t.Error(of)
	}
}

func TestAListOfDocumentsNamesWhatTheyAreBelowAndDoubtsUnknownIDs(t *testing.T) {
	seed := staff()
	seed.Documents = append(seed.Documents, wikiPage(7, uuid(2), "Child", "x"))
	eachVersion(t, seed, func(t *testing.T, c *client.Client) {
		for name, test := range map[string]struct {
			arguments map[string]any
			want      string
		}{
			"on the same page":          {nil, `below "Page 2" D000000002`},
			"not on the page":           {map[string]any{"title_contains": "Child"}, `below "Page 2" D000000002`},
			"as the heading":            {map[string]any{"parent_document_id": uuid(2)}, ` below "Page 2" D000000002` + "\n"},
			"if nobody has the UUID":    {map[string]any{"collaborator": uuid(4444)}, "Note: collaborator may be wrong"},
			"with nothing below it":     {map[string]any{"parent_document_id": uuid(1)}, "Nothing found. "},
			"after the end of the list": {map[string]any{"offset": 50}, "There is nothing from offset 50 on: the list "},
		} {
			t.Run(name, func(t *testing.T) {
				answer := success(t, c, defaultLimit, "list_documents", test.arguments)
				if !strings.Contains(answer.Text, test.want) || strings.Contains(answer.Text, "Note: ") != strings.Contains(test.want, "Note: ") {
					t.Error(answer.Text)
				}
				listing := decoded[struct {
					Documents []struct {
						Title       string
						ParentTitle string `json:"parent_title"`
						ParentURLID string `json:"parent_url_id"`
					}
				}](t, answer.Structured)
				for _, d := range listing.Documents {
					if named := d.ParentTitle == "Page 2" && d.ParentURLID == "D000000002"; named != (d.Title == "Child") {
						t.Errorf("%+v", d)
					}
				}
			})
		}
	})
}

func TestASearchIsRestrictedByDateAuthorAndSubtreeOnEveryRelease(t *testing.T) {
	seed := staff()
	for i := range seed.Documents {
		seed.Documents[i].Text = "the buoy is here"
	}
	seed.Documents[2].ParentID, seed.Documents[3].ParentID = uuid(2), uuid(3)
	eachVersion(t, seed, func(t *testing.T, c *client.Client) {
		for name, test := range map[string]struct {
			arguments map[string]any
			want      []string
		}{
			"by date":           {map[string]any{"updated_after": "2025-11-01"}, []string{"Page 1", "Page 2", "Page 3"}},
			"a page of them":    {map[string]any{"updated_after": "2025-11-01", "limit": 1, "offset": 1}, []string{"Page 2"}},
			"by author":         {map[string]any{"collaborator": "Sue Spended"}, []string{"Page 4"}},
			"by both":           {map[string]any{"collaborator": "sue@lights.example", "updated_after": "2026-01-01"}, []string{}},
			"below":             {map[string]any{"below": "page-2-D000000002"}, []string{"Page 2", "Page 3", "Page 4"}},
			"below, by date":    {map[string]any{"below": uuid(2), "updated_after": "2025-11-01T09:00"}, []string{"Page 2", "Page 3"}},
			"with a collection": {map[string]any{"below": uuid(3), "collection_id": wikiCollection, "collaborator": uuid(99_000_012)}, []string{"Page 3"}},
		} {
			t.Run(name, func(t *testing.T) {
				arguments := map[string]any{"query": "buoy", "detail_level": "ids"}
				maps.Copy(arguments, test.arguments)
				answer := success(t, c, defaultLimit, "search_documents", arguments)
				got := []string{}
				for _, hit := range decoded[struct{ Results []struct{ Title string } }](t, answer.Structured).Results {
					got = append(got, hit.Title)
				}
				slices.Sort(got)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s%s", diff, answer.Text)
				}
			})
		}
	})
}

func TestASearchThatIsNotCompleteSaysSo(t *testing.T) {
	seed := emptySeed()
	for n := 1; n <= 1100; n++ {
		seed.Documents = append(seed.Documents, wikiPage(n, "", fmt.Sprintf("Page %04d", n), "buoy"))
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: "1.9.2", Now: func() time.Time { return wikiDay(2000) }}, seed)
	if err != nil {
		t.Fatal(err)
	}
	answer := success(t, limited(t, defaultLimit, true, w.Transport()), defaultLimit, "search_documents", map[string]any{"query": "buoy", "updated_after": "2026-01-01", "limit": 1})
	found := decoded[struct {
		Total int
		Note  string
	}](t, answer.Structured)
	if found.Total != 1000 || !strings.Contains(found.Note, "only the best 1000 matches were looked through") || !strings.Contains(answer.Text, "Note: "+found.Note) {
		t.Errorf("%s\n%s", answer.Text, answer.Structured)
	}
}

func TestAListThatMayLackANewCollectionSaysSo(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		seed := emptySeed()
		seed.Documents = append(seed.Documents, wikiPage(1, "", "Buoys", "buoy"), wikiPage(2, "", "Old", "old"))
		w, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, seed)
		if err != nil {
			t.Fatal(err)
		}
		c := limited(t, defaultLimit, true, w.Transport())
		call := func(tool string, arguments map[string]any) string {
			t.Helper()
			return success(t, c, defaultLimit, tool, arguments).Text
		}
		call("archive_document", map[string]any{"document_id": seed.Documents[1].ID})
		lists := []struct {
			tool      string
			arguments map[string]any
		}{
			{"list_documents", nil},
			{"list_documents", map[string]any{"title_contains": "none"}},
			{"search_documents", map[string]any{"query": "none"}},
			{"search_documents", map[string]any{"query": "buoy", "detail_level": "ids"}},
			{"get_document_id_from_title", map[string]any{"query": "none"}},
			{"list_archived_documents", nil},
			{"find_in_documents", map[string]any{"query": "none"}},
		}
		for _, list := range lists {
			if text := call(list.tool, list.arguments); strings.Contains(text, "10 seconds") {
				t.Errorf("%s: without a new collection: %s", list.tool, text)
			}
		}
		if text := call("create_collection", map[string]any{"name": "New"}); !strings.Contains(text, "10 seconds") {
			t.Errorf("release %q: %s", release, text)
		}
		for _, list := range lists {
			if text := call(list.tool, list.arguments); !strings.Contains(text, "Note: Outline can leave a collection that was just created") {
				t.Errorf("release %q: %s %v: %s", release, list.tool, list.arguments, text)
			}
			if list.tool == "find_in_documents" && bytes.Contains(success(t, c, defaultLimit, list.tool, list.arguments).Structured, []byte(`"complete":true`)) {
				t.Errorf("release %q: the search is said to be complete", release)
			}
			if list.arguments = maps.Clone(list.arguments); list.arguments == nil {
				list.arguments = map[string]any{}
			}
			list.arguments["collection_id"] = seed.Documents[0].CollectionID
			if text := call(list.tool, list.arguments); strings.Contains(text, "10 seconds") {
				t.Errorf("release %q: %s of another collection: %s", release, list.tool, text)
			}
		}
	}
}
