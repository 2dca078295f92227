package tools_test

import (
	stdcmp "cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// foundMatch and foundMatches are the structured content of find_in_documents.
type foundMatch struct {
	DocumentID   string `json:"document_id"`
	URLID        string `json:"url_id"`
	Title        string
	Line, Column int
	Heading      string
	Text         string
	Before       []string
	After        []string
}

type foundMatches struct {
	Matches    []foundMatch
	Searched   int `json:"documents_searched"`
	Matched    int `json:"documents_matched"`
	Complete   bool
	NextCursor string `json:"next_cursor"`
	Note       string
}

// A haystack is a random workspace, and the same in the simplest form.
type haystack struct {
	sample    *fakeoutline.Workspace
	documents []fakeoutline.Document // published ones in the order of their creation
	texts     map[string]string      // as read_document has them
}

var strawWords = []string{"fog", "Fog", "foghorn", "FOGHORN", "horn", "buoy", "é", "ſtraw", "straw", "K", "k", "a.b", "a", "aa", "_fog", "fog1", "Leuchtfeuer"}

func straw(random *rand.Rand, most int) string {
	var words []string
	for range random.IntN(most + 1) {
		words = append(words, strawWords[random.IntN(len(strawWords))])
	}
	return strings.Join(words, []string{" ", "", ", "}[random.IntN(3)])
}

// newHaystack makes a random workspace. Few documents have a time of creation of
// their own.
func newHaystack(t *testing.T, random *rand.Rand, release fakeoutline.Release) haystack {
	t.Helper()
	seed := emptySeed()
	other := fakeoutline.Collection{ID: uuid(10_001), URLID: "C000000001", Name: "Other", Permission: fakeoutline.ReadWrite, CreatedAt: wikiDay(0), UpdatedAt: wikiDay(0)}
	seed.Collections = append(seed.Collections, other)
	count := []int{3, 20, 99, 100, 101, 196, 230}[random.IntN(7)]
	for n := 1; n <= count; n++ {
		var lines []string
		for range random.IntN(8) {
			switch random.IntN(6) {
			case 0:
				lines = append(lines, "## "+straw(random, 3), "")
			case 1:
				lines = append(lines, "* "+straw(random, 4), "")
			case 2:
				lines = append(lines, straw(random, 90), "")
			default:
				lines = append(lines, straw(random, 5), "")
			}
		}
		d := wikiPage(n, "", straw(random, 2), strings.Join(lines, "\n"))
		d.CreatedAt = wikiDay(random.IntN(count + 1)).Add(time.Duration(random.IntN(3)) * time.Millisecond)
		if random.IntN(3) == 0 && n > 1 {
			d.ParentID = seed.Documents[random.IntN(n-1)].ID
			d.CollectionID = seed.Documents[slices.IndexFunc(seed.Documents, func(p fakeoutline.Document) bool { return p.ID == d.ParentID })].CollectionID
		} else if random.IntN(3) == 0 {
			d.CollectionID = other.ID
		}
		seed.Documents = append(seed.Documents, d)
	}
	for n := range 6 {
		left := wikiPage(5000+n, "", "fog", "fog")
		switch n % 3 {
		case 0:
			left.ArchivedAt = wikiDay(9)
		case 1:
			left.DeletedAt = wikiDay(9)
		default:
			left.PublishedAt = time.Time{}
		}
		seed.Documents = append(seed.Documents, left)
	}
	sample, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, seed)
	if err != nil {
		t.Fatal(err)
	}
	h := haystack{sample: sample, texts: map[string]string{}}
	h.documents = seed.Documents[:count]
	slices.SortFunc(h.documents, func(a, b fakeoutline.Document) int {
		return stdcmp.Or(a.CreatedAt.Compare(b.CreatedAt), stdcmp.Compare(a.ID, b.ID))
	})
	c := finding(t, sample.Transport(), 0)
	for _, d := range h.documents {
		answer := success(t, c, 1<<30, "read_document", map[string]any{"document_id": d.ID})
		h.texts[d.ID] = decoded[struct{ Text string }](t, answer.Structured).Text
	}
	return h
}

