package prosemirror

import "strings"

// SplitTaskLists returns a text in which each list of tasks and plain items is several, told
// apart by their signs, and the lines, from 1, where they begin. Of a list with both,
// Outline makes tasks of all items, or drops it. The last of them may join the list behind it.
func SplitTaskLists(markdown string) (split string, at []int) {
	type list struct{ task, other bool }
	var open []list // the lists around; those with numbers stay as they are
	lines := strings.Split(markdown, "\n")
	tokens := readBlocks(markdown).tokens
	for i := range tokens {
		switch t := &tokens[i]; t.kind {
		case bulletListOpen, orderedListOpen:
			open = append(open, list{task: isTask(tokens[i+2:])})
		case bulletListClose, orderedListClose:
			open = open[:len(open)-1]
		case listItemOpen:
			around, line := &open[len(open)-1], lines[t.line]
			sign := len(line) - len(strings.TrimLeft(line, " \t>"))
			if sign == len(line) || !strings.Contains("-*+", line[sign:sign+1]) {
				continue
			}
			if task := isTask(tokens[i+1:]); task != around.task {
				around.task, around.other, at = task, !around.other, append(at, int(t.line)+1)
			}
			if other := "*"; around.other {
				if line[sign] == '*' {
					other = "-"
				}
				lines[t.line] = line[:sign] + other + line[sign+1:]
			}
		}
	}
	return strings.Join(lines, "\n"), at
}

// isTask reports whether the content of an item begins with a checkbox.
func isTask(content []token) bool {
	if content[0].kind != paragraphOpen {
		return false
	}
	box := checkbox.get().FindStringIndex(content[1].content)
	return box != nil && box[0] == 0
}
