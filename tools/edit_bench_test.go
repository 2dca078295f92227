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
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/outline/prosemirror"
)

// canned answers each endpoint, or endpoint and version of the API, with the same
// bytes, at no cost.
type canned map[string][]byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := 200, c[path.Base(r.URL.Path)+r.Header.Get("x-api-version")]
	if bytes.Contains(body, []byte(`"editMode":"patch","id":"00000000-`)) {
		status, answer = 400, []byte(`{"ok":false,"error":"validation_error","message":"lastRevision: Invalid input"}`)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer))}, nil
}

// BenchmarkEdit measures our own share of an edit, without waiting for Outline.
// Without trees, Outline answers with the whole text in another form, so every word
// must be compared.
func BenchmarkEdit(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"10 KB", 10 << 10}, {"1 MB", 1 << 20}} {
		var text strings.Builder
		for i := 0; text.Len() < size.bytes; i++ {
			text.WriteString("A line of *words* number " + uuid(i) + " and [a link](https://example.com/path).\n\n")
		}
		before := text.String() + "the last line"
		after := strings.Replace(before, "the last line", "the very last line", 1)
		b.Run(size.name, func(b *testing.B) {
			benchmarkEdit(b, len(before), canned{
				"documents.info": textAnswer(b, before, 1), "documents.info3": treeAnswer(b, before, 1), "documents.update3": treeAnswer(b, after, 2),
			})
		})
		b.Run(size.name+" without trees", func(b *testing.B) {
			benchmarkEdit(b, len(before), canned{
				"documents.info": textAnswer(b, before, 1), "documents.info3": textAnswer(b, before, 1),
				"documents.update": textAnswer(b, strings.ReplaceAll(after, "*words*", "_words_"), 2),
			})
		})
	}
}

func textAnswer(b *testing.B, text string, revision int) []byte {
	return answerWith(b, "text", text, revision)
}

func treeAnswer(b *testing.B, text string, revision int) []byte {
	return answerWith(b, "data", prosemirror.Parse(text), revision)
}

func answerWith(b *testing.B, key string, content any, revision int) []byte {
	raw, err := json.Marshal(map[string]any{"ok": true, "data": map[string]any{"id": uuid(1), "url": "/doc/x-1FF9VyHA4X", "title": "x", key: content, "revision": revision}})
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

func benchmarkEdit(b *testing.B, size int, answers canned) {
	loaded, err := config.Load([]string{"OUTLINE_API_URL=http://outline.test", "OUTLINE_API_KEY=ol_api_fake"})
	if err != nil {
		b.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: answers})
	if err != nil {
		b.Fatal(err)
	}
	c, err := server.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		answer, err := cli.Call(b.Context(), c, "edit_document", map[string]any{"document_id": uuid(1),
			"edits": []any{map[string]any{"old_text": "the last line", "new_text": "the very last line"}}})
		if err != nil || answer.Code != "" || !strings.HasPrefix(answer.Text, "Edited") {
			b.Fatal(err, answer.Text[:min(300, len(answer.Text))])
		}
	}
}
