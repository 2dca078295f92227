package edit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// notFound returns the error of Find for a passage that does not occur.
func notFound(t *testing.T, text, old string) *NotFoundError {
	t.Helper()
	_, err := Find(text, old)
	var none *NotFoundError
	if !errors.As(err, &none) {
		t.Fatalf("Find(…, %q): %v", old, err)
	}
	return none
}

func TestTheNearestPassagesAreNamed(t *testing.T) {
	const text = "# Guide\n\nThis is some **plain** text about [deploys](/doc/x-hDYep1TPAM).\n\nA second paragraph speaks of cats.\nIt has a second line.\n\n" +
		"* First item\n* Second item\n\n| Step | Owner |\n|------|-------|\n| Build | Ada |\n\n新しい文書の書き方について説明します。\n"
	tests := []struct {
		name, old string
		want      []Place
	}{
		{"without its marks", "some plain text", []Place{{3, "This is some **plain** text about [deploys](/doc/x-hDYep1TPAM)."}}},
		{"without its link", "plain text about deploys.", []Place{{3, "This is some **plain** text about [deploys](/doc/x-hDYep1TPAM)."}}},
		{"in another case", "a Second Paragraph speaks", []Place{{5, "A second paragraph speaks of cats."}}},
		{"with one word wrong", "A second paragraph speaks of dogs.", []Place{{5, "A second paragraph speaks of cats."}}},
		{"with one letter wrong", "paragaph", []Place{{5, "A second paragraph speaks of cats."}}},
		{"with its lines joined", "speaks of cats. It has a second", []Place{{5, "A second paragraph speaks of cats.\nIt has a second line."}}},
		{"with other bullets and words", "1. First item\n2. Second item", []Place{{8, "* First item\n* Second item"}}},
		{"in a table", "|Build|Eda|", []Place{{13, "| Build | Ada |"}}},
		{"in Japanese", "新しい文章の書き方", []Place{{15, "新しい文書の書き方について説明します。"}}},
		{"nothing similar", "Quarterly revenue grew by seven percent in Norway", nil},
		{"nothing at all", "§§§", nil},
		{"too little", "zq", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, old := range []string{test.old, strings.ReplaceAll(test.old, " ", "\u00a0")} {
				if diff := cmp.Diff(test.want, notFound(t, text, old).Nearest); diff != "" {
					t.Errorf("nearest to %q (-want +got):\n%s", old, diff)
				}
			}
		})
	}
}

func TestTheNearestPassagesAreLinesOfTheText(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "Paragraph %d speaks of **topic %d**, at some length, and of no other.\n\n", i, i*7919%3000)
	}
	text := b.String()
	none := notFound(t, text, "Paragraph 1234 speaks of topic 1046, at some length")
	if len(none.Nearest) != 3 {
		t.Fatalf("%d similar passages", len(none.Nearest))
	}
	if none.Nearest[0].Line != 1234*2+1 {
		t.Errorf("the most similar passage is on line %d", none.Nearest[0].Line)
	}
	lines := strings.Split(text, "\n")
	for _, p := range none.Nearest {
		if lines[p.Line-1] != p.Text {
			t.Errorf("line %d is %q, not %q", p.Line, lines[p.Line-1], p.Text)
		}
	}
	message := none.Error()
	if !strings.Contains(message, "\nline 2469: Paragraph 1234 speaks of **topic 1046**, at some length, and of no other.\n") {
		t.Errorf("the error is %q", message)
	}
}

func TestOnlyTheDifferentPartOfALongPassageIsShown(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "%d: the quick brown fox number %d jumps over the lazy dog.\n", i, i*i)
	}
	text := b.String()
	lines := strings.SplitAfter(text, "\n")
	old := strings.Replace(strings.Join(lines[300:400], ""), "1: the quick brown fox number 123201", "1: the quick red fox number 123201", 1)
	oneLine := strings.ReplaceAll(text, "\n", " ")
	for name, test := range map[string]struct{ text, old string }{
		"in short lines": {text, old}, "in one line": {oneLine, strings.ReplaceAll(old, "\n", " ")},
		"where only marks differ": {text, strings.Replace(strings.Join(lines[300:400], ""), "number 123201", "**number 123201**", 1)},
	} {
		none := notFound(t, test.text, test.old)
		if len(none.Nearest) == 0 {
			t.Fatalf("%s: no similar passage", name)
		}
		p := none.Nearest[0]
		if !strings.Contains(p.Text, "351: the quick brown fox number 123201") || utf8.RuneCountInString(p.Text) > 400 {
			t.Errorf("%s: %+v", name, p)
		}
		if !strings.Contains(test.text, p.Text) {
			t.Errorf("%s: the text does not hold %q", name, p.Text)
		}
	}
}

func TestTheErrorSaysWhenNothingIsSimilar(t *testing.T) {
	got := notFound(t, "a text\n", strings.Repeat("Quarterly  revenue\n", 10)).Error()
	want := "the document has no passage \"Quarterly revenue Quarterly revenue Quarterly revenue Quarterly revenue Quarterly revenue Quart…\", " +
		"not even with other quotation marks, bullets, escapes, line ends or blank lines. Nothing in it is similar. Read the document, and copy old_text from it."
	if got != want {
		t.Errorf("the error is %q", got)
	}
}

func TestTheErrorShowsSeveralLinesUnchanged(t *testing.T) {
	got := notFound(t, "x\n  one line\nanother\n", "one line another").Error()
	if want := " The nearest:\nline 2:\n  one line\nanother"; !strings.HasSuffix(got, want) {
		t.Errorf("the error is %q", got)
	}
}

func TestLettersAreWhatAReaderRemembers(t *testing.T) {
	const text = "* **A** b,  Ç\u00a0“X”\r\n\r\n1. 文、書"
	l := lettersOf(text)
	if got, want := string(l.text), "a b ç x 1 文 書"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	for i, c := range l.text {
		if stored := text[l.stored[i]:]; c < utf8.RuneSelf && c != ' ' && !strings.EqualFold(stored[:1], string(c)) {
			t.Errorf("%q is said to stand at %q", c, stored)
		}
	}
}
