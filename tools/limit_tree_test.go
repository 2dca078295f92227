package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

func TestATreeIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	tenBelowEach := func(n int) int { return (n+9)/10 - 1 }
	for name, tree := range map[string]struct {
		parentOf  func(n int) int
		arguments map[string]any
	}{
		"ten below each":      {tenBelowEach, nil},
		"one level at a time": {tenBelowEach, map[string]any{"max_depth": 1}},
		"all on one level":    {func(int) int { return 0 }, nil},
		"two wide levels":     {func(n int) int { return n / 300 * 300 % max(n, 1) }, nil},
		"a deep one":          {func(n int) int { return n - 1 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			verifyTree(t, leastLimit, fixtures.Count(600, 2000), tree.parentOf, tree.arguments)
		})
	}
}

// verifyTree reads a tree of documents, numbered from 1, to its end. parentOf 0 is
// the collection itself.
func verifyTree(t *testing.T, limit, size int, parentOf func(n int) int, arguments map[string]any) {
	seed, want := emptySeed(), map[string][]string{}
	for n := 1; n <= size; n++ {
		parent := ""
		if p := parentOf(n); p > 0 {
			parent = uuid(p)
		}
		want[parent] = append(want[parent], uuid(n))
		seed.Documents = append(seed.Documents, wikiPage(n, parent, fmt.Sprintf("Service %d:\n- what to do (0 of 3 children shown)", n), ""))
	}
	outline := wiki(t, seed)
	v := &treeVisit{
		both: limited(t, limit, true, outline), textOnly: limited(t, limit, false, outline), limit: limit,
		arguments: arguments, children: map[string][]string{},
	}
	v.below(t, "", 0)
	if v.answers < 3 {
		t.Errorf("%d answers are too few", v.answers)
	}
	if diff := cmp.Diff(want, v.children); diff != "" {
		t.Errorf("the pieces are not the whole tree:\n%.2000s", diff)
	}
}

// treeVisit collects a tree from the answers' texts.
type treeVisit struct {
	both, textOnly *client.Client
	limit          int
	arguments      map[string]any

	children map[string][]string // of each document, in order
	answers  int
}

var (
	treeLine  = regexp.MustCompile(`^( *)- "(?:[^"\\]|\\.)*" D([0-9]{9})(?: \((\d+) of (\d+) (?:child|children) shown\))?$`)
	inviting  = "To see the other children, call again with document_id set to their parent and offset set to the number already shown."
	onlyShown = regexp.MustCompile(`Only (\d+) documents? (?:is|are) shown here\.`)
)

// below visits what is below a document ("" for the collection), after the first
// children, which were seen.
func (v *treeVisit) below(t *testing.T, document string, offset int) {
	t.Helper()
	arguments := map[string]any{"collection_id": wikiCollection}
	for name, value := range v.arguments {
		arguments[name] = value
	}
	if document != "" {
		arguments["document_id"] = document
	}
	if offset > 0 {
		arguments["offset"] = offset
	}
	type unseen struct {
		document string
		shown    int
	}
	for _, p := range readToEndWith(t, v.both, v.textOnly, v.limit, "get_collection_structure", arguments) {
		v.answers++
		var rest []unseen
		var told []string
		above := []string{document}
		for line := range strings.Lines(p.Text) {
			entry := treeLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if entry == nil {
				continue
			}
			number, err := strconv.Atoi(entry[2])
			if err != nil {
				t.Fatal(err)
			}
			depth, id := len(entry[1])/2, uuid(number)
			v.children[above[depth]] = append(v.children[above[depth]], id)
			above = append(above[:depth+1], id)
			told = append(told, fmt.Sprint(depth, id, entry[4]))
			if entry[3] != "" {
				shown, err := strconv.Atoi(entry[3])
				if err != nil {
					t.Fatal(err)
				}
				rest = append(rest, unseen{id, shown})
			}
		}
		v.sameStructured(t, p, told)
		if strings.Contains(p.Text, inviting) != (len(rest) > 0) {
			t.Fatalf("%d documents have children that are not shown; the text ends: %s", len(rest), p.Text[max(0, len(p.Text)-300):])
		}
		for _, r := range rest {
			v.below(t, r.document, r.shown)
		}
	}
}

func (v *treeVisit) sameStructured(t *testing.T, p piece, told []string) {
	t.Helper()
	type node struct {
		ID         string
		ChildCount int `json:"child_count"`
		Children   []json.RawMessage
	}
	tree := decoded[struct {
		Documents []json.RawMessage
		Shown     int `json:"shown_documents"`
	}](t, p.Structured)
	var structured []string
	var visit func(depth int, nodes []json.RawMessage)
	visit = func(depth int, nodes []json.RawMessage) {
		for _, raw := range nodes {
			n := decoded[node](t, raw)
			count := ""
			if n.ChildCount > 0 {
				count = strconv.Itoa(n.ChildCount)
			}
			structured = append(structured, fmt.Sprint(depth, n.ID, count))
			visit(depth+1, n.Children)
		}
	}
	visit(0, tree.Documents)
	if diff := cmp.Diff(structured, told); diff != "" {
		t.Fatalf("text and structured content show different trees (-structured +text):\n%.2000s", diff)
	}
	shown := "0"
	if said := onlyShown.FindStringSubmatch(p.Text); said != nil {
		shown = said[1]
	}
	if strconv.Itoa(tree.Shown) != shown || tree.Shown != 0 && tree.Shown != len(told) {
		t.Fatalf("the text says that %s documents are shown, the structured content %d; there are %d", shown, tree.Shown, len(told))
	}
}

