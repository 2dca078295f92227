package edit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestWhatOutlineMakesUpIsNoDifference(t *testing.T) {
	for name, texts := range map[string][2]string{
		"the id of a mention":   {"@[Ann](mention://user/22222222-2222-4222-8222-222222222222)", "@[Ann](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222)"},
		"an embedded image":     {"![a](data:image/gif;base64,R0lGODlhAQABAAAAACw=)", "![a](/api/attachments.redirect?id=11111111-1111-4111-8111-111111111111)"},
		"an image of the web":   {"![a](https://example.com/a.png)", "![a](/api/attachments.redirect?id=11111111-1111-4111-8111-111111111111)"},
		"an address to embed":   {"https://www.youtube.com/watch?v=dQw4w9WgXcQ", "<https://www.youtube.com/watch?v=dQw4w9WgXcQ>"},
		"nothing":               {"# A\n\n* b", "# A\n\n* b"},
		"another bullet's sign": {"- b", "* b"},
	} {
		if !edit.Same(prosemirror.Parse(texts[0]), prosemirror.Parse(texts[1])) {
			t.Errorf("%s is a difference", name)
		}
	}
}

func TestEverythingElseIsADifference(t *testing.T) {
	for name, texts := range map[string][2]string{
		"a mark":                 {"a **b**", "a b"},
		"another mark":           {"a **b**", "a *b*"},
		"indentation of code":    {"```\n  a\n```", "```\na\n```"},
		"joined lines of code":   {"```\na\nb\n```", "```\na b\n```"},
		"a flattened list":       {"* a\n  * b", "* a\n* b"},
		"the kind of a list":     {"1. a", "* a"},
		"a checkbox":             {"- [ ] a", "- [x] a"},
		"a quote that is none":   {"> a", "a"},
		"a blank":                {"`a  b`", "`a b`"},
		"a link":                 {"[a](https://example.com)", "a"},
		"the target of a link":   {"[a](https://example.com)", "[a](https://example.org)"},
		"an empty paragraph":     {"a\n\n\\\n\nb", "a\n\nb"},
		"a block more":           {"a", "a\n\nb"},
		"a block less":           {"a\n\nb", "a"},
		"who is mentioned":       {"@[Ann](mention://user/22222222-2222-4222-8222-222222222222)", "@[Ann](mention://user/33333333-3333-4333-8333-333333333333)"},
		"another image":          {"![a](https://example.com/a.png)", "![a](https://example.com/b.png)"},
		"another attachment":     {"![a](/api/attachments.redirect?id=1)", "![a](/api/attachments.redirect?id=2)"},
		"the level of a heading": {"# a", "## a"},
		"the language of code":   {"```go\na\n```", "```js\na\n```"},
	} {
		wanted, stored := prosemirror.Parse(texts[0]), prosemirror.Parse(texts[1])
		if edit.Same(wanted, stored) {
			t.Errorf("%s is no difference", name)
		}
		if got := edit.Differences(wanted, stored); len(got) != 1 {
			t.Errorf("%s: differences %q", name, got)
		}
	}
}

func TestAllTheRecordedCreatesAreTheSame(t *testing.T) {
	list := fixtures.Recorded[struct {
		Name, Markdown string
		Data           *prosemirror.Node
	}](t, "roundtrip")
	for _, r := range list {
		if !edit.Same(prosemirror.Parse(r.Markdown), r.Data) {
			t.Errorf("%s: %q is not the same as what Outline stored", r.Name, r.Markdown)
		}
	}
	if len(list) < 700 {
		t.Errorf("%d recordings", len(list))
	}
}

