package edit

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// This file finds what differs between the whole texts of a document.

// maxChanges bounds the parts in which the whole text of a document is changed, and
// maxPlanned the text, in bytes, that is planned for all of them: each part may need the
// whole document to be written and read.
const (
	maxChanges = 50
	maxPlanned = 4 << 20
)

// changesBetween returns the changes that make one text of another: of words where lines
// differ in plain words and the given signs, otherwise of lines.
func changesBetween(before, after, signs string) (changes []Change) {
	was, now := splitLines(before), splitLines(after)
	starts := make([]int, len(was)+1)
	for i, line := range was {
		starts[i+1] = starts[i] + len(line)
	}
	join := func(c Change, apart func(between string) bool) {
		last := len(changes) - 1
		if last < 0 || apart(before[changes[last].End:c.Start]) {
			changes = append(changes, c)
			return
		}
		changes[last].New += before[changes[last].End:c.Start] + c.New
		changes[last].End = c.End
	}
	// Changes of the blank lines of a gap belong together.
	outsideGap := func(between string) bool {
		end := changes[len(changes)-1].End
		return strings.Trim(between, "\n\\") != "" || between != "" && end > 0 && before[end-1] != '\n'
	}
	left := maxLikeWords
	for _, c := range joinedOverBlank(lineChanges(was, now), was) {
		i, j := c.Start, c.ReplStart
		for _, pair := range append(likeLines(was[c.Start:c.End], now[c.ReplStart:c.ReplEnd], &left), [2]int{c.End - c.Start, c.ReplEnd - c.ReplStart}) {
			to, toNow := c.Start+pair[0], c.ReplStart+pair[1]
			if i < to || j < toNow {
				join(Change{Match: Match{Start: starts[i], End: starts[to]}, New: strings.Join(now[j:toNow], "")}, outsideGap)
			}
			if to < c.End && toNow < c.ReplEnd {
				for _, one := range changesInLine(was[to], now[toNow], signs) {
					one.Start, one.End = one.Start+starts[to], one.End+starts[to]
					join(one, outsideGap)
				}
			}
			i, j = to+1, toNow+1
		}
	}
	most := min(maxChanges, max(1, maxPlanned/max(1, len(before))))
	for gap := 1; len(changes) > most; gap *= 2 {
		all := changes
		changes = nil
		for _, c := range all {
			join(c, func(between string) bool { return len(between) > gap })
		}
	}
	for i := range changes {
		changes[i] = changes[i].behindGap(before)
	}
	return changes
}

// behindGap returns the same change of a text further behind, if it adds or removes lines
// from a blank line on: the blank lines before it stay as they are then.
func (c Change) behindGap(text string) Change {
	e := rawEdit{c.Start, c.End, c.New}.trim(text)
	for (e.text == "") != (e.start == e.end) && strings.HasPrefix(e.text+text[e.start:e.end], "\n") && strings.HasPrefix(text[e.end:], "\n") {
		if e.text != "" {
			e.text = e.text[1:] + "\n"
		}
		e.start++
		e.end++
	}
	return Change{Match: Match{Start: e.start, End: e.end}, New: e.text}
}

// joinedOverBlank joins the changes of lines between which there are only blank ones.
func joinedOverBlank(changes []lcs.Diff, was []string) (joined []lcs.Diff) {
	for _, c := range changes {
		last := len(joined) - 1
		if last >= 0 && strings.Trim(strings.Join(was[joined[last].End:c.Start], ""), "\n") == "" {
			joined[last].End, joined[last].ReplEnd = c.End, c.ReplEnd
		} else {
			joined = append(joined, c)
		}
	}
	return joined
}

