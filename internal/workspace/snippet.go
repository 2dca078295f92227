package workspace

import (
	"slices"
	"strings"
)

// The bounds of a snippet if the caller sets none, in words.
const (
	defaultSnippetMin = 20
	defaultSnippetMax = 30
)

// snippet returns the part of a document's text around the best of the hits,
// at most maxWords words, with <b> and </b> around each hit. Without hits in
// the text it is the first minWords words. The text is not escaped.
func (m match) snippet(x *index, minWords, maxWords int) string {
	maxWords = max(1, min(maxWords, maxQuery))
	minWords = max(1, min(minWords, maxWords))

	type mark struct{ from, to, phrase int } // words of the text
	var marks []mark
	for phrase, hits := range m.hits {
		for _, h := range hits {
			if from := int(h.place) - x.place(0); from >= 0 {
				marks = append(marks, mark{from, from + int(h.words), phrase})
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return a.from - b.from })

	from, to := 0, min(minWords, len(x.spans))
	if len(marks) > 0 {
		lead := maxWords / 4
		// The best hit is the first that has the most phrases behind it.
		best, most := 0, 0
		for i := range marks {
			seen := make(map[int]bool, len(m.hits))
			for _, other := range marks[i:] {
				if other.to > marks[i].from+maxWords-lead || len(seen) == len(m.hits) {
					break
				}
				seen[other.phrase] = true
			}
			if len(seen) > most {
				best, most = i, len(seen)
			}
			if most == len(m.hits) {
				break
			}
		}
		from = max(0, min(marks[best].from-lead, len(x.spans)-maxWords))
		to = min(from+maxWords, len(x.spans))
	}
	if from == to {
		return ""
	}

	var b strings.Builder
	at := int32(0)
	if from > 0 {
		at = x.spans[from].start
	}
	for _, k := range marks {
		if k.from < from || k.to > to || x.spans[k.from].start < at {
			continue
		}
		start, end := x.spans[k.from].start, x.spans[k.to-1].end
		b.WriteString(x.plain[at:start])
		b.WriteString("<b>")
		b.WriteString(x.plain[start:end])
		b.WriteString("</b>")
		at = end
	}
	b.WriteString(x.plain[at:x.spans[to-1].end])
	return b.String()
}
