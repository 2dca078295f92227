package text_test

import (
	"errors"
	"strings"
	"testing"

	"outline-mcp/internal/text"
)

func TestTruncateCutsBetweenCodePoints(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""}, {"", 3, ""}, {"abc", 0, "…"}, {"abc", -1, "…"}, {"abc", 2, "ab…"}, {"abc", 3, "abc"}, {"abc", 4, "abc"},
		{"äöü", 2, "äö…"}, {"äöü", 3, "äöü"}, {"😀😀", 1, "😀…"}, {"\xff\xffa", 2, "\xff\xff…"},
	} {
		if got := text.Truncate(test.in, test.n); got != test.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func TestAPanicIsLoggedWithoutTheTextThatItMayHold(t *testing.T) {
	for want, fails := range map[string]func(){
		"runtime error: index out of range [3] with length 0":   func() { _ = strings.Split("", "")[len("ab")+1] },
		"interface conversion: interface {} is string, not int": func() { _ = any("secret").(int) },
		"string":              func() { panic("secret") },
		"*errors.errorString": func() { panic(errors.New("secret")) },
	} {
		func() {
			defer func() {
				if got := text.OfPanic(recover()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			fails()
		}()
	}
}

func TestOffsetCountsBytesUpToACodePoint(t *testing.T) {
	for n, want := range []int{0, 2, 3, 7, 7} {
		if got := text.Offset("äb😀", n); got != want {
			t.Errorf("Offset of code point %d is %d, want %d", n, got, want)
		}
	}
}

func TestParseBoolReadsTheWordsForTrueAndFalseInAnyCase(t *testing.T) {
	type result struct{ value, ok bool }
	for words, want := range map[string]result{
		"true t 1 yes y on":            {true, true},
		"false f 0 no n off":           {false, true},
		"maybe 2 -1 truee o yesno 1.0": {},
	} {
		for word := range strings.FieldsSeq(words) {
			for _, s := range []string{word, strings.ToUpper(word), " " + word + "\n"} {
				if value, ok := text.ParseBool(s); (result{value, ok}) != want {
					t.Errorf("ParseBool(%q) = %t, %t, want %+v", s, value, ok, want)
				}
			}
		}
	}
	if _, ok := text.ParseBool(" "); ok {
		t.Error("an empty text is read as a boolean")
	}
}
