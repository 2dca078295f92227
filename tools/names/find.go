// Package names finds headings and users by what a caller types for their names.
package names

import (
	"cmp"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"outline-mcp/outline/prosemirror"
)

// Find returns the indexes of the headings that query names. The number of
// indexes tells the caller whether there is none, one, or a choice to make.
//
// It returns the headings whose whole text is the query, or else those that
// contain it. It ignores case, surrounding space, # marks at either end, marks
// such as ** and `, and the difference between typographic and plain quotes and
// dashes, unless a heading matches with them. A query without any text finds
// nothing.
func Find(headings []string, query string) []int {
	keys := make([]string, len(headings))
	for i, heading := range headings {
		keys[i] = key(heading)
	}
	where := func(match func(key string) bool) []int {
		var found []int
		for i, key := range keys {
			if match(key) {
				found = append(found, i)
			}
		}
		return found
	}

	bare := trimHashes(query)
	if key(bare) == "" {
		return nil
	}
	plain := key(bare)
	for _, s := range prosemirror.Sections("# " + collapse(bare)) {
		plain = cmp.Or(key(s.Heading), plain)
	}
	// A heading may itself show marks: "C #" or "__init__". It is found by
	// what it shows before the query is taken for Markdown.
	for _, whole := range []string{key(query), key(bare), plain} {
		if found := where(func(key string) bool { return key == whole }); found != nil {
			return found
		}
	}
	return where(func(key string) bool { return strings.Contains(key, plain) })
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

// key returns the form in which two texts are compared.
func key(s string) string {
	// Folding can undo the normal form, so that comes last.
	return collapse(norm.NFKC.String(cases.Fold().String(plainQuotes.Replace(s))))
}

// collapse makes one space of each run of white space and none at the ends.
func collapse(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
