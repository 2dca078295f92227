package prosemirror

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// words counts the runs of letters and digits that a reader of a Markdown text
// meets, apart from its syntax: how items are numbered, breaks, entities, and
// URLs in any of their spellings.
func words(markdown string) map[string]int {
	for _, r := range syntax {
		markdown = r.sign.ReplaceAllString(markdown, r.by)
	}
	markdown = html.UnescapeString(markdown)
	markdown = percent.ReplaceAllStringFunc(markdown, func(s string) string {
		if decoded, err := url.PathUnescape(s); err == nil {
			return decoded
		}
		return s
	})
	count := map[string]int{}
	for _, word := range strings.FieldsFunc(markdown, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		count[word]++
	}
	return count
}

var percent = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)

var syntax = []struct {
	sign *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?i)<br\s*/?>`), " "},
	{regexp.MustCompile(`\\n`), " "},
	{regexp.MustCompile(`\[X\]`), "[x]"},
	{regexp.MustCompile(`\\([.)])`), "$1"},
	{regexp.MustCompile(`(?m)^(?:[\s>*+-]*[0-9]+[.)]\s)+`), ""},
	{regexp.MustCompile(`<([a-z]+:[^\s<>]*)>`), "$1 $1"},
	{regexp.MustCompile(`(?m)^[ >]*\[[^\]\n]*\]:`), ""},
	{regexp.MustCompile(`\]\[[^\]\n]*\]`), " "},
	{regexp.MustCompile(`\]\((?:mention://|/doc/|/collection/)[^)\s]*\)`), "]"},
}

// lostWords are the words of a text that another lacks.
func lostWords(text, stored string) []string {
	kept := words(stored)
	var lost []string
	for word, count := range words(text) {
		if count > kept[word] {
			lost = append(lost, word)
		}
	}
	slices.Sort(lost)
	return lost
}

func TestWordsThatOutlineDropsAreKnownBefore(t *testing.T) {
	except := map[string]string{
		"l/idn":  "the name of the host is written in another way",
		"i/data": "documents.create stores the data of an image as an attachment",
	}
	list := records[roundtrip](t, "roundtrip")
	check(t, list, func(r roundtrip) string { return r.Name }, except, func(r roundtrip) string {
		return unknownDrop(r.Markdown, r.Text)
	})
}

// unknownDrop says how the words that a stored text lacks differ from what is
// known to be dropped.
func unknownDrop(markdown, stored string) string {
	lost, drops := lostWords(markdown, stored), Dropped(markdown)
	known := slices.ContainsFunc(drops, func(d Drop) bool { return len(words(d.Text)) > 0 })
	if (len(lost) > 0) != known {
		return fmt.Sprintf("%q is stored as %q: words %q are lost, %+v is known", markdown, stored, lost, drops)
	}
	return ""
}

func TestWordsThatTheModelDropsAreKnownWhereverTheyStand(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		count := 0
		test := func(name, markdown string) {
			count++
			if problem := unknownDrop(markdown, Main.Serialize(Parse(markdown))); problem != "" {
				t.Errorf("%s: %s", name, problem)
			}
		}
		for _, r := range records[roundtrip](t, "roundtrip") {
			if r.Name == "l/idn" || r.Name == "l/videomin" {
				continue // see above
			}
			indented := func(first, others string) string {
				return first + strings.ReplaceAll(r.Markdown, "\n", "\n"+others)
			}
			test("in a quote: "+r.Name, indented("> ", "> "))
			test("in an item: "+r.Name, indented("* ", "  "))
			test("in a numbered item: "+r.Name, indented("1. ", "   "))
			test("behind a task list: "+r.Name, "- [ ] x\n- y\n\nz\n\n"+r.Markdown)
			test("in a toggle: "+r.Name, "+++\n"+r.Markdown+"\n+++")
			test("in a callout: "+r.Name, ":::info\n"+r.Markdown+"\n:::")
			test("in a cell: "+r.Name, "| A |\n|---|\n| "+strings.ReplaceAll(r.Markdown, "\n", "<br>")+" |")
			test("between lines: "+r.Name, "word\n"+r.Markdown+"\nword")
		}
		for _, r := range records[write](t, "patches") {
			if r.Request.Text != nil {
				test(r.Name, strings.Replace(Main.Serialize(r.Before.Data), r.Request.FindText, *r.Request.Text, 1))
			}
		}
		for _, r := range records[write](t, "writes") {
			if r.Request.Text != nil {
				test(r.Name, *r.Request.Text)
			}
		}
		t.Logf("%d texts", count)
	})
}