func TestDamageIsNeverVerified(t *testing.T) {
	s := edit.NewSource(commented("# One\n\nFirst words.\n\nThe `quick` brown fox.\n\n| a | b |\n|---|---|\n| c | d |", "First", "c1"))
	r, err := s.Request([]edit.Change{change(t, s, "brown", "red")})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Verify(carryOut(t, s, r)) {
		t.Fatal("the result is not verified")
	}
	right := string(r.Result.AppendJSON(nil))
	for name, damage := range map[string][2]string{
		"a word of another block": {"First", "Last"},
		"a mark of another block": {`{"type":"comment","attrs":{"id":"c1"}}`, ""},
		"a mark of the block":     {`{"type":"code_inline"}`, ""},
		"an attribute":            {`"level":1`, `"level":2`},
		"the new word":            {"red", "rad"},
		"a cell":                  {`"text":"d"`, `"text":"D"`},
	} {
		stored := decode(t, strings.Replace(right, damage[0], damage[1], 1))
		if r.Verify(stored) {
			t.Errorf("damage to %s is verified", name)
		}
		if len(edit.Differences(r.Result, stored)) != 1 {
			t.Errorf("damage to %s is no difference", name)
		}
	}
}

func TestWhatIsKeptAgainstExpectationIsNoDamage(t *testing.T) {
	s := edit.NewSource(commented("First.\n\nThe quick brown fox.\n\nLast.", "brown fox", "c1"))
	r, err := s.Request([]edit.Change{change(t, s, "quick", `\*`)})
	if err != nil || !slices.Equal(r.Lost.CommentAnchors, []string{"c1"}) {
		t.Fatalf("lost %v, error %v", r.Lost, err)
	}
	if kept := comment(r.Result, "brown fox", "c1"); !r.Verify(kept) {
		t.Error("a tree that keeps the anchor is not verified")
	}
}

