package tools_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/toolclient"
)

// canned answers each endpoint with the same bytes, which costs nothing.
type canned map[string][]byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := 200, c[path.Base(r.URL.Path)]
	if bytes.Contains(body, []byte(`"editMode":"patch","id":"00000000-`)) {
		status, answer = 400, []byte(`{"ok":false,"error":"validation_error","message":"findText is required"}`)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer))}, nil
}

// BenchmarkEditOf1MB is our own share of one edit of a large document: nothing
// is waited for. In other form, Outline answers with the whole text formed
// anew, so that each word has to be compared.
func BenchmarkEditOf1MB(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		text.WriteString("A line of *words* number " + uuid(i) + " and [a link](https://example.com/path).\n\n")
	}
	before := text.String() + "the last line"
	after := strings.Replace(before, "the last line", "the very last line", 1)
	document := func(text string, revision int) []byte {
		raw, err := json.Marshal(map[string]any{"ok": true, "data": map[string]any{"id": uuid(1), "url": "/doc/x-1FF9VyHA4X", "title": "x", "text": text, "revision": revision}})
		if err != nil {
			b.Fatal(err)
		}
		return raw
	}
	for name, answer := range map[string]string{"same form": after, "other form": strings.ReplaceAll(after, "*words*", "_words_")} {
		b.Run(name, func(b *testing.B) {
			loaded, err := config.Load([]string{"OUTLINE_API_URL=http://outline.test", "OUTLINE_API_KEY=ol_api_fake"})
			if err != nil {
				b.Fatal(err)
			}
			server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: canned{
				"documents.info": document(before, 1), "documents.update": document(answer, 2),
			}})
			if err != nil {
				b.Fatal(err)
			}
			c, err := server.Connect(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				answer, err := toolclient.Call(b.Context(), c, "edit_document", map[string]any{"document_id": uuid(1),
					"edits": []any{map[string]any{"old_text": "the last line", "new_text": "the very last line"}}})
				if err != nil || answer.Code != "" || !strings.HasPrefix(answer.Text, "Edited") {
					b.Fatal(err, answer.Text[:min(300, len(answer.Text))])
				}
			}
		})
	}
}
