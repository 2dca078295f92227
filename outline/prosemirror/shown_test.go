package prosemirror

import (
	"strings"
	"testing"
)

func TestEveryPartOfTheTextHasItsPlaceInRaw(t *testing.T) {
	empty := 0
	for _, r := range records[roundtrip](t, "roundtrip") {
		md := ToMarkdown(r.Data)
		empty += len(md.shown.empty)
		checkOffsets(t, md)
	}
	for _, r := range records[write](t, "patches") {
		md := ToMarkdown(r.Before.Data)
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
	md := ToMarkdown(Parse("\\\n\nOne\n\n\\\n\nTwo"))
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
