package edit

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/text"
	"outline-mcp/outline/prosemirror"
)

const (
	// mostPlaces is how many occurrences of an ambiguous passage are listed.
	mostPlaces = 10
	// mostCounted is how many are counted. Each costs the search the length of the
	// passage.
	mostCounted = 1000
)

var (
	errEmpty   = errors.New("old_text is empty: give the passage to replace, copied from the document")
	errNotUTF8 = errors.New("old_text is not valid UTF-8: give the passage to replace, copied from the document")
)

// A document is a text in which several passages are searched for.
type document struct {
	text   string
	all    bool        // search returns all occurrences that it counts
	folded *foldedText // its folded form, once it was needed
	loose  *foldedText // its loosely folded form, once it was needed
}

// find returns the only occurrence of old. The error is a [*NotFoundError] if there
// is none, an [*AmbiguousError] if there are several, even if they overlap, and
// another error for a passage that is only white space. Tolerance applies only to a
// passage that does not occur exactly.
//
// A tolerant match covers no more than old: it includes as many of the line ends
// and blank lines around the passage as old has.
func (d *document) find(old string) (Match, error) {
	count, found, err := d.occurrences(old)
	if err == nil && count > 1 {
		err = newAmbiguousError(d.text, old, count, found)
	}
	if err != nil {
		return Match{}, err
	}
	return found[0], nil
}

// findAll returns the occurrences of old that do not overlap an earlier one. Of a
// passage that occurs exactly, those are all that are exact, or that are without the
// padding of tables.
func (d *document) findAll(old string) ([]Match, error) {
	d.all = true
	count, found, err := d.occurrences(old)
	d.all = false
	if err == nil && count > mostCounted {
		err = fmt.Errorf("old_text occurs more than %d times, which is more than one edit replaces: include more of the text around it", mostCounted)
	}
	if err != nil {
		return nil, err
	}
	end := -1
	return slices.DeleteFunc(found, func(m Match) bool {
		overlaps := m.Start < end
		if !overlaps {
			end = m.End
		}
		return overlaps
	}), nil
}

// occurrences is search, with the tolerance for other forms of the same characters. It
// fails if old does not occur, or cannot be searched.
func (d *document) occurrences(old string) (count int, found []Match, err error) {
	switch {
	case strings.TrimSpace(old) == "":
		return 0, nil, errEmpty
	case !utf8.ValidString(old):
		return 0, nil, errNotUTF8
	}
	count, found = d.search(old)
	if count == 0 {
		count, found = d.findFolded(old)
	}
	if count == 0 {
		err = &NotFoundError{Nearest: nearest(d.text, old), wanted: beginning(old)}
	}
	return count, found, err
}

// most is how many occurrences search returns.
func (d *document) most() int {
	if d.all {
		return mostCounted
	}
	return mostPlaces
}

// search counts the occurrences of old, exact ones or else tolerant ones, and returns the
// first of them in text order.
func (d *document) search(old string) (count int, found []Match) {
	fences := fencesOf(old)
	at := func(start int) Match { return Match{Start: start, End: start + len(old)} }
	count, starts := occurrences(d.text, old, d.most(), func(start int) bool { return fences.split(d.text, at(start)) })
	for _, start := range starts {
		found = append(found, at(start))
	}
	if all, padded := d.findPadded(old, count); all > count {
		return all, padded
	}
	if count == 0 {
		count, found = d.findTolerant(old)
	}
	if count == 0 && hasWords(d.text, old) {
		count, found = d.findLoosely(old)
	}
	return count, found
}

// findPadded is search in the text without the padding of tables, which is the text that
// callers read. It finds nothing if old does not occur there more than a number of times.
func (d *document) findPadded(old string, times int) (int, []Match) {
	if !strings.Contains(old, "|") {
		return 0, nil
	}
	read, fences := prosemirror.Unpadded(d.text), fencesOf(old)
	count, starts := occurrences(read, old, mostCounted, func(start int) bool { return fences.split(read, Match{Start: start, End: start + len(old)}) })
	if count <= times {
		return 0, nil
	}
	every := document{text: d.text, all: true, loose: d.loose}
	all, found := every.findLoosely(old)
	d.loose = every.loose
	if all > mostCounted {
		return all, found[:d.most()]
	}
	// Both texts have the same lines. Another line, as in code, may only resemble old.
	shown := map[int]bool{}
	line, at := 0, 0
	for _, start := range starts {
		line, at = line+strings.Count(read[at:start], "\n"), start
		shown[line] = true
	}
	line, at = 0, 0
	found = slices.DeleteFunc(found, func(m Match) bool {
		line, at = line+strings.Count(d.text[at:m.Start], "\n"), m.Start
		return !shown[line] && d.text[m.Start:m.End] != old
	})
	return len(found), found[:min(len(found), d.most())]
}

// findFolded is search for other forms of the same characters.
func (d *document) findFolded(old string) (int, []Match) {
	stored, wanted := text.Fold(d.text), text.Fold(old).Text
	if stored.Text == d.text && wanted == old || strings.TrimSpace(wanted) == "" {
		return 0, nil
	}
	plain := document{text: stored.Text, all: d.all}
	count, found := plain.search(wanted)
	for i, m := range found {
		found[i] = Match{Tolerant: true}
		found[i].Start, found[i].End = stored.Original(m.Start, m.End)
	}
	return count, found
}

