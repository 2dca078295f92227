package prosemirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestALinkToAFileGetsAParagraphOfItsOwn(t *testing.T) {
	const a, b = "[a.pdf 12](/api/attachments.redirect?id=1)", "[b 640x480](</api/attachments.redirect?id=2> \"T\")"
	for _, test := range []struct{ text, want string }{
		{"see " + a + " here", "see\n\n" + a + "\n\nhere"},
		{"see " + a, "see\n\n" + a},
		{a + ", here", a + "\n\n, here"},
		{a + " " + b, a + "\n\n" + b},
		{"One " + a + " two\n" + b + " three.", "One\n\n" + a + "\n\ntwo\n\n" + b + "\n\nthree."},
		{"One\\\n" + a + "  \ntwo\\n" + b + "<br>three", "One\n\n" + a + "\n\ntwo\n\n" + b + "\n\nthree"},
		{"See **" + a + "** and ***" + b + "***.", "See\n\n**" + a + "**\n\nand\n\n***" + b + "***\n\n."},
		{"Before.\n\n> see " + a + "\n> here\n\nAfter.", "Before.\n\n> see\n>\n> " + a + "\n>\n> here\n\nAfter."},
		{"> see " + a + "\nlazy", "> see\n>\n> " + a + "\n>\n> lazy"},
		{"* one\n* see " + a + " here\n  more\n* three", "* one\n* see\n\n  " + a + "\n\n  here\n  more\n* three"},
		{"10. > see " + a + " here", "10. > see\n    >\n    > " + a + "\n    >\n    > here"},
		{"b. see " + a + " here", "b. see\n\n   " + a + "\n\n   here"},
		{"- [x] see " + a, "- [x] see\n\n  " + a},
		{"- [ ] " + a + " here", "- [ ] " + a + "\n\n  here"},
		{":::info\nsee " + a + "\n:::", ":::info\nsee\n\n" + a + "\n:::"},
		{"One.\r\n\r\nsee " + a + " here\r\nmore\r\n", "One.\r\n\r\nsee\n\n" + a + "\n\nhere\r\nmore\r\n"},
		{"foo\nB.  see " + a + " here", "foo\nB.  see\n\n" + a + "\n\nhere"},
		{a + " - my notes", a + "\n\n\\- my notes"},
		{a + " # one", a + "\n\n\\# one"},
		{a + " 1. one", a + "\n\n1\\. one"},
		{a + " B. one", a + "\n\nB\\. one"},
		{a + " [x]: y", a + "\n\n\\[x]: y"},
		{a + " *one*", a + "\n\n*one*"},
		{"#" + a + " one", "\\#\n\n" + a + "\n\none"},
		{"see [a][r]\n\n[r]: /api/files.get?id=1", "see\n\n[a][r]\n\n[r]: /api/files.get?id=1"},
	} {
		got := IsolateFileLinks(test.text)
		if got != test.want {
			t.Errorf("%q becomes\n%q, want\n%q", test.text, got, test.want)
		}
		if drops := Dropped(got); drops != nil && !strings.HasPrefix(test.text, "foo\nB.") {
			t.Errorf("%q still drops %+v", got, drops)
		}
	}
}

func TestLinksThatStandAloneAndAllElseStay(t *testing.T) {
	const a = "[a.pdf 12](/api/attachments.redirect?id=1)"
	for _, text := range []string{
		"", "a\r\nb", a, "\n\n" + a + " \n\n", "One.\n\n" + a + "\n\n* " + a + "\n\n> **" + a + "**", "- [ ] " + a,
		"```\nsee " + a + "\n```", "    see " + a, "see `" + a + "`", "# see " + a, "| see " + a + " |\n|---|", "| a |\n|---|\n| see " + a + " |",
		"see [a](/api/attachments.redirect?id=1&display=link) here", "see [a](https://example.com/api/attachments.redirect?id=1)",
		"see \\" + a, "$$\nsee " + a + "\n$$", "see ![a](/api/attachments.redirect?id=1)", "**see " + a + "**", "see [](/api/files.get) here", "see " + a + "\x00",
	} {
		if got := IsolateFileLinks(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, r := range records[roundtrip](t, "roundtrip") {
		got := IsolateFileLinks(r.Markdown)
		known := slices.ContainsFunc(Dropped(r.Markdown), func(d Drop) bool { return strings.HasPrefix(d.Construct, "text beside a link to") })
		if known != (got != r.Markdown) {
			t.Errorf("%s: %q becomes %q", r.Name, r.Markdown, got)
		}
	}
}

func TestNoWordIsLostBesideIsolatedLinks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	const trials = 5000
	changed := 0
	for trial := range trials {
		var paragraph strings.Builder
		for range 1 + random.IntN(6) {
			paragraph.WriteString(pick("word", "two words", "*emphasis*", "`code [a](/api/files.get)`", "- dash", "1. one", "C. Miller", "#sign", "+", "|",
				"[a](https://example.com)", "![b](/api/attachments.redirect?id=2)", "\\*", "é"))
			paragraph.WriteString(pick(" ", " ", "\n", "  \n", "\\\n", "\\n", "<br>"))
			paragraph.WriteString(pick("", "", fmt.Sprintf("[file%d 12](/api/files.get?id=%d)", trial, trial), " **[movie 1x2](/api/attachments.redirect?id=3)** "))
			paragraph.WriteString(pick("", " ", ", ", "\n"))
		}
		first, others := pick("", "> ", "* ", "1. ", "> * ", "12) > "), ""
		for _, c := range first {
			if c != '>' {
				c = ' '
			}
			others += string(c)
		}
		text := "Above.\n\n" + first + strings.ReplaceAll(strings.TrimSpace(paragraph.String()), "\n", "\n"+others) + "\n\nBelow."
		got := IsolateFileLinks(text)
		if got == text {
			continue
		}
		changed++
		if again := IsolateFileLinks(got); again != got {
			t.Fatalf("%q becomes\n%q and then\n%q", text, got, again)
		}
		if drops := slices.DeleteFunc(Dropped(got), func(d Drop) bool { return strings.HasPrefix(d.Construct, "letter") }); len(drops) > 0 {
			t.Fatalf("%q becomes\n%q, which drops %+v", text, got, drops)
		}
		if before, after := wordsInOrder(text), wordsInOrder(got); !slices.Equal(before, after) {
			t.Fatalf("%q becomes\n%q: the words change from %q to %q", text, got, before, after)
		}
	}
	if changed < trials/2 {
		t.Errorf("only %d of %d texts changed", changed, trials)
	}
}

func wordsInOrder(text string) []string {
	text = strings.NewReplacer("<br>", " ", `\n`, " ").Replace(text)
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
