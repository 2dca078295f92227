package edit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"outline-mcp/internal/text"
)

// An Edit replaces a passage, which must occur exactly once, with another text, or
// changes a section.
type Edit struct {
	Old     string       // the passage
	New     string       // the new text, subject to Replacement; "" deletes the passage
	All     bool         // replaces every occurrence of the passage
	Except  []string     // with All: passages within which an occurrence stays
	Words   bool         // with All: an occurrence within the address of a link stays
	Section *SectionEdit // if it is not nil, the change that is made instead
}

// maxAdded is how many bytes the occurrences of one passage may add to a text.
const maxAdded = 4 << 20

// A Match is the place of a passage in a text.
type Match struct {
	Start, End int  // byte offsets: text[Start:End] is the passage as stored
	Tolerant   bool // whether it was found only with tolerance
}

// A Change is the combined effect of edits on one part of a text.
type Change struct {
	Match        // the part, in the text before all edits
	New   string // the text that replaces it
	Edits []int  // the indices of the edits, in order

	places int // how many of the passages it replaces
}

// changesOf applies edits one after the other, each to the result of those before
// it, and returns them as changes of separate parts of the text. Each change can
// be made without the others, in any order. An edit that changes the text of an
// earlier one, or text next to it, is part of the same change. The changes are in
// the order of the text. If an edit fails, none is applied, and the error is an
// [*EditError].
func changesOf(text string, edits []Edit) (after string, changes []Change, err error) {
	d := document{text: text}
	for i, edit := range edits {
		own, err := edit.changes(&d)
		if err != nil {
			return "", nil, &EditError{Index: i, Err: err}
		}
		marks := newMarkReader(d.text)
		// From the last one on, so that those before it stay where they are.
		for n, change := range slices.Backward(own) {
			if edit.Section == nil {
				marks.text = d.text
				change = marks.deleted(change, own[:n])
			}
			if d.replace(change.Match, change.New); len(d.text) > len(text)+maxAdded {
				return "", nil, &EditError{Index: i, Err: errors.New("the edits add too much text for one call")}
			}
			change.Edits, change.places = []int{i}, 1
			changes = merge(text, changes, change)
		}
	}
	return d.text, changes, nil
}

// changes returns what an edit changes, in the order of the text.
func (e Edit) changes(d *document) (changes []Change, err error) {
	if e.Section != nil {
		return e.Section.changes(d.text)
	}
	places, err := e.places(d)
	if err != nil {
		return nil, err
	}
	for _, match := range places {
		if err := e.checkGaps(d.text, match); err != nil {
			return nil, err
		}
		// A copy does not keep the intermediate text in memory.
		stored := strings.Clone(d.text[match.Start:match.End])
		changes = append(changes, Change{Match: match, New: e.Replacement(stored)})
	}
	return changes, nil
}

// places returns where an edit applies, in the order of the text.
func (e Edit) places(d *document) ([]Match, error) {
	if e.All {
		found, err := d.findAll(e.Old)
		found = slices.DeleteFunc(found, d.within(e.Except))
		if e.Words {
			found = slices.DeleteFunc(found, inAddress(d.text))
		}
		if len(found) == 0 && err == nil {
			err = errors.New("old_text occurs only within the passages of except")
		}
		if len(found)*(len(e.New)-len(e.Old)) > maxAdded {
			err = fmt.Errorf("new_text is too long to be put in place of all %d occurrences of old_text", len(found))
		}
		return found, err
	}
	match, err := d.find(e.Old)
	return []Match{match}, err
}

// Address matches the beginning of a link's or a picture's Markdown after its words, up to the
// end of its address, and an address that is written out.
var Address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\]\([^)\s]+|(?:https?://|mailto:|www\.)[^\s<>|\]]+`)
})

// inAddress returns whether a match lies within the address of a link in a text.
func inAddress(text string) func(Match) bool {
	addresses := Address().FindAllStringIndex(text, -1)
	return func(m Match) bool {
		at := sort.Search(len(addresses), func(i int) bool { return addresses[i][0] > m.Start }) - 1
		return at >= 0 && m.End <= addresses[at][1]
	}
}

// within returns whether a match lies within an occurrence of one of the passages, which may
// overlap.
func (d *document) within(passages []string) func(Match) bool {
	starts := make([][]int, len(passages))
	for i, passage := range passages {
		for at := 0; passage != ""; {
			next := strings.Index(d.text[at:], passage)
			if next < 0 {
				break
			}
			starts[i] = append(starts[i], at+next)
			at += next + 1
		}
	}
	return func(m Match) bool {
		for i, passage := range passages {
			if at := sort.SearchInts(starts[i], m.Start+1) - 1; at >= 0 && m.End <= starts[i][at]+len(passage) {
				return true
			}
		}
		return false
	}
}

