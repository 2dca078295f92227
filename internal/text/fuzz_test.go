package text

import (
	"strings"
	"testing"
)

func FuzzWindow(f *testing.F) {
	for _, seed := range []string{"", "a", "a\nb\n", "\n\n\na\r\nb", "# a\n\nb\n\n## *c* `d`\n"} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, text string, lines int) {
		lines = max(lines, 1)
		var joined strings.Builder
		next := 1
		for next > 0 {
			w := Window(text, next, lines)
			if w.First != next || w.Count > lines || w.Total != countLines(text) {
				t.Fatalf("Window(%q, %d, %d) = %+v", text, next, lines, w)
			}
			joined.WriteString(w.Text)
			next = w.Next
		}
		if joined.String() != text {
			t.Fatalf("the windows of %q join to %q", text, joined.String())
		}
	})
}
