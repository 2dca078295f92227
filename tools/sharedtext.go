package tools

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"outline-mcp/output"
)

type readEntry struct {
	documentLink
	Text      string    `json:"text"`
	Revision  int       `json:"revision"`
	UpdatedAt time.Time `json:"updated_at"`
	Status    string    `json:"status" enum:"draft,published,archived,deleted"`

	output.Lines

	text  sharedText
	last  int // line
	index int // in the list of all documents
	seen  func(first, last int, cut bool)
}

// show shows the text between two positions.
func (e *readEntry) show(from, to int) {
	e.Text = e.text.slice(from, to)
	e.Lines = output.Lines{}
	first := e.text.lineAt(from)
	if e.last = e.text.lineAt(max(from, to-1)) + 1; from == 0 && to == e.text.all {
		return
	}
	e.StartLine, e.TotalLines = first+1, len(e.text.lines)
	if to < e.text.all {
		next := e.text.lineAt(to)
		e.NextStartLine = next + 1
		if within := to - e.text.lines[next].char; within > 0 {
			e.NextStartChar = within + 1
		}
	}
}

// write writes the entry below a line that begins with a mark.
func (e readEntry) write(t *output.Text, mark string) {
	t.Printf("%s %s, revision %d, %s", mark, e.documentName, e.Revision, day(e.UpdatedAt))
	t.If(e.Status != "published").Printf(", %s", e.Status)
	switch {
	case e.TotalLines > 0 && e.StartLine == e.last:
		t.Printf(", line %d of %d", e.last, e.TotalLines)
	case e.TotalLines > 0:
		t.Printf(", lines %d–%d of %d", e.StartLine, e.last, e.TotalLines)
	}
	t.If(e.NextStartChar > 0).Printf(" up to character %d", e.NextStartChar-1)
	t.Blank()
	t.Block(cmp.Or(strings.TrimRight(e.Text, "\n"), "(no text)"))
}

// A sharedText is the text of one of several documents that share an answer. Positions
// in it are numbers of code points from 0. All texts of an answer are cut at the same
// position, as near as each can be: short ones are whole, and one number tells where
// all continue.
type sharedText struct {
	text   string
	lines  []linePlace // where each line begins
	length int         // of what is to be shown
	all    int         // of the text
}

type linePlace struct{ char, byte int }

// newSharedText returns a text of which at most most code points are shown; 0 is all.
func newSharedText(text string, most int) sharedText {
	s := sharedText{text: text, lines: []linePlace{{}}}
	for i, r := range text {
		s.all++
		if r == '\n' {
			s.lines = append(s.lines, linePlace{s.all, i + 1})
		}
	}
	if s.length = s.all; most > 0 {
		s.length = s.end(most)
	}
	return s
}

// maxGivenUp is how many code points of its share a text gives up to end with a line.
const maxGivenUp = 250

// end returns the position at which the text is cut if limit code points of it may be
// shown: at the end of a line unless that gives up too much. It never decreases with
// the limit.
func (s sharedText) end(limit int) int {
	if limit >= s.length {
		return s.length
	}
	if begins := s.lines[s.lineAt(limit)].char; begins > 0 && limit-begins <= maxGivenUp {
		return begins
	}
	return limit
}

// lineAt returns the index of the line that holds a position.
func (s sharedText) lineAt(position int) int {
	i, found := slices.BinarySearchFunc(s.lines, position, func(l linePlace, position int) int { return l.char - position })
	if !found {
		i--
	}
	return i
}

// slice returns the text between two positions.
func (s sharedText) slice(from, to int) string { return s.text[s.offset(from):s.offset(to)] }

func (s sharedText) offset(position int) int {
	line := s.lines[s.lineAt(position)]
	offset := line.byte
	for range position - line.char {
		_, size := utf8.DecodeRuneInString(s.text[offset:])
		offset += size
	}
	return offset
}

// fairLimit returns the highest position, from from on, at which texts can be cut so
// that they show at most n code points together from from on.
func fairLimit(texts []sharedText, from, n int) int {
	return from + sort.Search(max(0, longestOf(texts)-from), func(i int) bool { return shownBetween(texts, from, from+i+1) > n })
}

// shownBetween returns how many code points the texts show together between two
// positions.
func shownBetween(texts []sharedText, from, to int) (n int) {
	for _, text := range texts {
		n += text.end(to) - text.end(from)
	}
	return n
}

func longestOf(texts []sharedText) (longest int) {
	for _, text := range texts {
		longest = max(longest, text.length)
	}
	return longest
}

var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\n\v\f\r\x{85}\x{2028}\x{2029}])===(\d{0,9}) `)
})

// Mark returns a mark for lines of this server's own around foreign texts: no line of
// the texts begins with it and a space.
func Mark(texts iter.Seq[string]) string {
	taken := map[string]bool{}
	for text := range texts {
		for _, mark := range marks().FindAllStringSubmatch(text, -1) {
			taken[mark[1]] = true
		}
	}
	number := ""
	for n := 2; taken[number]; n++ {
		number = strconv.Itoa(n)
	}
	return "===" + number
}
