package output

import (
	"regexp"
	"strings"
	"sync"
)

// Available reports whether a text may name a tool: it returns false for one that
// a client is not offered, and true for any other word. nil available every tool.
type Available func(word string) bool

// Advise returns a text of the program's own as far as its advice can be
// followed. A part in square brackets is left out if it names a tool that is
// not offered; [a|b] holds alternatives, of which the first that can be followed
// is kept. If the rest of the text names such a tool, Advise returns "". Of a
// list of names, as in "x_y, x_z or y_z", those that are offered suffice.
//
// Do not pass text from a document or a caller, which can contain brackets.
func (a Available) Advise(text string) string {
	var advice strings.Builder
	for text != "" {
		plain, marked, _ := strings.Cut(text, "[")
		part, rest, _ := strings.Cut(marked, "]")
		says, ok := a.narrow(plain)
		if !ok {
			return ""
		}
		advice.WriteString(says)
		for alternative := range strings.SplitSeq(part, "|") {
			if says, ok := a.narrow(alternative); ok {
				advice.WriteString(says)
				break
			}
		}
		text = rest
	}
	return advice.String()
}

// names matches names of tools, and lists of alternatives.
var names = sync.OnceValue(func() *regexp.Regexp {
	const name = `[a-z]+(?:_[a-z]+)+`
	return regexp.MustCompile(name + `(?:(?:, ` + name + `)* or ` + name + `)?`)
})

// narrow removes the tools that are not offered from lists of alternatives in a
// text. It reports whether all other tools that the text names are offered.
func (a Available) narrow(text string) (_ string, ok bool) {
	if a == nil || a.all(text) {
		return text, true
	}
	ok = true
	text = names().ReplaceAllStringFunc(text, func(list string) string {
		var offered []string
		for name := range strings.SplitSeq(strings.ReplaceAll(list, " or ", ", "), ", ") {
			if a(name) {
				offered = append(offered, name)
			}
		}
		last := len(offered) - 1
		if last < 0 {
			ok = false
			return ""
		}
		if last == 0 {
			return offered[0]
		}
		return strings.Join(offered[:last], ", ") + " or " + offered[last]
	})
	return text, ok
}

// all reports whether every tool that a text names is offered, as is the case for most
// texts. It spares the start of the program a regular expression.
func (a Available) all(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && !a(strings.Trim(word, "_")) {
			return false
		}
	}
	return true
}
