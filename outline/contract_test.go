package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline"
)

// recording is one exchange with a real Outline.
type recording struct {
	Request struct {
		Path string         `json:"path"`
		Body map[string]any `json:"body"`
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
	"023-documents.info-x-api-version-3.json": "no Markdown text",
	"070-documents.export-markdown.json":      "text/markdown",
	"074-documents.export-children.json":      "of another type",
}

// endpoints say for each endpoint how to call it as recorded and how to
// compare the result with the recorded data.
var endpoints = map[string]struct {
	call  func(context.Context, *outline.Client, map[string]any) (any, error)
	check func(*testing.T, any, map[string]any)
	count int // recordings of it, so that none is lost unnoticed
}{
	"auth.info": {
		func(ctx context.Context, c *outline.Client, _ map[string]any) (any, error) { return c.AuthInfo(ctx) },
		func(t *testing.T, got any, answer map[string]any) {
			info, data := got.(outline.AuthInfo), object(answer["data"])
			user, team := object(data["user"]), object(data["team"])
			equal(t, "user id", info.User.ID, text(user["id"]))
			equal(t, "user name", info.User.Name, text(user["name"]))
			equal(t, "role", info.User.Role, text(user["role"]))
			equal(t, "team id", info.Team.ID, text(team["id"]))
			equal(t, "team name", info.Team.Name, text(team["name"]))
			equal(t, "team url", info.Team.URL, text(team["url"]))
		}, 6,
	},
	"documents.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Document(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			data := object(answer["data"])
			if nested, ok := data["document"]; ok {
				data = object(nested)
			}
			d := got.(outline.Document)
			sameDocument(t, d.DocumentSummary, data)
			equal(t, "text", d.Text, text(data["text"]))
		}, 23,
	},
	"documents.export": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.ExportDocument(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			equal(t, "markdown", got.(string), text(answer["data"]))
		}, 10,
	},
	"documents.search": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Search(ctx, searchParams(body))
		},
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.SearchHit])
			hits := samePage(t, page, answer)
			for i, hit := range page.Items {
				ranking, _ := hits[i]["ranking"].(float64)
				equal(t, "ranking", hit.Ranking, ranking)
				equal(t, "context", hit.Context, text(hits[i]["context"]))
				sameDocument(t, hit.Document, object(hits[i]["document"]))
			}
		}, 13,
	},
	"documents.search_titles": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			var found []outline.DocumentSummary
			for d, err := range c.SearchTitles(ctx, searchParams(body)) {
				if err != nil {
					return nil, err
				}
				found = append(found, d)
			}
			return found, nil
		},
		func(t *testing.T, got any, answer map[string]any) {
			found, data := got.([]outline.DocumentSummary), objects(answer["data"])
			if len(found) != len(data) {
				t.Fatalf("%d documents, want %d", len(found), len(data))
			}
			for i, d := range found {
				sameDocument(t, d, data[i])
			}
		}, 3,
	},
	"collections.list": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Collections(ctx, outline.ListParams{Limit: number(body["limit"]), Offset: number(body["offset"])})
		},
		func(t *testing.T, got any, answer map[string]any) {
			page := got.(outline.Page[outline.Collection])
			for i, collection := range samePage(t, page, answer) {
				sameCollection(t, page.Items[i], collection)
			}
		}, 4,
	},
	"collections.info": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.Collection(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameCollection(t, got.(outline.Collection), object(answer["data"]))
		}, 7,
	},
	"collections.documents": {
		func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
			return c.CollectionDocuments(ctx, text(body["id"]))
		},
		func(t *testing.T, got any, answer map[string]any) {
			sameTree(t, got.([]outline.Node), objects(answer["data"]))
		}, 2,
	},
}

// kinds are the kinds of Outline's own error answers by status.
var kinds = map[int]error{
	400: outline.ErrInvalid, 402: outline.ErrUpstream, 403: outline.ErrForbidden, 404: outline.ErrNotFound, 429: outline.ErrRateLimited,
}

func TestEveryRecordedAnswerIsUnderstood(t *testing.T) {
	files, err := filepath.Glob("testdata/contract/*.json")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rec recording
		if err := json.Unmarshal(raw, &rec); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimPrefix(rec.Request.Path, "/api/")
		endpoint, ok := endpoints[name]
		if !ok {
			t.Fatalf("%s: no method for %s", file, name)
		}
		counts[name]++

		t.Run(filepath.Base(file), func(t *testing.T) {
			body := []byte(rec.Response.Body)
			var asText string
			isText := json.Unmarshal(body, &asText) == nil
			if isText {
				body = []byte(asText)
			}
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				checkRequest(t, r, rec.Request.Path, rec.Request.Body)
				for k, v := range rec.Response.Headers {
					w.Header().Set(k, v)
				}
				w.WriteHeader(rec.Response.Status)
				_, _ = w.Write(body)
			}, func(o *outline.Options) { o.MaxRetries = 3 }) // no recording may lead to a wait

			got, err := endpoint.call(t.Context(), c, rec.Request.Body)

			if why, ok := notForUs[filepath.Base(file)]; ok {
				if !errors.Is(err, outline.ErrBadAnswer) || !strings.Contains(err.Error(), why) {
					t.Errorf("error %v, want ErrBadAnswer that says %q", err, why)
				}
				return
			}
			if isText {
				if !errors.Is(err, outline.ErrBadAnswer) || errors.Is(err, outline.ErrNotFound) {
					t.Errorf("error %v, want ErrBadAnswer", err)
				}
				contains(t, err, "text/html", "404", "OUTLINE_API_URL")
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
				endpoint.check(t, got, answer)
				return
			}
			var e *outline.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			equal(t, "endpoint", e.Endpoint, name)
			equal(t, "status", e.Status, rec.Response.Status)
			equal(t, "code", e.Code, text(answer["error"]))
			equal(t, "message", e.Message, text(answer["message"]))
			if want := kinds[e.Status]; want == nil || !errors.Is(err, want) {
				t.Errorf("error %v is not %v", err, want)
			}
			wait, _ := time.ParseDuration(rec.Response.Headers["retry-after"] + "s")
			equal(t, "retry after", e.RetryAfter, wait)
			contains(t, err, name+": ", text(answer["message"]))
		})
	}
	for name, endpoint := range endpoints {
		if counts[name] != endpoint.count {
			t.Errorf("%d recordings of %s, want %d", counts[name], name, endpoint.count)
		}
	}
}

