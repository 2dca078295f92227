package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// leaves returns the blocks without blocks in them, each with its type, what it is part of,
// and its text.
func leaves(doc *prosemirror.Node) (list []string) {
	var walk func(n *prosemirror.Node, within string)
	walk = func(n *prosemirror.Node, within string) {
		switch n.Type {
		case prosemirror.ListItem, prosemirror.CheckboxItem, prosemirror.TableCell, prosemirror.TableHeader:
			within = n.Type
		}
		if n.IsTextblock() || n.IsLeaf() {
			if text := n.TextContent(); text != "" || n.IsLeaf() {
				list = append(list, n.Type+" in "+within+": "+text)
			}
			return
		}
		for _, child := range n.Content {
			walk(child, within)
		}
	}
	walk(doc, "")
	return list
}

// missing returns the first of some entries that a list does not have in the same order.
func missing(entries, list []string) string {
	for _, entry := range entries {
		at := slices.Index(list, entry)
		if at < 0 {
			return entry
		}
		list = list[at+1:]
	}
	return ""
}

func TestABlankLineKeepsNewTextApartFromTheLineBesideIt(t *testing.T) {
	for _, test := range []struct{ before, old, text, after string }{
		{"1. one\n2. two\n3. three", "2. two", "2. two\n\nA paragraph.", "1. one\n2. two\n\nA paragraph.\n\n\n3. three"},
		{"1. one\n2. two\n3. three", "2. two", "A paragraph.\n\n2. two", "1. one\n\nA paragraph.\n\n\n2. two\n3. three"},
		{"* a\n* b\n* c", "* b", "text", "* a\n\ntext\n\n* c"},
		{"> * a\n> * b", "> * b", "> text", "> * a\n>\n> text"},
		{"Text.\n\n---", "Text.\n\n", "Text.\n\nMore.\n", "Text.\n\nMore.\n\n\n---"},
		{"a\n\nb", "a\n\nb", "a\nb", "a b"},                                // the passage joins them
		{"* a b\n* c", "* a b", "*** a b**", "\\*\\*\\* a b\\*\\*\n\n* c"}, // no mark begins before a blank
	} {
		s := edit.NewSource(prosemirror.Parse(test.before))
		request, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
		if err != nil {
			t.Errorf("%q → %q: %v", test.old, test.text, err)
			continue
		}
		if got := prosemirror.ToText(carryOut(t, s, request)); got != test.after {
			t.Errorf("%q → %q gives %q, want %q", test.old, test.text, got, test.after)
		}
	}
}

func TestTextWithinATableIsRefused(t *testing.T) {
	s := edit.NewSource(prosemirror.Parse("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |"))
	_, err := s.Request([]edit.Change{change(t, s, "| 3   | 4   |", "| 3   | 4   |\n\nA paragraph.")})
	if want := `the row "| 5 | 6 |" would no longer be part of the table. Put the new text before or after the whole table.`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	for _, last := range []string{"| 5   | 6   |", "| **5** | 6   |", `| 5 \| | 6   |`} {
		s := edit.NewSource(prosemirror.Parse("| a | b |\n|---|---|\n| 1 | 2 |\n" + last))
		if _, err := s.Request([]edit.Change{change(t, s, last, "A paragraph.\n\n"+last)}); err == nil {
			t.Errorf("the last row, %s, becomes text", last)
		}
	}
}

