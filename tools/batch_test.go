package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
)

// documentsServer is an Outline whose documents all exist and can be changed.
// before runs ahead of each answer; it may answer itself and return true.
func documentsServer(t *testing.T, before func(w http.ResponseWriter, endpoint, id string) bool, settings ...string) *client.Client {
	t.Helper()
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		endpoint := strings.TrimPrefix(r.URL.Path, "/api/")
		if before(w, endpoint, request.ID) {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		document := map[string]any{"id": request.ID, "title": "of " + request.ID, "url": "/doc/x-1FF9VyHA4X", "collectionId": uuid(900), "text": "",
			"revision": 1, "updatedAt": "2026-01-01T00:00:00.000Z", "createdAt": "2026-01-01T00:00:00.000Z", "publishedAt": "2026-01-01T00:00:00.000Z"}
		var data any = document
		switch endpoint {
		case "documents.move":
			data = map[string]any{"documents": []any{document}, "collections": []any{}}
		case "collections.documents", "documents.search_titles", "documents.deleted":
			data = []any{}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "status": 200, "success": true, "data": data})
	}))
	t.Cleanup(outline.Close)
	return connectTo(t, app.Options{Config: load(t, append([]string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_MAX_RETRIES=0"}, settings...)...)})
}

func uuid(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }

func uuids(n int) []string {
	var ids []string
	for i := range n {
		ids = append(ids, uuid(i+1))
	}
	return ids
}

// batchOutcome is the part of a batch's structured content that these tests check.
type batchOutcome struct {
	Succeeded, Failed int
	Code              string
	Results           []struct {
		Index             int
		ID, Status, Code  string
		RetryAfterSeconds float64 `json:"retry_after_seconds"`
	}
}

func runBatch(t *testing.T, ctx context.Context, c *client.Client, tool string, arguments map[string]any) batchOutcome {
	t.Helper()
	answer, err := cli.Call(ctx, c, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	var outcome batchOutcome
	if err := json.Unmarshal(answer.Structured, &outcome); err != nil {
		t.Fatal(err)
	}
	for i, item := range outcome.Results {
		if item.Index != i {
			t.Errorf("result %d has index %d", i, item.Index)
		}
	}
	return outcome
}

func TestItemsRunSideBySideUpToTheLimitAndMovesOneAtATime(t *testing.T) {
	tests := []struct {
		tool      string
		arguments map[string]any
		endpoint  string
		most      int32
	}{
		{"batch_archive_documents", map[string]any{"document_ids": uuids(20)}, "documents.archive", 3},
		{"batch_delete_documents", map[string]any{"document_ids": uuids(20)}, "documents.delete", 3},
		{"batch_delete_documents", map[string]any{"document_ids": uuids(20), "permanent": true}, "documents.delete", 1},
		{"batch_move_documents", map[string]any{"document_ids": uuids(20), "collection_id": uuid(900)}, "documents.move", 1},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.tool, test.most), func(t *testing.T) {
			var running, highest atomic.Int32
			full := make(chan struct{}) // closed if more run concurrently than may
			var once sync.Once
			c := documentsServer(t, func(_ http.ResponseWriter, endpoint, _ string) bool {
				if endpoint != test.endpoint {
					return false
				}
				now := running.Add(1)
				defer running.Add(-1)
				for before := highest.Load(); now > before && !highest.CompareAndSwap(before, now); before = highest.Load() {
				}
				if now > test.most {
					once.Do(func() { close(full) })
				}
				select { // held open until another one arrives
				case <-full:
				case <-time.After(10 * time.Millisecond):
				}
				return false
			}, "OUTLINE_BATCH_CONCURRENCY=3")
			outcome := runBatch(t, t.Context(), c, test.tool, test.arguments)
			if outcome.Succeeded != 20 || highest.Load() != test.most {
				t.Errorf("%d succeeded, %d at a time, want 20 and %d", outcome.Succeeded, highest.Load(), test.most)
			}
		})
	}
}

func TestAfterARateLimitTheRestIsNotAttempted(t *testing.T) {
	var calls atomic.Int32
	c := documentsServer(t, func(w http.ResponseWriter, _, _ string) bool {
		if calls.Add(1) <= 3 {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "42")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`)
		return true
	}, "OUTLINE_BATCH_CONCURRENCY=1")
	outcome := runBatch(t, t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": uuids(10)})
	if outcome.Succeeded != 3 || calls.Load() != 4 {
		t.Errorf("%d succeeded with %d calls", outcome.Succeeded, calls.Load())
	}
	for _, item := range outcome.Results[3:] {
		want := "not_attempted"
		if item.Index == 3 {
			want = "rate_limited"
		}
		if item.Code != want || item.RetryAfterSeconds != 42 || item.ID != uuid(item.Index+1) {
			t.Errorf("%+v", item)
		}
	}
}

func TestAfterARateLimitNoFurtherCommentIsChanged(t *testing.T) {
	t.Parallel()
	const resolved, one, two = "e500bddf-37b0-4307-8f0f-4c3c2052e52b", "5df6f817-b099-4bcf-a0ec-6db25097c040", "62f746b4-84e6-4ceb-95bd-447e7184d454"
	for endpoint, ids := range map[string][]string{"comments.update": {one, two, resolved}, "comments.resolve": {one, two, resolved}, "comments.unresolve": {resolved, one, two}} {
		w := newSample(t).Transport()
		c := limited(t, math.MaxInt32, true, roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, endpoint) {
				return limitReached(r), nil
			}
			return w.RoundTrip(r)
		}))
		change := func(id string) map[string]any {
			return map[string]any{"comment_id": id, "text": "Answered.", "resolved": endpoint != "comments.unresolve"}
		}
		arguments := change(ids[0])
		arguments["more_comments"] = []any{change(ids[1]), change(ids[2])}
		outcome := runBatch(t, t.Context(), c, "update_comment", arguments)
		if outcome.Failed != 3 || outcome.Code != "rate_limited" {
			t.Fatalf("%s: %+v", endpoint, outcome)
		}
		for _, item := range outcome.Results[1:] {
			if item.Code != "not_attempted" || item.RetryAfterSeconds != 90 {
				t.Errorf("%s: %+v", endpoint, item)
			}
		}
	}
}

func TestAnItemDoesNotWaitForALimitUntilItIsTooLateToStart(t *testing.T) {
	var calls atomic.Int32
	c := documentsServer(t, func(w http.ResponseWriter, _, _ string) bool {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`)
		return true
	}, "OUTLINE_MAX_RETRIES=3", "OUTLINE_CALL_TIMEOUT=3", "OUTLINE_REQUEST_TIMEOUT=1.4")
	outcome := runBatch(t, t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": uuids(1)})
	if calls.Load() != 1 || outcome.Results[0].Code != "rate_limited" || outcome.Results[0].RetryAfterSeconds != 2 {
		t.Errorf("%d calls, %+v", calls.Load(), outcome)
	}
}

func TestAnItemWhoseAnswerDoesNotComeHasAnUnknownOutcome(t *testing.T) {
	c := documentsServer(t, func(w http.ResponseWriter, _, id string) bool {
		if id == uuid(2) {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		return false
	})
	outcome := runBatch(t, t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": uuids(3)})
	if outcome.Succeeded != 2 || outcome.Results[1].Code != "outcome_unknown" {
		t.Errorf("%+v", outcome)
	}
}

func TestNoItemIsStartedWhenTheTimeIsUsedUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var once sync.Once
	c := documentsServer(t, func(_ http.ResponseWriter, _, id string) bool {
		if id == uuid(1) {
			<-release // held until the time to start has passed
		}
		return false
	}, "OUTLINE_BATCH_CONCURRENCY=1", "OUTLINE_CALL_TIMEOUT=4", "OUTLINE_REQUEST_TIMEOUT=3")
	defer once.Do(func() { close(release) })
	outcome := runBatch(t, t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": uuids(5)})
	if outcome.Code == "" || outcome.Results[0].Code != "outcome_unknown" {
		t.Errorf("%+v", outcome)
	}
	for _, item := range outcome.Results[1:] {
		if item.Code != "not_attempted" {
			t.Errorf("%+v", item)
		}
	}
}

func TestACancelledBatchStartsNothingMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var archived []string
	c := documentsServer(t, func(_ http.ResponseWriter, _, id string) bool {
		mu.Lock()
		archived = append(archived, id)
		mu.Unlock()
		if id == uuid(2) {
			cancel()
		}
		return false
	}, "OUTLINE_BATCH_CONCURRENCY=1")
	_, _ = cli.Call(ctx, c, "batch_archive_documents", map[string]any{"document_ids": uuids(50)})
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(archived, uuids(2)) {
		t.Errorf("%d documents were archived", len(archived))
	}
}

func TestABatchWithOneBadItemInEachPositionDoesTheRest(t *testing.T) {
	for position := range 5 {
		for name, bad := range map[string]string{"no id": "no/id!", "repeated": strings.ToUpper(uuid((position+1)%5 + 1))} {
			t.Run(fmt.Sprint(name, position), func(t *testing.T) {
				c := documentsServer(t, func(http.ResponseWriter, string, string) bool { return false })
				ids := uuids(5)
				ids[position] = bad
				outcome := runBatch(t, t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": ids})
				failed := 0
				for _, item := range outcome.Results {
					if item.Status == "failed" {
						failed++
						if item.Code != "invalid_arguments" {
							t.Errorf("%+v", item)
						}
					}
				}
				if failed != 1 || outcome.Succeeded != 4 {
					t.Errorf("%+v", outcome)
				}
			})
		}
	}
}

func TestProgressIsToldToAClientThatAsked(t *testing.T) {
	c := documentsServer(t, func(http.ResponseWriter, string, string) bool { return false })
	seen := make(chan string, 200)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" && n.Params.AdditionalFields["progressToken"] == "token" {
			seen <- fmt.Sprint(n.Params.AdditionalFields["progress"], "/", n.Params.AdditionalFields["total"])
		}
	})
	request := mcp.CallToolRequest{}
	request.Params.Name = "batch_archive_documents"
	request.Params.Arguments = map[string]any{"document_ids": uuids(10)}
	request.Params.Meta = &mcp.Meta{ProgressToken: "token"}
	if _, err := c.CallTool(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if got, want := <-seen, fmt.Sprint(i+1, "/", 10); got != want {
			t.Errorf("progress %s, want %s", got, want)
		}
	}
}

func TestBatchesNameWhatWentAlongBelowADocument(t *testing.T) {
	for name, note := range map[string]string{
		"batch_archive_documents": `archived with it: "Page 3" D000000003, "Page 2" D000000002`, // the last to be archived first
		"batch_delete_documents":  `in the trash with it: "Page 2" D000000002, "Page 3" D000000003`,

		"batch_delete_documents permanently": `now in the trash, from below it: "Page 2" D000000002, "Page 3" D000000003`,
	} {
		t.Run(name, func(t *testing.T) {
			tool, permanent := strings.CutSuffix(name, " permanently")
			seed := emptySeed()
			for n, parent := range []string{"", "", uuid(1), uuid(2), "", uuid(4), ""} {
				if n > 0 {
					seed.Documents = append(seed.Documents, wikiPage(n, parent, fmt.Sprint("Page ", n), "text"))
				}
			}
			outline := wiki(t, seed)
			var mu sync.Mutex
			asked := map[string]int{}
			c := limited(t, 0, true, roundTripper(func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				asked[path.Base(r.URL.Path)]++
				mu.Unlock()
				return outline.RoundTrip(r)
			}))
			arguments := map[string]any{"document_ids": []string{uuid(1), uuid(4), uuid(5), uuid(6)}}
			if permanent {
				arguments["permanent"] = true
			}
			answer := success(t, c, 10_000, tool, arguments)
			notes := []string{}
			for _, item := range decoded[struct{ Results []struct{ Note string } }](t, answer.Structured).Results {
				notes = append(notes, item.Note)
			}
			if diff := cmp.Diff([]string{note, "", "", ""}, notes); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, answer.Text)
			}
			if !strings.Contains(answer.Text, `"Page 1" D000000001. Note: `+note) {
				t.Error(answer.Text)
			}
			if asked["documents.archived"]+asked["collections.documents"] != 1 {
				t.Errorf("%v", asked)
			}
		})
	}
}