// merge adds the change that an edit makes to the current text to those of the text
// before all edits, which stay sorted by place.
func merge(text string, changes []Change, a Change) []Change {
	// Changes that precede a place in the current text have moved it.
	moved := 0
	from := 0 // changes before it
	for from < len(changes) && changes[from].Start+moved+len(changes[from].New) < a.Start {
		moved += changes[from].growth()
		from++
	}
	to, touched := from, moved
	for to < len(changes) && changes[to].Start+touched <= a.End {
		touched += changes[to].growth()
		to++
	}
	merged := Change{Match{a.Start - moved, a.End - touched, a.Tolerant}, a.New, a.Edits, a.places}
	if from < to {
		first, last := changes[from], changes[to-1]
		merged.Start, merged.End = min(merged.Start, first.Start), max(merged.End, last.End)
		// What the affected changes have written before and after the edit stays.
		now := text[merged.Start:first.Start]
		for i, c := range changes[from:to] {
			if i > 0 {
				now += text[changes[from+i-1].End:c.Start]
			}
			now += c.New
			merged.Edits, merged.places = append(merged.Edits, c.Edits...), merged.places+c.places
			merged.Tolerant = merged.Tolerant || c.Tolerant
		}
		now += text[last.End:merged.End]
		at := a.Start - (merged.Start + moved)
		merged.New = now[:at] + a.New + now[at+a.End-a.Start:]
		slices.Sort(merged.Edits)
		merged.Edits = slices.Compact(merged.Edits)
	}
	return slices.Replace(changes, from, to, merged)
}

// growth returns how much longer the text becomes.
func (c Change) growth() int { return len(c.New) - (c.End - c.Start) }

// Replacement returns the text that replaces a passage as it is stored: New,
// but with the bullets of the stored passage if those of Old differ. A list
// with different bullets would become several lists (CommonMark, section 5.3).
// If Old is written in a different way, with other forms of the same characters, other
// escapes or breaks, what New has in common with Old at both ends stays as it is stored.
func (e Edit) Replacement(stored string) string {
	switch {
	case e.New == "" || e.Old == stored:
	case text.Fold(e.Old).Text == text.Fold(stored).Text:
		return e.inForms(stored)
	case fold(e.Old).text != fold(stored).text:
		return e.spliced(stored)
	}
	text := e.New
	if e.Old != stored {
		text = withStoredGaps(e.Old, stored, text)
	}
	return e.withBullets(stored, text, true)
}

// withBullets returns a part of New with the bullets of the stored passage.
func (e Edit) withBullets(stored, part string, atLineStart bool) string {
	marks := bulletsOf(stored)
	if len(marks) != 1 {
		return part
	}
	other := strings.Trim(bulletsOf(e.Old), marks)
	if other == "" {
		return part
	}
	return replaceBullets(part, atLineStart, func(line string, at int) string {
		if strings.IndexByte(other, line[at]) < 0 {
			return line[at : at+1]
		}
		return marks
	})
}

// replaceBullets returns a text with the bullets that by returns, given the line of each
// and its position there. The first line may begin within one.
func replaceBullets(text string, atLineStart bool, by func(line string, at int) string) string {
	var out strings.Builder
	inFence := false
	for line := range strings.Lines(text) {
		inFence = inFence != isFence(line)
		if at := bulletAt(line); atLineStart && at >= 0 && !inFence {
			line = line[:at] + by(line, at) + line[at+1:]
		}
		out.WriteString(line)
		atLineStart = true
	}
	return out.String()
}

// bulletsOf returns each of - * + that begins an item in a text, once.
func bulletsOf(text string) string {
	found := ""
	for line := range strings.Lines(text) {
		if at := bulletAt(line); at >= 0 && strings.IndexByte(found, line[at]) < 0 {
			found += line[at : at+1]
		}
	}
	return found
}

// bulletAt returns the position of the bullet of a line, or -1 if the line is
// not a list item.
func bulletAt(line string) int {
	at := len(line) - len(strings.TrimLeft(line, " \t>"))
	if at+1 >= len(line) || strings.IndexByte("-*+", line[at]) < 0 || line[at+1] != ' ' && line[at+1] != '\t' {
		return -1
	}
	if strings.Trim(line[at:], line[at:at+1]+" \t\r\n") == "" {
		return -1 // a thematic break
	}
	return at
}

