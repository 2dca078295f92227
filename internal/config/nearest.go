package config

import (
	"cmp"
	"slices"
	"strings"
)

// DidYouMean returns a question such as "did you mean install?" with the names
// among known that an unknown name may stand for, or "" if there are none: names
// that it begins or that begin with it, else the nearest one, else names with a
// word near it.
func DidYouMean(name string, known []string) string {
	name = strings.ToLower(name)
	likely := func(is func(candidate string) bool) []string {
		return slices.DeleteFunc(slices.Clone(known), func(candidate string) bool { return !is(candidate) })
	}
	found := likely(func(candidate string) bool {
		return len(name) > 2 && strings.HasPrefix(candidate, name) || strings.HasPrefix(name, candidate)
	})
	if nearest := Nearest(name, known); len(found) == 0 && nearest != "" {
		found = []string{nearest}
	}
	if len(found) == 0 {
		found = likely(func(candidate string) bool {
			return Nearest(name, strings.FieldsFunc(candidate, func(r rune) bool { return r == '-' || r == '_' })) != ""
		})
	}
	if len(found) == 0 {
		return ""
	}
	found = found[:min(len(found), 3)]
	last := len(found) - 1
	if last == 0 {
		return "did you mean " + found[0] + "?"
	}
	return "did you mean " + strings.Join(found[:last], ", ") + " or " + found[last] + "?"
}

// Nearest returns the name among known that name is most likely a misspelling
// of, or "" if none is near.
func Nearest(name string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	nearest := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
	if distance(name, nearest) > min(2, len(name)/3) {
		return ""
	}
	return nearest
}

// distance is the Levenshtein distance of two names, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
