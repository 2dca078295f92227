package prosemirror

import (
	"strings"
	"testing"
)

func TestEveryPartOfTheTextHasItsPlaceInRaw(t *testing.T) {
	empty := 0
	for _, r := range records[roundtrip](t, "roundtrip") {
		md := Main.ToMarkdown(r.Data)
		empty += len(md.shown.empty)
		checkOffsets(t, md)
	}
	for _, r := range records[write](t, "patches") {
		md := Main.ToMarkdown(r.Before.Data)
		empty += len(md.shown.empty)
		checkOffsets(t, md)
	}
	if empty < 50 {
		t.Errorf("the recordings hold %d empty paragraphs", empty)
	}
}

// checkOffsets fails unless Raw has between the places of two offsets what Text
// has there. The line of an empty paragraph also has its backslash.
func checkOffsets(t *testing.T, md Markdown) {
	t.Helper()
	if lead := md.Raw[:md.RawOffset(0)]; !blankShown(lead) {
		t.Fatalf("text begins behind %q", lead)
	}
	if tail := md.Raw[md.RawOffset(len(md.Text)):]; !blankShown(tail) {
		t.Fatalf("text ends before %q", tail)
	}
	for at := range len(md.Text) {
		raw := md.RawRange(at, at+1)
		shown := md.Text[at : at+1]
		got := md.Raw[raw.Start:raw.End]
		if got != shown && (shown != "\n" || got != "\\\n") {
			t.Fatalf("%q of the text is %q in raw, at %d of %q and %v of %q", shown, got, at, md.Text, raw, md.Raw)
		}
	}
}

func blankShown(raw string) bool {
	return strings.TrimFunc(raw, func(r rune) bool { return r == '\\' || isSpaceRune(r) }) == ""
}

func TestThePlaceOfAnEmptyParagraphIsItsBackslash(t *testing.T) {
	md := Main.ToMarkdown(Parse("\\\n\nOne\n\n\\\n\nTwo"))
	if md.Raw != "\\\nOne\n\n\\\nTwo" || md.Text != "One\n\n\nTwo" {
		t.Fatalf("raw %q, text %q", md.Raw, md.Text)
	}
	for _, test := range []struct {
		start, end int
		want       string
	}{
		{0, 3, "One"},
		{0, 5, "One\n\n"},
		{0, 6, "One\n\n\\\n"},
		{4, 5, "\n"},
		{5, 6, "\\\n"},
		{5, 7, "\\\nT"},
		{6, 9, "Two"},
		{5, 5, ""},
		{9, 9, ""},
	} {
		raw := md.RawRange(test.start, test.end)
		if got := md.Raw[raw.Start:raw.End]; got != test.want {
			t.Errorf("text %d to %d is %q in raw, want %q", test.start, test.end, got, test.want)
		}
	}
}

func TestWordsAreThoseAReaderCounts(t *testing.T) {
	tests := []struct {
		name, source string
		want         int
	}{
		{"an empty document", "", 0},
		{"a sentence", "It's a well-known e-mail address, isn't it?", 7},
		{"headings and marks", "# One\n\n**two** _three_ `four`\n\n---\n", 4},
		{"lists", "- one\n* two\n  + three\n1. four\n12) five\n- [ ] six\n- [x] seven\n", 7},
		{"quotes", "> one\n> > two\n", 2},
		{"a number that begins a sentence", "2026 was fine. 1.5 is not a list.\n", 8},
		{"tables", "| a | b |\n|---|:-:|\n|one|two|\n", 4},
		{"link targets", "[one two](https://example.com/a/b) ![](/image.png) [three](/x \"not read\")\n", 3},
		{"addresses that are text", "https://example.com/a <https://example.com> <a@example.com>\n", 3},
		{"HTML is text, but for line breaks", "one<br>two <b>three</b> <!-- four -->", 4},
		{"comparisons", "a < b and c > d", 5},
		{"code without its language", "```go\nfunc main() {}\n```\n", 2},
		{"notices and toggles", ":::info\none\n:::\n+++ dropped\ntwo\n+++\n", 2},
		{"hard breaks of Outline", `one\ntwo a\\nb`, 3},
		{"numbers", "42 3.14 2026-01-02 $5", 4},
		{"emoji and punctuation alone", "🚀 — … & * one", 1},
		{"dashes between words", "one—two", 2},
		{"other alphabets", "Привет мир שלום עולם", 4},
		{"Chinese and Japanese", "你好世界 カタカナ API 文档", 4 + 4 + 1 + 2},
		{"Korean", "안녕 세계", 2},
		{"carriage returns", "one\r\ntwo\r\n", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Words(test.source); got != test.want {
				t.Errorf("Words(%q) = %d, want %d", test.source, got, test.want)
			}
		})
	}
}

