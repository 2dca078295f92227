package outline_test

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline"
)

func TestALostCopyIsFoundByItsOriginal(t *testing.T) {
	const original, copied, below, another = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000c1", "00000000-0000-4000-8000-0000000000c2", "00000000-0000-4000-8000-0000000000c3"
	now := time.Now().UTC()
	row := func(id, parent, title, of string, age time.Duration) string {
		return fmt.Sprintf(`{"id":%q,"urlId":"abcdefghij","url":"/doc/a-abcdefghij","title":%q,"collectionId":"h","parentDocumentId":%q,"createdAt":%q,"sourceMetadata":{"originalDocumentId":%q}}`,
			id, title, parent, now.Add(-age).Format(time.RFC3339Nano), of)
	}
	one, child := row(copied, "p", "A", original, 0), row(below, copied, "B", uuid, 0)
	for name, test := range map[string]struct {
		listed  []string
		copies  int // 0: the outcome is unknown
		endless bool
	}{
		"the copy and what is below it":             {listed: []string{child, one}, copies: 2},
		"an older copy is another":                  {listed: []string{one, row(another, "p", "A", original, time.Hour)}, copies: 1},
		"two copies":                                {listed: []string{one, row(another, "p", "A", original, 0)}},
		"a copy of something else":                  {listed: []string{row(copied, "p", "A", uuid, 0)}},
		"a copy elsewhere":                          {listed: []string{row(copied, "", "A", original, 0)}},
		"a copy with another title":                 {listed: []string{row(copied, "p", "C", original, 0)}},
		"a namesake that tells no original":         {listed: []string{row(copied, "p", "A", "", 0)}},
		"the copy, and a namesake of it":            {listed: []string{one, row(another, "p", "A", "", 0)}},
		"nothing":                                   {},
		"a full page of older documents after them": {listed: []string{child, one}, copies: 2, endless: true},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
				o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					if path.Base(r.URL.Path) == "documents.duplicate" {
						sent++
						return nil, io.EOF
					}
					rows := test.listed
					if test.endless {
						for n := range 100 - len(rows) {
							rows = append(rows, row(fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "", "Old", "", time.Hour))
						}
					}
					return answered(200, jsonType, `{"ok":true,"data":[`+strings.Join(rows, ",")+`]}`), nil
				})
			})
			copies, err := c.DuplicateDocument(t.Context(), outline.DocumentSummary{ID: original, Title: "A", CollectionID: "h"}, outline.DuplicateDocumentParams{ParentDocumentID: "p", Recursive: true, Publish: true})
			equal(t, "outcome unknown", outline.OutcomeUnknown(err), test.copies == 0)
			equal(t, "requests", sent, 1)
			equal(t, "copies", len(copies), test.copies)
			if len(copies) > 0 {
				equal(t, "the first", copies[0].ID, copied)
			}
		})
	}
}
