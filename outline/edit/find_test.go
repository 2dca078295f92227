package edit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// show returns a text with the passage that old is found as in brackets, or
// the kind of the error.
func show(text, old string) string {
	m, err := Find(text, old)
	var none *NotFoundError
	var several *AmbiguousError
	switch {
	case errors.As(err, &none):
		return "not found"
	case errors.As(err, &several):
		return fmt.Sprintf("%d places", several.Count)
	case err != nil:
		return err.Error()
	}
	mark := "["
	if m.Tolerant {
		mark = "~["
	}
	return text[:m.Start] + mark + text[m.Start:m.End] + "]" + text[m.End:]
}

// paddedCode is code with a row of a table, and that table.
const paddedCode = "```\n| c     |\n```\n\n| abcde |\n|-------|\n| c     |"

func TestFind(t *testing.T) {
	const nbsp = "\u00a0"
	tests := []struct{ name, text, old, want string }{
		{"a passage is found as it is", "one two three", "two", "one [two] three"},
		{"also with blank lines around", "a\n\nb\n\nc", "\n\nb\n", "a[\n\nb\n]\nc"},
		{"several are ambiguous", "a b a", "a", "2 places"},
		{"those that overlap are several", "aaa", "aa", "2 places"},
		{"what is there as it is goes before what resembles it", "“a” \"a\"", `"a"`, `“a” ["a"]`},
		{"nothing is empty", "a", "", errEmpty.Error()},
		{"white space is empty", "a\n\n", " \n\t\r\n", errEmpty.Error()},
		{"no UTF-8 is refused", "\xff", "\xff", errNotUTF8.Error()},
		{"an empty text has nothing", "", "a", "not found"},

		{"line ends are overlooked", "a\r\nb\rc\nd", "b\nc\r\nd", "a\r\n~[b\rc\nd]"},
		{"a space is no line end", "a\nb", "a b", "not found"},
		{"a line end is no space", "a b", "a\nb", "not found"},
		{"white space at the end of lines is overlooked", "x\na \t \nb  \nc", "a\nb\nc", "x\n~[a \t \nb  \nc]"},
		{"also that of the passage", "a\nb", "a  \nb\t", "~[a\nb]"},
		{"what is behind the passage on its line stays", "a \nb \nc", "a\nb", "~[a \nb] \nc"},
		{"white space within a line counts", "a  b", "a b", "not found"},
		{"white space before the end of a passage counts within a line", "say ‘foo’d", "'foo' ", "not found"},
		{"there it is found", "say ‘foo’ d", "'foo' ", "say ~[‘foo’ ]d"},
		{"quotation marks are overlooked", "He said “it’s” and ‚x‘ „y‟.", `"it's" and 'x' "y"`, "He said ~[“it’s” and ‚x‘ „y‟]."},
		{"typographic ones for straight ones, too", `"it's"`, "“it’s”", "~[\"it's\"]"},
		{"decomposed letters are letters", "In Zu\u0308rich, Cafe\u0301", "Zürich, Café", "In ~[Zu\u0308rich, Cafe\u0301]"},
		{"also in the passage", "In Zürich", "Zu\u0308rich", "In ~[Zürich]"},
		{"and with quotation marks and other bullets", "* “Zu\u0308rich”", `- "Zürich"`, "~[* “Zu\u0308rich”]"},
		{"a letter is not found in parts", "Cafe\u0301", "Cafes", "not found"},
		{"full width", "Ｔｅｌ：１２", "Tel:12", "~[Ｔｅｌ：１２]"},
		{"half width", "ｶﾞｲﾄﾞ", "ガイド", "~[ｶﾞｲﾄﾞ]"},
		{"thin spaces", "10\u2009km", "10 km", "~[10\u2009km]"},
		{"soft hyphens and what has no width", "x Donau\u00addampf\u200bschiff y", "Donaudampfschiff", "x ~[Donau\u00addampf\u200bschiff] y"},
		{"also in the passage alone", "Donaudampf", "Donau\u00addampf", "~[Donaudampf]"},
		{"joiners in emoji count", "👩\u200d🚀", "👩🚀", "not found"},
		{"dashes and ellipses", "a – b…", "a - b...", "~[a – b…]"},
		{"primes and guillemets are not", "5′ «a»", "5' \"a\"", "not found"},
		{"spaces that do not break are spaces", "a" + nbsp + "b\u202fc\u2007d", "a b c d", "~[a\u00a0b\u202fc\u2007d]"},
		{"and spaces are such", "a b", "a" + nbsp + "b", "~[a b]"},
		{"such spaces at the end of a line are overlooked", "a" + nbsp + "\nb", "a\nb", "~[a" + nbsp + "\nb]"},
		{"case counts", "Word", "word", "not found"},
		{"punctuation counts", "a, b", "a; b", "not found"},

		{"bullets are overlooked", "* a\n* b\n+ c", "- a\n- b\n- c", "~[* a\n* b\n+ c]"},
		{"indented ones", "* a\n  * b", "- a\n  - b", "~[* a\n  * b]"},
		{"those in quotes", "> * a\n>   * b\n> > * c", "> - a\n>   - b\n> > - c", "~[> * a\n>   * b\n> > * c]"},
		{"those of items in items", "* - a", "- * a", "~[* - a]"},
		{"those of empty items and tasks", "* [ ] a\n*\n* b", "- [ ] a\n-\n- b", "~[* [ ] a\n*\n* b]"},
		{"stars of bold text are none", "**a**\n*b*", "--a**\n-b*", "not found"},
		{"a sign within a line is none", "x = 5 - 3;\nx", "* 3;\nx", "not found"},
		{"a dash within a line may begin a passage", "note - it’s", "- it's", "note ~[- it’s]"},
		{"the indentation before a passage stays", "* a\n    * b", "- b", "* a\n    ~[* b]"},
		{"indentation counts", "* a\n  * b", "- a\n- b", "not found"},
		{"numbers count", "1. a\n2. b", "1. a\n3. b", "not found"},

		{"the number of blank lines is overlooked", "a\n\n\n\nb", "a\n\nb", "~[a\n\n\n\nb]"},
		{"also that there are none", "# a\n\ntext", "# a\ntext", "~[# a\n\ntext]"},
		{"empty paragraphs are blank lines", "a\n\n\\\n\nb", "a\n\nb", "~[a\n\n\\\n\nb]"},
		{"also those of the passage", "a\n\n\nb", "a\n\n\\\n\nb", "~[a\n\n\nb]"},
		{"those in quotes", "> a\n>\n> \\\n>\n> b", "> a\n>\n> b", "~[> a\n>\n> \\\n>\n> b]"},
		{"blank lines around the match stay", "x\n\n\na’s\n\n\ny", "a's", "x\n\n\n~[a’s]\n\n\ny"},
		{"blank lines around the passage need not be there", "a’s", "\n\\\n\na's\n\n", "~[a’s]"},
		{"a line end of the passage belongs to it", "x\na’s  \ny", "a's\n", "x\n~[a’s  \n]y"},
		{"one before it, too", "x\na’s\ny", "\na's", "x~[\na’s]\ny"},
		{"of blank lines as many as the passage has", "x\n\n\n\na’s\n\n\n\ny", "\n\na's\n\n", "x\n\n~[\n\na’s\n\n]\n\ny"},
		{"or as there are", "x\na’s\r\n\r\ny", "\n\n\na's\n\n\n\n", "x~[\na’s\r\n\r\n]y"},
		{"the indentation that the passage ends with belongs to it", "a’s\n  b", "a's\n  ", "~[a’s\n  ]b"},
		{"what the passage begins with at the end of a line, too", "x  \na’s", "  \na's", "x~[  \na’s]"},
		{"with a line end a passage ends its line", "a’s b", "a's\n", "not found"},
		{"and begins it", "b a’s", "\na's", "not found"},
		{"the marks that the passage ends with belong to it", "> a’s\n>\n> b", "> a's\n>", "~[> a’s\n>]\n> b"},
		{"blank lines alone are nothing to look for", "a\n\n>\n\nb", "\\\n\n>", "not found"},
		{"within code, too", "```\n- a\n* b\n```", "* a\n* b", "```\n~[- a\n* b]\n```"},
		{"escapes are overlooked", `a 2 \* 3 b`, "2 * 3", `a ~[2 \* 3] b`},
		{"also those of the passage", "a 2 * 3 b", `2 \* 3 b`, "a ~[2 * 3 b]"},
		{"a backslash before a letter is none", `a\b`, "ab", "not found"},
		{"breaks within a line are line ends", `a\nb c`, "a  \nb", `~[a\nb] c`},
		{"also tags, and backslashes at the end of a line", "a<br>b\\\n  c", `a\nb\nc`, "~[a<br>b\\\n  c]"},
		{"what sets in the line behind a break is overlooked", `* a\nb`, "- a  \n  b", `~[* a\nb]`},
		{"also where the passage begins", `> a\nb`, "> b", `> a\n~[b]`},
		{"but not on a line of its own", "a\nb \\*", "  b *", "not found"},
		{"padding of cells is overlooked", "| a   | b |\n|-----|---|\n| c \\| d | e |", "|a|b|\n|:-|-|\n", "not found"},
		{"and the length of the line below the header", "| a   | b |\n|-----|---|\n| c | e |", "|a|b|\n|-|-|\n|c|", "~[| a   | b |\n|-----|---|\n| c |] e |"},
		{"a row is ambiguous that another differs from only by its padding", "| a |\n|---|\n| c |\n\n| abcde |\n|-------|\n| c     |", "| c |", "2 places"},
		{"but not one that differs from a line of code by its padding", paddedCode, "| c |", "```\n| c     |\n```\n\n| abcde |\n|-------|\n~[| c     |]"},
		{"unless it is given as one of them is stored", "| a |\n|---|\n| c |\n\n| abcde |\n|-------|\n| c     |", "| c     |", "| a |\n|---|\n| c |\n\n| abcde |\n|-------|\n[| c     |]"},
		{"padding of numbers, and their sign", " 9. a\n10. b", "9) a\n10) b", "~[ 9. a\n10. b]"},
		{"the length of fences", "++++++\na\n\n+++++\nb\n\n+++++\n++++++", "+++\nb\n+++", "++++++\na\n\n~[+++++\nb\n\n+++++]\n++++++"},
		{"the blank before an image", "a  ![b](c)", "a ![b](c)", "~[a  ![b](c)]"},
		{"an empty item has a backslash", "* a\n* \\\n* b", "- a\n-\n- b", "~[* a\n* \\\n* b]"},
		{"what is found with less tolerance goes first", `“a” \"a\"`, `"a"`, `~[“a”] \"a\"`},
		{"several that resemble a passage are ambiguous", "“a” ‘b’ „a“", `"a"`, "2 places"},
		{"also at the start of an item and within a line", "* it’s\na - it’s", "- it's", "2 places"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, show(test.text, test.old)); diff != "" {
				t.Errorf("Find(%q, %q) (-want +got):\n%s", test.text, test.old, diff)
			}
		})
	}
}

