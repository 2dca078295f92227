package outline_test

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"outline-mcp/outline"
)

// TestAnswersThatTakeAMultipleOfTheirLengthAreNotDecoded lets Outline answer with what is
// short as JSON and long in memory.
func TestAnswersThatTakeAMultipleOfTheirLengthAreNotDecoded(t *testing.T) {
	const page = `{"ok":true,"pagination":{"total":1},"data":`
	var body string
	c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
		o.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})
	})
	calls := map[string]func() error{
		"documents": func() error { _, err := c.Documents(t.Context(), outline.DocumentListParams{Limit: 25}); return err },
		"shared": func() error {
			_, err := c.Documents(t.Context(), outline.DocumentListParams{Limit: 25, SharedWithMe: true})
			return err
		},
		"users":                    func() error { _, err := c.Users(t.Context(), outline.UserListParams{}); return err },
		"revisions":                func() error { _, err := c.Revisions(t.Context(), outline.RevisionsParams{}); return err },
		"the tree of a collection": func() error { _, err := c.CollectionDocuments(t.Context(), noDocument); return err },
		"the tree of a document":   func() error { _, err := c.DocumentWithTree(t.Context(), noDocument); return err },
	}
	const length = 4 << 20
	for name, shape := range map[string][3]string{
		"objects":                  {page + `[{}`, `,{}`, `]}`},
		"objects, fewer":           {page + `[{}`, `,{}`, `]}` + strings.Repeat(" ", length-300_000)},
		"objects with a member":    {page + `[{"id":""}`, `,{"id":""}`, `]}`},
		"lists":                    {page + `[[]`, `,[]`, `]}`},
		"members":                  {page + `{"a":0`, `,"a":0`, `}}`},
		"short texts":              {page + `[""`, `,""`, `]}`},
		"objects within an object": {page + `{"data":{"type":"doc","content":[{}`, `,{}`, `]}}}`},
		"marks":                    {page + `{"data":{"type":"doc","content":[{"marks":[{}`, `,{}`, `]}]}}}`},
		"attributes":               {page + `{"data":{"type":"doc","attrs":{"a":0`, `,"a":0`, `}}}}`},
		"texts of an item":         {page + `[{"collaboratorIds":[""`, `,""`, `]}]}`},
		"items of an item":         {page + `[{"collaborators":[{}`, `,{}`, `]}]}`},
		"children of an item":      {page + `[{"children":[{}`, `,{}`, `]}]}`},
		"shared documents":         {page + `{"documents":[{}`, `,{}`, `]}}`},
	} {
		body = shape[0] + strings.Repeat(shape[1], (length-len(shape[2]))/len(shape[1])) + shape[2]
		for call, do := range calls {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := do()
			runtime.ReadMemStats(&after)
			if err == nil || errors.Is(err, outline.ErrTimeout) {
				t.Errorf("%s, %s: error %v", name, call, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16*length {
				t.Errorf("%s, %s: %d MiB", name, call, took>>20)
			}
		}
	}
}
