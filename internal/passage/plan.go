package passage

import "slices"

// Patch is what several edits do to one part of a text.
type Patch struct {
	Match        // the part, in the text that was planned for
	New   string // what takes its place
	Edits []int  // the edits that it makes, in order
}

// Plan applies edits as [Apply] does, and returns them as patches of parts of
// the text that have nothing in common: each can be made without the others,
// in any order. An edit that changes what an earlier one has written, or what
// stands next to that, is part of the same patch. The patches come in the order
// of their first edits.
func Plan(text string, edits []Edit) (after string, patches []Patch, err error) {
	after, applied, err := Apply(text, edits)
	if err != nil {
		return "", nil, err
	}
	for i, a := range applied {
		patches = merge(text, patches, i, a)
	}
	slices.SortFunc(patches, func(a, b Patch) int { return a.Edits[0] - b.Edits[0] })
	return after, patches, nil
}

// merge adds an edit to patches of text, which it keeps in the order of their
// places.
func merge(text string, patches []Patch, edit int, a Applied) []Patch {
	// A place in the text as it stands now is moved by what the patches before
	// it made longer.
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
		// What the touched patches have written before and behind the edit stays.
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
