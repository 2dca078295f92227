package budget_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

func TestTheToolListKeepsItsBudget(t *testing.T) {
	sample := sampleWorkspace(t)
	for what, settings := range map[string][]string{
		"tools/list, the default tools, structured output off": {"OUTLINE_STRUCTURED_OUTPUT=false"},
		"tools/list, the default tools, structured output on":  {"OUTLINE_STRUCTURED_OUTPUT=true"},
		"tools/list, all tools, structured output off":         {"OUTLINE_TOOLS=all"},
		"tools/list, the essential tools":                      {"OUTLINE_TOOLS=essential"},
		"tools/list, the compact tools":                        {"OUTLINE_TOOLS=compact"},
		"tools/list, the tools that search and read":           {"OUTLINE_TOOLS=search,reading"},
	} {
		var answer struct {
			Result struct{ Tools json.RawMessage }
		}
		if err := json.Unmarshal(newSession(t, sample, settings...).ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), &answer); err != nil {
			t.Fatal(err)
		}
		check(t, "bytes of "+what, len(answer.Result.Tools))
		var tools []json.RawMessage
		if err := json.Unmarshal(answer.Result.Tools, &tools); err != nil {
			t.Fatal(err)
		}
		if what == "tools/list, the essential tools" {
			check(t, "essential tools", len(tools))
		}
	}
}

func TestTheTextOfTheUsualAnswersKeepsItsBudget(t *testing.T) {
	for what, ask := range map[string]request{
		"a search of 25": search(t),
		"a tree of 100":  {made(t, nil, 100), "get_collection_structure", map[string]any{"collection_id": collectionID}},
		"an outline":     {sampleWorkspace(t), "get_document_outline", map[string]any{"document_id": "oiZwZ2tlsC"}},
		"comments":       {sampleWorkspace(t), "list_document_comments", map[string]any{"document_id": "c22c45ef-ea9d-4196-aaa5-576f1543d36e"}},
	} {
		check(t, "bytes of text, "+what, len(newSession(t, ask.outline).text(ask)))
	}
}

// TestTheTextOfTheRecordedAnswersKeepsItsBudget adds up the answers that the
// tests of the tools compare one by one.
func TestTheTextOfTheRecordedAnswersKeepsItsBudget(t *testing.T) {
	total, count := 0, 0
	for _, tool := range tools.All() {
		for _, call := range fixtures.Read(t, "../../tools/testdata/calls", tool.Info().Name) {
			if !call.Failed() {
				total, count = total+len(call.Text), count+1
			}
		}
	}
	if count < 33 {
		t.Fatalf("only %d recorded answers", count)
	}
	// The mean: another recorded call costs nobody anything.
	check(t, "bytes of text, a recorded success at the mean", total/count)
}

func search(t *testing.T) request {
	return request{sampleWorkspace(t), "search_documents", map[string]any{"query": "buoy", "limit": 25}}
}

func TestASearchOf25OnTheSampleContentStaysUnder5600Bytes(t *testing.T) {
	ask := search(t)
	ask.arguments["detail_level"] = "summary"
	text := newSession(t, ask.outline).text(ask)
	if n := strings.Count(text, "\n- "); n != 25 || len(text) > 5600 {
		t.Errorf("%d hits in %d bytes", n, len(text))
	}
}

