package text_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/text"
)

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
