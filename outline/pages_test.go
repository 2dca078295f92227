package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// numbers is a list of so many numbers, which records the requests for its pages.
type numbers struct {
	count int
	asked []outline.ListParams
	fails int // at this offset, unless it is 0
}

func (n *numbers) list(_ context.Context, p outline.ListParams) (outline.Page[int], error) {
	n.asked = append(n.asked, p)
	if n.fails > 0 && p.Offset >= n.fails {
		return outline.Page[int]{}, errors.New("broken")
	}
	var page outline.Page[int]
	for i := p.Offset; i < min(p.Offset+p.Limit, n.count); i++ {
		page.Items = append(page.Items, i)
	}
	return page, nil
}

func TestAListIsReadPageByPageToItsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		count  int
		paging outline.Paging
		read   int
		asked  []outline.ListParams
	}{
		"an empty list":         {0, outline.Paging{}, 0, []outline.ListParams{{Limit: 100}}},
		"a last page":           {130, outline.Paging{}, 130, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}}},
		"a full last page":      {200, outline.Paging{}, 200, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}, {Limit: 100, Offset: 200}}},
		"no further than asked": {500, outline.Paging{Most: 200}, 200, []outline.ListParams{{Limit: 100}, {Limit: 100, Offset: 100}}},
		"short pages first": {170, outline.Paging{First: 20}, 170, []outline.ListParams{
			{Limit: 20}, {Limit: 20, Offset: 20}, {Limit: 40, Offset: 40}, {Limit: 80, Offset: 80}, {Limit: 100, Offset: 160},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			n := &numbers{count: test.count}
			all, err := outline.Collect(outline.All(t.Context(), n.list, test.paging))
			if err != nil || len(all) != test.read || !slices.IsSorted(all) {
				t.Errorf("%d items, %v", len(all), err)
			}
			if !slices.Equal(n.asked, test.asked) {
				t.Errorf("asked for %+v", n.asked)
			}
		})
	}
}

func TestAPageIsFetchedWhenItsFirstItemIsNeeded(t *testing.T) {
	n := &numbers{count: 500}
	for i, err := range outline.All(t.Context(), n.list, outline.Paging{}) {
		if err != nil || i == 99 {
			break
		}
	}
	if len(n.asked) != 1 {
		t.Errorf("asked for %+v", n.asked)
	}
}

func TestAnErrorEndsAListAfterTheItemsBeforeIt(t *testing.T) {
	n := &numbers{count: 500, fails: 200}
	all, err := outline.Collect(outline.All(t.Context(), n.list, outline.Paging{}))
	if err == nil || len(all) != 200 || len(n.asked) != 3 {
		t.Errorf("%d items in %d requests, %v", len(all), len(n.asked), err)
	}
}

// recordedAnswer serves the answer of a recorded exchange to all requests, and
// returns a client, and the body of the latest request.
func recordedAnswer(t *testing.T, number string) (c *outline.Client, asked func() map[string]any, answer map[string]any) {
	t.Helper()
	rec := recordedIn(t, "contract", number)
	if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		body = nil
		_ = json.Unmarshal(sent, &body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.Response.Status)
		_, _ = w.Write(rec.Response.Body)
	}))
	t.Cleanup(server.Close)
	c, err := outline.New(outline.Options{BaseURL: server.URL, Credentials: outline.StaticKey("ol_api_test")})
	if err != nil {
		t.Fatal(err)
	}
	return c, func() map[string]any { return body }, answer
}

