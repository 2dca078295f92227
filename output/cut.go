package output

import "unicode/utf8"

// Cuttable is a Result that grows with what the workspace holds and can be cut.
type Cuttable interface {
	Result
	// Units returns how many units (lines, entries, characters) the result
	// has to give away. Each takes at least one character of text.
	Units() int
	// Cut returns the result with at most its first n units, saying how to
	// go on. A larger n never gives a shorter result.
	Cut(n int) Result
}

// fit returns v, or the longest cut of it whose text has at most limit code
// points, together with that text. A limit of 0 means none.
func fit(v Result, limit int) (Result, string) {
	text := write(v)
	cuttable, ok := v.(Cuttable)
	if limit == 0 || !ok || utf8.RuneCountInString(text) <= limit {
		return v, text
	}
	best, bestText := v, text
	low, high := 0, min(cuttable.Units(), limit) // low fits or is the least there is, high+1 does not
	for low <= high {
		middle := (low + high) / 2
		cut := cuttable.Cut(middle)
		text := write(cut)
		if utf8.RuneCountInString(text) > limit && middle > 0 {
			high = middle - 1
			continue
		}
		best, bestText = cut, text
		low = middle + 1
	}
	return best, bestText
}

func write(v Result) string {
	var t Text
	v.WriteText(&t)
	return t.String()
}
