package search

import (
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/text"
	"outline-mcp/outline/prosemirror"
)

// A block is a line of a page as Outline shows it: a paragraph, an item of a list, a row
// of a table.
type block struct {
	text    string // Markdown
	heading string // the nearest above, Markdown
	header  string // of the table, for a row
	intro   string // the line before, if it ends with a colon
}

// longestRead is how much of a page is read, in bytes.
const longestRead = 1 << 20

var (
	headingLine = expression(`^#{1,6}\s`)
	itemMarks   = expression(`^(?:\s*(?:[*+-]|\d+[.)]|>|\[[ xX]\])\s+)+`)
	ruler       = expression(`^\|?[\s:|-]+\|?$`)
	codeFence   = expression("^(`{3,}|~{3,})")
	fence       = expression("^\\s*(```|~~~|:::|\\+\\+\\+)")
)

// blocksOf yields the blocks of a page.
func blocksOf(text string) func(yield func(block) bool) {
	return func(yield func(block) bool) {
		var heading, header, intro, fenced string
		for line := range strings.Lines(text[:min(len(text), longestRead)]) {
			line = strings.TrimSpace(line)
			switch mark := codeFence().FindString(line); {
			case fenced == "":
				fenced = mark
			case strings.HasPrefix(mark, fenced) && strings.Trim(line, mark[:1]) == "":
				fenced = ""
				continue
			}
			if fenced == "" && headingLine().MatchString(line) {
				heading, header, intro = strings.TrimLeft(line, "# "), "", ""
				continue
			}
			isRow := strings.HasPrefix(line, "|")
			switch {
			case !isRow && line != "":
				header = ""
			case isRow && header == "":
				header = line
				continue
			}
			if line == "" || fence().MatchString(line) || ruler().MatchString(line) {
				continue
			}
			for part := range parts(line) {
				if !yield(block{part, heading, header, intro}) {
					return
				}
			}
			if !isRow {
				intro = ""
				if strings.HasSuffix(line, ":") {
					intro = line
				}
			}
		}
	}
}

// longestBlock is how long a block gets, in bytes: a longer line is several.
const longestBlock = 4096

// parts yields a line, or the parts of a long one, cut at its spaces.
func parts(line string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(line) > longestBlock {
			at := strings.LastIndexByte(line[:longestBlock], ' ')
			if at <= 0 {
				at = text.Offset(line, longestBlock/utf8.UTFMax)
			}
			if !yield(line[:at]) {
				return
			}
			line = line[at:]
		}
		yield(line)
	}
}

// Passage returns the passage of a page that holds most of the words of a query, at most
// limit characters long, and the heading of its section. If the text has none of them, it
// is the beginning of the page.
func (q *Query) Passage(text string, limit int) (section, passage string) {
	count := make([]float64, len(q.words)) // blocks that have the word
	var best block
	most := -1.0
	type scored struct {
		block
		own, around []float64
	}
	var found []scored
	var near [3]lastLike
	for b := range blocksOf(text) {
		own, around := q.likeIn(b.text), make([]float64, len(q.words))
		for i, text := range []string{b.heading, b.header, b.intro} {
			for w, like := range near[i].in(q, text) {
				around[w] = max(around[w], like)
			}
		}
		if most < 0 {
			best, most = b, 0 // the beginning
		}
		for w := range own {
			if own[w] > 0 {
				count[w]++
			}
		}
		found = append(found, scored{b, own, around})
	}
	beginning := true
	for _, s := range found {
		score := 0.0
		for w, own := range s.own {
			// The less often a word occurs in the page, the more it tells.
			score += max(own, around*s.around[w]) / (1 + count[w]/8)
		}
		if score > most {
			best, most, beginning = s.block, score, false
		}
	}
	if beginning {
		return "", q.cut(plain(best.text), limit)
	}
	section = plain(best.heading)
	passage = best.plainText()
	if best.intro != "" && utf8.RuneCountInString(best.intro+passage) < limit {
		passage = plain(best.intro) + " " + passage
	}
	return section, q.cut(passage, limit)
}

// A lastLike remembers the likeness of a text that many blocks have in common.
type lastLike struct {
	text string
	like []float64
}

func (l *lastLike) in(q *Query, text string) []float64 {
	if l.like == nil || l.text != text {
		l.text, l.like = text, q.likeIn(text)
	}
	return l.like
}

// around is what a word counts that is in the heading, in the head of the table or in the
// line before.
const around = 0.7

func (q *Query) likeIn(text string) []float64 {
	like := make([]float64, len(q.words))
	for token := range wordsOf(strings.ToLower(text)) {
		if m := q.matching(token); m.like > 0 && m.like > like[m.word] {
			like[m.word] = m.like
		}
	}
	return like
}

// plainText returns the text of a block without marks, on one line. The cells of a row follow
// the head of their column.
func (b block) plainText() string {
	if b.header == "" {
		return plain(b.text)
	}
	heads, cells := cellsOf(b.header), cellsOf(b.text)
	var shown []string
	for i, cell := range cells {
		if i < len(heads) && heads[i] != "" && cell != "" {
			cell = heads[i] + ": " + cell
		}
		if cell != "" {
			shown = append(shown, cell)
		}
	}
	return strings.Join(shown, " | ")
}

func cellsOf(row string) []string {
	row = strings.ReplaceAll(row, `\|`, "\x00")
	var cells []string
	for cell := range strings.SplitSeq(strings.Trim(row, "| "), "|") {
		cells = append(cells, plain(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return cells
}

// plainText returns a line of Markdown without marks.
func plain(line string) string {
	line = itemMarks().ReplaceAllString(line, "")
	text := prosemirror.PlainText(prosemirror.Parse(line))
	return strings.Join(strings.Fields(text), " ")
}

// cut returns the part of a line that holds most words of the query, at most limit
// characters long. It begins and ends at a word, and marks where it was cut.
func (q *Query) cut(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	fields := strings.Fields(line)
	if len(fields) == 1 || isRun(line) {
		return cutRun(line, limit)
	}
	lengths, likes := make([]int, len(fields)), make([][]float64, len(fields))
	for i, f := range fields {
		lengths[i], likes[i] = utf8.RuneCountInString(f)+1, q.likeIn(f)
	}
	bestFrom, bestTo, most := 0, 1, -1.0
	for from := range fields {
		to, length := from, 1 // for the mark of a cut
		have := make([]float64, len(q.words))
		for ; to < len(fields) && length+lengths[to] <= limit; to++ {
			length += lengths[to]
			for w, like := range likes[to] {
				have[w] = max(have[w], like)
			}
		}
		score := sum(have)
		if from == 0 || strings.HasSuffix(fields[from-1], ".") || strings.HasSuffix(fields[from-1], "|") {
			score += 0.1 // the beginning of a sentence or a cell
		}
		if score > most {
			bestFrom, bestTo, most = from, max(to, from+1), score
		}
	}
	passage := strings.Trim(strings.Join(fields[bestFrom:bestTo], " "), "| ")
	if bestFrom > 0 {
		passage = "…" + passage
	}
	if bestTo < len(fields) {
		passage += "…"
	}
	return passage
}

// cutRun cuts a line without spaces.
func cutRun(line string, limit int) string {
	letters := []rune(line)
	if len(letters) <= limit {
		return line
	}
	return string(letters[:limit-1]) + "…"
}
