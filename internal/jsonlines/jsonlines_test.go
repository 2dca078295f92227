package jsonlines_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"outline-mcp/internal/jsonlines"
)

func TestLinesAreReadOneByOne(t *testing.T) {
	const limit = 5
	for _, test := range []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"blank lines only", "\n \r\n\t", nil},
		{"numbers that count blank lines", "a\n\n b \r\n", []string{"1 a", "3 b"}},
		{"a last line without an end", "a\nb", []string{"1 a", "2 b"}},
		{"a byte order mark", "\ufeff{}\n", []string{"1 {}"}},
		{"the longest line", "12345\n12345", []string{"1 12345", "2 12345"}},
		{"a line that is too long, then another", "1234567\na", []string{"1 line too long", "2 a"}},
		{"a last line that is too long", "a\n" + strings.Repeat("x", 1<<17), []string{"1 a", "2 line too long"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r := jsonlines.NewReader(strings.NewReader(test.stream), limit); ; {
				line, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					line = []byte(err.Error())
				}
				got = append(got, fmt.Sprintf("%d %s", r.Number(), line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAReadErrorDropsTheLineThatItCut(t *testing.T) {
	broken := errors.New("input/output error")
	r := jsonlines.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5)
	if line, err := r.Next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.Next(); line != nil || !errors.Is(err, broken) || r.Number() != 2 {
		t.Errorf("%q, %v on line %d", line, err, r.Number())
	}
}
