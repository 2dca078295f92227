package tools

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/text"
	"outline-mcp/output"
)

// textChanges returns how a question shows that a text changes: the first change in words,
// with the number of others, because clients may show the beginning of a question only, and
// all changes: whole lines, or parts of long ones, so that no change hides the next.
func textChanges(before, after string) (first, lines string) {
	var all strings.Builder
	changes := 0
	for _, block := range changesIn(before, after, false) {
		parts := changesIn(strings.Join(strings.Fields(block[0]), "\n"), strings.Join(strings.Fields(block[1]), "\n"), true)
		for _, part := range parts {
			if changes++; changes == 1 {
				first = inWords(strings.Fields(part[0]), strings.Fields(part[1]))
			}
		}
		if len(block[0])+len(block[1]) <= longBlock || len(parts) == 0 {
			parts = [][2]string{block}
		}
		for _, part := range parts {
			for i, sign := range []string{"-", "+"} {
				if shown := text.Truncate(part[i], longBlock); shown != "" {
					all.WriteString(sign + strings.ReplaceAll(strings.TrimSuffix(shown, "\n"), "\n", "\n"+sign) + "\n")
				}
			}
		}
	}
	switch {
	case changes == 0:
		first = "only spaces and line breaks change"
	case changes > 1:
		first += fmt.Sprintf(", and %d more", changes-1)
	}
	return first, all.String()
}

// longBlock is how long lines that change are shown as a whole, in characters.
const longBlock = 600

// changesIn returns what the lines of two texts that differ are in each of them, with the
// lines around them if those are words.
func changesIn(before, after string, around bool) (changes [][2]string) {
	var was, becomes strings.Builder
	end := func() {
		if was.Len()+becomes.Len() > 0 && was.String() != becomes.String() {
			changes = append(changes, [2]string{was.String(), becomes.String()})
		}
		was.Reset()
		becomes.Reset()
	}
	for i, line := range strings.Split(unified(before+"\n", after+"\n", "", "").Diff, "\n") {
		switch content := line[min(1, len(line)):] + map[bool]string{false: "\n", true: " "}[around]; {
		case i < 2: // the names of both
		case strings.HasPrefix(line, "@@"), !around && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "+"):
			end()
		case strings.HasPrefix(line, "-"):
			was.WriteString(content)
		case strings.HasPrefix(line, "+"):
			becomes.WriteString(content)
		default:
			was.WriteString(content)
			becomes.WriteString(content)
		}
	}
	end()
	return changes
}

// quoted returns the beginning of a text, for the end of a line.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return ": " + output.Quote(output.Excerpt(s, 300))
}

// inWords says what some words become, with two of the words on each side that stay.
func inWords(was, becomes []string) string {
	begin, end := 0, 0
	for begin < min(len(was), len(becomes)) && was[begin] == becomes[begin] {
		begin++
	}
	for end < min(len(was), len(becomes))-begin && was[len(was)-1-end] == becomes[len(becomes)-1-end] {
		end++
	}
	shown := func(words []string) string {
		from, to := max(0, begin-2), len(words)-max(0, end-2)
		words = slices.Clone(words[from:to])
		for i := range words {
			if from+i < begin || from+i >= to-min(2, end) {
				words[i] = text.Truncate(words[i], 20) // a long one must not hide the change
			}
		}
		return output.Quote(output.Excerpt(strings.Join(words, " "), 80))
	}
	switch {
	case len(was) == len(becomes) && begin == len(was):
		return "only spaces and line breaks change"
	case len(was) == 0:
		return "added: " + shown(becomes)
	case len(becomes) == 0:
		return "removed: " + shown(was)
	}
	return shown(was) + " → " + shown(becomes)
}
