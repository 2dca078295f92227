package edit

import (
	"strings"
	"testing"
)

func TestWidenReachesAsFarAsTheFirstOccurrenceNeeds(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	tests := []struct{ name, before, match, after, want string }{
		{"the first one stays", "x ", "a", " a", "a"},
		{"another one takes its line", "a\n\nthe b ", "a", " c\n\na\n", "a c"},
		{"on the side where it is shorter", "a long line of this\n\nx ", "a", " long line of that\n", "x a"},
		{"lines above tell two lines apart", "# A\n\n* x\n\n# B\n\n", "* x", "\n\n# Chapter\n", "# B\n\n* x"},
		{"lines below, if they are nearer", "0\n* x\n* z\n0\n", "* x", "\n* y\n", "* x\n* y"},
		{"but none if its own line is enough", "a b\nmany words here ", "a", "\nc\n", "many words here a"},
		{"both, if each alone is everywhere", strings.Repeat("a\nx\nc\nb\nx\nd\n", 2) + "a\n", "x", "\nd\na\nx\nd\n", "a\nx\nd"},
		{"the whole text, if it must be", "aa", "a", "", "aaa"},
		{"no character is split", "é ä\nè ", "ä", "", "è ä"},
		{"not the whole of a long line", long + "a word, then ", "a", " word " + long, "n a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := test.before + test.match + test.after
			m := Match{Start: len(test.before), End: len(test.before) + len(test.match), Tolerant: true}
			w := widen(text, m)
			if got := text[w.Start:w.End]; got != test.want {
				t.Errorf("widened to %q, not %q", got, test.want)
			}
			if w.Start > m.Start || w.End < m.End || strings.Index(text, text[w.Start:w.End]) != w.Start {
				t.Errorf("%+v does not occur first", w)
			}
			if !w.Tolerant {
				t.Error("how it was found is forgotten")
			}
		})
	}
}
