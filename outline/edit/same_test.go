package edit_test

import (
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/recorded"
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
	list := recorded.Read[struct {
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
	r, err := s.Request([]edit.Change{change(t, s, "brown", "red")}, true)
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
	r, err := s.Request([]edit.Change{change(t, s, "quick", `\*`)}, true)
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
	r, err := s.Request([]edit.Change{change(t, s, "item", "**item**")}, true)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Lost.CommentAnchors, []string{"c1"}) {
		t.Fatalf("it loses %v", r.Lost.CommentAnchors)
	}
	stored := prosemirror.Replace("* First **item** here\n* Second one")
	for _, words := range stored.Content[0].Content[0].Content[0].Content {
		words.Marks = append([]prosemirror.Mark{mark(prosemirror.Comment, "id", "c1")}, words.Marks...)
	}
	if !r.Verify(r.Result) || r.Verify(stored) {
		t.Error("the other comment has lost its place, and that is no difference")
	}
}
