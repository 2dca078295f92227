package output_test

import (
	"strings"
	"testing"

	"outline-mcp/output"
)

func TestControlCharactersAreReplacedInLabelsAndEscapedOnTerminals(t *testing.T) {
	for _, test := range []struct{ name, text, label, visible string }{
		{"plain text stays", "Päge 1 🍲 👩‍🍳  שלום\u200f!", "Päge 1 🍲 👩‍🍳  שלום\u200f!", "Päge 1 🍲 👩‍🍳  שלום\u200f!"},
		{"white space of lines", "a\tb\nc\u2028d", "a b c d", "a\tb\nc\u2028d"},
		{"a carriage return overwrites a line", "safe\rdone", "safe done", `safe\u000ddone`},
		{"an escape sequence", "\x1b[31mred\x1b[0m", "\uFFFD[31mred\uFFFD[0m", `\u001b[31mred\u001b[0m`},
		{"a sequence of one character", "\u009b2J", "\uFFFD2J", `\u009b2J`},
		{"bell, NUL and delete", "\a\x00\x7f", "\uFFFD\uFFFD\uFFFD", `\u0007\u0000\u007f`},
		{"overrides of direction", "\u202egpj.exe\u202c \u2066x\u2069", "\uFFFDgpj.exe\uFFFD \uFFFDx\uFFFD", `\u202egpj.exe\u202c \u2066x\u2069`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := output.Label(test.text); got != test.label {
				t.Errorf("label %q, want %q", got, test.label)
			}
			if got := output.Visible(test.text); got != test.visible {
				t.Errorf("visible %q, want %q", got, test.visible)
			}
		})
	}
}

// OneLine returns what needs no change as it is.
func FuzzOneLineIsTheLabelWithSingleSpaces(f *testing.F) {
	for _, s := range []string{"", " ", "a", "a b", "a  b", " a", "a ", "a\tb", "a\u00a0b", "a\u2028b", "\xff", "\uFFFD", "\u202ex", "é\u0085", "🍲 soup"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := output.OneLine(s), strings.Join(strings.Fields(output.Label(s)), " "); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}