func TestDifferencesShowTheBlocksConcerned(t *testing.T) {
	wanted := prosemirror.Parse("a\n\nb\n\nc\n\nd\n\ne")
	got := edit.Differences(wanted, prosemirror.Parse("a\n\nB\n\nC\n\nd\n\nE"))
	if want := []edit.Difference{{"b\n\nc", "B\n\nC"}, {"e", "E"}}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = edit.Differences(wanted, prosemirror.Parse("a\n\nd\n\ne"))
	if want := []edit.Difference{{"b\n\nc", ""}}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := edit.Differences(wanted, wanted); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestALossThatWasNotPredictedIsADifference(t *testing.T) {
	const text = "* First item here\n* Second one"
	both := func(first, second bool) *prosemirror.Node {
		doc := prosemirror.Parse(text)
		for i, marked := range []bool{first, second} {
			if marked {
				words := doc.Content[0].Content[i].Content[0].Content[0]
				words.Marks = []prosemirror.Mark{mark(prosemirror.Comment, "id", []string{"c1", "c2"}[i])}
			}
		}
		return doc
	}
	s := edit.NewSource(both(true, true))
	r, err := s.Request([]edit.Change{change(t, s, "item", "**item**")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Lost.CommentAnchors, []string{"c1"}) {
		t.Fatalf("it loses %v", r.Lost.CommentAnchors)
	}
	stored := prosemirror.Parse("* First **item** here\n* Second one")
	for _, words := range stored.Content[0].Content[0].Content[0].Content {
		words.Marks = append([]prosemirror.Mark{mark(prosemirror.Comment, "id", "c1")}, words.Marks...)
	}
	if !r.Verify(r.Result) || r.Verify(stored) {
		t.Error("the other comment has lost its place, and that is no difference")
	}
}

func TestAChangeIsSeenBesideThoseOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		before, wanted, now string
		want                edit.Presence
	}{
		"there":                               {"one\n\ntwo", "one\n\n2", "one\n\n2", edit.Present},
		"not there":                           {"one\n\ntwo", "one\n\n2", "one\n\ntwo", edit.Absent},
		"there, and another block is changed": {"one\n\ntwo", "one\n\n2", "1\n\n2", edit.Present},
		"not there, and another block is changed":  {"one\n\ntwo", "one\n\n2", "1\n\ntwo", edit.Absent},
		"added, before what others added":          {"one", "one\n\nours", "one\n\nours\n\ntheirs", edit.Present},
		"added, behind what others added":          {"one", "one\n\nours", "one\n\ntheirs\n\nours", edit.Present},
		"not added, others have":                   {"one", "one\n\nours", "one\n\ntheirs", edit.Absent},
		"not added, others have added its words":   {"one", "one\n\nours", "one\n\nTheirs holds ours", edit.Uncertain},
		"added in common words, others have added": {"one two", "one two\n\ntwo", "one two\n\ntheirs", edit.Uncertain},
		"added twice":                            {"one", "one\n\nours", "one\n\nours\n\nours", edit.Uncertain},
		"added to what had it":                   {"one\n\nours", "one\n\nours\n\nours", "one\n\nours\n\nours", edit.Present},
		"not added to what had it":               {"one\n\nours\n\nend", "one\n\nours\n\nours\n\nend", "1\n\nours\n\nend", edit.Absent},
		"deleted":                                {"one\n\ntwo\n\nthree", "one\n\nthree", "one\n\nthree\n\ntheirs", edit.Present},
		"not deleted":                            {"one\n\ntwo\n\nthree", "one\n\nthree", "one\n\ntwo\n\nthree\n\ntheirs", edit.Absent},
		"deleted, and others added there":        {"one\n\ntwo\n\nthree", "one\n\nthree", "one\n\nanother\n\nthree", edit.Uncertain},
		"not deleted, and others changed a word": {"one\n\ntwo words\n\nthree", "one\n\nthree", "one\n\n2 words\n\nthree", edit.Uncertain},
		"moved":                                  {"one\n\ntwo\n\nthree", "two\n\none\n\nthree", "two\n\none\n\n3", edit.Present},
		"not moved":                              {"one\n\ntwo\n\nthree", "two\n\none\n\nthree", "one\n\ntwo\n\n3", edit.Uncertain},
		"in a paragraph that others changed":     {"one two three", "one 2 three", "ONE 2 three", edit.Uncertain},
		"not in a paragraph that others changed": {"one two three", "one 2 three", "ONE two three", edit.Absent},
		"the whole text, and others added":       {"one\n\ntwo", "ours", "theirs\n\nours", edit.Present},
		"the whole text, overwritten":            {"one\n\ntwo", "ours", "theirs", edit.Absent},
		"a half":                                 {"one\n\ntwo\n\nthree", "1\n\ntwo\n\n3", "1\n\ntwo\n\nthree", edit.Uncertain},
	} {
		t.Run(name, func(t *testing.T) {
			if got := edit.PresenceOf(prosemirror.Parse(test.before), prosemirror.Parse(test.wanted), prosemirror.Parse(test.now)); got != test.want {
				t.Errorf("by its blocks it is %d, want %d", got, test.want)
			}
			if got := edit.PresenceInText(test.before, test.wanted, test.now); got != test.want {
				t.Errorf("by its text it is %d, want %d", got, test.want)
			}
		})
	}
}

func TestPresenceTakesLinearTime(t *testing.T) {
	blocks := strings.Repeat
	for name, states := range map[string]func(n int) (before, wanted, now string){
		"one large change, and another block": func(n int) (before, wanted, now string) {
			return blocks("a\n\n", n), blocks("b\n\n", n), blocks("b\n\n", n) + "c"
		},
		"one large change, twice": func(n int) (before, wanted, now string) {
			return blocks("a\n\n", n), blocks("b\n\n", n), blocks("b\n\n", 2*n)
		},
		"many small changes": func(n int) (before, wanted, now string) {
			start, count := blocks("same\n\n", n), n/256
			return start + blocks("a\n\nsame\n\n", count), start + blocks("b\n\nsame\n\n", count), start + blocks("c\n\nsame\n\n", count)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixtures.TakesLinearTime(t, 1<<14, func(size int) {
				edit.PresenceInText(states(size))
			})
			fixtures.TakesLinearTime(t, 1<<14, func(size int) {
				before, wanted, now := states(size)
				edit.PresenceOf(prosemirror.Parse(before), prosemirror.Parse(wanted), prosemirror.Parse(now))
			})
		})
	}
}

