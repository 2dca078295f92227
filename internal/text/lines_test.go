package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWindow(t *testing.T) {
	tests := []struct {
		name, text   string
		first, limit int
		want         Lines
	}{
		{"no text has no lines", "", 1, 10, Lines{First: 1}},
		{"no limit takes all", "a\nb\nc", 1, 0, Lines{Text: "a\nb\nc", First: 1, Count: 3, Total: 3}},
		{"a limit says what comes next", "a\nb\nc\n", 1, 2, Lines{Text: "a\nb\n", First: 1, Count: 2, Next: 3, Total: 3}},
		{"a window may begin later", "a\nb\nc\nd\n", 2, 2, Lines{Text: "b\nc\n", First: 2, Count: 2, Next: 4, Total: 4}},
		{"a limit beyond the end takes the rest", "a\nb\nc", 2, 99, Lines{Text: "b\nc", First: 2, Count: 2, Total: 3}},
		{"the last line has nothing after it", "a\nb\n", 2, 1, Lines{Text: "b\n", First: 2, Count: 1, Total: 2}},
		{"a first line below one is one", "a\nb", -3, 1, Lines{Text: "a\n", First: 1, Count: 1, Next: 2, Total: 2}},
		{"a first line beyond the end finds none", "a\nb\n", 3, 1, Lines{First: 3, Total: 2}},
		{"blank lines are lines", "\n\na\n\n", 1, 2, Lines{Text: "\n\n", First: 1, Count: 2, Next: 3, Total: 4}},
		{"carriage returns belong to the line end", "a\r\nb\r\nc", 2, 1, Lines{Text: "b\r\n", First: 2, Count: 1, Next: 3, Total: 3}},
		{"a hard break of Outline ends no line", `a\nb` + "\nc", 1, 1, Lines{Text: `a\nb` + "\n", First: 1, Count: 1, Next: 2, Total: 2}},
		{"the largest numbers do not overflow", "a\nb\n", 1<<63 - 1, 1<<63 - 1, Lines{First: 1<<63 - 1, Total: 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Window(test.text, test.first, test.limit)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Window(%q, %d, %d) (-want +got):\n%s", test.text, test.first, test.limit, diff)
			}
		})
	}
}

func BenchmarkWindow(b *testing.B) {
	source := strings.Repeat("Every team keeps its runbooks next to the code they describe.\n", 20_000)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Window(source, 10_000, 200)
	}
}

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