// finding returns a client of a server that operates under a limit, which may be
// lower than operators can choose.
func finding(t testing.TB, outline http.RoundTripper, limit int, settings ...string) *client.Client {
	t.Helper()
	loaded := load(t, settings...)
	loaded.MaxResponseChars = limit
	return connectTo(t, app.Options{Config: loaded, Transport: outline})
}

// in reports whether a call covers a document.
func (h haystack) in(d fakeoutline.Document, arguments map[string]any) bool {
	if id, ok := arguments["document_id"]; ok {
		return d.ID == id
	}
	if id, ok := arguments["collection_id"]; ok {
		return d.CollectionID == id
	}
	if id, ok := arguments["below"]; ok {
		for at := d.ID; at != ""; {
			if at == id {
				return true
			}
			at = h.documents[slices.IndexFunc(h.documents, func(p fakeoutline.Document) bool { return p.ID == at })].ParentID
		}
		return false
	}
	return true
}

// matches is find_in_documents without pages, cursors, limits or any care for time.
func (h haystack) matches(arguments map[string]any) (matches []foundMatch) {
	query := arguments["query"].(string)
	expression := query
	if arguments["regex"] != true {
		expression = regexp.QuoteMeta(query)
	}
	if arguments["case_sensitive"] != true {
		expression = "(?i)" + expression
	}
	re := regexp.MustCompile(expression)
	isWord := func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }
	columns := func(line string) (found []int) {
		for _, at := range re.FindAllStringIndex(line, -1) {
			before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
			after, _ := utf8.DecodeRuneInString(line[at[1]:])
			if at[0] < at[1] && (arguments["whole_word"] != true || !isWord(before) && !isWord(after)) {
				found = append(found, utf8.RuneCountInString(line[:at[0]])+1)
			}
		}
		return found
	}
	for _, d := range h.documents {
		if !h.in(d, arguments) {
			continue
		}
		match := foundMatch{DocumentID: d.ID, URLID: d.URLID, Title: d.Title}
		if arguments["in"] != "text" {
			for _, column := range columns(d.Title) {
				match.Column, match.Text = column, d.Title
				matches = append(matches, match)
			}
		}
		if arguments["in"] == "titles" {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(h.texts[d.ID], "\n"), "\n")
		context, _ := arguments["context_lines"].(int)
		for i, line := range lines {
			if heading, ok := strings.CutPrefix(line, "## "); ok && strings.TrimSpace(heading) != "" {
				match.Heading = strings.NewReplacer(`\_`, "_").Replace(heading)
			}
			for _, column := range columns(line) {
				match.Line, match.Column, match.Text = i+1, column, line
				match.Before, match.After = lines[max(0, i-context):i], lines[i+1:min(len(lines), i+1+context)]
				matches = append(matches, match)
			}
		}
	}
	return matches
}

// short leaves out what a long line is shortened by.
func short(matches []foundMatch) []foundMatch {
	matches = slices.Clone(matches)
	for i, m := range matches {
		cut := func(line string) string {
			if utf8.RuneCountInString(line) > 240 || strings.HasPrefix(line, "…") {
				return "long"
			}
			return line
		}
		all := func(lines []string) (cutLines []string) {
			for _, line := range lines {
				cutLines = append(cutLines, cut(line))
			}
			return cutLines
		}
		matches[i].Text, matches[i].Before, matches[i].After = cut(m.Text), all(m.Before), all(m.After)
	}
	return matches
}

func TestAllAnswersTogetherAreTheMatchesOfASimpleSearch(t *testing.T) {
	t.Parallel()
	for n := range fixtures.Count(4, 24) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(17, uint64(n)))
			releases := append([]fakeoutline.Release{""}, fakeoutline.Releases()...)
			h := newHaystack(t, random, releases[n%len(releases)])
			for range 6 {
				verifyFind(t, random, h)
			}
		})
	}
}

