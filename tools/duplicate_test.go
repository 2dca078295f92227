package tools_test

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// duplicates builds a workspace with a document that has others below it, and a draft
// outside of collections.
func duplicates(t *testing.T) http.RoundTripper {
	t.Helper()
	seed := emptySeed()
	draft := wikiPage(9, "", "Loose", "x")
	draft.CollectionID, draft.PublishedAt = "", time.Time{}
	seed.Documents = []fakeoutline.Document{
		wikiPage(1, "", "Guide", "See [the parts](/doc/parts-D000000002), [another](/doc/another-D000000004)."),
		wikiPage(2, uuid(1), "Parts", "Back to [the guide](/doc/guide-D000000001)."),
		wikiPage(3, uuid(2), "Screws", "x"), wikiPage(4, "", "Another", "x"), draft,
	}
	return wiki(t, seed)
}

type duplicated struct {
	DocumentID       string `json:"document_id"`
	URLID            string `json:"url_id"`
	Published        bool
	CollectionID     string `json:"collection_id"`
	ParentDocumentID string `json:"parent_document_id"`
	Documents        int
}

func TestADocumentIsCopiedBesideTheOriginalOrToAnotherPlace(t *testing.T) {
	for name, test := range map[string]struct {
		arguments map[string]any
		want      duplicated
	}{
		"beside it":                   {map[string]any{"document_id": uuid(2)}, duplicated{Published: true, CollectionID: wikiCollection, ParentDocumentID: uuid(1), Documents: 1}},
		"with what is below it":       {map[string]any{"document_id": uuid(1), "recursive": true}, duplicated{Published: true, CollectionID: wikiCollection, Documents: 3}},
		"below another":               {map[string]any{"document_id": uuid(2), "parent_document_id": uuid(4)}, duplicated{Published: true, CollectionID: wikiCollection, ParentDocumentID: uuid(4), Documents: 1}},
		"below itself":                {map[string]any{"document_id": uuid(1), "parent_document_id": uuid(2), "recursive": true}, duplicated{Published: true, CollectionID: wikiCollection, ParentDocumentID: uuid(2), Documents: 3}},
		"to the top of a collection":  {map[string]any{"document_id": uuid(2), "collection_id": wikiCollection}, duplicated{Published: true, CollectionID: wikiCollection, Documents: 1}},
		"as drafts":                   {map[string]any{"document_id": uuid(1), "recursive": true, "publish": false}, duplicated{CollectionID: wikiCollection, Documents: 3}},
		"a draft":                     {map[string]any{"document_id": uuid(9)}, duplicated{Documents: 1}},
		"a draft that gets published": {map[string]any{"document_id": uuid(9), "collection_id": wikiCollection, "publish": true}, duplicated{Published: true, CollectionID: wikiCollection, Documents: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := success(t, limited(t, defaultLimit, true, duplicates(t)), defaultLimit, "duplicate_document", test.arguments)
			got := decoded[duplicated](t, answer.Structured)
			if got.DocumentID == "" || got.DocumentID == test.arguments["document_id"] || !strings.Contains(answer.Text, got.URLID) {
				t.Errorf("the copy is %s: %s", got.DocumentID, answer.Text)
			}
			if got.DocumentID, got.URLID = "", ""; got != test.want {
				t.Errorf("%+v, want %+v: %s", got, test.want, answer.Text)
			}
		})
	}
}

func TestLinksBetweenCopiesLeadFromCopyToCopy(t *testing.T) {
	c := limited(t, defaultLimit, true, duplicates(t))
	copied := decoded[duplicated](t, success(t, c, defaultLimit, "duplicate_document", map[string]any{"document_id": uuid(1), "recursive": true}).Structured)
	text := textOf(t, c, copied.DocumentID)
	if strings.Contains(text, "D000000002") || !strings.Contains(text, "[another](/doc/another-D000000004)") {
		t.Errorf("the copy is %q", text)
	}
	if text := textOf(t, c, uuid(1)); !strings.Contains(text, "D000000002") {
		t.Errorf("the original is %q", text)
	}
}

func textOf(t *testing.T, c *client.Client, id string) string {
	t.Helper()
	return success(t, c, defaultLimit, "read_document", map[string]any{"document_id": id}).Text
}

func TestACopyThatIsNotWhatWasAskedForIsTold(t *testing.T) {
	for dropped, says := range map[string]string{
		"title": "its title is", "parentDocumentId": "it is in another place", "publish": "it is published",
	} {
		t.Run(dropped, func(t *testing.T) {
			c := limited(t, defaultLimit, true, deaf{duplicates(t), dropped})
			answer := bounded(t, c, defaultLimit, "duplicate_document", map[string]any{"document_id": uuid(2), "title": "Other", "publish": false})
			if answer.Code != output.WriteMismatch || !strings.Contains(answer.Text, says) || !strings.Contains(answer.Text, "Do not copy it again") {
				t.Error(answer.Text)
			}
		})
	}
	answer := bounded(t, limited(t, defaultLimit, true, duplicates(t)), defaultLimit, "duplicate_document", map[string]any{"document_id": uuid(9), "publish": true})
	if answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "nothing was copied") {
		t.Error(answer.Text)
	}
}

// deaf drops a field of requests for copies, as a server does that does not know it.
type deaf struct {
	http.RoundTripper
	to string
}

// RoundTrip implements http.RoundTripper.
func (d deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	if path.Base(r.URL.Path) == "documents.duplicate" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.Replace(body, []byte(`"`+d.to+`"`), []byte(`"unknown"`), 1)
		r = r.Clone(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return d.RoundTripper.RoundTrip(r)
}
