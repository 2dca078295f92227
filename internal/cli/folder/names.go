package folder

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Extension is the ending of the names of files that hold documents.
const Extension = ".md"

// theirs is the ending of the file that shows Outline's version in a conflict.
const theirs = ".outline" + Extension

// drafts stands for a collection with the caller's own drafts, which have a folder of
// their own.
const (
	drafts       = "drafts"
	draftsFolder = "_drafts"
)

// maxName is the longest name of a file without its extension, in bytes. File systems
// allow 255 bytes or UTF-16 units, and Windows often 260 units for a whole path.
const maxName = 100

// fileName returns a name that Linux, macOS and Windows allow for a file, as close to
// a title as possible. It has no extension.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"/\|?*`, r), r == utf8.RuneError:
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d': // U+200D joins emoji
			return -1
		}
		return r
	}, norm.NFC.String(title))
	name = strings.Join(strings.Fields(name), " ")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	name = strings.TrimRight(name, ". ")
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		name = "-" + name[1:] // hidden, or reserved here
	}
	// A page "a.md" would have the name of the folder of "a", and "a.outline" that of a version beside it.
	for _, ending := range []string{Extension, strings.TrimSuffix(theirs, Extension)} {
		if head := len(name) - len(ending); head >= 0 && strings.EqualFold(name[head:], ending) {
			name = name[:head] + "-" + ending[1:]
		}
	}
	if name == "" {
		return "Untitled"
	}
	if stem, _, _ := strings.Cut(name, "."); isReserved(strings.TrimRight(stem, " ")) {
		name = stem + "-" + strings.TrimPrefix(name, stem)
	}
	return name
}

// isReserved reports whether Windows opens a device in place of a file of this name.
func isReserved(stem string) bool {
	stem = strings.ToUpper(stem)
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, stem) {
		return true
	}
	device, number := strings.CutPrefix(stem, "COM")
	if !number {
		device, number = strings.CutPrefix(stem, "LPT")
	}
	return number && len([]rune(device)) == 1 && strings.ContainsAny(device, "0123456789¹²³")
}

// folded returns what names have in common that are one name to some file system.
func folded(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// A place is a document in the tree of a wiki.
type place struct {
	ID         string // UUID
	URLID      string
	URL        string // path on the instance
	Title      string
	Collection string // UUID
	Parent     string // UUID; "" at the top level
}

// layout returns the path of the file of each document, by its ID, with slashes. tops
// has the folder of each collection; ancestors come before what is below them.
func layout(places []*place, tops map[string]string) map[string]string {
	taken := map[[2]string]int{}
	key := func(p *place) [2]string { return [2]string{cmp.Or(p.Parent, p.Collection), folded(fileName(p.Title))} }
	for _, p := range places {
		taken[key(p)]++
	}
	paths := make(map[string]string, len(places))
	for _, p := range places {
		name := fileName(p.Title)
		if taken[key(p)] > 1 {
			name += " (" + p.URLID + ")"
		}
		folder := tops[p.Collection]
		if above, ok := paths[p.Parent]; ok {
			folder = strings.TrimSuffix(above, Extension)
		}
		paths[p.ID] = path.Join(folder, name+Extension)
	}
	return paths
}

// topFolders returns the name of the folder of each collection.
func topFolders(names map[string]string, urlIDs map[string]string) map[string]string {
	taken := map[string]int{}
	for _, name := range names {
		taken[folded(fileName(name))]++
	}
	tops := make(map[string]string, len(names))
	for id, name := range names {
		tops[id] = fileName(name)
		if taken[folded(tops[id])] > 1 {
			tops[id] += " (" + urlIDs[id] + ")"
		}
	}
	return tops
}
