package edit_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

func TestAChangeIsSeenBesideThoseOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		before, wanted, now string
		want                edit.ChangeState
	}{
		"there":                               {"one\n\ntwo", "one\n\n2", "one\n\n2", edit.Present},
		"not there":                           {"one\n\ntwo", "one\n\n2", "one\n\ntwo", edit.Absent},
		"there, and another block is changed": {"one\n\ntwo", "one\n\n2", "1\n\n2", edit.Present},
		"not there, and another block is changed": {"one\n\ntwo", "one\n\n2", "1\n\ntwo", edit.Absent},
		"added, before what others added":         {"one", "one\n\nours", "one\n\nours\n\ntheirs", edit.Present},
		"added, behind what others added":         {"one", "one\n\nours", "one\n\ntheirs\n\nours", edit.Present},
		"not added, others have added its words":  {"one", "one\n\nours", "one\n\nTheirs holds ours", edit.Absent},
		"not added, others have":                  {"one", "one\n\nours", "one\n\ntheirs", edit.Absent},
		"not in words that others changed":        {"one two three", "one 2 or 3 three", "one zwei or three", edit.Absent},
		"added twice":                             {"one", "one\n\nours", "one\n\nours\n\nours", edit.Doubled},
		"added to what had it":                    {"one\n\nours", "one\n\nours\n\nours", "one\n\nours\n\nours", edit.Present},
		"not added to what had it":                {"one\n\nours\n\nend", "one\n\nours\n\nours\n\nend", "1\n\nours\n\nend", edit.Absent},
		"deleted":                                 {"one\n\ntwo\n\nthree", "one\n\nthree", "one\n\nthree\n\ntheirs", edit.Present},
		"not deleted":                             {"one\n\ntwo\n\nthree", "one\n\nthree", "one\n\ntwo\n\nthree\n\ntheirs", edit.Absent},
		"a rule, where others added one":          {"one\n\n---\n\ntwo", "one\n\n---\n\ntwo\n\n---", "one\n\n---\n\n---\n\ntwo", edit.Unclear},
		"deleted, and others added there":         {"one\n\ntwo words\n\nthree", "one\n\nthree", "one\n\nanother\n\nthree", edit.Present},
		"not deleted, and others added words":     {"one\n\ntwo words\n\nthree", "one\n\nthree", "one\n\ntwo words more\n\nthree", edit.Absent},
		"not deleted, and others changed a word":  {"one\n\ntwo words of it\n\nthree", "one\n\nthree", "one\n\n2 words of it\n\nthree", edit.Absent},
		"half of it deleted":                      {"one\n\ntwo words of it\n\nthree", "one\n\nthree", "one\n\nany words of them\n\nthree", edit.Unclear},
		"moved":                                   {"one\n\ntwo\n\nthree", "two\n\none\n\nthree", "two\n\none\n\n3", edit.Present},
		"not moved":                               {"one\n\ntwo\n\nthree", "two\n\none\n\nthree", "one\n\ntwo\n\n3", edit.Absent},
		"in a paragraph that others changed":      {"one two three", "one 2 three", "ONE 2 three", edit.Within},
		"not in a paragraph that others changed":  {"one two three", "one 2 three", "ONE two three", edit.Absent},
		"in a list that others changed":           {"* one\n* two", "* one\n* 2", "* 1\n* 2", edit.Within},
		"not in a list that others changed":       {"* one\n* two", "* one\n* 2", "* 1\n* two", edit.Absent},
		"in a table that others made wider":       {"|a|b|\n|-|-|\n|1|2|", "|a|b|\n|-|-|\n|1|3|", "|a|a long word|\n|-|-|\n|1|3|", edit.Within},
		"the same words changed by others":        {"one two three", "one our word three", "one their word three", edit.Unclear},
		"a mark":                                  {"one two three", "one **two** three", "one **two** 3", edit.Within},
		"no mark":                                 {"one two three", "one **two** three", "one two 3", edit.Absent},
		"the whole text, and others added":        {"one\n\ntwo", "ours", "theirs\n\nours", edit.Present},
		"the whole text, overwritten":             {"one\n\ntwo", "ours", "theirs", edit.Absent},
		"a half":                                  {"one\n\ntwo\n\nthree", "1\n\ntwo\n\n3", "1\n\ntwo\n\nthree", edit.Unclear},
	} {
		t.Run(name, func(t *testing.T) {
			if got := edit.ChangeIn(prosemirror.Parse(test.before), prosemirror.Parse(test.wanted), prosemirror.Parse(test.now)); got != test.want {
				t.Errorf("state %d, want %d", got, test.want)
			}
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
	seen := map[string]map[edit.ChangeState]int{"made": {}, "lost": {}, "doubled": {}}
	for i := range editCount() {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		doc := randomDocument(r)
		source := edit.NewSource(doc)
		changes := randomEdits[i%len(randomEdits)].changes(r, source.Markdown.Text)
		if changes == nil {
			continue
		}
		request, err := source.Request(changes, true)
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
			got := edit.ChangeIn(doc, doc.With(wanted), doc.With(blocks))
			seen[what][got]++
			// Where it is not seen to be there, it might be made again.
			wrong := map[string]bool{"made": got == edit.Absent, "lost": got == edit.Present || got == edit.Within, "doubled": got == edit.Absent}
			if wrong[what] {
				t.Errorf("edit %d: what is %s is in state %d\nbefore %s\nwanted %s\nnow    %s", i, what, got, doc.AppendJSON(nil), doc.With(wanted).AppendJSON(nil), doc.With(blocks).AppendJSON(nil))
			}
		}
	}
	t.Log(seen)
	for what, want := range map[string]edit.ChangeState{"made": edit.Present, "lost": edit.Absent, "doubled": edit.Doubled} {
		all := 0
		for _, n := range seen[what] {
			all += n
		}
		if all == 0 || seen[what][want]*100 < all*98 {
			t.Errorf("%s: %v", what, seen[what])
		}
	}
}
