package text

import (
	"strings"
)

// A chunk is a part of a text that stands on its own: one or more blocks of
// Markdown with a blank line, or the end of the text, on either side.
type blockRun struct {
	start, end  int // in the text, without the blank lines around
	first, last blockKind
}

// A blockKind is what a block of Markdown is, as far as the space around it
// depends on that.
type blockKind int

const (
	paragraphBlock blockKind = iota
	bulletBlock              // a list
	orderedBlock             // a numbered list
	checkBlock               // a task list
	noticeBlock              // :::info and so on
	ruleBlock                // a horizontal rule
	emptyBlock               // a line that holds a single backslash: an empty paragraph
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

// kindOf is the kind of the block that a line begins.
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

// leads reports whether Outline writes one more line end before a block.
func (k blockKind) needsExtraLine() bool {
	return k == orderedBlock || k == noticeBlock || k == ruleBlock
}

// chunks splits a text where blank lines end its blocks. Blank lines inside
// code, mathematics, notices and lists end nothing, but two of them between
// list items do: so Outline writes two lists, one after the other.
func splitBlocks(text string) []blockRun {
	var list []blockRun
	var current *blockRun
	var enclosed string // how the line begins that ends the code, notice, …
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
				// A list may follow its paragraph at once.
				if kind := kindOfLine(line); kind != emptyBlock && kind != noticeBlock {
					current.last = kind
				}
			}
		}
	}
	return list
}

// goesOn reports whether a chunk goes on with a line that follows blank ones.
func (c *blockRun) continuesWith(line string, blank int) bool {
	if !c.last.isList() {
		return false
	}
	if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
		return true
	}
	return blank == 1 && kindOfLine(line) == c.last
}

// enclosure is what ends the code, notice, … that is open after a line, ""
// if nothing is.
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
