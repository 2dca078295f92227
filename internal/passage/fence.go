package passage

import "strings"

// fences are the signs of the blocks that a passage begins and ends with, 0 for
// none. If the text has more of these signs there, it is a different passage:
// +++ is not part of +++++.
type fences struct{ first, last byte }

func fencesOf(old string) fences {
	old = strings.Trim(old, " \t\r\n")
	var f fences
	if first, _, _ := strings.Cut(old, "\n"); fenceLength(first) > 0 {
		f.first = first[0]
	}
	if last := old[strings.LastIndexByte(old, '\n')+1:]; last != "" && fenceLength(last) == len(last) {
		f.last = last[0]
	}
	return f
}

// split reports whether a match has only a part of the signs where it begins or
// ends.
func (f fences) split(text string, m Match) bool {
	return f.first != 0 && m.Start > 0 && text[m.Start-1] == f.first && text[m.Start] == f.first ||
		f.last != 0 && m.End < len(text) && text[m.End] == f.last && text[m.End-1] == f.last
}