func TestAllOccurrencesOfARowAreThoseThatAreRead(t *testing.T) {
	for old, want := range map[string]string{
		"| c |":     "```\n| c     |\n```\n\n| abcde |\n|-------|\nNEW\nNEW",
		"| c     |": "```\nNEW\n```\n\n| abcde |\n|-------|\nNEW\n| c |",
	} {
		after, _, err := changesOf(paddedCode+"\n| c |", []Edit{{Old: old, New: "NEW", All: true}})
		if after != want || err != nil {
			t.Errorf("%q: %q, %v", old, after, err)
		}
	}
}

func TestTheErrorOfAnAmbiguousPassageListsTheFirstPlaces(t *testing.T) {
	_, err := Find("x\nfoo “a”\n\n"+strings.Repeat("y ‘a’ „a“\n", 12), `"a"`)
	var several *AmbiguousError
	if !errors.As(err, &several) {
		t.Fatal(err)
	}
	if several.Count != 13 || len(several.Places) != 10 {
		t.Fatalf("%d places, %d listed", several.Count, len(several.Places))
	}
	if diff := cmp.Diff([]Place{{2, "foo “a”"}, {4, "y ‘a’ „a“"}}, several.Places[:2]); diff != "" {
		t.Error(diff)
	}
	want := "old_text \"\"a\"\" occurs 13 times. Include more of the text around the one you mean, so that it occurs once. The first 10:\nline 2: foo “a”\nline 4: y ‘a’ „a“\n"
	if got := err.Error(); !strings.HasPrefix(got, want) {
		t.Errorf("the error is %q", got)
	}
}

func TestPlacesInALongLineAreShownWithTheirContext(t *testing.T) {
	text := strings.Repeat("wörd ", 500) + "here " + strings.Repeat("ward ", 500) + "here"
	_, err := Find(text, "here")
	var several *AmbiguousError
	if !errors.As(err, &several) {
		t.Fatal(err)
	}
	for _, p := range several.Places {
		if !strings.Contains(p.Text, "here") || !strings.Contains(text, p.Text) || len([]rune(p.Text)) > 200 {
			t.Errorf("place %+v", p)
		}
	}
	if several.Places[0].Text == several.Places[1].Text {
		t.Error("both places look the same")
	}
}

func TestPlacesInATextThatIsNoUTF8AreShown(t *testing.T) {
	_, err := Find("\x00"+strings.Repeat("\x97", 400)+"\x00", "\x00")
	var several *AmbiguousError
	if !errors.As(err, &several) || several.Count != 2 {
		t.Error(err)
	}
}

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
