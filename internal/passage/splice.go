package passage

import "strings"

// spliced returns New, except that what it has in common with Old at both ends
// stays in its stored form.
func (e Edit) spliced(stored string) string {
	old, there := foldLoosely(e.Old), foldLoosely(stored)
	if old.text != there.text || len(old.lines) == 0 {
		return e.withBullets(stored, e.New, true)
	}
	prefix, suffix := common(e.Old, e.New)
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

// common returns how many bytes two texts have in common at the start, and how
// many of the rest at the end.
func common(a, b string) (prefix, suffix int) {
	shorter := min(len(a), len(b))
	for prefix < shorter && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < shorter-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return runeStart(a, prefix), len(a) - runeEnd(a, len(a)-suffix)
}