func TestATableWhoseRowsAllChangeStaysATable(t *testing.T) {
	for _, text := range []string{"A|B", "two\nlines", "| cell"} {
		s := edit.NewSource(prosemirror.Parse("Top\n\n| A | Foo |\n|---|---|\n| Foo | x |\n| `Foo` | y |"))
		changes, err := edit.Changes(s.Markdown.Text, edit.Edit{Old: "Foo", New: text, All: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Request(changes); err == nil || !strings.Contains(err.Error(), "would no longer be part of the table") {
			t.Errorf("with %q, the error is %v", text, err)
		}
	}
}

func TestACellBeyondTheColumnsIsRefusedWhateverItSays(t *testing.T) {
	for _, cell := range []string{"x", "word"} {
		s := edit.NewSource(prosemirror.Parse("| a | b |\n|---|---|\n| 1 | 2 |"))
		if _, err := s.Request([]edit.Change{change(t, s, "2", "2 | "+cell)}); err == nil || !strings.Contains(err.Error(), "would silently drop") {
			t.Errorf("with %q, the error is %v", cell, err)
		}
	}
}

func TestWordsBehindALanguageAreEditedWhereOutlineKeepsThem(t *testing.T) {
	for _, test := range []struct{ before, old, text, after string }{
		{"```js title\none\n```\n\nText", "js title", "js other", "```js other\none\n```\n\nText"},
		{"```js title\none\n```\n\nText", "js title", "js", "```js\none\n```\n\nText"},
		{"Some\n\nText", "Text", "```go x\ncode\n```", "Some\n\n```go x\ncode\n```"},
	} {
		doc := prosemirror.Until192.Parse(test.before)
		s := &edit.Source{Doc: doc, Markdown: prosemirror.Until192.ToMarkdown(doc)}
		request, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
		if err != nil {
			t.Errorf("%q → %q: %v", test.old, test.text, err)
		} else if got := prosemirror.Until192.ToText(carryOut(t, s, request)); got != test.after {
			t.Errorf("%q → %q gives %q", test.old, test.text, got)
		}
	}
}

func TestCarriageReturnsInTheTreeAreNoLines(t *testing.T) {
	doc := prosemirror.Parse("* one\n* two\n\n```\nx\n```\n\nText\n\n* three\n* four")
	doc.Content[1].Content[0].Text = "a" + strings.Repeat("\r", 20) + "b" // as another client may store it
	s := edit.NewSource(doc)
	request, err := s.Request([]edit.Change{change(t, s, "* two", "* 2"), change(t, s, "* four", "* 4")})
	if err == nil {
		carryOut(t, s, request)
	}
}

func TestLinesThatNoPassageNamesStayWhatTheyAre(t *testing.T) {
	blocks := []string{
		"Plain %s.", "# Title %s", "* bullet %s\n* star %s", "1. one %s\n2. two %s\n3. three %s", "- [ ] task %s\n- [x] done %s", "> quoted %s",
		"> first %s\n>\n> second %s", ":::info\nnoted %s\n\n:::", "+++\nhidden %s\n\nshown %s\n\n+++", "```js\nrun%s()\n```", "| head %s | b |\n|---|---|\n| row %s | 2 |\n| last %s | 4 |",
		"---", "$$\nx_%s\n$$", "* outer %s\n  * inner %s\n  * under %s\n* next %s", "1. item %s\n\n   more %s\n2. behind %s", "a. lettered %s\nb. letter %s", "> * in quote %s\n> * and %s",
		":::tip\n* in callout %s\n* also %s\n\n:::",
	}
	inserted := []string{"A paragraph.", "- an item", "1. an item", "3) an item", "- [ ] a task", "# A heading", "> a quote", "```\ncode\n```", "---", "| x |\n|---|\n| y |", ":::info\nx\n:::", "$$\nx\n$$", "**Bold**", "    indented"}
	made, refused := 0, 0
	var pairs [][2]string
	for _, above := range blocks {
		for _, below := range blocks {
			pairs = append(pairs, [2]string{above, below})
		}
	}
	for _, pair := range fixtures.Some(pairs, 12) {
		words := 0
		name := func(block string) string {
			for strings.Contains(block, "%s") {
				words++
				block = strings.Replace(block, "%s", fmt.Sprintf("w%d", words), 1)
			}
			return block
		}
		s := edit.NewSource(prosemirror.Parse(name(pair[0]) + "\n\n" + name(pair[1])))
		before := leaves(s.Doc)
		lines := strings.Split(s.Markdown.Text, "\n")
		for _, line := range lines {
			if !strings.Contains(line, "w") || strings.Count(s.Markdown.Text, line) != 1 {
				continue
			}
			for _, text := range inserted {
				for _, gap := range []string{"\n", "\n\n"} {
					for _, changed := range []string{line + gap + text, text + gap + line} {
						request, err := s.Request([]edit.Change{change(t, s, line, changed)})
						if err != nil {
							refused++
							continue
						}
						made++
						// The words of the named line may be part of something else now.
						rest := slices.DeleteFunc(slices.Clone(before), func(leaf string) bool {
							_, words, _ := strings.Cut(leaf, ": ")
							return words != "" && strings.Contains(line, words)
						})
						if lost := missing(rest, leaves(carryOut(t, s, request))); lost != "" {
							t.Errorf("%q → %q in\n%s\nstores\n%s\nwithout %s", line, changed, s.Markdown.Text, prosemirror.ToText(request.Result), lost)
						}
					}
				}
			}
		}
	}
	t.Logf("%d made, %d refused", made, refused)
	if refused*100 > made*12 {
		t.Error("more is refused than text within tables, and what Outline would drop")
	}
}