// findTolerant counts the tolerant occurrences of old, and returns the first of
// them in text order.
func (d *document) findTolerant(old string) (int, []Match) {
	wanted := fold(old)
	if len(wanted.lines) == 0 {
		return 0, nil // quote marks and backslashes alone
	}
	if d.folded == nil {
		stored := fold(d.text)
		d.folded = &stored
	}
	return d.findPatterns(*d.folded, patterns(old, wanted), fencesOf(old))
}

// findLoosely is findTolerant for different ways to write the same Markdown.
func (d *document) findLoosely(old string) (int, []Match) {
	wanted := foldLoosely(old)
	if len(wanted.lines) == 0 {
		return 0, nil
	}
	if d.loose == nil {
		stored := foldLoosely(d.text)
		d.loose = &stored
	}
	p := newPattern(old, wanted)
	if strings.HasSuffix(p.text, "|") && !strings.ContainsAny(p.tail, "\r\n") {
		p.tail = "" // blanks beside a bar do not count
	}
	if bar := strings.TrimLeft(p.text, " \t"); strings.HasPrefix(bar, "|") && p.head == "" {
		p.text, p.to = bar, len(bar)
	}
	if p.head != "" {
		p.text, p.from, p.to = "\n"+p.text, p.from+1, p.to+1
	}
	list := p.withTail()
	if rest := strings.TrimLeft(p.text, "> \t"); rest != p.text && p.head == "" {
		// The passage may begin after a break within a line, where there is no
		// indentation.
		p.text, p.from, p.to, p.afterBreak = "\n"+rest, 1, len(rest)+1, true
		list = append(list, p.withTail()...)
	}
	return d.findPatterns(*d.loose, list, fences{})
}

// findPatterns counts the occurrences of patterns in a folded form of the text.
func (d *document) findPatterns(stored foldedText, list []pattern, fences fences) (int, []Match) {
	count := 0
	var found []Match
	for _, p := range list {
		n, starts := occurrences(stored.text, p.text, d.most(), func(at int) bool {
			if p.afterBreak {
				if _, width := place(stored.jumps, at); width == 0 {
					return true // the end of a line
				}
			}
			return fences.split(stored.text, Match{Start: at + p.from, End: at + p.to})
		})
		for _, at := range starts {
			found = append(found, p.match(d.text, stored, at))
		}
		count += n
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	return count, found[:min(len(found), d.most())]
}

// replace replaces a match with another text.
func (d *document) replace(m Match, with string) {
	d.text = d.text[:m.Start] + with + d.text[m.End:]
	d.folded, d.loose = nil, nil
}

// A pattern is a form in which a passage may occur in a folded text.
type pattern struct {
	text       string
	from, to   int    // text[from:to] is the passage; a line end may stand before and behind
	afterBreak bool   // whether it begins behind a break within a line
	head, tail string // what surrounds the passage in old: blank lines, or white space behind
}

// newPattern returns the form in which a passage occurs if its surroundings do
// not matter.
func newPattern(old string, wanted foldedText) pattern {
	body := wanted.text[1 : len(wanted.text)-1]
	r := lineReader{text: old, pos: wanted.lines[len(wanted.lines)-1].stored}
	start, end, _ := r.next()
	head, tail := old[:wanted.lines[0].stored], old[start+len(trimEnd(old[start:end])):]
	return pattern{text: body, to: len(body), head: head, tail: tail}
}

// patterns returns the forms to look for. No two of them match at the same
// place.
func patterns(old string, wanted foldedText) []pattern {
	whole := newPattern(old, wanted)
	body, head, tail := whole.text, whole.head, whole.tail

	bodies := []string{body}
	if head != "" {
		bodies[0] = "\n" + body
	} else if literal := unmark(body, old[len(head):]); literal != body {
		// An apparent bullet may come from the middle of a line.
		bodies = append(bodies, literal)
	}
	var list []pattern
	for _, b := range bodies {
		p := pattern{text: b, from: len(b) - len(body), to: len(b), head: head, tail: tail}
		list = append(list, p.withTail()...)
	}
	return list
}

// withTail returns the forms in which a passage occurs together with what
// follows it.
func (p pattern) withTail() []pattern {
	if p.tail == "" {
		return []pattern{p}
	}
	atLineEnd := p
	atLineEnd.text += "\n"
	if strings.ContainsAny(p.tail, "\r\n") {
		return []pattern{atLineEnd}
	}
	// White space at the end of a line is ignored, but counts within one.
	p.text += string(foldInline(nil, p.tail))
	p.to, p.tail = len(p.text), ""
	return []pattern{atLineEnd, p}
}

// match returns the place in text of the pattern's occurrence at an offset of
// the folded text.
func (p pattern) match(text string, stored foldedText, at int) Match {
	start := stored.offset(text, at+p.from, at+p.from)
	end := stored.offset(text, at+p.to-1, at+p.to)
	if p.head != "" && start == lineStart(text, start) {
		start = extendLeft(text, start, p.head)
	}
	if p.tail != "" {
		end = extendRight(text, end, p.tail)
	}
	return Match{Start: start, End: end, Tolerant: true}
}

// occurrences counts how often pattern, which is not empty, occurs in text, and returns
// the first offsets, at most that many. Overlapping occurrences count, too, but not those that skip returns
// true for, unless there are more than mostCounted altogether.
func occurrences(text, pattern string, most int, skip func(at int) bool) (count int, first []int) {
	at := 0
	for range mostCounted + 1 {
		i := strings.Index(text[at:], pattern)
		if i < 0 {
			return count, first
		}
		at += i
		if !skip(at) {
			if count++; count <= most {
				first = append(first, at)
			}
		}
		at++
	}
	return mostCounted + 1, first
}