// checkRequest holds a request against the recorded one. Arguments that the
// client has no use for are not compared.
func checkRequest(t *testing.T, r *http.Request, path string, recorded map[string]any) {
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
	isSearch := strings.Contains(path, "search")
	isPaged := strings.HasSuffix(path, "search_titles")
	for _, field := range []string{"id", "query", "collectionId", "limit", "offset", "statusFilter"} {
		want, ok := recorded[field]
		switch {
		case field == "statusFilter" && !isSearch:
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

func searchParams(body map[string]any) outline.SearchParams {
	p := outline.SearchParams{
		Query: text(body["query"]), CollectionID: text(body["collectionId"]),
		Limit: number(body["limit"]), Offset: number(body["offset"]),
	}
	list, _ := body["statusFilter"].([]any)
	for _, status := range list {
		p.StatusFilter = append(p.StatusFilter, text(status))
	}
	return p
}

func samePage[T any](t *testing.T, page outline.Page[T], answer map[string]any) []map[string]any {
	t.Helper()
	data, pagination := objects(answer["data"]), object(answer["pagination"])
	if len(page.Items) != len(data) {
		t.Fatalf("%d items, want %d", len(page.Items), len(data))
	}
	if page.Items == nil {
		t.Error("Items is nil")
	}
	equal(t, "limit", page.Limit, number(pagination["limit"]))
	equal(t, "offset", page.Offset, number(pagination["offset"]))
	if total, ok := pagination["total"]; ok {
		equal(t, "total", page.Total, number(total))
	} else {
		equal(t, "total", page.Total, -1)
	}
	return data
}

func sameDocument(t *testing.T, got outline.DocumentSummary, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "urlId", got.URLID, text(want["urlId"]))
	equal(t, "url", got.URL, text(want["url"]))
	equal(t, "title", got.Title, text(want["title"]))
	equal(t, "collectionId", got.CollectionID, text(want["collectionId"]))
	equal(t, "parentDocumentId", got.ParentDocumentID, text(want["parentDocumentId"]))
	equal(t, "revision", got.Revision, number(want["revision"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	equal(t, "publishedAt", moment(got.PublishedAt), text(want["publishedAt"]))
	equal(t, "archivedAt", moment(got.ArchivedAt), text(want["archivedAt"]))
	equal(t, "deletedAt", moment(got.DeletedAt), text(want["deletedAt"]))
	status := "draft"
	for _, s := range []string{"published", "archived", "deleted"} {
		if want[s+"At"] != nil {
			status = s
		}
	}
	equal(t, "status", got.Status(), status)
	if got.ID == "" || got.Title == "" {
		t.Error("a recorded document has an id and a title")
	}
}

func sameCollection(t *testing.T, got outline.Collection, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "urlId", got.URLID, text(want["urlId"]))
	equal(t, "url", got.URL, text(want["url"]))
	equal(t, "name", got.Name, text(want["name"]))
	equal(t, "description", got.Description, text(want["description"]))
	equal(t, "permission", got.Permission, text(want["permission"]))
	equal(t, "createdAt", moment(&got.CreatedAt), text(want["createdAt"]))
	equal(t, "updatedAt", moment(&got.UpdatedAt), text(want["updatedAt"]))
	equal(t, "archivedAt", moment(got.ArchivedAt), text(want["archivedAt"]))
	if got.ID == "" || got.Name == "" {
		t.Error("a recorded collection has an id and a name")
	}
}

func sameTree(t *testing.T, got []outline.Node, want []map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d nodes, want %d", len(got), len(want))
	}
	for i, n := range got {
		equal(t, "id", n.ID, text(want[i]["id"]))
		equal(t, "title", n.Title, text(want[i]["title"]))
		equal(t, "url", n.URL, text(want[i]["url"]))
		sameTree(t, n.Children, objects(want[i]["children"]))
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// contains checks that an error's text holds all of these.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

// The following read values of decoded JSON; null and a missing key are "",
// 0 or empty.

func text(v any) string           { s, _ := v.(string); return s }
func number(v any) int            { n, _ := v.(float64); return int(n) }
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, item := range list {
		all = append(all, object(item))
	}
	return all
}

// moment formats a time as Outline does; a missing one is "".
func moment(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
