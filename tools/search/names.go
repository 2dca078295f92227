package search

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"outline-mcp/internal/text"
	"outline-mcp/outline/prosemirror"
)

// Named returns the indexes of the headings that query names. The number of
// indexes tells the caller whether there is none, one, or a choice to make.
//
// It returns the headings whose whole text is the query, or else those whose whole text
// is the query without accents and emoji, or else those that contain it as it is: without
// them, "Über" would be a part of "Kubernetes". It ignores case, surrounding space, #
// marks at either end, marks such as ** and `, and the difference between typographic
// and plain quotes and dashes, unless a heading matches with them. A query without any
// text finds nothing.
func Named(headings []string, query string) []int {
	bare := trimHashes(query)
	if nameKey(bare) == "" {
		return nil
	}
	plain := bare
	for _, s := range prosemirror.Sections("# " + collapse(bare)) {
		plain = cmp.Or(s.Heading, plain)
	}
	for _, form := range []func(string) string{nameKey, LooseKey} {
		// A heading may itself show marks: "C #" or "__init__". It is found by
		// what it shows before the query is taken for Markdown.
		keys := keysOf(headings, form)
		for _, whole := range []string{query, bare, plain} {
			if found := where(keys, form(whole), func(key, wanted string) bool { return key == wanted }); found != nil {
				return found
			}
		}
	}
	return where(keysOf(headings, nameKey), nameKey(plain), strings.Contains)
}

func keysOf(names []string, form func(string) string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = form(name)
	}
	return keys
}

// where returns the indexes of the keys that match what is wanted, which "" never does.
func where(keys []string, wanted string, match func(key, wanted string) bool) (found []int) {
	for i, key := range keys {
		if wanted != "" && match(key, wanted) {
			found = append(found, i)
		}
	}
	return found
}

// trimHashes removes the opening and the closing # of a heading.
func trimHashes(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(strings.TrimLeft(s, "#"))
	// As in a heading, closing ones stand after a space: "C#" keeps its own.
	if head := strings.TrimRight(s, "#"); strings.TrimSpace(head) != head {
		s = strings.TrimSpace(head)
	}
	return s
}

// plainQuotes replaces typographic quotes and dashes by those on a keyboard.
// U+FE0F only asks for the coloured form of an emoji.
var plainQuotes = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "‹", "'", "›", "'",
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "\uFE0F", "",
)

// nameKey returns the form in which two texts are compared.
func nameKey(s string) string {
	// Folding can undo the normal form, so that comes last.
	return collapse(norm.NFKC.String(cases.Fold().String(plainQuotes.Replace(s))))
}

// LooseKey returns the form in which names are compared if none is the same: without
// accents, case and emoji.
func LooseKey(s string) string { return nameKey(text.FoldLoosely(s).Text) }

// collapse makes one space of each run of white space and none at the ends.
func collapse(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// Nearest returns the indexes of the n names that are most like query, best first. Names
// that are equally like it stay in their order.
func Nearest(names []string, query string, n int) []int {
	indexes, likeness := make([]int, len(names)), make([]float64, len(names))
	for i, name := range names {
		indexes[i], likeness[i] = i, Likeness(name, trimHashes(query))
	}
	slices.SortStableFunc(indexes, func(a, b int) int { return cmp.Compare(likeness[b], likeness[a]) })
	return indexes[:min(n, len(indexes))]
}

// Likeness returns how many pairs of letters two names share, from 0 to 1, as Dice's
// coefficient counts.
func Likeness(a, b string) float64 {
	has, wanted := pairs(nameKey(a)), pairs(nameKey(b))
	shared, total := 0, 0
	for pair, count := range has {
		shared += min(count, wanted[pair])
		total += count
	}
	for _, count := range wanted {
		total += count
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(total)
}

// pairs counts the pairs of neighbouring characters.
func pairs(s string) map[[2]rune]int {
	counts, before := map[[2]rune]int{}, ' '
	for _, r := range s {
		counts[[2]rune{before, r}]++
		before = r
	}
	return counts
}