// codeBehindItem is code with the text of a table, behind an item that begins with code.
const codeBehindItem = "* ```\n  x\n  ```\n\npara\n\n```\n| a    | b    |\n|------|------|\n| c    | d    |\n```"

func TestUnpadded(t *testing.T) {
	for _, test := range []struct{ name, padded, want string }{
		{"cells and the line below the header", "a\n\n| Name     | N   |\n|----------|----:|\n| x        | 1   |\n|          |     |\n\nb", "a\n\n| Name | N |\n|---|---:|\n| x | 1 |\n| | |\n\nb"},
		{"an escaped bar is text", "| a \\|  b   | c |\n|:-------:|---|\n", "| a \\|  b | c |\n|:---:|---|\n"},
		{"rows without the outer bars", "| a   | b\n|:----|---\n| c   | d", "| a | b\n|:---|---\n| c | d"},
		{"without blanks at all", "|a|b|\n|-|-|\n|c|d|", "| a | b |\n|-|-|\n| c | d |"},
		{"line ends of Windows", "| a   |\r\n|-----|\r\n| b   |\r\n", "| a |\r\n|---|\r\n| b |\r\n"},
		{"code", "```\n| a   |\n|-----|\n```\n| a   |\n|-----|", "```\n| a   |\n|-----|\n```\n| a |\n|---|"},
		{"a longer fence", "~~~~\n~~~\n| a   |\n|-----|\n~~~~~\n", "~~~~\n~~~\n| a   |\n|-----|\n~~~~~\n"},
		{"code behind an item that is code", codeBehindItem, codeBehindItem},
		{"a row without the first bar", "| a   | b |\n|-----|---|\nc   | d\n| e   | f |\n\n| g   |", "| a | b |\n|---|---|\nc   | d\n| e | f |\n\n| g   |"},
		{"indented code", "x\n\n    | a   |\n    |-----|\n\n| b   |\n|-----|", "x\n\n    | a   |\n    |-----|\n\n| b |\n|---|"},
		{"a formula", "$$\n| a   |\n|-----|\n$$\n", "$$\n| a   |\n|-----|\n$$\n"},
		{"bars without a table", "| a   | b |\n\n| c   |\n|---|---|\n", "| a   | b |\n\n| c   |\n|---|---|\n"},
	} {
		if got := Unpadded(test.padded); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		checkUnpadded(t, test.padded)
	}
}

func TestTablesOfARealOutlineAreTheSameWithoutPadding(t *testing.T) {
	shorter := 0
	for _, r := range records[roundtrip](t, "roundtrip") {
		checkUnpadded(t, r.Text)
		checkUnpadded(t, r.Raw)
		if len(Unpadded(r.Text)) < len(r.Text) {
			shorter++
		}
	}
	if shorter < 10 {
		t.Errorf("only %d texts become shorter", shorter)
	}
}

// checkUnpadded checks that a text stands for the same document without padding. Mentions
// without an ID get a random one each time.
func checkUnpadded(t *testing.T, markdown string) {
	t.Helper()
	unpadded := Unpadded(markdown)
	if !strings.Contains(markdown, "mention:") && !Equal(Parse(unpadded), Parse(markdown)) {
		t.Errorf("%q is another document without padding: %q", markdown, unpadded)
	}
	if strings.Count(unpadded, "\n") != strings.Count(markdown, "\n") || Unpadded(unpadded) != unpadded {
		t.Errorf("%q has other lines, or still padding: %q", markdown, unpadded)
	}
}