func TestADropSaysWhatGoesAndWhere(t *testing.T) {
	const file = "(/api/attachments.redirect?id=1)"
	for _, test := range []struct {
		markdown string
		want     []Drop
	}{
		{"Text.\n\n* one\n* two [x] three", []Drop{
			{"bullet list with items that Outline reads as checkboxes", "one three", 3, ""},
			{"words before the checkbox of a list item", "two", 4, ""},
		}},
		{"1. [ ] one", []Drop{{"numbered list with items that Outline reads as checkboxes", "one", 1, ""}}},
		{"- [ ] one\n- two\n\nText.\n\n* three", []Drop{{"bullet list with items that Outline reads as checkboxes", "three", 6, ""}}},
		{":::info\nA note.\n\n| a |\n|---|\n:::", []Drop{{"callout that holds a table", "A note. a", 1, ""}}},
		{"> :::tip\n> +++\n> one\n> +++\n> :::", []Drop{{"callout that holds a toggle", "one", 1, ""}}},
		{"See [a.pdf 12]" + file + ", please.", []Drop{{"text beside a link to an attachment", "See , please.", 1, ""}}},
		{"[a 1x2]" + file + " [b 3]" + file, []Drop{{"text beside a link to a video", "b 3", 1, ""}}},
		{"[box.zip]" + file, []Drop{{"last word of the name of a file, which Outline takes for the size of a video because of its x", "box.zip", 1, ""}}},
		{"| a |\n|---|\n| b |\n| c | d | e |", []Drop{{"table cell beyond the columns of the header", "d e", 4, ""}}},
		{"| a |\n|---|\n| one<br>[x] two <b>three |", []Drop{{"words beside the checkboxes of a table cell", "one <b>three", 3, ""}}},
		{"| a |\n|---|\n| :::info<br>1. [ ] x<br>::: |", []Drop{{"numbered list with items that Outline reads as checkboxes", "x", 3, ""}}},
		{"One.\n\n[](https://example.com) [**](https://example.com)", []Drop{{"link without text", "https://example.com", 3, ""}}},
		{"```js title=x\n1\n```", []Drop{{"words behind the language of a code block", "title=x", 1, ""}}},
		{"+++ Title\none\n+++", []Drop{{"words behind the +++ of a toggle", "Title", 1, ""}}},
		{"[a][b]\n\n[b]: /c\n[B]: /d\n[e]:\n/f", []Drop{
			{"second definition of the same link", "[B]: /d", 4, ""},
			{"definition of a link that nothing refers to", "[e]: /f", 5, ""},
		}},
		{"* $$\n  x\n\nText.\n\nMore.", []Drop{{"line behind a math block without closing $$", "Text.", 4, ""}}},
		{"Written by\nJ. Smith", []Drop{{"letter before a dot at the start of a line, which Outline makes a number", "J. Smith", 2, ""}}},
		{"A. Smith\nJ. Doe\nC. Roe", []Drop{{"letter before a dot at the start of a line, which Outline makes a number", "J. Doe", 2, ""}}},
		{"```\n  b. x\n```", []Drop{{"letter before a dot at the start of a line, which Outline makes a number", "b. x", 2, ""}}},
		{"![a\\nb](https://example.com/c.png)", []Drop{{"image with a line break in its alternative text", "https://example.com/c.png", 1, ""}}},
		{strings.Repeat("> ", 100) + "deep", []Drop{{"block nested more than 100 deep", "deep", 1, ""}}},
		{"@[soon](mention://date/2026-01-02) @[January 2nd](mention://date/2026-01-02)", []Drop{{"label of a date mention, which Outline makes of the date", "soon", 1, ""}}},
	} {
		got := Dropped(test.markdown)
		for i := range got {
			got[i].whole = ""
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q drops\n%+v, want\n%+v", test.markdown, got, test.want)
		}
	}
}

