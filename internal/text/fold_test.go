package text_test

import (
	"testing"

	"outline-mcp/internal/text"
)

func TestWaysToWriteTheSameCharactersFoldToOne(t *testing.T) {
	for _, test := range []struct{ name, written, want string }{
		{"decomposed letters", "Cafe\u0301 zu\u0308rich", "Café zürich"},
		{"several marks in another order", "a\u0302\u0323", "ậ"},
		{"Hangul", "\u1112\u1161\u11ab글", "한글"},
		{"signs that are letters", "\u212bngstr\u00f6m \u2126", "Ångström Ω"},
		{"full width", "ＡＢＣ　１２３！", "ABC 123!"},
		{"half width", "ｶﾞｲﾄﾞ", "ガイド"},
		{"blanks", "a\u00a0b\u2009c\u202fd\u2003e", "a b c d e"},
		{"what shows nothing", "Donau\u00addampf\u200bschiff\ufeff\u2060\u200c", "Donaudampfschiff"},
		{"joiners", "a\u200db", "ab"},
		{"emoji", "👩\u200d🚀 and 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👩\u200d🚀 and 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥"},
		{"quotation marks, dashes and dots", "“it’s” – well…", `"it's" - well...`},
		{"plain text", "plain text\n\twith `code` ½ ﬁ ²", "plain text\n\twith `code` ½ ﬁ ²"},
	} {
		if got := text.Fold(test.written).Text; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := text.FoldMarkdown(`1\. “a\_b” \\ \n`).Text; got != `1. "a_b" \ \n` {
		t.Errorf("Markdown: %q", got)
	}
	if got := text.Compose("“Cafe\u0301”\u00a0").Text; got != "“Café”\u00a0" {
		t.Errorf("composed: %q", got)
	}
}

func TestAFoldedPartIsFoundInTheOriginal(t *testing.T) {
	const original = "x\u00adCafe\u0301\u00a0ﬁn Donau\u00addampf…"
	f := text.Fold(original)
	for _, test := range []struct{ part, want string }{
		{"Café", "Cafe\u0301"}, {"é ", "e\u0301\u00a0"}, {"ﬁn D", "ﬁn D"}, {"Donau", "Donau"}, {"dampf", "dampf"}, {"Donaud", "Donau\u00add"}, {"x", "x"}, {"f.", "f…"}, {".", "…"},
	} {
		at := index(f.Text, test.part)
		from, to := f.Original(at, at+len(test.part))
		if got := original[from:to]; got != test.want {
			t.Errorf("%q is %q, want %q", test.part, got, test.want)
		}
	}
}

func FuzzFoldedTextKeepsItsPlaces(f *testing.F) {
	f.Add("Cafe\u0301 Donau\u00addampf", 2, 9)
	f.Fuzz(func(t *testing.T, s string, start, end int) {
		folded := text.Fold(s)
		if again := text.Fold(folded.Text); len(again.Text) > len(folded.Text) {
			t.Errorf("%q becomes %q and then %q", s, folded.Text, again.Text)
		}
		if start < 0 || end < start || end > len(folded.Text) {
			return
		}
		from, to := folded.Original(start, end)
		if from < 0 || to < from || to > len(s) {
			t.Errorf("%q[%d:%d] is %q[%d:%d]", folded.Text, start, end, s, from, to)
		}
	})
}

func index(s, part string) int {
	for i := range s {
		if len(s)-i >= len(part) && s[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}
