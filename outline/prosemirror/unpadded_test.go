package prosemirror

import (
	"strings"
	"testing"
)

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