func TestWhatIsOnlyWrittenAnotherWayIsNotDropped(t *testing.T) {
	for _, markdown := range []string{
		"", "# One #\n\n+ a\n+ b\n\n3) c\n4) d", "- [x] a\n- [ ] b\n- c", "a. one\nb. two", "  C. one\n  D. two\n\nText.\n\n1. x\n   a. y\n   b. z",
		"| a | b |\n|---|---|\n| c |\n| d | e | |", "[a]\n\n[a]: /b", "> ```js\n> x\n> ```\n\n$$\nx\n$$", "+++\none\n+++\n\n:::info tip\ntwo\n:::",
		"[a.pdf 12](/api/attachments.redirect?id=1)\n\n[a b](/api/attachments.redirect?id=1&display=link) stays.", "One\\\ntwo<br>three\n\n\\\n\n&copy;",
	} {
		if got := Dropped(markdown); got != nil {
			t.Errorf("%q drops %+v", markdown, got)
		}
	}
}

func TestTheTextOfADropIsShort(t *testing.T) {
	got := Dropped("+++ " + strings.Repeat("é ü", 500) + "\nx\n+++")
	if len(got) != 1 || len(got[0].Text) > longestExcerpt+len("…") || !strings.HasSuffix(got[0].Text, "…") || strings.ContainsRune(got[0].Text, unicode.ReplacementChar) {
		t.Errorf("%+v", got)
	}
}

// corrected is the raw form of a block with its corrections.
func corrected(block *Node) string {
	raw, list := Main.Corrections(block)
	var out strings.Builder
	at := 0
	for _, c := range list {
		if c.Start < at {
			continue
		}
		out.WriteString(raw[at:c.Start] + c.Text)
		at = c.End
	}
	return out.String() + raw[at:]
}

func TestBlocksMeanThemselvesWithTheirCorrections(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		all, plain, right := 0, 0, 0
		seen := map[string]bool{}
		each := func(doc *Node) {
			for _, block := range doc.Content {
				want := &Node{Type: Doc, Content: []*Node{block}}
				raw, _ := Main.Corrections(block)
				if seen[string(want.AppendJSON(nil))] {
					continue
				}
				seen[string(want.AppendJSON(nil))] = true
				all++
				if EqualWithoutComments(Parse(raw), want) {
					plain++
					continue
				}
				if text := corrected(block); EqualWithoutComments(Parse(text), want) {
					right++
				} else {
					t.Logf("%s: %q\n%s", quote(raw), text, describe("", Parse(text), want))
				}
			}
		}
		for _, r := range records[write](t, "gaps") {
			each(r.Before.Data)
		}
		for _, r := range records[roundtrip](t, "roundtrip") {
			each(r.Data)
		}
		for _, r := range records[write](t, "patches") {
			each(r.Before.Data)
		}
		t.Logf("%d blocks, %d plain, %d right", all, plain, right)
	})
}

func TestPartsThatDifferFarBehindTheirBeginningAreNotAlike(t *testing.T) {
	dropped := func(end string) Drop {
		return Dropped("1. [ ] " + strings.Repeat("word ", 100) + end)[0]
	}
	if one, other := dropped("one"), dropped("other"); one.Text != other.Text || one.IsLike(other) || !one.IsLike(dropped("one")) {
		t.Error("what is dropped is compared by its beginning")
	}
}
