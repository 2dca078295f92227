package tools_test

import (
	"bytes"
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

// A batch has no way to ask for the rest of its answer, so it must report every item at once.
func TestABatchReportsEveryItemUnderTheLimit(t *testing.T) {
	t.Parallel()
	for tool, of := range map[string]func(n int, id string) (string, any){
		"batch_create_documents": func(n int, id string) (string, any) {
			return "documents", map[string]any{"title": longTitle(n), "collection_id": wikiCollection, "text": "text", "publish": n%2 == 0}
		},
		"batch_update_documents": func(n int, id string) (string, any) {
			return "updates", map[string]any{"id": id, "text": fmt.Sprint("text ", n)}
		},
		"batch_move_documents":    func(n int, id string) (string, any) { return "document_ids", id },
		"batch_archive_documents": func(n int, id string) (string, any) { return "document_ids", id },
		"batch_delete_documents":  func(n int, id string) (string, any) { return "document_ids", id },
	} {
		arguments := func(idOf func(n int) string) map[string]any {
			arguments := map[string]any{}
			var items []any
			for n := 1; n <= 100; n++ {
				name, item := of(n, idOf(n))
				items = append(items, item)
				arguments[name] = items
			}
			if tool == "batch_move_documents" {
				arguments["collection_id"] = wikiCollection
			}
			return arguments
		}
		noID := func(n int) string { return fmt.Sprintf("no ID %d %s", n, strings.Repeat("x", 1000)) }
		refused := func(status int, header map[string]string) http.RoundTripper {
			return refusing(status, header, func(n int) string {
				return fmt.Sprintf(`{"ok":false,"error":"validation_error","status":%d,"message":"refused the %d. time, %s"}`, status, n, strings.Repeat("no! ", 200))
			})
		}
		later := map[string]string{"Retry-After": "3000"}
		for name, test := range map[string]struct {
			outline http.RoundTripper
			idOf    func(n int) string
		}{
			"successes":         {wiki(t, crowded()), uuid},
			"unknown documents": {wiki(t, emptySeed()), uuid},
			"no IDs":            {wiki(t, emptySeed()), noID},
			"refusals":          {refused(http.StatusBadRequest, nil), uuid},
			"failures":          {refused(http.StatusServiceUnavailable, later), uuid},
			"rate limits":       {refused(http.StatusTooManyRequests, later), uuid},
		} {
			t.Run(tool+"/"+name, func(t *testing.T) { verifyBatch(t, leastLimit, test.outline, tool, arguments(test.idOf)) })
		}
	}
}

func TestABatchOfDocumentsIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const limit = leastLimit
	seed := emptySeed()
	for n := 1; n <= crowd; n++ {
		seed.Documents = append(seed.Documents, wikiPage(n, "", strings.Repeat("ü", 100), strings.Repeat("The buoy is here. 🍲 ", 1+n*n%400)))
	}
	w := wiki(t, seed)
	want := asRead(t, w, crowd)
	got, _, calls, _ := readTogether(t, limited(t, limit, true, w), limit, map[string]any{"collection_id": wikiCollection})
	if diff := cmp.Diff(want, got); diff != "" || calls < crowd/50 {
		t.Errorf("%d calls:\n%.2000s", calls, diff)
	}
}

func TestABatchOfDocumentsNamesEachThatIsUnknown(t *testing.T) {
	const limit = leastLimit
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "One", "text"))
	var ids []string
	for n := 50; n > 0; n-- {
		ids = append(ids, uuid(n))
	}
	w := wiki(t, seed)
	loud := &loudly{RoundTripper: w}
	for _, outline := range []http.RoundTripper{w, loud} {
		answer := success(t, limited(t, limit, true, outline), limit, "batch_read_documents", map[string]any{"document_ids": ids})
		if n := strings.Count(answer.Text, "\n- FAILED "); n != 49 || !strings.Contains(answer.Text, "\ntext\n") {
			t.Errorf("%d failures are told of: %s", n, answer.Text)
		}
	}
}

// loudly is an Outline that refuses with long messages, each time with another one.
type loudly struct {
	http.RoundTripper
	calls atomic.Int32
}

// RoundTrip implements http.RoundTripper.
func (l *loudly) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	response.Body.Close()
	body := fmt.Sprintf(`{"ok":false,"error":"authorization_error","status":403,"message":"refused the %d. time, %s"}`, l.calls.Add(1), strings.Repeat("no! ", 200))
	response.StatusCode, response.Body, response.ContentLength = http.StatusForbidden, io.NopCloser(strings.NewReader(body)), int64(len(body))
	return response, nil
}

