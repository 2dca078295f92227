package edit

import (
	"encoding/binary"
	"index/suffixarray"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline/prosemirror"
)

// Presence is what a document shows of a change that others may have overwritten.
type Presence int

const (
	Present   Presence = iota // all of the change is there, once
	Absent                    // nothing of it is there
	Uncertain                 // a part of it is there, or it is in blocks that others have changed, or there twice
)

// PresenceOf returns what a document shows of the change from before to wanted. What
// others have changed elsewhere, and comments, do not count.
func PresenceOf(before, wanted, now *prosemirror.Node) Presence {
	b, w, n := plainBlocks(before), plainBlocks(wanted), plainBlocks(now)
	var numbers blockNumbers
	c := threeStates{newBlockList(numbers.of(b, false)), newBlockList(numbers.of(w, false)), newBlockList(numbers.of(n, true))}
	return c.presence(func(first, end int) string {
		return textOf(w[first:end])
	}, textOf(b), textOf(n))
}

// PresenceInText is PresenceOf for Markdown, by the parts between blank lines. A part that
// is stored in another form than the wanted one makes it Uncertain.
func PresenceInText(before, wanted, now string) Presence {
	parts := func(text string) []string { return strings.Split(prosemirror.Unpadded(text), "\n\n") }
	b, w, n := parts(before), parts(wanted), parts(now)
	numbers := map[string]int{}
	of := func(parts []string) blockList {
		var ids []int
		for _, part := range parts {
			part = strings.TrimSpace(part)
			if _, known := numbers[part]; !known {
				numbers[part] = len(numbers)
			}
			ids = append(ids, numbers[part])
		}
		return newBlockList(ids)
	}
	c := threeStates{of(b), of(w), of(n)}
	return c.presence(func(first, end int) string { return strings.Join(w[first:end], "\n") }, before, now)
}

// A threeStates holds three states of a document.
type threeStates struct{ before, wanted, now blockList }

// presence puts together what is to be seen of each part of the change. added returns the
// text of wanted blocks.
func (c threeStates) presence(added func(first, end int) string, before, now string) Presence {
	parts := hunks(c.before.ids, c.wanted.ids)
	known := sync.OnceValue(func() map[string]bool { return wordSet(before) })
	there := sync.OnceValue(func() map[string]bool { return wordSet(now) })
	present, absent := 0, 0
	for _, h := range parts {
		switch {
		case c.has(h):
			present++
		case c.lacks(h, func() bool { return lacksWords(added(h.after.start, h.after.end), known(), there()) }):
			absent++
		}
	}
	switch len(parts) {
	case present:
		return Present
	case absent:
		return Absent
	}
	return Uncertain
}

// has reports whether a part of the change is in the document: what it adds stands together
// as often as wanted or, if it only removes blocks, those around them are neighbors; and
// what it removes is gone.
func (c threeStates) has(h hunk) bool {
	run := c.wanted.ids[h.after.start:h.after.end]
	if len(run) == 0 {
		run = around(c.wanted.ids, h.after)
	}
	if c.now.runs(run) != c.wanted.runs(run) {
		return false
	}
	for _, id := range c.before.ids[h.before.start:h.before.end] {
		if c.now.counts[id] > c.wanted.counts[id] {
			return false
		}
	}
	return true
}

// lacks reports whether a part of the change is certainly not in the document: there is
// none of the blocks that it adds, and what it removes or parts stands together as before
// or, where others have changed that as well, none of its new words is there.
func (c threeStates) lacks(h hunk, lacksWords func() bool) bool {
	for _, id := range c.wanted.ids[h.after.start:h.after.end] {
		if min(c.wanted.counts[id], c.now.counts[id]) > c.before.counts[id] {
			return false
		}
	}
	run := c.before.ids[h.before.start:h.before.end]
	if len(run) == 0 {
		run = around(c.before.ids, h.before)
	}
	return c.now.runs(run) >= c.before.runs(run) || lacksWords()
}

// lacksWords reports whether a text has words that were not in a document before, and none
// of which is in it now.
func lacksWords(text string, known, there map[string]bool) bool {
	fresh := false
	for word := range wordSet(text) {
		if !known[word] {
			if there[word] {
				return false
			}
			fresh = true
		}
	}
	return fresh
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, isNoWord) {
		set[word] = true
	}
	return set
}

// around returns the neighbors of a section.
func around(list []int, s section) []int {
	pair := []int{listStart, listEnd}
	if s.start > 0 {
		pair[0] = list[s.start-1]
	}
	if s.end < len(list) {
		pair[1] = list[s.end]
	}
	return pair
}

// A blockList holds the blocks of a document as numbers.
type blockList struct {
	ids    []int
	counts map[int]int        // how often each number is in the list
	index  *suffixarray.Index // of the list between listStart and listEnd
	known  map[string]int     // what runs has returned
}

// The numbers of what precedes the first block and follows the last one.
const listStart, listEnd = -1, -2

func newBlockList(ids []int) blockList {
	counts := map[int]int{}
	for _, id := range ids {
		counts[id]++
	}
	whole := slices.Concat([]int{listStart}, ids, []int{listEnd})
	return blockList{ids, counts, suffixarray.New(numberBytes(whole)), map[string]int{}}
}

// runs returns how often the list has a run, which may begin or end with what precedes or
// follows the list.
func (l blockList) runs(run []int) int {
	data := numberBytes(run)
	n, known := l.known[string(data)]
	if !known {
		for _, at := range l.index.Lookup(data, -1) {
			if at%numberSize == 0 {
				n++
			}
		}
		l.known[string(data)] = n
	}
	return n
}

const numberSize = 4

// numberBytes returns numbers in numberSize bytes each.
func numberBytes(ids []int) (data []byte) {
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint32(data, uint32(id))
	}
	return data
}

// plainBlocks returns the blocks of a document without comments.
func plainBlocks(doc *prosemirror.Node) []*prosemirror.Node {
	return doc.WithoutMarks(prosemirror.Comment).Content
}

func textOf(blocks []*prosemirror.Node) string {
	var b strings.Builder
	for _, block := range blocks {
		b.WriteString(block.TextContent() + "\n")
	}
	return b.String()
}

// blockNumbers gives equal blocks the same number.
type blockNumbers struct {
	count int
	known map[string][]numberedBlock // by type and text
}

type numberedBlock struct {
	block  *prosemirror.Node
	number int
}

// of returns the numbers of blocks. Stored blocks are equal to others if they are
// what Outline makes of those.
func (m *blockNumbers) of(blocks []*prosemirror.Node, stored bool) (ids []int) {
	if m.known == nil {
		m.known = map[string][]numberedBlock{}
	}
	for _, block := range blocks {
		key := block.Type + block.TextContent()
		alike := m.known[key]
		at := slices.IndexFunc(alike, func(k numberedBlock) bool { return prosemirror.Equal(k.block, block) })
		if at < 0 && stored {
			at = slices.IndexFunc(alike, func(k numberedBlock) bool { return Same(k.block, block) })
		}
		if at < 0 {
			at = len(alike)
			m.known[key] = append(alike, numberedBlock{block, m.count})
			m.count++
		}
		ids = append(ids, m.known[key][at].number)
	}
	return ids
}

// A section is a part of a list.
type section struct{ start, end int }

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
