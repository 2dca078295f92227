package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// ChangeState is what is to be seen of a change in a document that others may have
// changed as well.
type ChangeState int

const (
	Present ChangeState = iota // every block of the change is as wanted
	Within                     // its words are there, in blocks that others have changed, too
	Absent                     // nothing of it is there
	Doubled                    // it is there twice
	Unclear                    // only a part of it is there, or others have rewritten that part of the document
)

// overwritten is what is to be seen of blocks that were to be deleted and are gone, if
// others have written blocks there: those may be the same ones, changed.
const overwritten = Unclear + 1

// ChangeIn returns what a document shows of the change from before to wanted. What
// others have changed elsewhere, and comments, do not count.
func ChangeIn(before, wanted, now *prosemirror.Node) ChangeState {
	b, w, n := plainBlocks(before), plainBlocks(wanted), plainBlocks(now)
	all := func(i, j, k int) bool { return prosemirror.Equal(b[i], w[j]) && Same(w[j], n[k]) }
	for len(b) > 0 && len(w) > 0 && len(n) > 0 && all(0, 0, 0) {
		b, w, n = b[1:], w[1:], n[1:]
	}
	for len(b) > 0 && len(w) > 0 && len(n) > 0 && all(len(b)-1, len(w)-1, len(n)-1) {
		b, w, n = b[:len(b)-1], w[:len(w)-1], n[:len(n)-1]
	}
	var blocks numbers
	states := states{blocks.of(b, false), blocks.of(w, false), blocks.of(n, true)}
	return states.changeState(func(g group) ChangeState {
		return ChangeInText(serialize(b[g.before.start:g.before.end]), serialize(w[g.wanted.start:g.wanted.end]), serialize(n[g.now.start:g.now.end]))
	})
}

// ChangeInText is ChangeIn for Markdown: it looks at words, signs and line breaks.
// It never returns Present or Doubled, because how a text is stored is not known.
func ChangeInText(before, wanted, now string) ChangeState {
	number := map[string]int{}
	words := func(text string) (ids []int) {
		for text != "" {
			size := wordSize(text)
			word := text[:size]
			text = text[size:]
			switch strings.Trim(word, " -\n") {
			case "":
				if !strings.ContainsAny(word, "-\n") {
					continue // padding
				}
				word = word[len(word)-1:] // lines, and rules of tables, of any length
			}
			if _, ok := number[word]; !ok {
				number[word] = len(number)
			}
			ids = append(ids, number[word])
		}
		return ids
	}
	states := states{words(before), words(wanted), words(now)}
	if slices.Equal(states.before, states.wanted) {
		return Unclear
	}
	switch p := states.changeState(nil); p {
	case Present, Doubled:
		return Within
	default:
		return p
	}
}

// wordSize returns the length of the first word, run of spaces, line breaks or dashes,
// or other sign of a text.
func wordSize(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	same := func(r rune) bool { return r == first }
	switch {
	case isWord(first):
		same = isWord
	case first == ' ', first == '\n', first == '-':
	default:
		return size
	}
	if end := strings.IndexFunc(text, func(r rune) bool { return !same(r) }); end >= 0 {
		return end
	}
	return len(text)
}

// plainBlocks returns the blocks of a document without comments.
func plainBlocks(doc *prosemirror.Node) []*prosemirror.Node {
	return doc.WithoutMarks(prosemirror.Comment).Content
}

// numbers gives equal blocks the same number.
type numbers struct {
	count int
	known map[string][]numbered // by type and text
}

type numbered struct {
	block  *prosemirror.Node
	number int
}

// of returns the numbers of blocks. Stored blocks are equal to others if they are
// what Outline makes of those.
func (m *numbers) of(blocks []*prosemirror.Node, stored bool) (ids []int) {
	if m.known == nil {
		m.known = map[string][]numbered{}
	}
	for _, block := range blocks {
		key := block.Type + block.TextContent()
		alike := m.known[key]
		at := slices.IndexFunc(alike, func(k numbered) bool { return prosemirror.Equal(k.block, block) })
		if at < 0 && stored {
			at = slices.IndexFunc(alike, func(k numbered) bool { return Same(k.block, block) })
		}
		if at < 0 {
			at = len(alike)
			m.known[key] = append(alike, numbered{block, m.count})
			m.count++
		}
		ids = append(ids, m.known[key][at].number)
	}
	return ids
}

// states are three states of a list.
type states struct{ before, wanted, now []int }

// A section is a part of a list.
type section struct{ start, end int }

// A group is a part of a list in three states, around which nothing has changed.
type group struct{ before, wanted, now section }

