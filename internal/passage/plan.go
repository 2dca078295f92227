package passage

import (
	"slices"
	"sort"
)

// A Patch is the combined effect of edits on one part of a text.
type Patch struct {
	Match        // the part, in the text before all edits
	New   string // the text that replaces it
	Edits []int  // the indices of the edits, in order
}

// Plan applies edits one after the other, each to the result of those before
// it, and returns them as patches of separate parts of the text. Each patch can
// be made without the others, in any order. An edit that changes the text of an
// earlier one, or text next to it, is part of the same patch. The patches are
// in the order of their first edits. If an edit fails, none is applied, and the
// error is an [*EditError].
func Plan(text string, edits []Edit) (after string, patches []Patch, err error) {
	after, all, err := apply(text, edits)
	if err != nil {
		return "", nil, err
	}
	for i, a := range all {
		patches = merge(text, patches, i, a)
	}
	sort.Slice(patches, func(i, j int) bool { return patches[i].Edits[0] < patches[j].Edits[0] })
	return after, patches, nil
}

// merge adds an edit to patches of text, which stay sorted by place.
func merge(text string, patches []Patch, edit int, a applied) []Patch {
	// Patches that precede a place in the current text have moved it.
	moved := 0
	from := 0 // patches before it
	for from < len(patches) && patches[from].Start+moved+len(patches[from].New) < a.Start {
		moved += len(patches[from].New) - (patches[from].End - patches[from].Start)
		from++
	}
	start := a.Start - moved // in text, unless it is within a patch
	to, touched := from, moved
	for to < len(patches) && patches[to].Start+touched <= a.End {
		touched += len(patches[to].New) - (patches[to].End - patches[to].Start)
		to++
	}
	merged := Patch{Match: Match{Start: start, End: a.End - touched, Tolerant: a.Tolerant}, New: a.New, Edits: []int{edit}}
	if from < to {
		first, last := patches[from], patches[to-1]
		merged.Start, merged.End = min(start, first.Start), max(a.End-touched, last.End)
		// What the affected patches have written before and after the edit stays.
		now := text[merged.Start:first.Start]
		for i, p := range patches[from:to] {
			if i > 0 {
				now += text[patches[from+i-1].End:p.Start]
			}
			now += p.New
			merged.Edits = append(merged.Edits, p.Edits...)
			merged.Tolerant = merged.Tolerant || p.Tolerant
		}
		now += text[last.End:merged.End]
		at := a.Start - (merged.Start + moved)
		merged.New = now[:at] + a.New + now[at+a.End-a.Start:]
		slices.Sort(merged.Edits)
	}
	return slices.Replace(patches, from, to, merged)
}
