package boolean_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/boolean"
)

func TestParseReadsTheWordsForTrueAndFalseInAnyCase(t *testing.T) {
	type result struct{ value, ok bool }
	for words, want := range map[string]result{
		"true t 1 yes y on":            {true, true},
		"false f 0 no n off":           {false, true},
		"maybe 2 -1 truee o yesno 1.0": {},
	} {
		for word := range strings.FieldsSeq(words) {
			for _, s := range []string{word, strings.ToUpper(word), " " + word + "\n"} {
				if value, ok := boolean.Parse(s); (result{value, ok}) != want {
					t.Errorf("Parse(%q) = %t, %t, want %+v", s, value, ok, want)
				}
			}
		}
	}
	if _, ok := boolean.Parse(" "); ok {
		t.Error("an empty text is read as a boolean")
	}
}
