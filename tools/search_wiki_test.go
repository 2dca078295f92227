package tools_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"outline-mcp/test/fixtures"
)

// recordedWiki is a workspace with the pages of the recorded wiki.
func recordedWiki(t *testing.T) *counted {
	seed := emptySeed()
	for i, page := range fixtures.Recorded[struct{ Title, Text string }](t, "wiki_pages") {
		seed.Documents = append(seed.Documents, wikiPage(i, "", page.Title, page.Text))
	}
	return &counted{of: wiki(t, seed)}
}

// counted counts requests, by endpoint.
type counted struct {
	of http.RoundTripper

	mu    sync.Mutex
	count map[string]int
}

// RoundTrip implements http.RoundTripper.
func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if c.count == nil {
		c.count = make(map[string]int)
	}
	c.count[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	c.mu.Unlock()
	return c.of.RoundTrip(r)
}

// take returns how often an endpoint was asked since the last time.
func (c *counted) take(endpoint string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.count[endpoint]
	c.count = nil
	return n
}

type wikiHits struct {
	Match   string
	Results []struct {
		Title, Context, Section string
		Words                   []string
	}
}

func TestQuestionsFindTheirPageAmongTheFirstFive(t *testing.T) {
	t.Parallel()
	w := recordedWiki(t)
	c := limited(t, defaultLimit, true, w)
	among := map[string]int{}
	questions := fixtures.Some(fixtures.Recorded[struct{ Page, Words, Question string }](t, "wiki_questions"), 6)
	for _, q := range questions {
		for form, query := range map[string]string{"words": q.Words, "question": q.Question} {
			w.take("")
			answer := success(t, c, defaultLimit, "search_documents", map[string]any{"query": query, "limit": 10})
			requests := w.take("documents.search")
			var found wikiHits
			if err := json.Unmarshal(answer.Structured, &found); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found.Results, func(r struct {
				Title, Context, Section string
				Words                   []string
			}) bool {
				return r.Title == q.Page
			})
			if len(found.Results) == 0 {
				t.Errorf("%q finds nothing", query)
			}
			if at >= 0 && at < 5 {
				among[form]++
			} else {
				t.Logf("%s %q: %s is at %d of %d (%s)", form, query, q.Page, at+1, len(found.Results), found.Match)
			}
			if most := map[bool]int{true: 1, false: 3}[found.Match == "all" && len(found.Results) > 0]; requests > most {
				t.Errorf("%q takes %d requests, match is %q", query, requests, found.Match)
			}
		}
	}
	if least := len(questions) - 2; among["question"] < least || among["words"] < least {
		t.Errorf("among the first five: %v", among)
	}
}