var batchLine = regexp.MustCompile(`(?m)^- (\d+) (FAILED )?(.*)$`)

func verifyBatch(t *testing.T, limit int, outline http.RoundTripper, tool string, arguments map[string]any) {
	answer := bounded(t, limited(t, limit, true, outline), limit, tool, arguments)
	if told := onward(t, tool, answer.Text); len(told) > 0 {
		t.Errorf("a batch leads on with %v", told)
	}
	if !strings.HasPrefix(string(answer.Structured), `{"operation"`) {
		// A problem of the whole batch is not the answer of a batch.
		if tool != "batch_move_documents" || answer.Code == "" {
			t.Errorf("is no answer of a batch: %.300s", answer.Text)
		}
		return
	}
	outcome := decoded[struct {
		Results []struct {
			Index             int
			ID, Status, Code  string
			URLID             string  `json:"url_id"`
			RetryAfterSeconds float64 `json:"retry_after_seconds"`
		}
	}](t, answer.Structured)
	if len(outcome.Results) != 100 {
		t.Fatalf("%d results", len(outcome.Results))
	}
	said := batchLine.FindAllStringSubmatch(answer.Text, -1)
	if len(said) != 100 {
		t.Fatalf("the text tells of %d items: %s", len(said), answer.Text)
	}
	reasons := map[string]string{} // of each item with its own reason
	for i, result := range outcome.Results {
		index, failed, line := said[i][1], said[i][2] != "", said[i][3]
		if result.Index != i || index != fmt.Sprint(i) || failed != (result.Status == "failed") || !strings.Contains(line, stdcmp.Or(result.URLID, result.ID)) {
			t.Errorf("item %d: %+v: %s", i, result, line)
		}
		if !failed {
			continue
		}
		want := "(code " + result.Code
		if result.RetryAfterSeconds > 0 {
			want += fmt.Sprintf(", retry_after_seconds %g", result.RetryAfterSeconds)
		}
		if _, as, repeated := strings.Cut(line, "the same as "); repeated {
			line = reasons[as]
		}
		reasons[index] = line
		if !strings.HasSuffix(line, want+")") {
			t.Errorf("item %d says %q, and not %q", i, line, want)
		}
	}
}

func TestAFailureThatManyItemsShareIsToldOnce(t *testing.T) {
	ids := append(uuids(99), "no id")
	answer := bounded(t, limited(t, leastLimit, true, wiki(t, emptySeed())), leastLimit, "batch_archive_documents", map[string]any{"document_ids": ids})
	if n := strings.Count(answer.Text, "Outline refused documents.archive"); n > 2 {
		t.Errorf("the failure is told %d times: %s", n, answer.Text)
	}
	last := answer.Text[strings.LastIndexByte(answer.Text, '\n')+1:]
	const want = `- 99 FAILED no id: no document that you can see is called "no id". Find it with search_documents. (code not_found)`
	if diff := cmp.Diff(want, last[:min(len(want), len(last))]); diff != "" {
		t.Error(diff)
	}
}

// refusing is an Outline that gives numbered answers, from 1.
func refusing(status int, header map[string]string, body func(n int) string) http.RoundTripper {
	var count atomic.Int64
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		raw := []byte(body(int(count.Add(1))))
		answer := &http.Response{
			StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw)), Request: r,
		}
		for name, value := range header {
			answer.Header.Set(name, value)
		}
		return answer, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// limit is less than operators may choose, so that answers are cut more often.
const limit = 2000

// read calls a tool, which must not fail, and decodes its structured content.
func read[T any](t *testing.T, c *client.Client, tool string, arguments map[string]any) (T, string) {
	t.Helper()
	answer := success(t, c, math.MaxInt, tool, arguments)
	return decoded[T](t, answer.Structured), answer.Text
}

// oneDocument answers every request with a document of the given text.
func oneDocument(text string) http.RoundTripper {
	return answering(map[string]any{"ok": true, "status": 200, "data": map[string]any{
		"id": "3f0a5a3e-7a55-4d6c-9d3b-0a8f4c8f1a11", "url": "/doc/x-1FF9VyHA4X", "urlId": "1FF9VyHA4X", "title": "x", "text": text,
		"revision": 1, "updatedAt": "2026-01-01T00:00:00.000Z", "publishedAt": "2026-01-01T00:00:00.000Z"}})
}

