package search

import (
	"sort"
	"strings"
)

// The default bounds of a snippet, in words.
const (
	DefaultSnippetMin = 20
	DefaultSnippetMax = 30
)

// Snippet returns at most maxWords words of the document's text around the best
// occurrence of the query, with <b> and </b> around each occurrence, or the first
// minWords words if the query occurs only in the title. The text is not escaped.
// Both limits are at least 1.
func (m Match) Snippet(minWords, maxWords int) string {
	x := m.index
	maxWords = max(1, min(maxWords, maxQuery))
	minWords = max(1, min(minWords, maxWords))

	type mark struct{ from, to, phrase int } // in words of the text
	var marks []mark
	for phrase, hits := range m.hits {
		for _, h := range hits {
			if from := int(h.position) - x.position(0); from >= 0 {
				marks = append(marks, mark{from, from + int(h.words), phrase})
			}
		}
	}
	sort.Slice(marks, func(i, j int) bool { return marks[i].from < marks[j].from })

	from, to := 0, min(minWords, len(x.spans))
	if len(marks) > 0 {
		lead := maxWords / 4
		// The best mark is the first one followed by the most phrases.
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
