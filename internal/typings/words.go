package typings

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// words splits a name in any style into lower-case words of ASCII letters and
// digits: read_document, readDocument and read-document are all read, document.
func words(name string) []string {
	var found []string
	start, before := true, rune(0)
	for _, r := range name {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			start = true
			continue
		}
		if start || unicode.IsUpper(r) && !unicode.IsUpper(before) {
			found = append(found, "")
		}
		found[len(found)-1] += string(unicode.ToLower(r))
		start, before = false, r
	}
	return found
}

// camelCase joins words to a name in the style of TypeScript and Python.
func camelCase(words []string) string {
	name := ""
	for _, word := range words {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return identifier(name)
}

// goCase joins words to a name in the style of Go, with initialisms in
// capitals.
func goCase(words []string) string {
	name := ""
	for _, word := range words {
		switch word {
		case "ai", "api", "html", "http", "id", "json", "uri", "url", "uuid":
			name += strings.ToUpper(word)
		case "ids", "urls":
			name += strings.ToUpper(word[:len(word)-1]) + "s"
		default:
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return identifier(name)
}

// identifier makes joined words a valid name: they may be empty or start with a
// digit.
func identifier(joined string) string {
	if joined == "" || unicode.IsDigit(rune(joined[0])) {
		return "X" + joined
	}
	return joined
}

// singular returns words with the last one in the singular, judged by its
// ending.
func singular(of []string) []string {
	if len(of) == 0 {
		return of
	}
	last := of[len(of)-1]
	for _, ending := range []struct{ plural, singular string }{
		{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if stem, ok := strings.CutSuffix(last, ending.plural); ok && stem != "" {
			return append(slices.Clone(of[:len(of)-1]), stem+ending.singular)
		}
	}
	return of
}

// common returns the words, in the singular, that all names share.
func common(names []string) []string {
	var shared []string
	for i, name := range names {
		var of []string
		for _, word := range words(name) {
			of = append(of, singular([]string{word})[0])
		}
		if i == 0 {
			shared = of
		}
		shared = slices.DeleteFunc(shared, func(word string) bool { return !slices.Contains(of, word) })
	}
	return shared
}

// names is a set of names that are taken.
type names map[string]bool

// take returns a name and reserves it. If it is taken already, it gets a
// number.
func (n names) take(name string) string {
	taken := name
	for i := 2; n[taken]; i++ {
		taken = name + strconv.Itoa(i)
	}
	n[taken] = true
	return taken
}
