package grep_test

import (
	"strings"
	"testing"

	"outline-mcp/tools/grep"
)

func TestABrokenPatternIsExplained(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{"a(b)c(d", "at character 6: missing closing )"},
		{"a)b", "at character 2: unexpected )"},
		{"foo[abc", `at character 4: missing closing ] "[abc"`},
		{"a**", `at character 2: invalid nested repetition operator "**"`},
		{"*a", `at character 1: missing argument to repetition operator "*"`},
		{"a|*", `at character 3: missing argument to repetition operator "*"`},
		{`ü\p{Foo}x`, `at character 2: invalid character class range "\\p{Foo}"`},
		{"x{2001}", `at character 2: invalid repeat count "{2001}"`},
		{`a\`, "at character 2: trailing backslash at end of expression"},
		{"[b-a]", `at character 2: invalid character class range "b-a"`},
		{"x(?=y)", `at character 2: invalid or unsupported Perl syntax "(?="; RE2 has no lookahead`},
		{`(x)\1`, `at character 4: invalid escape sequence "\\1"`},
		{"(x{100}){100}", `at character 9: invalid repeat count "{100}"`},
		{"(?:(?:a{10}b{10}){10}c{30}){9}", "too large: use fewer or smaller repetitions"},
		{"^", "can only match empty text"},
		{`(\b|$)*`, "can only match empty text"},
		{"", "1 to 500 characters, not 0"},
		{strings.Repeat("ü", 501), "1 to 500 characters, not 501"},
	} {
		_, err := grep.Compile(test.pattern, grep.Options{Regex: true})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.pattern, err, test.want)
		}
	}
	if _, err := grep.Compile("two\nlines", grep.Options{}); err == nil || !strings.Contains(err.Error(), "one line") {
		t.Error(err)
	}
	if _, err := grep.Compile("a**", grep.Options{}); err != nil {
		t.Errorf("exact text is taken for an expression: %v", err)
	}
}
