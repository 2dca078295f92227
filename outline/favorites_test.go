package outline_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/recorded"
)

func TestFavoritesAreReadAsRecorded(t *testing.T) {
	starred := func(ctx context.Context, c *outline.Client) ([]outline.ListedDocument, error) {
		return c.StarredDocuments(ctx)
	}
	pinned := func(ctx context.Context, c *outline.Client) ([]outline.ListedDocument, error) {
		return c.PinnedDocuments(ctx)
	}
	for _, rec := range recorded.Read[recording](t, "favorites") {
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
				sameDocument(t, got[i].DocumentSummary, document)
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
