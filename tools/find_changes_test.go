package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// A listing is a way to Outline that lets a test step in between the pages of a list.
type listing struct {
	http.RoundTripper
	// answer is called with each request of a page and its offset, after Outline has
	// carried it out. It returns the answer instead of Outline's, or nil.
	answer func(r *http.Request, offset int) *http.Response

	mu    sync.Mutex
	pages int
}

// RoundTrip implements http.RoundTripper.
func (l *listing) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	response, err := l.RoundTripper.RoundTrip(r)
	var asked struct {
		Sort   string
		Offset int
	}
	if err != nil || path.Base(r.URL.Path) != "documents.list" || json.Unmarshal(body, &asked) != nil || asked.Sort != "createdAt" {
		return response, err
	}
	l.mu.Lock()
	l.pages++
	l.mu.Unlock()
	if l.answer != nil {
		if instead := l.answer(r, asked.Offset); instead != nil {
			response.Body.Close()
			return instead, nil
		}
	}
	return response, nil
}

// foggy is a workspace in which each of many documents has one match. The documents
// of the first day were created at the same time.
func foggy(t *testing.T, documents int) *fakeoutline.Workspace {
	t.Helper()
	seed := emptySeed()
	for n := 1; n <= documents; n++ {
		d := wikiPage(n, "", fmt.Sprintf("Page %d", n), "Lights.\n\nThe foghorn sounds.")
		d.CreatedAt, d.UpdatedAt = wikiDay(max(20, n)), wikiDay(max(20, n))
		seed.Documents = append(seed.Documents, d)
	}
	old := wikiPage(9000, "", "Old", "The foghorn sounds.")
	old.CreatedAt, old.ArchivedAt = wikiDay(2), wikiDay(3)
	seed.Documents = append(seed.Documents, old)
	sample, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// TestNothingIsLostOrRepeatedWhenDocumentsComeAndGo changes a workspace in the middle
// of a search, between two calls or within one.
func TestNothingIsLostOrRepeatedWhenDocumentsComeAndGo(t *testing.T) {
	const documents, firstCall = 330, 150
	type change struct {
		tool      string
		arguments []map[string]any
	}
	trash := func(from, to int) (c change) {
		c.tool = "delete_document"
		for n := from; n <= to; n++ {
			c.arguments = append(c.arguments, map[string]any{"document_id": uuid(n)})
		}
		return c
	}
	for _, test := range []struct {
		name   string
		change change
	}{
		{"one that had its turn is deleted", trash(7, 7)},
		{"more than a page had its turn and is deleted", trash(1, 120)},
		{"some before and at the place are deleted", trash(firstCall-30, firstCall)},
		{"the next ones are deleted", trash(firstCall+1, firstCall+30)},
		{"an old one comes back", change{"unarchive_document", []map[string]any{{"document_id": uuid(9000)}}}},
		{"one that had its turn is edited", change{"update_document", []map[string]any{{"document_id": uuid(3), "text": "No foghorn, two foghorns."}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sample := foggy(t, documents)
			writer := finding(t, sample.Transport(), 0)
			change := func() {
				for _, arguments := range test.change.arguments {
					success(t, writer, 1<<30, test.change.tool, arguments)
				}
			}
			// check takes how many documents had their turn before the change. What was
			// deleted before its turn has none.
			check := func(found []foundMatch, had int) {
				t.Helper()
				told := map[string]int{}
				for _, m := range found {
					told[m.DocumentID]++
				}
				for n := 1; n <= documents; n++ {
					want := 1
					if n > had && test.change.tool == "delete_document" && slices.ContainsFunc(test.change.arguments, func(a map[string]any) bool { return a["document_id"] == uuid(n) }) {
						want = 0
					}
					if told[uuid(n)] != want {
						t.Errorf("document %d has %d matches, want %d", n, told[uuid(n)], want)
					}
				}
			}
			const noted = "documents changed since the search began"
			within := &listing{RoundTripper: sample.Transport()}
			c := finding(t, within, 0)
			first := decoded[foundMatches](t, success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "foghorn", "limit": firstCall}).Structured)
			change()
			second := decoded[foundMatches](t, success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "foghorn", "limit": 500, "cursor": first.NextCursor}).Structured)
			if first.Note != "" || !second.Complete || !strings.HasPrefix(second.Note, noted) {
				t.Errorf("note %q, then %q, complete %t", first.Note, second.Note, second.Complete)
			}
			check(append(first.Matches, second.Matches...), firstCall)

			sample = foggy(t, documents)
			writer = finding(t, sample.Transport(), 0)
			var once sync.Once
			within = &listing{RoundTripper: sample.Transport(), answer: func(_ *http.Request, offset int) *http.Response {
				if offset == 0 {
					once.Do(change)
				}
				return nil
			}}
			all := decoded[foundMatches](t, success(t, finding(t, within, 0), 1<<30, "find_in_documents", map[string]any{"query": "foghorn", "limit": 500}).Structured)
			check(all.Matches, 100)
			if edited := test.change.tool == "update_document"; strings.HasPrefix(all.Note, noted) == edited {
				t.Errorf("the note is %q", all.Note) // only the next call would see the edit
			}
		})
	}
}