func TestDocumentsAreListedWithTheirTexts(t *testing.T) {
	c, asked, answer := recordedAnswer(t, "024")
	page, err := c.DocumentTexts(t.Context(), "44435d03-6314-49ee-9fd2-cfe3335f7829", outline.ListParams{Limit: 2, Offset: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"collectionId": "44435d03-6314-49ee-9fd2-cfe3335f7829", "sort": "createdAt", "direction": "ASC", "limit": 2.0, "offset": 4.0}
	if diff := cmp.Diff(want, asked()); diff != "" {
		t.Errorf("the request differs (-want +got):\n%s", diff)
	}
	for i, data := range objects(answer["data"]) {
		sameFields(t, "document", fieldsOf(t, page.Items[i].DocumentSummary), data)
		equal(t, "text", page.Items[i].Text, text(data["text"]))
	}
	equal(t, "documents", len(page.Items), 2)
	equal(t, "total", page.Total, 4)
}

func TestTheLastUpdateOfAListIsThatOfItsFirstDocument(t *testing.T) {
	c, asked, answer := recordedAnswer(t, "024")
	at, err := c.LastUpdate(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"sort": "updatedAt", "direction": "DESC", "limit": 1.0}, asked()); diff != "" {
		t.Errorf("the request differs (-want +got):\n%s", diff)
	}
	equal(t, "time", at.Format("2006-01-02T15:04:05.000Z"), text(objects(answer["data"])[0]["updatedAt"]))
	c, _, _ = recordedAnswer(t, "340")
	if at, err := c.LastUpdate(t.Context(), ""); err != nil || !at.IsZero() {
		t.Errorf("of an empty list: %s, %v", at, err)
	}
	c, _, _ = recordedAnswer(t, "344")
	if _, err := c.LastUpdate(t.Context(), "00000000-0000-4000-8000-000000000000"); !errors.Is(err, outline.ErrForbidden) {
		t.Errorf("of an unknown collection: %v", err)
	}
}

func TestFavoritesAreReadAsRecorded(t *testing.T) {
	starred := func(ctx context.Context, c *outline.Client) ([]outline.ListedDocument, error) {
		return c.StarredDocuments(ctx)
	}
	pinned := func(ctx context.Context, c *outline.Client) ([]outline.ListedDocument, error) {
		return c.PinnedDocuments(ctx)
	}
	for _, rec := range fixtures.Recorded[recording](t, "favorites") {
		read := pinned
		if strings.HasSuffix(rec.Request.Path, "stars.list") {
			read = starred // without the documents that the caller does not see in lists
		}
		t.Run(rec.Name, func(t *testing.T) {
			var answer struct {
				Data struct{ Documents []map[string]any }
			}
			if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
				t.Fatal(err)
			}
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != rec.Request.Path {
					t.Errorf("asks %s", r.URL.Path)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(rec.Response.Body)
			}, func(*outline.Options) {})
			got, err := read(t.Context(), c)
			if err != nil || len(got) != len(answer.Data.Documents) {
				t.Fatalf("%d documents, %v; recorded %d", len(got), err, len(answer.Data.Documents))
			}
			for i, document := range answer.Data.Documents {
				sameFields(t, "document", fieldsOf(t, got[i].DocumentSummary), document)
				if want := len(strings.TrimRight(prosemirror.Unpadded(text(document["text"])), "\n")); got[i].TextBytes != want {
					t.Errorf("the text has %d bytes, not %d", got[i].TextBytes, want)
				}
			}
		})
	}
}

func TestFavoritesKeepTheOrderOfTheSidebar(t *testing.T) {
	const one, two = `{"id":"11111111-1111-4111-8111-111111111111","url":"/doc/a-aaaaaaaaaa"}`, `{"id":"22222222-2222-4222-8222-222222222222","url":"/doc/b-bbbbbbbbbb"}`
	for body, want := range map[string]string{
		`{"ok":true,"data":{"stars":[{"documentId":"22222222-2222-4222-8222-222222222222"},{"documentId":null},{"documentId":"33333333-3333-4333-8333-333333333333"},{"documentId":"11111111-1111-4111-8111-111111111111"}],"documents":[` + one + `,` + two + `]}}`: "/doc/b-bbbbbbbbbb /doc/a-aaaaaaaaaa",
		`{"ok":true,"data":{"stars":[],"documents":[]}}`: "",
		`{"ok":true,"data":{}}`:                          "",
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		}, func(*outline.Options) {})
		got, err := c.StarredDocuments(t.Context())
		var urls []string
		for _, d := range got {
			urls = append(urls, d.URL)
		}
		if err != nil || strings.Join(urls, " ") != want {
			t.Errorf("%s: %q, %v", body, urls, err)
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok":true,"data":{"stars":[],"documents":[{"title":"without an ID"}]}}`))
	}, func(*outline.Options) {})
	if _, err := c.StarredDocuments(t.Context()); err == nil {
		t.Error("a document without an ID is accepted")
	}
}