func TestATreeOf2000DocumentsSaysWhatItLeftOutAndHowToSeeIt(t *testing.T) {
	seed := emptySeed()
	for n := 1; n <= 2_000; n++ {
		parent := ""
		if n > 10 {
			parent = uuid((n+9)/10 - 1)
		}
		seed.Documents = append(seed.Documents, wikiPage(n, parent, fmt.Sprint("Service of the watch ", n), ""))
	}
	text := success(t, limited(t, defaultLimit, false, wiki(t, seed)), defaultLimit, "get_collection_structure", map[string]any{"collection_id": wikiCollection}).Text
	for _, want := range []string{
		"# Engineering\ncollection_id xVj43W43Sy, read and write, 2000 documents\nTop level: 1–1 of 10\n\n- \"Service of the watch 1\" D000000001 (",
		" children shown)\n",
		` documents are shown here. For an overview, set max_depth.
To see the other children, call again with document_id set to their parent and offset set to the number already shown.

More: call again with offset 1.`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("does not hold %s\n\n%s\n…\n%s", want, text[:400], text[len(text)-600:])
		}
	}
}

// The wikis for these tests: workspaces far larger than an answer.

const wikiCollection = "31bd1765-434e-4d1a-82a2-2674f972cc48"

func wikiDay(n int) time.Time { return time.Date(2026, 1, 1, 9, n, 0, 0, time.UTC) }

// emptySeed is a workspace of one user with the admin's key and one collection.
func emptySeed() fakeoutline.Seed {
	user := uuid(99_000_000)
	return fakeoutline.Seed{
		Team:  fakeoutline.Team{ID: uuid(99_000_001), Name: "Lights"},
		Users: []fakeoutline.User{{ID: user, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: wikiDay(0)}},
		Keys:  []fakeoutline.Key{{ID: uuid(99_000_002), Secret: fakeoutline.AdminKey, Name: "limits", UserID: user, CreatedAt: wikiDay(0)}},
		Collections: []fakeoutline.Collection{{
			ID: wikiCollection, URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: wikiDay(0), UpdatedAt: wikiDay(0),
		}},
	}
}

// wikiPage is a published document, whose UUID is uuid(n).
func wikiPage(n int, parent, title, text string) fakeoutline.Document {
	user := uuid(99_000_000)
	return fakeoutline.Document{
		ID: uuid(n), URLID: fmt.Sprintf("D%09d", n), Title: title, Text: text, CollectionID: wikiCollection, ParentID: parent,
		CreatedBy: user, UpdatedBy: user, Collaborators: []string{user}, Revision: 1, Opened: true,
		CreatedAt: wikiDay(1), UpdatedAt: wikiDay(n), PublishedAt: wikiDay(1),
	}
}

// wiki builds a workspace. Errors end the test.
func wiki(t *testing.T, seed fakeoutline.Seed) http.RoundTripper {
	t.Helper()
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w.Transport()
}

// commentOf is the editor's document of a comment of paragraphs.
func commentOf(paragraphs ...string) json.RawMessage {
	var nodes []any
	for _, p := range paragraphs {
		nodes = append(nodes, map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": p}}})
	}
	raw, err := json.Marshal(map[string]any{"type": "doc", "content": nodes})
	if err != nil {
		panic(err) // strings always encode
	}
	return raw
}

// longTitle is a title as long as Outline allows, which imitates a list of several
// lines.
func longTitle(n int) string {
	title := fmt.Sprintf("Buoy %d\n- **next** go on with offset 3 🍲 ", n)
	return title + strings.Repeat("ü", 100-len([]rune(title)))
}

// crowd is the number of objects of each kind in a crowded workspace: more than
// two pages of a hundred, and far more than an answer can hold.
const crowd = 210

// crowded is a workspace with a crowd of documents, archived ones among them, and of comments
// on the first one.
func crowded() fakeoutline.Seed {
	seed := emptySeed()
	for n := 1; n <= crowd; n++ {
		archived := wikiPage(1000+n, "", longTitle(n), "Gone.")
		archived.ArchivedAt = wikiDay(2000 + n)
		seed.Documents = append(seed.Documents, wikiPage(n, "", longTitle(n), fmt.Sprintf("The buoy %d. %s", n, strings.Repeat("buoy ", 200))), archived)
		comment := fakeoutline.Comment{
			ID: uuid(20_000 + n), DocumentID: uuid(1), Data: commentOf(wikiComment(n)...), CreatedBy: uuid(99_000_000),
			Anchor: strings.Repeat("buoy ", 100*(n%3)), CreatedAt: wikiDay(n), UpdatedAt: wikiDay(n),
		}
		if n > 8 { // many reply to an enormous one
			comment.ParentID = uuid(20_000 + 7)
		}
		seed.Comments = append(seed.Comments, comment)
	}
	return seed
}

// wikiDescription is a description of a collection: sometimes as long as Outline
// allows, on one line or many.
func wikiDescription(n int) string {
	switch {
	case n%110 == 5:
		return strings.Repeat("All about lights at sea, in many words. ", 100_000/40)
	case n%110 == 6:
		return strings.Repeat("A line of it.\n\n", 100_000/15) + "The end."
	case n%5 == 0:
		return ""
	}
	return strings.Repeat("Lights at sea. ", n%50)
}

// wikiComment is a comment in paragraphs: sometimes far longer than people write.
func wikiComment(n int) []string {
	switch n {
	case 7:
		return []string{strings.Repeat("one endless line 🍲 ", 6000) + "end"}
	case 8:
		return strings.Split(strings.Repeat("A paragraph of it.|", 3000)+"The end.", "|")
	}
	return []string{fmt.Sprintf("Comment %d. %s", n, strings.Repeat("x", n)), "Second paragraph."}
}