// limitReached is Outline's answer to too many requests.
func limitReached(*http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"90"}},
		Body: io.NopCloser(strings.NewReader(`{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded"}`)),
	}
}

// silent answers when the client no longer waits.
func silent(r *http.Request) *http.Response {
	<-r.Context().Done()
	return nil
}

func TestASearchThatCannotGoOnKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		answer   func(*http.Request) *http.Response
		settings []string
		note     string
	}{
		{"the rate limit", limitReached, nil, "the search stopped early: Outline's rate limit for documents.list is used up. Call again in 90 seconds"},
		{"the time of the call", silent, []string{"OUTLINE_CALL_TIMEOUT=1s", "OUTLINE_MAX_RETRIES=0"}, "the search stopped early: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sample := foggy(t, 330)
			outline := &listing{RoundTripper: sample.Transport(), answer: func(r *http.Request, offset int) *http.Response {
				if offset >= 96 {
					return test.answer(r)
				}
				return nil
			}}
			arguments := map[string]any{"query": "foghorn", "limit": 500}
			answer := success(t, finding(t, outline, 0, test.settings...), 1<<30, "find_in_documents", arguments)
			first := decoded[foundMatches](t, answer.Structured)
			if len(first.Matches) != 100 || first.Complete || !strings.HasPrefix(first.Note, test.note) || !strings.Contains(answer.Text, "Note: "+first.Note+".\n") {
				t.Errorf("%d matches, complete %t, note %q", len(first.Matches), first.Complete, first.Note)
			}
			arguments["cursor"] = first.NextCursor
			second := decoded[foundMatches](t, success(t, finding(t, sample.Transport(), 0), 1<<30, "find_in_documents", arguments).Structured)
			if len(second.Matches) != 230 || !second.Complete || second.Note != "" {
				t.Errorf("then %d matches, complete %t, note %q", len(second.Matches), second.Complete, second.Note)
			}

			outline.answer = func(r *http.Request, _ int) *http.Response { return test.answer(r) }
			delete(arguments, "cursor")
			if answer := bounded(t, finding(t, outline, 0, test.settings...), 1<<30, "find_in_documents", arguments); answer.Code == "" {
				t.Errorf("without a single page it answers %s", answer.Text)
			}
		})
	}
}

func TestPagesThatAreTooLargeAreReadInParts(t *testing.T) {
	sample := library(t, 230)
	c := finding(t, sample.Transport(), 0, "OUTLINE_MAX_ANSWER_BYTES=64KiB")
	found := decoded[foundMatches](t, success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "Part", "case_sensitive": true, "in": "text", "limit": 500}).Structured)
	if len(found.Matches) != 230 || !found.Complete || found.Note != "" {
		t.Errorf("%d matches, complete %t, note %q", len(found.Matches), found.Complete, found.Note)
	}
}

func TestTheFirstMatchTakesAPage(t *testing.T) {
	outline := &listing{RoundTripper: library(t, 600).Transport()}
	c := finding(t, outline, 0)
	found := decoded[foundMatches](t, success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "Part", "limit": 1}).Structured)
	if len(found.Matches) != 1 || found.Complete || outline.pages != 1 {
		t.Errorf("%d matches, complete %t, after %d pages", len(found.Matches), found.Complete, outline.pages)
	}
}

