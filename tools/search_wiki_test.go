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

var (
	recordedWikiOnce sync.Once
	recordedWikiSeen http.RoundTripper
)

// recordedWiki is a workspace with the pages of the recorded wiki, which tests only read.
func recordedWiki(t *testing.T) *counted {
	recordedWikiOnce.Do(func() {
		seed := emptySeed()
		for i, page := range fixtures.Recorded[struct{ Title, Text string }](t, "wiki_pages") {
			seed.Documents = append(seed.Documents, wikiPage(i, "", page.Title, page.Text))
		}
		recordedWikiSeen = wiki(t, seed)
	})
	return &counted{of: recordedWikiSeen}
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

// asked is a query, the page that answers it, and how the query is formed.
type asked struct{ page, form, query string }

// foundAmong returns how many of the queries find their page among the first hits, by form.
func foundAmong(t *testing.T, first int, queries []asked) map[string]int {
	w := recordedWiki(t)
	c := limited(t, defaultLimit, true, w)
	among := map[string]int{}
	for _, q := range queries {
		w.take("")
		answer := success(t, c, defaultLimit, "search_documents", map[string]any{"query": q.query, "limit": 10})
		requests := w.take("documents.search")
		var found wikiHits
		if err := json.Unmarshal(answer.Structured, &found); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Results, func(r struct {
			Title, Context, Section string
			Words                   []string
		}) bool {
			return r.Title == q.page
		})
		if len(found.Results) == 0 {
			t.Errorf("%q finds nothing", q.query)
		}
		if at >= 0 && at < first {
			among[q.form]++
		} else {
			t.Logf("%s %q: %s is at %d of %d (%s)", q.form, q.query, q.page, at+1, len(found.Results), found.Match)
		}
		if requests > 3 {
			t.Errorf("%q takes %d requests, match is %q", q.query, requests, found.Match)
		}
	}
	return among
}

func TestQuestionsFindTheirPageAmongTheFirstFive(t *testing.T) {
	t.Parallel()
	for _, set := range []struct {
		file                          string
		some, missQuestion, missWords int // of all; the quick tests ask some
	}{
		{"wiki_questions", 5, 1, 1},
		{"wiki_questions_2", 4, 5, 4},
	} {
		t.Run(set.file, func(t *testing.T) {
			t.Parallel()
			var queries []asked
			questions := fixtures.Some(fixtures.Recorded[struct{ Page, Words, Question string }](t, set.file), set.some)
			for _, q := range questions {
				queries = append(queries, asked{q.Page, "words", q.Words}, asked{q.Page, "question", q.Question})
			}
			among := foundAmong(t, 5, queries)
			t.Logf("among the first five of %d: %v", len(questions), among)
			if among["question"] < len(questions)-set.missQuestion || among["words"] < len(questions)-set.missWords {
				t.Errorf("among the first five of %d: %v", len(questions), among)
			}
		})
	}
}

// The commands are from the pages, with the flags that Outline reads as excluded words.
func TestAPastedCommandFindsItsPage(t *testing.T) {
	t.Parallel()
	var queries []asked
	for _, c := range fixtures.Some(fixtures.Recorded[struct{ Page, Command string }](t, "wiki_commands"), 4) {
		queries = append(queries, asked{c.Page, "command", c.Command})
	}
	if among := foundAmong(t, 1, queries); among["command"] < len(queries) {
		t.Errorf("first of the pages: %d of %d", among["command"], len(queries))
	}
}

func TestPagesWithMostOfTheWordsFollowALonePageWithAll(t *testing.T) {
	t.Parallel()
	c := limited(t, defaultLimit, true, recordedWiki(t))
	answer := success(t, c, defaultLimit, "search_documents", map[string]any{"query": "VPN setup"})
	first, others, marked := strings.Cut(answer.Text, "These have only some of the words; words:\n")
	if !strings.Contains(first, `# 1 document for "VPN setup"`) || !strings.Contains(first, `- "VPN setup"`) || !marked || !strings.HasPrefix(others, `- "VPN set-up"`) || strings.Count(others, "\n- ") > 3 {
		t.Error(answer.Text)
	}
	for _, query := range []string{`"VPN setup"`, "VPN setup -wireguard", "VPN setup | nothing"} {
		if answer := success(t, c, defaultLimit, "search_documents", map[string]any{"query": query}); strings.Contains(answer.Text, "only some") {
			t.Errorf("%s: %s", query, answer.Text)
		}
	}
	if answer := success(t, c, defaultLimit, "search", map[string]any{"query": "VPN setup"}); strings.Count(answer.Text, `"VPN set`) < 2 {
		t.Errorf("search: %s", answer.Text)
	}
}

// Outline takes long over each page that some word is on, so what is not needed is not asked.
func TestWordsSpelledLikeThoseOfTheQueryAreSearchedIfItMayBeMistyped(t *testing.T) {
	t.Parallel()
	w := recordedWiki(t)
	c := limited(t, defaultLimit, true, w)
	for query, want := range map[string]int{"VPN setup": 2, "restore staging database backup": 2, "How early must parental leave in Germany be announced?": 2, "kubrenetes upgrade": 3, "webhook": 1} {
		w.take("")
		success(t, c, defaultLimit, "search_documents", map[string]any{"query": query})
		if got := w.take("documents.search"); got != want {
			t.Errorf("%q takes %d requests, not %d", query, got, want)
		}
	}
}

func TestSomeOfTheWordsShowFivePagesAndTenAtMost(t *testing.T) {
	t.Parallel()
	c := limited(t, defaultLimit, true, recordedWiki(t))
	for limit, want := range map[int]int{0: 5, 3: 3, 60: 10} {
		arguments := map[string]any{"query": "vessels zebra berth invoice"}
		if limit > 0 {
			arguments["limit"] = limit
		}
		if answer := success(t, c, defaultLimit, "search_documents", arguments); strings.Count(answer.Text, "\n- ") != want || !strings.Contains(answer.Text, "More: call again with offset") {
			t.Errorf("limit %d: %s", limit, answer.Text)
		}
	}
}
