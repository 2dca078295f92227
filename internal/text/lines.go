package text

import "strings"

// Lines is a range of lines cut out of a text.
type Lines struct {
	Text  string // the lines with their line ends; shares the memory of the text
	First int    // the number of the first line, counting from 1
	Count int    // the number of these lines: 0 if First is beyond the end
	Next  int    // the number of the line that follows, 0 at the end of the text
	Total int    // the number of lines of the text
}

// Window returns at most limit lines of text starting with line first, or all
// that follow if limit is below 1. A first below 1 counts as 1.
//
// A line ends with "\n" or "\r\n". The empty text has no lines, and a line
// end at the very end of a text does not begin another line.
func Window(text string, first, limit int) Lines {
	w := Lines{First: max(first, 1), Total: countLines(text)}
	w.Text = text[skipLines(text, w.First-1):]
	if limit > 0 {
		w.Text = w.Text[:skipLines(w.Text, limit)]
	}
	w.Count = countLines(w.Text)
	if w.First <= w.Total-w.Count {
		w.Next = w.First + w.Count
	}
	return w
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// skipLines returns the offset after the first n lines of text.
func skipLines(text string, n int) int {
	offset := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	return offset
}