func TestASubtreeIsSearchedNoFurtherThanItsLastDocument(t *testing.T) {
	seed := emptySeed()
	for n := 1; n <= 400; n++ {
		parent := ""
		if n == 30 || n == 40 {
			parent = uuid(20)
		}
		d := wikiPage(n, parent, "Page", "foghorn")
		d.CreatedAt = wikiDay(n)
		seed.Documents = append(seed.Documents, d)
	}
	outline := &listing{RoundTripper: wiki(t, seed)}
	found := decoded[foundMatches](t, success(t, finding(t, outline, 0), 1<<30, "find_in_documents", map[string]any{"query": "foghorn", "below": "D000000020"}).Structured)
	if len(found.Matches) != 3 || found.Searched != 3 || !found.Complete || outline.pages != 1 {
		t.Errorf("%+v after %d pages", found, outline.pages)
	}
}

func TestProgressOfASearchIsTold(t *testing.T) {
	c := finding(t, foggy(t, 330).Transport(), 0)
	told := make(chan [2]int, 100)
	if _, err := cli.CallWithProgress(t.Context(), c, "find_in_documents", map[string]any{"query": "foghorn", "limit": 500}, func(done, total int) {
		told <- [2]int{done, total}
	}); err != nil {
		t.Fatal(err)
	}
	if first := <-told; first != [2]int{100, 330} {
		t.Errorf("the first progress is %v", first)
	}
}

func TestWhatCannotBeSearchedIsExplained(t *testing.T) {
	sample := foggy(t, 30)
	c := finding(t, sample.Transport(), 0)
	found := decoded[foundMatches](t, success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "foghorn", "limit": 2}).Structured)
	for _, test := range []struct {
		name      string
		arguments map[string]any
		want      string
	}{
		{"a broken expression", map[string]any{"query": "a(b", "regex": true}, `an error at character 2: missing closing ). Correct query, put \ before characters that are meant literally`},
		{"an expression of another dialect", map[string]any{"query": "a(?=b)", "regex": true}, "RE2 has no lookahead"},
		{"two lines", map[string]any{"query": "a\nb"}, "must be on one line"},
		{"no text", map[string]any{"query": ""}, "query"},
		{"too long a text", map[string]any{"query": strings.Repeat("x", 501)}, "query"},
		{"two areas", map[string]any{"query": "a", "below": uuid(1), "collection_id": wikiCollection}, "give only one of document_id, collection_id and below"},
		{"too many context lines", map[string]any{"query": "a", "context_lines": 6}, "context_lines"},
		{"an unknown place", map[string]any{"query": "a", "in": "comments"}, "in must be text, titles or both"},
		{"a cursor of another text", map[string]any{"query": "horn", "cursor": found.NextCursor}, "a call with other arguments. Repeat those"},
		{"a cursor of another area", map[string]any{"query": "foghorn", "document_id": uuid(1), "cursor": found.NextCursor}, "a call with other arguments. Repeat those"},
		{"a cursor of another version", map[string]any{"query": "foghorn", "cursor": output.EncodeCursor("find_in_documents", 2, nil, int64(0))}, "from another version of this server. Copy next_cursor as it is, or leave cursor out"},
		{"a damaged cursor", map[string]any{"query": "foghorn", "cursor": found.NextCursor[1:]}, "the cursor is damaged. Copy next_cursor"},
		{"an unknown document", map[string]any{"query": "a", "document_id": uuid(77)}, "othing found with this ID"},
		{"an unknown collection", map[string]any{"query": "a", "collection_id": uuid(77)}, "collection"},
		{"below an archived document", map[string]any{"query": "a", "below": uuid(9000)}, `"Old" is archived, so there is nothing published below it.`},
	} {
		answer := bounded(t, c, 1<<30, "find_in_documents", test.arguments)
		if answer.Code == "" || !strings.Contains(answer.Text, test.want) {
			t.Errorf("%s: code %q: %s", test.name, answer.Code, answer.Text)
		}
	}
}