func isFence(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// spliced returns New, except that what it has in common with Old at both ends
// stays in its stored form.
func (e Edit) spliced(stored string) string {
	old, there := foldLoosely(e.Old), foldLoosely(stored)
	if old.text != there.text || len(old.lines) == 0 {
		return e.withBullets(stored, e.New, true)
	}
	prefix, suffix := commonEnds(e.Old, e.New)
	// The first folded byte is a line end before the text, the last one behind it.
	first, last := 1, len(old.text)-1
	for first < last && old.offset(e.Old, first+1, first+1) <= prefix {
		first++
	}
	behind := last
	for at := last; at > 1 && old.offset(e.Old, at-1, at) >= len(e.Old)-suffix; at-- {
		if old.text[at-1] != '\n' { // the break itself is part of what stays
			behind = at
		}
	}
	from, storedFrom := old.offset(e.Old, first, first), there.offset(stored, first, first)
	if first > 1 && old.text[first] == '|' { // the spaces that fill up a cell belong to its end, not to its words
		from, storedFrom = old.offset(e.Old, first-1, first), there.offset(stored, first-1, first)
	}
	to, storedTo := old.offset(e.Old, behind-1, behind), there.offset(stored, behind-1, behind)
	ends := to >= len(e.Old)-suffix
	if behind <= first && ends {
		from, storedFrom = to, storedTo // all of Old stays
	}
	if from > prefix {
		from, storedFrom = 0, 0
	}
	to += len(e.New) - len(e.Old)
	if !ends || from > to || storedFrom > storedTo {
		to, storedTo = len(e.New), len(stored)
	}
	atLineStart := from == 0 || strings.HasSuffix(e.New[:from], "\n")
	return stored[:storedFrom] + e.withBullets(stored, e.New[from:to], atLineStart) + stored[storedTo:]
}

// inForms is spliced for a passage that is stored in other forms of the same characters.
func (e Edit) inForms(stored string) string {
	there, now := text.Fold(stored), text.Fold(e.New)
	prefix, suffix := commonEnds(there.Text, now.Text)
	// Only what New has exactly as Old has it stays.
	same, sameEnd := commonEnds(e.Old, e.New)
	prefix = runeStart(now.Text, min(prefix, len(text.Fold(e.Old[:same]).Text)))
	suffix = len(now.Text) - runeEnd(now.Text, len(now.Text)-min(suffix, len(text.Fold(e.Old[len(e.Old)-sameEnd:]).Text)))
	_, kept := there.Original(0, prefix)
	again, _ := there.Original(len(there.Text)-suffix, len(there.Text))
	_, from := now.Original(0, prefix)
	to, _ := now.Original(len(now.Text)-suffix, len(now.Text))
	spliced := stored[:kept] + e.New[from:max(from, to)] + stored[max(kept, again):]
	if text.Fold(spliced).Text != now.Text {
		return e.New // a sign is changed in part
	}
	return spliced
}

// commonEnds returns how many bytes two texts have in common at the start, and how
// many of the rest at the end.
func commonEnds(a, b string) (prefix, suffix int) {
	shorter := min(len(a), len(b))
	for prefix < shorter && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < shorter-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return runeStart(a, prefix), len(a) - runeEnd(a, len(a)-suffix)
}

// maxSnap is how many bytes an extension may grow to end with a whole line.
const maxSnap = 1000

// findReplace returns the arguments that make the change of text on a server that
// replaces the first occurrence of find.
func (c Change) findReplace(text string) (find, replace string) {
	w := widen(text, c.Match)
	return text[w.Start:w.End], text[w.Start:c.Start] + c.New + text[c.End:w.End]
}

// widen returns a match that contains m and whose text does not occur earlier in
// text. It extends m to the left, to the right or to both sides, whichever is
// shortest, and within the lines of m if possible. The extension ends with a whole
// line if one ends nearby.
func widen(text string, m Match) Match {
	if isFirst(text, m) {
		return m
	}
	bounds := Match{Start: 0, End: len(text)}
	lines := Match{Start: strings.LastIndexByte(text[:m.Start], '\n') + 1, End: indexFrom(text, '\n', m.End)}
	if isFirst(text, lines) {
		bounds = lines // keep other blocks unchanged
	}
	best := bounds
	for _, direction := range []struct{ left, right int }{{0, 1}, {1, 0}, {1, 1}} {
		// Anything that contains a first occurrence is one too: search for the shortest.
		extended := func(by int) Match {
			return Match{
				Start: runeStart(text, max(m.Start-by*direction.left, bounds.Start)),
				End:   runeEnd(text, min(m.End+by*direction.right, bounds.End)),
			}
		}
		if !isFirst(text, extended(len(text))) {
			continue
		}
		enough := sort.Search(len(text), func(n int) bool { return isFirst(text, extended(n)) })
		if w := toLines(text, m, extended(enough)); w.End-w.Start < best.End-best.Start {
			best = w
		}
	}
	best.Tolerant = m.Tolerant
	return best
}

// isFirst reports whether the text of a match does not occur before it.
func isFirst(text string, m Match) bool {
	// Nothing that begins before it can reach further than this.
	return strings.Index(text[:m.End], text[m.Start:m.End]) == m.Start
}

// toLines moves the ends of w that are not ends of m to the start or end of a
// line, if that is near.
func toLines(text string, m, w Match) Match {
	if w.Start < m.Start {
		if start := strings.LastIndexByte(text[:w.Start], '\n') + 1; w.Start-start <= maxSnap {
			w.Start = start
		}
	}
	if w.End > m.End {
		if end := indexFrom(text, '\n', w.End); end-w.End <= maxSnap {
			w.End = end
		}
	}
	return w
}