// theirs changes blocks at random.
func theirs(r *rand.Rand, blocks []*prosemirror.Node) []*prosemirror.Node {
	blocks = slices.Clone(blocks)
	for range r.IntN(3) {
		at := r.IntN(len(blocks) + 1)
		switch {
		case r.IntN(3) == 0 || at == len(blocks):
			blocks = slices.Insert(blocks, at, prosemirror.Parse("Written by another user.").Content...)
		case r.IntN(2) == 0:
			blocks = slices.Delete(blocks, at, at+1)
		default:
			blocks[at] = prosemirror.Parse("Rewritten by another user.").Content[0]
		}
	}
	return blocks
}

// again reports whether one of some blocks is among others, too.
func again(blocks []*prosemirror.Node, others ...[]*prosemirror.Node) bool {
	return slices.ContainsFunc(slices.Concat(others...), func(other *prosemirror.Node) bool {
		return slices.ContainsFunc(blocks, func(block *prosemirror.Node) bool { return prosemirror.EqualWithoutComments(block, other) })
	})
}

func TestRandomChangesAreSeenBesideThoseOfOthers(t *testing.T) {
	seen := map[string]map[edit.Presence]int{"made": {}, "lost": {}, "doubled": {}}
	for i := range fixtures.Count(2000, 20_000) {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		doc := randomDocument(r)
		source := edit.NewSource(doc)
		changes := randomEdits[i%len(randomEdits)].changes(r, source.Markdown.Text)
		if changes == nil {
			continue
		}
		request, err := source.Request(changes)
		if err != nil || prosemirror.EqualWithoutComments(doc, request.Result) {
			continue
		}
		before, wanted := doc.Content, carryOut(t, source, request).Content
		start, end := 0, 0
		for start < len(before) && start < len(wanted) && prosemirror.Equal(before[start], wanted[start]) {
			start++
		}
		for end < len(before)-start && end < len(wanted)-start && prosemirror.Equal(before[len(before)-1-end], wanted[len(wanted)-1-end]) {
			end++
		}
		if again(before[start:len(before)-end], before[:start], before[len(before)-end:]) || again(wanted[start:len(wanted)-end], before[:start], before[len(before)-end:]) {
			continue // others may delete one of two that are the same
		}
		ahead, behind := theirs(r, before[:start]), theirs(r, before[len(before)-end:])
		ours := wanted[start : len(wanted)-end]
		now := map[string][]*prosemirror.Node{
			"made": slices.Concat(ahead, ours, behind),
			"lost": slices.Concat(ahead, before[start:len(before)-end], behind),
		}
		if len(before) == start+end {
			now["doubled"] = slices.Concat(ahead, ours, ours, behind)
		}
		for what, blocks := range now {
			got := edit.PresenceOf(doc, doc.With(wanted), doc.With(blocks))
			seen[what][got]++
			wrong := map[string]bool{"made": got == edit.Absent, "lost": got == edit.Present, "doubled": got != edit.Uncertain}
			if wrong[what] {
				t.Errorf("edit %d: what is %s is %d\nbefore %s\nwanted %s\nnow    %s", i, what, got, doc.AppendJSON(nil), doc.With(wanted).AppendJSON(nil), doc.With(blocks).AppendJSON(nil))
			}
		}
	}
	t.Log(seen)
	for what, want := range map[string]edit.Presence{"made": edit.Present, "lost": edit.Absent, "doubled": edit.Uncertain} {
		all := 0
		for _, n := range seen[what] {
			all += n
		}
		if all == 0 || seen[what][want]*100 < all*90 {
			t.Errorf("%s: %v", what, seen[what])
		}
	}
}
