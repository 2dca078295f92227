package text

import (
	"strings"
)

// A blockRun is one or more consecutive blocks of Markdown between blank lines.
type blockRun struct {
	start, end  int // offsets in the text, without the surrounding blank lines
	first, last blockKind
}

// A blockKind is the kind of a block of Markdown, as far as the space around
// the block depends on it.
type blockKind int

const (
	paragraphBlock blockKind = iota
	bulletBlock              // a list
	orderedBlock             // a numbered list
	checkBlock               // a task list
	noticeBlock              // :::info and so on
	ruleBlock                // a horizontal rule
	emptyBlock               // a line with a single backslash, which is an empty paragraph
	otherBlock
)

var (
	ruleLine    = pattern(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	bulletLine  = pattern(`^[*+-](?:[ \t]|$)`)
	checkLine   = pattern(`^[*+-][ \t]+\[[ xX]\](?:[ \t]|$)`)
	orderedLine = pattern(`^\d{1,9}[.)](?:[ \t]|$)`)
	otherLine   = pattern("^ {0,3}(?:#{1,6}(?:[ \t]|$)|>|```|~~~|\\||\\$\\$|\\+\\+\\+)")
	noticeLine  = pattern(`^:::[ \t]*\w`)
)

// kindOfLine returns the kind of the block that starts with a line.
func kindOfLine(line string) blockKind {
	switch {
	case strings.TrimSpace(line) == `\`:
		return emptyBlock
	case ruleLine().MatchString(line):
		return ruleBlock
	case checkLine().MatchString(line):
		return checkBlock
	case bulletLine().MatchString(line):
		return bulletBlock
	case orderedLine().MatchString(line):
		return orderedBlock
	case noticeLine().MatchString(line):
		return noticeBlock
	case otherLine().MatchString(line):
		return otherBlock
	}
	return paragraphBlock
}

func (k blockKind) isList() bool { return k == bulletBlock || k == orderedBlock || k == checkBlock }

// needsExtraLine reports whether Outline writes one more line break before a
// block of the kind.
func (k blockKind) needsExtraLine() bool {
	return k == orderedBlock || k == noticeBlock || k == ruleBlock
}

// splitBlocks splits a text at blank lines. Blank lines inside code,
// mathematics, notices and lists do not split it, except that two blank lines
// between list items do, because Outline writes two consecutive lists that way.
func splitBlocks(text string) []blockRun {
	var list []blockRun
	var current *blockRun
	var enclosed string // the line that ends the open code, notice, …
	blank := 0
	start := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		from, end := start, start+len(strings.TrimRight(line, "\n"))
		start += len(line)
		line = text[from:end]
		if strings.TrimSpace(line) == "" {
			blank++
			if enclosed == "" {
				continue
			}
		}
		if enclosed == "" && blank > 0 && current != nil && !current.continuesWith(line, blank) {
			current = nil
		}
		if current == nil {
			list = append(list, blockRun{start: from, first: kindOfLine(line)})
			current = &list[len(list)-1]
			current.last = current.first
		}
		enclosed = enclosureAfter(enclosed, line)
		if strings.TrimSpace(line) != "" {
			current.end, blank = end, 0
			if enclosed == "" && current.last == paragraphBlock {
				// A list may follow a paragraph without a blank line.
				if kind := kindOfLine(line); kind != emptyBlock && kind != noticeBlock {
					current.last = kind
				}
			}
		}
	}
	return list
}

// continuesWith reports whether a run continues with a line that follows blank
// lines.
func (c *blockRun) continuesWith(line string, blank int) bool {
	if !c.last.isList() {
		return false
	}
	if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
		return true
	}
	return blank == 1 && kindOfLine(line) == c.last
}

// enclosureAfter returns the line that ends the code, mathematics, notice or
// toggle that is open after a line, or "" if none is open.
func enclosureAfter(open, line string) string {
	trimmed := strings.TrimSpace(line)
	switch {
	case open == "":
		if fence := fenceAfter("", strings.TrimLeft(line, " ")); fence != "" && !strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
			return fence
		}
		switch {
		case noticeLine().MatchString(line):
			return ":::"
		case trimmed == "$$":
			return "$$"
		case strings.HasPrefix(line, "+++ "):
			return "+++"
		}
	case open[0] == '`' || open[0] == '~':
		return fenceAfter(open, line)
	case trimmed == open:
		return ""
	}
	return open
}
