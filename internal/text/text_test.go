package text

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
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
		if got := Truncate(test.in, test.n); got != test.want {
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
				if got := OfPanic(recover()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			fails()
		}()
	}
}

func TestOffsetCountsBytesUpToACodePoint(t *testing.T) {
	for n, want := range []int{0, 2, 3, 7, 7} {
		if got := Offset("äb😀", n); got != want {
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
				if value, ok := ParseBool(s); (result{value, ok}) != want {
					t.Errorf("ParseBool(%q) = %t, %t, want %+v", s, value, ok, want)
				}
			}
		}
	}
	if _, ok := ParseBool(" "); ok {
		t.Error("an empty text is read as a boolean")
	}
}

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

func TestLinesAreReadOneByOne(t *testing.T) {
	const limit = 5
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"blank lines only", "\n \r\n\t", nil},
		{"a blank line between others", "a\n\n b \r\n", []string{"a", "b"}},
		{"a last line without an end", "a\nb", []string{"a", "b"}},
		{"a byte order mark", "\ufeff{}\n", []string{"{}"}},
		{"the longest line", "12345\n12345", []string{"12345", "12345"}},
		{"a line that is too long, then another", "1234567\na", []string{"line too long", "a"}},
		{"a last line that is too long", "a\n" + strings.Repeat("x", 1<<17), []string{"a", "line too long"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r := NewLineReader(strings.NewReader(test.stream), limit); ; {
				line, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					line = []byte(err.Error())
				}
				got = append(got, string(line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAReadErrorDropsTheLineThatItCut(t *testing.T) {
	broken := errors.New("input/output error")
	r := NewLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5)
	if line, err := r.Next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.Next(); line != nil || !errors.Is(err, broken) {
		t.Errorf("%q, %v", line, err)
	}
}
