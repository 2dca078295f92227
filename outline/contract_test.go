package outline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/outline"
	"outline-mcp/test/fixtures"
)

// recording is one exchange with a real Outline.
type recording struct {
	Name    string
	Request struct {
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Body    any               `json:"body"` // of a call that the client makes: an object
	} `json:"request"`
	Response struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"response"`
}

// notForUs are successful answers to requests that the client does not make:
// it must refuse them, not take them for an empty document.
var notForUs = map[string]string{
	"023-documents.info-x-api-version-3": "no Markdown text",
	"070-documents.export-markdown":      "text/markdown",
	"074-documents.export-children":      "of another type",
}

// kinds are the kinds of Outline's own error answers by status.
var kinds = map[int]error{
	400: outline.ErrInvalid, 401: outline.ErrUnauthorized, 402: outline.ErrUpstream, 403: outline.ErrForbidden, 404: outline.ErrNotFound,
	409: outline.ErrConflict, 413: outline.ErrTooLarge, 429: outline.ErrRateLimited,
}

// textMissing are the recordings of a 404 that is not about a document.
var textMissing = map[string]bool{
	"049-documents.update-editMode-patch-not-found": true,
	"088-comments.create-anchor-missing":            true,
	"308-documents.update-patch-plain-text-of-bold": true,
	"310-documents.update-patch-list-item":          true,
	"311-documents.update-patch-case-differs":       true,
}

// otherEndpoints are the endpoints of the first series that other tests are about, or that
// the client does not have.
var otherEndpoints = []string{
	"users.list", "users.info", "documents.unpublish", "documents.drafts", "comments.add_reaction", "apiKeys.list",
	"fileOperations.redirect", "fileOperations.delete", "collections.archive", "collections.restore", "documents.nope",
}

// recordedCalls are the exchanges of the first series, and of the second one about
// revisions, that the client can ask for.
func recordedCalls(t *testing.T) []recording {
	t.Helper()
	var list []recording
	for _, rec := range fixtures.Recorded[recording](t, "contract") {
		path, _, _ := strings.Cut(rec.Request.Path, "?")
		if !slices.Contains(otherEndpoints, strings.TrimPrefix(path, "/api/")) {
			list = append(list, rec)
		}
	}
	for _, rec := range fixtures.Recorded[recording](t, "revisions") {
		if slices.Contains([]string{"682", "684", "690", "693", "694", "699", "700", "703", "705", "754", "756"}, rec.number()) {
			list = append(list, rec)
		}
	}
	return list
}

// number returns the number of the exchange.
func (r recording) number() string {
	number, _, _ := strings.Cut(r.Name, "-")
	return number
}

func TestEveryRecordedAnswerIsUnderstood(t *testing.T) {
	endpoints := maps.Clone(queries)
	maps.Copy(endpoints, commands)
	counts := map[string]int{}
	calls := recordedCalls(t)
	for _, rec := range calls {
		path, _, _ := strings.Cut(rec.Request.Path, "?")
		name := strings.TrimPrefix(path, "/api/")
		endpoint, ok := endpoints[name]
		if !ok {
			t.Fatalf("%s: no method for %s", rec.Name, name)
		}
		counts[name]++

		t.Run(rec.Name, func(t *testing.T) {
			t.Parallel() // the client waits before it reads what some commands have done
			body := []byte(rec.Response.Body)
			var asText string
			isText := json.Unmarshal(body, &asText) == nil
			if isText {
				body = []byte(asText)
			}
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if aside(w, r, name, rec.Response.Status, body) {
					return
				}
				checkRequest(t, r, path, rec.Name, rec.Request.Body)
				for k, v := range rec.Response.Headers {
					w.Header().Set(k, v)
				}
				w.WriteHeader(rec.Response.Status)
				_, _ = w.Write(body)
			}, func(o *outline.Options) { o.MaxRetries = 3 }) // no recording may lead to a wait

			got, err := endpoint.call(t.Context(), c, object(rec.Request.Body))

			if why, ok := notForUs[rec.Name]; ok {
				if !errors.Is(err, outline.ErrBadAnswer) || !strings.Contains(err.Error(), why) {
					t.Errorf("error %v, want ErrBadAnswer that says %q", err, why)
				}
				return
			}
			if isText {
				if !errors.Is(err, outline.ErrBadAnswer) || errors.Is(err, outline.ErrNotFound) {
					t.Errorf("error %v, want ErrBadAnswer", err)
				}
				contains(t, err, "text/html", "404")
				suggests(t, err, outline.CheckAddress)
				return
			}
			var answer map[string]any
			if err := json.Unmarshal(body, &answer); err != nil {
				t.Fatal(err)
			}
			if rec.Response.Status == 200 {
				if err != nil {
					t.Fatal(err)
				}
				endpoint.compare(t, got, answer)
				return
			}
			var e *outline.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			equal(t, "endpoint", e.Endpoint, name)
			equal(t, "status", e.Status, rec.Response.Status)
			equal(t, "code", e.Code, text(answer["error"]))
			equal(t, "outcome unknown", outline.OutcomeUnknown(err), false)
			if textMissing[rec.Name] {
				if !errors.Is(err, outline.ErrTextNotFound) || errors.Is(err, outline.ErrNotFound) {
					t.Errorf("error %v, want ErrTextNotFound", err)
				}
				contains(t, err, name+": Outline does not find the text")
				return
			}
			equal(t, "message", e.Message, text(answer["message"]))
			if want := kinds[e.Status]; want == nil || !errors.Is(err, want) {
				t.Errorf("error %v is not %v", err, want)
			}
			wait, _ := time.ParseDuration(rec.Response.Headers["retry-after"] + "s")
			equal(t, "retry after", e.RetryAfter, wait)
			contains(t, err, name+": ", text(answer["message"]))
		})
	}
	for file := range otherCalls {
		if !slices.ContainsFunc(calls, func(r recording) bool { return r.Name == file }) {
			t.Errorf("%s is not a recording", file)
		}
	}
	for name, endpoint := range endpoints {
		if counts[name] != endpoint.count {
			t.Errorf("%d recordings of %s, want %d", counts[name], name, endpoint.count)
		}
	}
}

// otherCalls are the recordings of calls that the client does not make, and
// why. Their answers are understood all the same.
var otherCalls = map[string]string{
	"045-documents.update-append-legacy":   "append, the older name of an edit mode",
	"083-documents.restore-revision":       "a revision is restored",
	"085-comments.create-data":             "data",
	"091-comments.list-all":                "no includeAnchorText",
	"094-comments.update-with-text":        "text",
	"099-comments.list-resolved":           "a status filter",
	"129-documents.create-template-true":   "a field of old servers",
	"184-err-404-comment":                  "no includeAnchorText",
	"190-err-400-empty-body":               "no body",
	"193-err-400-wrong-type":               "a number as title",
	"196-err-400-append-no-text":           "append, the older name of an edit mode",
	"205-err-403-viewer-collection-create": "no permission",
	"220-err-403-scoped-comments.list":     "no includeAnchorText",
	"322-documents.create-unknown-field":   "an unknown field",
	"329-err-413-json-over-5MiB":           "recorded without its 5 MiB",
	"353-comments.create-bad-data":         "data",
}

// aside answers what the client asks beside the call of a recording: what
// the server knows, and what is there after an update, whose answer is given, or after a
// conflict.
func aside(w http.ResponseWriter, r *http.Request, name string, status int, answer []byte) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case asksWhatItKnows(body):
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"ok":false,"error":"validation_error","message":"lastRevision: Invalid input"}`)
	case name == "documents.update" && strings.HasSuffix(r.URL.Path, "documents.info") && status == http.StatusOK:
		w.Header().Set("Content-Type", jsonType)
		_, _ = w.Write(answer)
	case name == "documents.update" && strings.HasSuffix(r.URL.Path, "documents.info"):
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"ok":false,"error":"not_found","message":"Resource not found"}`)
	default:
		return false
	}
	return true
}

// checkRequest holds a request against the recorded one.
func checkRequest(t *testing.T, r *http.Request, path, file string, recorded any) {
	t.Helper()
	equal(t, "method", r.Method, http.MethodPost)
	equal(t, "path", r.URL.RequestURI(), path)
	for name, want := range map[string]string{
		"Accept": "application/json", "Content-Type": "application/json",
		"Authorization": "Bearer " + testKey, "User-Agent": "outline-test/1", "Cookie": "",
	} {
		equal(t, name, r.Header.Get(name), want)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Errorf("request body: %v", err)
	}
	switch name := strings.TrimPrefix(path, "/api/"); name {
	case "auth.info", "documents.info", "documents.export", "documents.search", "documents.search_titles",
		"collections.list", "collections.info", "collections.documents":
		checkFields(t, name, sent, object(recorded))
	case "documents.list": // requested only for backlinks, always with full pages
		want, ok := object(recorded)["backlinkDocumentId"]
		equal(t, "limit", number(sent["limit"]), 100)
		delete(sent, "limit")
		equal(t, "fields beside the limit", len(sent), 1)
		if ok {
			equal(t, "backlinkDocumentId", sent["backlinkDocumentId"], want)
		}
	default:
		for _, added := range []string{"id", "lastRevision", "done"} { // always sent: they make a write safe and can be undone
			if _, ok := object(recorded)[added]; !ok {
				delete(sent, added)
			}
		}
		why, other := otherCalls[file]
		if same := cmp.Equal(any(sent), recorded); same == other {
			t.Errorf("sent %v, recorded %v; another call: %v (%s)", sent, recorded, other, why)
		}
	}
}

// checkFields compares the fields that the client uses.
func checkFields(t *testing.T, name string, sent, recorded map[string]any) {
	t.Helper()
	isSearch := strings.Contains(name, "search")
	isPaged := strings.HasSuffix(name, "search_titles")
	for _, field := range []string{"id", "query", "collectionId", "limit", "offset", "statusFilter"} {
		want, ok := recorded[field]
		switch {
		case field == "statusFilter" && !isSearch && !slices.Contains(texts(want), "archived"): // the client asks for no other status
			continue
		case field == "statusFilter" && !ok:
			want = []any{"published"} // never left out
		case field == "limit" && isPaged:
			want = float64(100)
		case !ok, field == "offset" && want == float64(0):
			continue
		}
		got, _ := json.Marshal(sent[field])
		expected, _ := json.Marshal(want)
		equal(t, field, string(got), string(expected))
	}
}
