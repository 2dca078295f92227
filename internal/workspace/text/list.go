package text

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// isCheckList reports whether all items of a list are tasks.
func (m *markdownWriter) isCheckList(list *ast.List) bool {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if _, ok := m.task(item); !ok {
			return false
		}
	}
	return list.HasChildren()
}

// task returns the checkbox of a task, such as "[x]".
func (m *markdownWriter) task(item ast.Node) (box string, ok bool) {
	first := item.FirstChild()
	if first == nil || first.Kind() != ast.KindParagraph && first.Kind() != ast.KindTextBlock || first.Lines().Len() == 0 {
		return "", false
	}
	segment := first.Lines().At(0)
	line := string(segment.Value(m.source))
	if len(line) < 4 || line[0] != '[' || line[2] != ']' || line[3] != ' ' && line[3] != '\n' || !strings.ContainsRune(" xX", rune(line[1])) {
		return "", false
	}
	return strings.ToLower(line[:3]), true
}

func (m *markdownWriter) list(list *ast.List, kind blockKind) string {
	var b strings.Builder
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "* "
		inside := blockWriter{tight: true}
		m.blocks(&inside, item)
		content := inside.String()
		switch kind {
		case orderedBlock:
			marker = strconv.Itoa(number) + ". "
			number++
		case checkBlock:
			box, _ := m.task(item)
			marker = "- "
			content = box + content[3:]
		}
		if item.PreviousSibling() != nil {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(prefixed(content, marker, strings.Repeat(" ", len(marker))), " "))
	}
	return b.String()
}

// prefixed adds a prefix to the first line and another one to each further line
// of a text. Empty lines get the prefix without trailing spaces.
func prefixed(text, first, further string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		prefix := further
		if i == 0 {
			prefix = first
		}
		if lines[i] == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		lines[i] = prefix + lines[i]
	}
	return strings.Join(lines, "\n")
}
