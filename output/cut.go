package output

import (
	"reflect"
	"unicode/utf8"
)

// Cuttable is a Result that can be shortened to keep an answer within the size
// limit. Its methods have pointer receivers, so that a result that embeds a
// Cuttable is one as well.
type Cuttable interface {
	Result
	// Cuts returns the ways to shorten the result, in the order in which to
	// use them. A later one is used only if the earlier ones are exhausted.
	Cuts() []Cut
}

// Cut is one way to shorten a result.
type Cut struct {
	// Units is the number of units (lines, entries, characters) in the result, or an
	// upper bound that takes less time. Each unit accounts for at least one character
	// of text.
	Units int
	// Least is the minimum number of units to keep.
	Least int
	// Keep shortens the result in place to its first n units and records how
	// to get the rest. A larger n must not give a shorter text. Keep is called
	// at most once, and on a shallow copy: slices and pointers are shared with
	// other copies.
	Keep func(n int)
}

// Fit returns a result and its text as Success renders them, for answers that are
// not those of tools.
func (r Renderer) Fit(v Result) (Result, string) { return r.fit(v) }

// fit returns v and its text or, if the text is too long, the longest cut of v
// with at most MaxChars code points of text.
func (r Renderer) fit(v Result) (Result, string) {
	text, limit := r.write(v), r.MaxChars
	if limit == 0 || utf8.RuneCountInString(text) <= limit {
		return v, text
	}
	whole, ok := copyOf(v)
	if !ok {
		return v, text
	}
	best, bestText := v, text
	for i, cut := range whole.Cuts() {
		low, high := cut.Least, max(cut.Least, min(cut.Units, limit)) // low fits or is the minimum; high+1 is too long
		for low <= high {
			middle := (low + high) / 2
			shorter := shortened(v, i, middle)
			text := r.write(shorter)
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

// shortened returns a copy of v with n units of its cut number i, after
// exhausting the cuts before it.
func shortened(v Result, i, n int) Result {
	shorter, _ := copyOf(v)
	cuts := shorter.Cuts()
	for _, used := range cuts[:i] {
		used.Keep(used.Least)
	}
	cuts[i].Keep(n)
	return shorter
}

// copyOf returns a pointer to a copy of v, and whether v can be cut.
func copyOf(v Result) (Cuttable, bool) {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	c, ok := p.Interface().(Cuttable)
	return c, ok
}

func (r Renderer) write(v Result) string {
	t := Text{offers: r.Offers}
	v.WriteText(&t)
	return t.String()
}