func TestALineLongerThanAnAnswerIsReadInPiecesToo(t *testing.T) {
	long := strings.Repeat("длинная строка 🍲 ", 1000)
	for name, text := range map[string]string{
		"alone":          long,
		"between others": "first\n" + long + "\n\nlast",
		"at the end":     "first\n" + long,
		"twice":          long + "\n" + long,
		"with a newline": long + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			both, textOnly := finding(t, oneDocument(text), limit), finding(t, oneDocument(text), limit, "OUTLINE_STRUCTURED_OUTPUT=off")
			verifyWhole(t, readToEndWith(t, both, textOnly, limit, "read_document", map[string]any{"document_id": "1FF9VyHA4X"}), text)
		})
	}
}

func TestALongHeadingIsShortened(t *testing.T) {
	c := finding(t, oneDocument("# "+strings.Repeat("heading ", 1000)+"\n\n# second\n"), limit)
	page := decoded[struct {
		Headings      []struct{ Text string }
		NextStartLine int `json:"next_start_line"`
	}](t, success(t, c, limit, "get_document_outline", map[string]any{"document_id": "1FF9VyHA4X"}).Structured)
	if len(page.Headings) != 2 || !strings.HasSuffix(page.Headings[0].Text, "…") || page.NextStartLine != 0 {
		t.Errorf("a heading longer than an answer: %+v", page)
	}
	for _, heading := range []string{"zebra", "e"} { // no match, and more than one
		if answer := bounded(t, c, limit, "read_document_section", map[string]any{"document_id": "1FF9VyHA4X", "heading": heading}); answer.Code == "" {
			t.Error(answer.Text)
		}
	}
}

func TestAFailureIsShortWhateverWasGiven(t *testing.T) {
	c := finding(t, newSample(t).Transport(), limit)
	many := map[string]any{"query": "x"}
	var wrong []any
	for i := range 1000 {
		many[fmt.Sprint("argument ", i)] = i
		wrong = append(wrong, "lost")
	}
	for _, arguments := range []map[string]any{many, {"query": "x", "status_filter": wrong}, {"query": strings.Repeat("x", 5000)}} {
		if answer := bounded(t, c, limit, "search_documents", arguments); answer.Code == "" {
			t.Error(answer.Text)
		}
	}
}

func TestAKeyGivenInTheWrongPlaceIsNotRepeated(t *testing.T) {
	c := connect(t, true)
	const key = "ol_api_Fake-FakeFake.Fake"
	for tool, arguments := range map[string]map[string]any{
		"read_document":           {"document_id": key},
		"search_documents":        {"query": "x", "limit": key},
		"list_collections":        {key: 1},
		"get_document_outline":    {"document_id": "https://wiki.example.com/doc/" + key},
		"export_document":         {"document_id": "Bearer " + key},
		"batch_archive_documents": {"document_ids": []any{key, "Bearer " + key}},
	} {
		answer, err := cli.Call(t.Context(), c, tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code == "" || strings.Contains(answer.Text+string(answer.Structured), "FakeFake") {
			t.Errorf("%s: %s %s", tool, answer.Text, answer.Structured)
		}
	}
}

func TestToolsThatReadSayThatTheyAnswerWithMoreThanClientsShow(t *testing.T) {
	for _, test := range []struct{ limit, want int }{
		{10_000, 0}, {40_000, 0}, {50_000, 0}, {50_001, 50_001}, {200_000, 200_000}, {500_000, 500_000}, {2_000_000, 500_000}, {0, 500_000},
	} {
		effects := map[string]mcptool.Effect{}
		for _, tool := range tools.All() {
			effects[tool.Info().Name] = tool.Info().Effect
		}
		for _, tool := range listTools(t, limited(t, test.limit, false, wiki(t, emptySeed()))) {
			var definition struct {
				Meta map[string]any `json:"_meta"`
			}
			if err := json.Unmarshal(tool.raw, &definition); err != nil {
				t.Fatal(err)
			}
			want := 0.0
			if effects[tool.Name] == mcptool.Reads {
				want = float64(test.want)
			}
			if got, _ := definition.Meta["anthropic/maxResultSizeChars"].(float64); got != want {
				t.Errorf("limit %d: %s says %v, want %v", test.limit, tool.Name, definition.Meta, want)
			}
		}
	}
}