// verifyFind makes a random search call by call, with another limit each time, and
// compares all answers with the simple search.
func verifyFind(t *testing.T, random *rand.Rand, h haystack) {
	t.Helper()
	arguments := map[string]any{"query": strawWords[random.IntN(len(strawWords))]}
	if random.IntN(2) == 0 {
		arguments["query"] = []string{`fog(horn)?`, `^a`, `\b(horn|buoy)\b`, `[aé]+$`, `^.`, `\s+K`, `x*`, `^## .*fog`, `(a+)+\W`}[random.IntN(9)]
		arguments["regex"] = true
	}
	for _, name := range []string{"case_sensitive", "whole_word"} {
		if random.IntN(3) == 0 {
			arguments[name] = true
		}
	}
	if where := random.IntN(4); where < 3 {
		arguments["in"] = []string{"text", "titles", "both"}[where]
	}
	any := h.documents[random.IntN(len(h.documents))]
	switch random.IntN(5) {
	case 0:
		arguments["document_id"] = any.ID
	case 1:
		arguments["collection_id"] = any.CollectionID
	case 2:
		arguments["below"] = any.ID
	}
	context := random.IntN(6)
	arguments["context_lines"] = context
	want, limit := h.matches(arguments), 0
	if len(want) > 60 && random.IntN(3) > 0 {
		limit = 10_000
	}
	c := finding(t, h.sample.Transport(), limit)
	var got []foundMatch
	for calls := 0; ; calls++ {
		arguments["limit"] = 1 + random.IntN(500)
		if random.IntN(2) == 0 && len(want) < 200 {
			arguments["limit"] = 1 + random.IntN(5)
		}
		answer := success(t, c, 1<<30, "find_in_documents", arguments)
		found := decoded[foundMatches](t, answer.Structured)
		got = append(got, found.Matches...)
		if found.Note != "" || found.Complete != (found.NextCursor == "") || len(found.Matches) > arguments["limit"].(int) {
			t.Fatalf("%v: note %q, complete %t, cursor %q, %d matches", arguments, found.Note, found.Complete, found.NextCursor, len(found.Matches))
		}
		sameMatches(t, answer, found)
		if found.Complete {
			break
		}
		if calls > len(want)+5 {
			t.Fatalf("%v: call %d has no end", arguments, calls)
		}
		arguments["cursor"] = found.NextCursor
	}
	for i, m := range got[:min(len(got), len(want))] {
		if part := strings.Trim(m.Text, "…"); part != m.Text && (!strings.Contains(want[i].Text, part) || !strings.Contains(part, string([]rune(want[i].Text)[m.Column-1]))) {
			t.Fatalf("%q is not the part around column %d of %q", m.Text, m.Column, want[i].Text)
		}
	}
	if diff := cmp.Diff(short(want), short(got)); diff != "" {
		t.Fatalf("%v over %d documents (-simple +found):\n%.3000s", arguments, len(h.documents), diff)
	}
}

// sameMatches compares the text of an answer with its structured content.
func sameMatches(t *testing.T, answer cli.Answer, found foundMatches) {
	t.Helper()
	numbered, matching := regexp.MustCompile(`^  (\d+):( ?)`), regexp.MustCompile(`^  (\d+):([\d,]+): (.*)\n?$`)
	var said []string
	documents := 0
	written := map[string]bool{} // numbers of lines of a document, and whether they are context
	for line := range strings.Lines(answer.Text) {
		if strings.HasPrefix(line, "- ") {
			documents++
			clear(written)
		}
		if m := numbered.FindStringSubmatch(line); m != nil {
			before, known := written[m[1]]
			if written[m[1]] = m[2] == " "; known && (before || written[m[1]]) {
				t.Fatalf("line %s is written twice: %s", m[1], answer.Text)
			}
		}
		if m := matching.FindStringSubmatch(line); m != nil {
			for column := range strings.SplitSeq(m[2], ",") {
				said = append(said, fmt.Sprintf("%s:%s %s", m[1], column, m[3]))
			}
		}
	}
	var want []string
	for _, m := range found.Matches {
		want = append(want, fmt.Sprintf("%d:%d %s", m.Line, m.Column, m.Text))
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Fatalf("the text shows other matches (-structured +text):\n%.2000s", diff)
	}
	if documents != found.Matched {
		t.Fatalf("the text shows %d documents, documents_matched is %d", documents, found.Matched)
	}
	if more := strings.HasSuffix(answer.Text, "\nMore: call again with cursor "+found.NextCursor+"."); more != (found.NextCursor != "") {
		t.Fatalf("the text ends with %q, next_cursor is %q", answer.Text[max(0, len(answer.Text)-120):], found.NextCursor)
	}
}