// changeState puts together what is to be seen of each part of the change. closer looks
// at a part of which the list does not tell; nil if nothing else can.
func (s *states) changeState(closer func(group) ChangeState) ChangeState {
	var seen [Unclear + 1]int
	groups := s.groups()
	for _, g := range groups {
		p := s.in(g, closer == nil)
		switch {
		case p == overwritten:
			if p = closer(g); p == Within {
				p = Present // what is there is not what was to be deleted
			}
		case p == Unclear && closer != nil:
			p = closer(g)
		}
		seen[p]++
	}
	switch {
	case seen[Present] == len(groups):
		return Present
	case seen[Present]+seen[Within] == len(groups):
		return Within
	case seen[Absent] == len(groups):
		whole := group{section{0, len(s.before)}, section{0, len(s.wanted)}, section{0, len(s.now)}}
		if closer != nil && s.in(whole, false) == Present {
			return Unclear // it may be beside another block that is the same
		}
		return Absent
	case seen[Doubled] > 0 && seen[Absent]+seen[Unclear] == 0:
		return Doubled
	}
	return Unclear
}

// in returns what is to be seen of the change in a group. words tells that the list is
// of words: those that it removes may be gone although it is not there.
func (s *states) in(g group, words bool) ChangeState {
	before, wanted, now := s.before[g.before.start:g.before.end], s.wanted[g.wanted.start:g.wanted.end], s.now[g.now.start:g.now.end]
	switch {
	case slices.Equal(wanted, now):
		return Present
	case slices.Equal(before, now):
		return Absent
	}
	counts := map[int]*[3]int{}
	for i, list := range [][]int{before, wanted, now} {
		for _, id := range list {
			if counts[id] == nil {
				counts[id] = &[3]int{}
			}
			counts[id][i]++
		}
	}
	var added, there, twice, removed, gone, theirs int
	for _, c := range counts {
		switch had, gets, has := c[0], c[1], c[2]; {
		case gets > had:
			added++
			if has >= gets {
				there++
			} else if has > had {
				return Unclear
			}
			if has >= gets+gets-had {
				twice++
			}
		case gets < had:
			removed++
			if has <= gets {
				gone++
			}
		}
		if c[2] > max(c[0], c[1]) {
			theirs++
		}
	}
	if words && added == 0 && removed > 0 && theirs > 0 { // others may use some of the words that were to be deleted, too
		switch kept := removed - gone; {
		case 3*kept <= removed:
			return Present
		case 3*gone <= removed:
			return Absent
		}
		return Unclear
	}
	switch {
	case added+removed == 0: // another order
		inWanted, inBefore := len(common(wanted, now)), len(common(before, now))
		if inWanted > inBefore {
			return Present
		} else if inWanted < inBefore {
			return Absent
		}
		return Unclear
	case there == added && gone == removed && added > 0 && twice == added:
		return Doubled
	case there == added && gone == removed && added == 0 && removed > 0 && theirs > 0 && !words:
		return overwritten
	case there == added && gone == removed:
		return Present
	case there == 0 && gone == 0, words && added > 0 && 3*there <= added: // others may have used one of the words, too
		return Absent
	}
	return Unclear
}

// groups returns the parts of the list that the change concerns, each with what others
// have changed in it or beside it.
func (s *states) groups() []group {
	ours, theirs := hunks(s.before, s.wanted), hunks(s.before, s.now)
	var groups []group
	for len(ours) > 0 {
		at := ours[0].before
		countOurs, firstTheirs, countTheirs := 0, 0, 0
		for grown := true; grown; {
			grown = false
			for countOurs < len(ours) && ours[countOurs].before.start <= at.end {
				at.end = max(at.end, ours[countOurs].before.end)
				countOurs++
				grown = true
			}
			for i, h := range theirs {
				if h.before.end < at.start || h.before.start > at.end {
					continue
				}
				if h.before.start < at.start || h.before.end > at.end {
					at = section{min(at.start, h.before.start), max(at.end, h.before.end)}
					grown = true
				}
				if countTheirs == 0 {
					firstTheirs = i
				}
				countTheirs = i + 1 - firstTheirs
			}
		}
		inOurs, inTheirs := ours[:countOurs], theirs[firstTheirs:firstTheirs+countTheirs]
		offset := 0
		for _, h := range theirs {
			if h.before.end < at.start {
				offset += h.growth()
			}
		}
		groups = append(groups, group{at, at.after(inOurs, len(s.wanted)-len(s.before)-growth(ours)), at.after(inTheirs, offset)})
		ours = ours[countOurs:]
	}
	return groups
}

// A hunk is a part of a list that becomes another.
type hunk struct{ before, after section }

// hunks returns where two lists differ, in order.
func hunks[T comparable](a, b []T) (list []hunk) {
	i, j := 0, 0
	for _, pair := range append(common(a, b), [2]int{len(a), len(b)}) {
		if pair[0] > i || pair[1] > j {
			list = append(list, hunk{section{i, pair[0]}, section{j, pair[1]}})
		}
		i, j = pair[0]+1, pair[1]+1
	}
	return list
}

// growth returns how much longer a list becomes by hunks.
func growth(list []hunk) (by int) {
	for _, h := range list {
		by += h.growth()
	}
	return by
}

func (h hunk) growth() int { return h.after.end - h.after.start - (h.before.end - h.before.start) }

// after returns what a section becomes by the hunks in it, when those before it move
// it by an offset.
func (s section) after(inside []hunk, offset int) section {
	return section{s.start + offset, s.end + offset + growth(inside)}
}