// likeLines returns the pairs of lines, by their index, of which one was made of the other:
// those that share a third of what they say. left is how many more words are compared.
func likeLines(was, now []string, left *int) (pairs [][2]int) {
	words, others := wordsOf(was), wordsOf(now)
	compared := 1
	for _, lines := range [][][]string{words, others} {
		n := 0
		for _, line := range lines {
			n += len(line)
		}
		compared *= n
	}
	if len(was)*len(now) > maxLikeLines || compared > *left {
		if len(was) == len(now) {
			for i := range was {
				pairs = append(pairs, [2]int{i, i})
			}
		}
		return pairs
	}
	*left -= compared
	shared := make([]int, len(was)*len(now))
	for at := range shared {
		i, j := at/len(now), at%len(now)
		shared[at] = sharedWords(was[i], now[j], words[i], others[j])
	}
	return heaviest(len(was), len(now), func(i, j int) int { return shared[i*len(now)+j] })
}

// maxLikeLines bounds the pairs of lines that are compared, and maxLikeWords those of words
// in a text.
const maxLikeLines, maxLikeWords = 1 << 10, 1 << 24

func wordsOf(lines []string) [][]string {
	words := make([][]string, len(lines))
	for i, line := range lines {
		words[i] = strings.FieldsFunc(line, isNoWord)
	}
	return words
}

// sharedWords says how much two lines with some words share, if that is a third of both.
// Blank lines share less than a word.
func sharedWords(a, b string, was, now []string) int {
	if a == b {
		return 1
	}
	count := len(common(was, now))
	prefix, suffix := commonEnds(a, b)
	if 3*count < max(len(was), len(now)) && 3*(prefix+suffix) < max(len(a), len(b)) {
		return 0
	}
	return 2*count + 2
}

// signsOfProse have no meaning in Markdown, but at the beginning of a line.
const signsOfProse = ",.;?!'’-–"

// changesInLine returns the changes of the cells of a table's line, or of words, if no other
// signs than the given ones change. Otherwise the whole line changes.
func changesInLine(before, after, signs string) (changes []Change) {
	whole := []Change{{Match: Match{End: len(before)}, New: after}}
	if was, now := cells(before), cells(after); len(was) > 1 && len(was) == len(now) {
		at := 0
		for i, cell := range was {
			old, text := strings.Trim(cell, " "), strings.Trim(now[i], " ")
			start := at + strings.Index(cell, old)
			if old == "" {
				start += min(1, len(cell))
			}
			at += len(cell) + len("|")
			switch {
			case shortRule(old) == shortRule(text): // only the padding differs
			case strings.Contains(cell, "\n"):
				return whole
			default:
				changes = append(changes, Change{Match: Match{Start: start, End: start + len(old)}, New: text})
			}
		}
		return changes
	}
	was, starts := words(before)
	starts = append(starts, len(before))
	now, _ := words(after)
	for _, h := range hunks(was, now) {
		old, text := strings.Join(was[h.before.start:h.before.end], ""), strings.Join(now[h.after.start:h.after.end], "")
		if strings.ContainsFunc(old+text, func(r rune) bool { return r != ' ' && !isWord(r) && !strings.ContainsRune(signs, r) }) {
			return whole
		}
		start := starts[h.before.start]
		c := Change{Match: Match{Start: start, End: start + len(old)}, New: text}
		if last := len(changes) - 1; last >= 0 && strings.Trim(before[changes[last].End:start], " ") == "" {
			c.New = changes[last].New + before[changes[last].End:start] + c.New
			c.Start, changes = changes[last].Start, changes[:last]
		}
		changes = append(changes, c)
	}
	return changes
}

// shortRule returns a cell of the line below a table's header with one dash, and another
// cell as it is.
func shortRule(cell string) string {
	dashes := strings.Trim(cell, ":")
	if dashes == "" || strings.Trim(dashes, "-") != "" {
		return cell
	}
	return strings.Replace(cell, dashes, "-", 1)
}

// cells splits the line of a table, and returns nil for another line.
func cells(line string) (list []string) {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	start := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			list, start = append(list, line[start:i]), i+1
		}
	}
	return append(list, line[start:])
}