// TestDocumentsThatAreSharedOneByOneAreSearched has a guest search what is shared with the
// guest, with a group of the guest, and below such documents. A member reads all of it in
// the list.
func TestDocumentsThatAreSharedOneByOneAreSearched(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		seed := staff()
		guest, group := uuid(99_000_014), uuid(99_000_077)
		seed.Groups = []fakeoutline.Group{{ID: group, Name: "Keepers", UserIDs: []string{guest}}}
		fog := func(n int, parent, title string, shared ...fakeoutline.Membership) {
			d := wikiPage(n, parent, title, "A foghorn.\n\nA second foghorn.")
			d.Memberships = shared
			seed.Documents = append(seed.Documents, d)
		}
		fog(100, "", "Given", fakeoutline.Membership{ID: uuid(99_100_000), UserID: guest, Permission: fakeoutline.Read})
		fog(101, "", "Given to the group", fakeoutline.Membership{ID: uuid(99_100_001), GroupID: group, Permission: fakeoutline.Read})
		fog(102, uuid(100), "Below", fakeoutline.Membership{ID: uuid(99_100_002), UserID: guest, Permission: fakeoutline.ReadWrite})
		fog(103, uuid(102), "Below that")
		fog(104, uuid(101), "Below that of the group")
		fog(105, "", "Not given")
		seed.Keys = append(seed.Keys, fakeoutline.Key{ID: uuid(99_000_078), Secret: fakeoutline.ScopedKey, Name: "lists", UserID: guest, Scopes: []string{"documents:read", "userMemberships:read"}, CreatedAt: wikiDay(0)})
		w, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, seed)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{"Below", "Below that", "Below that of the group", "Given", "Given to the group"}
		c := limited(t, defaultLimit, true, withKey{w.Transport(), fakeoutline.ViewerKey})
		for _, limit := range []int{1, 2, 3, 9, 10, 500} {
			titles, matches, arguments := map[string]bool{}, 0, map[string]any{"query": "foghorn", "limit": limit}
			for {
				found := decoded[foundMatches](t, success(t, c, defaultLimit, "find_in_documents", arguments).Structured)
				for _, m := range found.Matches {
					titles[m.Title] = true
				}
				matches += len(found.Matches)
				if found.Complete != (found.NextCursor == "") || found.Note != "" {
					t.Errorf("%s: limit %d: %+v", release, limit, found)
				}
				if arguments["cursor"] = found.NextCursor; found.NextCursor == "" {
					break
				}
			}
			if got := slices.Sorted(maps.Keys(titles)); !slices.Equal(got, all) || matches != 10 {
				t.Errorf("%s: limit %d: %d matches in %q", release, limit, matches, got)
			}
		}
		member := decoded[foundMatches](t, success(t, limited(t, defaultLimit, true, w.Transport()), defaultLimit, "find_in_documents", map[string]any{"query": "foghorn"}).Structured)
		if !member.Complete || len(member.Matches) != 12 {
			t.Errorf("%s: a member who reads the collection: %+v", release, member)
		}
		narrow := success(t, limited(t, defaultLimit, true, withKey{w.Transport(), fakeoutline.ScopedKey}), defaultLimit, "find_in_documents", map[string]any{"query": "foghorn"})
		if found := decoded[foundMatches](t, narrow.Structured); found.Complete || found.NextCursor != "" || len(found.Matches) != 6 ||
			!strings.Contains(found.Note, "(groupMemberships.list)") || !strings.Contains(narrow.Text, found.Note) {
			t.Errorf("%s: a key that may not list the shares of groups: %s", release, narrow.Text)
		}
	}
}

func TestAnExpressionThatTakesTooLongEndsWithTheCall(t *testing.T) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Letters", strings.Repeat("a", 400_000))}
	c := finding(t, wiki(t, seed), 0, "OUTLINE_CALL_TIMEOUT=300ms")
	for _, area := range []string{"document_id", "collection_id"} {
		id := map[string]string{"document_id": uuid(1), "collection_id": wikiCollection}[area]
		answer, err := cli.Call(t.Context(), c, "find_in_documents", map[string]any{"query": "a.{0,990}[^a]", "regex": true, "whole_word": true, area: id})
		if err != nil || answer.Code != "timeout" {
			t.Errorf("%s: %v, code %q: %.300s", area, err, answer.Code, answer.Text)
		}
	}
}
