package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
)

// treeLimitChecks are those of get_collection_structure, with trees of several shapes.
func treeLimitChecks() map[string]map[string]limitCheck {
	of := func(size int, parentOf func(n int) int, arguments map[string]any) limitCheck {
		return func(t *testing.T, limit int) { verifyTree(t, limit, size, parentOf, arguments) }
	}
	tenBelowEach := func(n int) int { return (n+9)/10 - 1 }
	wide := func(n int) int {
		if n%500 == 0 {
			return 0
		}
		return n - n%500
	}
	return map[string]map[string]limitCheck{"get_collection_structure": {
		"ten below each":      of(2_000, tenBelowEach, nil),
		"one level at a time": of(1_000, tenBelowEach, map[string]any{"max_depth": 1}),
		"all on one level":    of(2_000, func(int) int { return 0 }, nil),
		"two wide levels":     of(2_000, wide, nil),
		"a deep one":          of(1_000, func(n int) int { return n - 1 }, nil),
	}}
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
