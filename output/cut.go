package output

import (
	"reflect"
	"unicode/utf8"
)

// Cuttable is implemented by the pointer to a Result that can be shortened to
// keep an answer under the size limit. As the methods belong to the pointer, a
// result that embeds a Cuttable is one, too.
type Cuttable interface {
	Result
	// Cuts returns the ways to shorten the result, in the order to use them: a
	// later one comes into play when the ones before it are used up.
	Cuts() []Cut
}

// Cut is one way to shorten a result.
type Cut struct {
	// Units is how many units (lines, entries, characters) the result has.
	// Each takes at least one character of text.
	Units int
	// Least is the smallest number of units that the result can be cut to.
	Least int
	// Keep cuts the result to its first n units, in place, and notes in it how
	// to go on. A larger n never gives a shorter result. It is called at most
	// once, on a shallow copy: memory behind slices and pointers is shared.
	Keep func(n int)
}

// fit returns v, or the longest cut of it whose text has at most limit code
// points, together with that text. A limit of 0 means none.
func fit(v Result, limit int) (Result, string) {
	text := write(v)
	if limit == 0 || utf8.RuneCountInString(text) <= limit {
		return v, text
	}
	whole, ok := copyOf(v)
	if !ok {
		return v, text
	}
	best, bestText := v, text
	for i, cut := range whole.Cuts() {
		low, high := cut.Least, max(cut.Least, min(cut.Units, limit)) // low fits or is the least there is, high+1 does not
		for low <= high {
			middle := (low + high) / 2
			shorter := shortened(v, i, middle)
			text := write(shorter)
			if utf8.RuneCountInString(text) > limit && middle > cut.Least {
				high = middle - 1
				continue
			}
			best, bestText = shorter, text
			low = middle + 1
		}
		if utf8.RuneCountInString(bestText) <= limit {
			break
		}
	}
	return best, bestText
}

// shortened returns a copy of v with n units of its i-th cut, and the least of
// the cuts before it.
func shortened(v Result, i, n int) Result {
	shorter, _ := copyOf(v)
	cuts := shorter.Cuts()
	for _, used := range cuts[:i] {
		used.Keep(used.Least)
	}
	cuts[i].Keep(n)
	return shorter
}

// copyOf returns a pointer to a copy of v, if v can be cut.
func copyOf(v Result) (Cuttable, bool) {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	c, ok := p.Interface().(Cuttable)
	return c, ok
}

func write(v Result) string {
	var t Text
	v.WriteText(&t)
	return t.String()
}