func TestEachTaskKeepsItsBudgetOfCharacters(t *testing.T) {
	for _, task := range fixtures.Tasks() {
		t.Run(task.Asked, func(t *testing.T) {
			sample, err := fakeoutline.New(fakeoutline.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := newSessionOf(t, app.Options{Transport: sample.Transport(), Now: sample.Now})
			calls, err := task.Solve(func(tool string, given fixtures.Arguments) (string, error) {
				return s.text(request{tool: tool, arguments: given}), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			sent, received := fixtures.Characters(calls)
			check(t, "characters, "+task.Asked, sent+received)
			if total := fixtures.InTokens(sent + received); task.Tokens > 0 && total > task.Tokens {
				t.Errorf("%.0f tokens, and %.0f are promised", total, task.Tokens)
			}
		})
	}
}

// TestABatchOfAHundredTakesNoMoreRoundTripsThanItMust counts the round trips to
// Outline that follow each other, four items at a time. The clock is that of the
// test, so that what the server itself does takes no time.
//
// 100 reads, archives and drafts need 25. Updates need 50, as each document is
// read before it is changed. Siblings need 100, as they keep their order only if
// one is created after the other. Ten siblings below each of ten documents need 28: three for the ten
// documents, and 25.
func TestABatchOfAHundredTakesNoMoreRoundTripsThanItMust(t *testing.T) {
	for what, ask := range map[string]request{
		"100 reads in two calls": {tool: "batch_read_documents", arguments: map[string]any{"document_ids": hundred(func(n int) any { return numbered(n) })[:50]}},
		// From the leaves up: a document is archived with those below it.
		"100 archives":                 {tool: "batch_archive_documents", arguments: map[string]any{"document_ids": hundred(func(n int) any { return numbered(99 - n) })}},
		"100 updates":                  {tool: "batch_update_documents", arguments: map[string]any{"updates": hundred(updateOf)}},
		"100 drafts":                   {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("collection_id", collectionID, n, false) })}},
		"100 siblings":                 {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("collection_id", collectionID, n, true) })}},
		"10 siblings below each of 10": {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("parent_document_id", numbered(n/10), n, true) })}},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outline := &distant{of: made(t, nil, 100)}
				s := newSession(t, outline)
				outline.requests = 0
				begin := time.Now()
				text := s.text(ask)
				trips := int(time.Since(begin) / roundTrip)
				requests := outline.requests
				if ask.tool == "batch_read_documents" { // which reads 50 at most
					ask.arguments["document_ids"] = hundred(func(n int) any { return numbered(n) })[50:]
					s.text(ask)
					trips, requests = int(time.Since(begin)/roundTrip), outline.requests
				} else if !strings.Contains(text, ": 100 of 100 succeeded") {
					t.Fatalf("%s answers %.300s", ask.tool, text)
				}
				check(t, "round trips in sequence, "+what, trips)
				check(t, "requests to Outline, "+what, requests)
			})
		})
	}
}

// TestTheUsualCallsTakeFewRoundTrips counts as above, in a session that has made calls before.
func TestTheUsualCallsTakeFewRoundTrips(t *testing.T) {
	text := []string{"The ferry leaves at noon."}
	for what, call := range map[string]struct {
		most int
		request
	}{
		"an append":                   {3, request{tool: "update_document", arguments: map[string]any{"document_id": numbered(0), "text": "It comes back at one.", "append": true}}},
		"an edit":                     {3, request{tool: "edit_document", arguments: map[string]any{"document_id": numbered(0), "edits": []any{map[string]any{"old_text": "noon", "new_text": "one"}}}}},
		"a list of collections":       {1, request{tool: "list_collections", arguments: map[string]any{}}},
		"a search for words apart":    {3, request{tool: "search_documents", arguments: map[string]any{"query": "which harbor does the ferry leave at noon"}}},
		"a search that finds nothing": {3, request{tool: "search_documents", arguments: map[string]any{"query": "zebra giraffe okapi"}}},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outline := &distant{of: made(t, text, 100)}
				s := newSession(t, outline)
				begin, before := time.Now(), outline.requests
				answer := s.text(call.request)
				if trips := int(time.Since(begin) / roundTrip); trips > call.most || trips == 0 {
					t.Errorf("%d round trips, %d requests, at most %d: %.300s", trips, outline.requests-before, call.most, answer)
				}
			})
		})
	}
}

func hundred(of func(n int) any) (all []any) {
	for n := range 100 {
		all = append(all, of(n))
	}
	return all
}

func updateOf(n int) any {
	return map[string]any{"document_id": numbered(n), "text": "Ask the other watch."}
}

func newDocument(where, id string, n int, publish bool) any {
	return map[string]any{"title": fmt.Sprintf("Voyage %d", n), "text": "Crew and dates.", where: id, "publish": publish}
}

const roundTrip = 50 * time.Millisecond

// distant answers after a round trip.
type distant struct {
	of http.RoundTripper

	mu       sync.Mutex
	requests int
}

// RoundTrip implements http.RoundTripper.
func (d *distant) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(roundTrip)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	return d.of.RoundTrip(r)
}
