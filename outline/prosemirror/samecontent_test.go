package prosemirror_test

import (
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestFormDoesNotMakeAnotherText(t *testing.T) {
	for name, test := range map[string]struct{ sent, stored string }{
		"bullets":                {"- one\n- two", "* one\n* two"},
		"soft line breaks":       {"one\ntwo", "one two"},
		"hard breaks":            {"one  \ntwo<br>three", `one\ntwo\nthree`},
		"blank lines":            {"one\n\n\n\ntwo\n", "one\n\ntwo"},
		"an empty paragraph":     {"one\n\n\\\n\ntwo", "one\n\n\ntwo"},
		"numbers of list items":  {"1. a\n1. b\n1. c", "1. a\n2. b\n3. c"},
		"a year at a line's end": {"built in\n1990. Then", "built in 1990. Then"},
		"escapes":                {"a_b * c", `a\_b \* c`},
		"headings":               {"Title\n=====\n\nwords", "# Title\n\nwords"},
		"tables":                 {"|a|b|\n|-|:-:|\n|1|2|", "| a | b |\n|----|:---:|\n| 1 | 2 |"},
		"bare addresses":         {"see <https://example.com/a_b> and https://example.com", "see [https://example.com/a_b](https://example.com/a_b) and [https://example.com](https://example.com)"},
		"mail addresses":         {"<ada@example.com>", "[ada@example.com](mailto:ada@example.com)"},
		"references":             {"a &amp; b&nbsp;c", "a & b\u00a0c"},
		"ticked boxes":           {"- [X] done", "* [x] done"},
		"fences":                 {"~~~go\nx := 1\n~~~", "```go\nx := 1\n```"},
		"quotation marks":        {`"don't"`, "“don’t”"},
		"emphasis":               {"*a* __b__ `c`", "_a_ **b** `` c ``"},
		"other numbers":          {"1) a\n1) b", "1. a\n2. b"},
		"a smaller heading":      {"Title\n-----\n\nwords", "## Title\n\nwords"},
		"an escaped sign":        {"a < b & c", `a \< b \& c`},
		"a mark of a rule":       {"a\n\n***\n\nb", "a\n\n---\n\nb"},
		"a quote":                {"> a\n> b", "> a b"},
		"indented code":          {"    x := 1", "```\nx := 1\n```"},
		"an address without www": {"www.example.com", "[www.example.com](http://www.example.com)"},
	} {
		if !prosemirror.SameContent(test.sent, test.stored) {
			t.Errorf("%s: %q and %q are not the same", name, test.sent, test.stored)
		}
	}
}

func TestWhatIsLostOrChangedMakesAnotherText(t *testing.T) {
	for name, test := range map[string]struct{ a, b string }{
		"a word":              {"one two three", "one three"},
		"the end":             {"one two", "one"},
		"everything":          {"one", ""},
		"two words joined":    {"one two", "onetwo"},
		"the order":           {"one two", "two one"},
		"case":                {"One", "one"},
		"a number":            {"version 2", "version 3"},
		"a symbol":            {"done ✅", "done"},
		"an address":          {"[a](https://example.com/1)", "[a](https://example.com/2)"},
		"the text of a link":  {"[https://a.example](https://b.example)", "https://a.example"},
		"a box that is unset": {"- [x] a", "- [ ] a"},
		"a repeated sentence": {"one\n\none", "one"},
		"digits before words": {"1.5 litres", "litres"},
		"an operator":         {"if a == b", "if a != b"},
		"a sign":              {"100", "-100"},
		"strikethrough":       {"~~gone~~", "gone"},
		"a currency":          {"$100", "100"},
		"a decimal comma":     {"1.5", "1,5"},
		"a comparison":        {"x < 5", "x > 5"},
		"a dot in a path":     {"rm -rf ./a", "rm -rf /a"},
		"a heading":           {"# a", "a"},
		"a heading's level":   {"# a", "## a"},
		"a rule":              {"a\n\n---\n\nb", "a\n\nb"},
		"a year in a list":    {"* 2024 was", "* 2025 was"},
		"code's language":     {"```go\nx\n```", "```js\nx\n```"},
		"bullets in code":     {"```\n- x\n```", "```\nx\n```"},
	} {
		if prosemirror.SameContent(test.a, test.b) {
			t.Errorf("%s: %q and %q are the same", name, test.a, test.b)
		}
	}
}

func FuzzSameContentIsSymmetricAndTakesFormForNothing(f *testing.F) {
	f.Add("one [a](a) two", "one a two")
	f.Add("1. x\n](", "[](]( )")
	f.Add("&amp;\\n", "&")
	f.Fuzz(func(t *testing.T, a, b string) {
		if prosemirror.SameContent(a, b) != prosemirror.SameContent(b, a) {
			t.Error("the order of the texts matters")
		}
		if !prosemirror.SameContent(a, a+"\n\n") {
			t.Error("a line's end makes another text")
		}
		if prosemirror.SameContent("x\n\n"+a, "x x\n\n"+a) {
			t.Error("a word more makes no other text")
		}
	})
}

func BenchmarkSameContent(b *testing.B) {
	text := strings.Repeat("- A line of [words](https://example.com/a_b) with *marks* & more.\n", 16_000)
	other := strings.ReplaceAll(text, "- A", "* A")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if !prosemirror.SameContent(text, other) {
			b.Fatal("not the same")
		}
	}
}

// TestHostileTextsAreComparedInLinearTime would take minutes if anything looked
// back or ahead without a bound.
func TestHostileTextsAreComparedInLinearTime(t *testing.T) {
	for _, part := range []string{"](", "[", "[](", "[a](", "1)", "<a@", "<", "1. ", "> ", "- [", "`" + "``\n", "=\n", "-\n", "&amp", `\`, "x", "\n\n"} {
		text := strings.Repeat(part, fixtures.Count(1<<14, 1<<18)/len(part))
		if prosemirror.SameContent("a\n\n"+text, "b\n\n"+text) || !prosemirror.SameContent(text, text+"\n") {
			t.Errorf("%q repeated", part)
		}
	}
}
