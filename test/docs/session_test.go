package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// A step is a command of a session and what the page says that it prints.
type step struct {
	command string
	printed []string
}

// session reads a block of console. Lines before the first prompt are dropped.
func session(text string) []step {
	var steps []step
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		last := len(steps) - 1
		switch {
		case last >= 0 && len(steps[last].printed) == 0 && unfinished(steps[last].command):
			steps[last].command += "\n" + line
		case strings.HasPrefix(line, "$ "):
			steps = append(steps, step{command: strings.TrimPrefix(line, "$ ")})
		case last >= 0:
			steps[last].printed = append(steps[last].printed, line)
		}
	}
	return steps
}

// unfinished reports whether a shell would continue reading a command: after a
// backslash, within quotes, within a here document.
func unfinished(command string) bool {
	quote := rune(0)
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	if quote != 0 || escaped {
		return true
	}
	document := regexp.MustCompile(`<<-?\s*['"]?(\w+)`).FindStringSubmatch(command)
	if document == nil {
		return false
	}
	lines := strings.Split(command, "\n")
	return len(lines) == 1 || strings.TrimSpace(lines[len(lines)-1]) != document[1]
}

// matches compares what a page says with what was printed. A line with only
// "..." matches any number of lines, and "..." within a line matches any text.
func matches(said, printed []string) bool {
	if len(said) == 0 {
		return len(printed) == 0
	}
	if strings.TrimSpace(said[0]) == "..." {
		for left := range len(printed) + 1 {
			if matches(said[1:], printed[left:]) {
				return true
			}
		}
		return false
	}
	return len(printed) > 0 && lineMatches(said[0], printed[0]) && matches(said[1:], printed[1:])
}

func lineMatches(said, printed string) bool {
	said, printed = strings.TrimRight(said, " \t"), strings.TrimRight(printed, " \t")
	if !strings.Contains(said, "...") {
		return said == printed
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(said), `\.\.\.`, ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(printed)
}

// lines splits what was printed, without the empty lines at the end.
func lines(text string) []string {
	text = strings.TrimRight(text, " \t\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func TestSessionsAreReadAsAShellReadsThem(t *testing.T) {
	steps := session(strings.Join([]string{
		"$ one a \\", "    b", "printed", "", "> printed", "$ two 'a", "b'", "$ three <<END", "a", "END", "...",
	}, "\n"))
	want := []step{
		{"one a \\\n    b", []string{"printed", "", "> printed"}},
		{"two 'a\nb'", nil},
		{"three <<END\na\nEND", []string{"..."}},
	}
	if len(steps) != len(want) {
		t.Fatalf("%q", steps)
	}
	for i := range want {
		if steps[i].command != want[i].command || strings.Join(steps[i].printed, "|") != strings.Join(want[i].printed, "|") {
			t.Errorf("%q is not %q", steps[i], want[i])
		}
	}
}

func TestWhatIsLeftOutMayBeAnything(t *testing.T) {
	tests := []struct {
		said, printed string
		match         bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nc", false},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"...", "", true},
		{"a\n...", "a", true},
		{"a\n...\nc", "a\nb\nb\nc", true},
		{"a\n...\nc", "a\nb", false},
		{"...\nb\n...", "a\nb\nc", true},
		{"took ... ms", "took 12 ms", true},
		{"took ... ms", "took 12 s", false},
		{"a.b", "axb", false},
		{"a", "a  ", true},
	}
	for _, test := range tests {
		if matches(lines(test.said), lines(test.printed)) != test.match {
			t.Errorf("%q against %q: not %t", test.said, test.printed, test.match)
		}
	}
}
