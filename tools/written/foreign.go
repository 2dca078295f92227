package written

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"outline-mcp/outline/prosemirror"
)

// A Place is where a text is going to stand.
type Place struct {
	Parse   func(text string) *prosemirror.Node // what Outline makes of the text there
	Inline  bool                                // it cannot begin a block there: only links and signs within lines are adapted, and no tags
	Comment bool                                // it is that of a comment, in which no block is adapted either
	Stored  string                              // the document: lines that it has are not looked at
	Old     string                              // what the text replaces: what it has in a foreign form is not looked at

	// Page returns the link to the page with a title, or "" if there is not exactly one.
	Page func(title, label string) (markdown string, err error)
}

// A Part is a part of a text in a form that Outline does not read.
type Part struct {
	Line int    // from 1
	Name string // of the form
	Text string
	As   string // what it was written as; "": it stays as it is, and Outline shows it as plain text
	Own  bool   // it stays as it is, and Outline reads it as As
}

// Adapt returns a text in which what is in a form of other programs is in the form that
// Outline has for it, and signs of text that it would read as its own forms are kept as
// text, and what it found. What Outline has no form for, or what may be meant
// otherwise, stays as it is, as does everything in code.
func Adapt(text string, at Place) (string, []Part, error) {
	a := adapter{Place: at, text: strings.ReplaceAll(text, "\r\n", "\n"), known: map[string]bool{}}
	for line := range strings.Lines(a.Stored) {
		a.known[strings.TrimSpace(line)] = true
	}
	given := a.text
	if !a.Inline && a.Old == "" {
		a.complete()
	}
	if a.find(); len(a.found) > 0 {
		a.locate()
		a.pair()
		for i := range a.found {
			a.adapt(&a.found[i])
		}
		a.checkRewrites()
	}
	slices.SortStableFunc(a.parts, func(x, y Part) int { return x.Line - y.Line })
	if adapted := a.edited(a.edits); adapted != given && a.err == nil {
		return adapted, a.parts, nil
	}
	return text, a.parts, a.err
}

// An adapter adapts one text.
type adapter struct {
	Place
	text  string
	found []find // in the order of the text
	edits []edit
	err   error

	parts []Part

	rewrites []rewrite
	words    []string                   // of drafts, each with what it stands for
	made     map[string]map[string]bool // what Outline makes of the text: words by marks and nodes
	letters  map[string]bool            // before a dot at the start of a line
	known    map[string]bool            // the lines of the document
}

// A find is a place of the text that may have a foreign form.
type find struct {
	*form
	match       []int    // as regexp gives it; the first group is the sign of the form
	around      []string // the types of the nodes in which Outline shows the sign as text; none: it does not
	paragraph   int      // in which one it shows it
	first       bool     // whether the sign begins the paragraph
	linked      bool     // whether it is part of a link
	marked      bool     // whether it has any mark
	counterpart int      // the element of found that is the other end of the part, or -1
}

// An edit replaces a part of the text.
type edit struct {
	start, end int
	by         string
}

// maxFinds limits what is looked at in one text, of each form: each place costs time for the
// whole text.
const maxFinds = 500

// find looks for the signs of all forms. Of those that overlap, the form that is first in
// the table counts.
func (a *adapter) find() {
	for i, f := range forms() {
		if !strings.Contains(a.text, f.hint) {
			continue
		}
		earlier := len(a.found)
		for _, m := range f.sign.FindAllStringSubmatchIndex(a.text, 20*maxFinds) {
			if len(a.found)-earlier >= maxFinds {
				break
			}
			if f.whole != nil {
				m = f.whole(a.text, m)
			}
			if m == nil || a.escaped(m[2]) || a.known[strings.TrimSpace(a.lineAt(m[2]))] || a.Old != "" && strings.Contains(a.Old, a.text[m[2]:m[3]]) {
				continue
			}
			at, _ := slices.BinarySearchFunc(a.found[:earlier], m[2], func(f find, start int) int { return f.match[2] - start })
			if at > 0 && a.found[at-1].match[3] > m[2] || at < earlier && a.found[at].match[2] < m[3] ||
				len(a.found) > earlier && a.found[len(a.found)-1].match[3] > m[2] {
				continue
			}
			a.found = append(a.found, find{form: &forms()[i], match: m, counterpart: -1})
		}
		slices.SortFunc(a.found, func(x, y find) int { return x.match[2] - y.match[2] })
	}
}

// escaped reports whether a backslash makes a sign plain text.
func (a *adapter) escaped(at int) bool {
	before := a.text[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

func (a *adapter) lineAt(at int) string {
	start := strings.LastIndexByte(a.text[:at], '\n') + 1
	line, _, _ := strings.Cut(a.text[start:], "\n")
	return line
}

// locate finds out what Outline makes of each sign: it parses a draft that has a word in
// place of each.
func (a *adapter) locate() {
	word := "Zq"
	for strings.Contains(a.text, word) {
		word += "q"
	}
	var words []edit
	for i, f := range a.found {
		words = append(words, edit{f.match[2], f.match[3], fmt.Sprintf("%s%dx", word, i)})
		if f.indents {
			words = append(words, a.dedents(f.match[1])...)
		}
	}
	sign, paragraph := regexp.MustCompile(word+`(\d+)x`), 0
	see := func(text string, around []string, first, linked, marked bool) {
		for _, m := range sign.FindAllStringSubmatchIndex(text, -1) {
			if i, err := strconv.Atoi(text[m[2]:m[3]]); err == nil && i < len(a.found) {
				f := &a.found[i]
				f.around, f.paragraph, f.first, f.linked, f.marked = slices.Clone(around), paragraph, first && m[0] == 0, linked, marked
			}
		}
	}
	var walk func(n *prosemirror.Node, around []string)
	walk = func(n *prosemirror.Node, around []string) {
		around = append(around, n.Type)
		switch {
		case n.Type == prosemirror.CodeBlock, n.Type == prosemirror.CodeFence, n.Type == prosemirror.MathBlock, n.Type == prosemirror.MathInline:
			return
		case n.Type == prosemirror.Notice:
			see(n.Attrs.String("style"), around, true, false, false)
		case n.IsTextblock():
			paragraph++
		}
		for i, child := range n.Content {
			if _, code := child.Mark(prosemirror.Code); child.IsText() && !code {
				_, linked := child.Mark(prosemirror.Link)
				see(child.Text, around, i == 0, linked, len(child.Marks) > 0)
			} else {
				walk(child, around)
			}
		}
	}
	walk(a.Parse(a.edited(words)), nil)
}

// pair finds the ends of what is opened. Tags are paired within a paragraph.
func (a *adapter) pair() {
	var open []int
	for i := range a.found {
		f := &a.found[i]
		if f.pair == "" || f.around == nil {
			continue
		}
		if !f.closes(a.text) {
			open = append(open, i)
			continue
		}
		for at := len(open) - 1; at >= max(0, len(open)-maxUnclosed); at-- {
			o := &a.found[open[at]]
			if o.pair == f.pair && (f.block || o.paragraph == f.paragraph && o.tag(a.text) == f.tag(a.text)) {
				o.counterpart, f.counterpart = i, open[at]
				open = open[:at]
				break
			}
		}
	}
}

// maxUnclosed is how many unclosed parts may be between the two ends of one.
const maxUnclosed = 50

// closes reports whether the sign is the end of a part.
func (f *find) closes(text string) bool {
	sign := text[f.match[2]:f.match[3]]
	return strings.HasPrefix(sign, "</") || strings.Contains(sign, "endhint")
}

// tag returns the name of a tag of HTML.
func (f *find) tag(text string) string { return strings.ToLower(f.group(text, 2)) }

// group returns what a group of the sign matched.
func (f *find) group(text string, n int) string {
	if 2*n >= len(f.match) || f.match[2*n] < 0 {
		return ""
	}
	return text[f.match[2*n]:f.match[2*n+1]]
}

// adapt adapts what was found at one place, or notes that it stays as it is.
func (a *adapter) adapt(f *find) {
	as := ""
	switch {
	case f.around == nil && f.node == prosemirror.MathInline: // in code, or in a formula if this one were none
		as = own(a, f)
	case f.around == nil:
		return
	case f.become == nil, f.block && (a.Inline || a.Comment) && f.around[len(f.around)-1] != prosemirror.Notice, f.pair != "" && f.counterpart < 0:
	case f.pair != "" && f.closes(a.text):
		return // adapted with the other end
	default:
		as = f.become(a, f)
	}
	if as != noted {
		a.note(f, as)
	}
}

// noted is what a form becomes that needs no note: it is not foreign, or is noted elsewhere.
const noted = "-"

func (a *adapter) note(f *find, as string) {
	text := a.text[f.match[2]:f.match[3]]
	if f.block || len(text) < 3 {
		text = a.lineAt(f.match[2])
	}
	text, _, _ = strings.Cut(text, "\n")
	part := Part{strings.Count(a.text[:f.match[2]], "\n") + 1, f.name, text, as, f.as != ""}
	if !slices.ContainsFunc(a.parts, func(p Part) bool { return p.Line == part.Line && p.Name == part.Name && p.As == part.As }) {
		a.parts = append(a.parts, part)
	}
}

func (a *adapter) replace(start, end int, by string) { a.edits = append(a.edits, edit{start, end, by}) }

// edited returns the text with edits.
func (a *adapter) edited(edits []edit) string {
	slices.SortStableFunc(edits, func(x, y edit) int { return cmp.Or(x.start-y.start, x.end-y.end) })
	edits = slices.Compact(edits) // two may need the same
	var out strings.Builder
	copied := 0
	for _, e := range edits {
		start := max(copied, e.start)
		out.WriteString(a.text[copied:start])
		out.WriteString(e.by)
		copied = max(start, e.end)
	}
	return out.String() + a.text[copied:]
}

// gap returns the line end that is missing before a block.
func (a *adapter) gap(at int) string {
	if before := a.text[:at]; strings.TrimSpace(before) == "" || strings.HasSuffix(before, "\n\n") {
		return ""
	}
	return "\n"
}

// signsOf returns the signs of the mark that Outline has for an element, or "".
func signsOf(name string) string {
	switch name {
	case "b", "strong":
		return "**"
	case "i", "em":
		return "*"
	case "s", "del", "strike":
		return "~~"
	case "u":
		return "__"
	case "mark":
		return "=="
	case "code":
		return "`"
	}
	return ""
}

var blankLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n`) })

func attribute(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// parsedTag returns a tag as a node.
func parsedTag(source string) *html.Node {
	z := html.NewTokenizer(strings.NewReader(source))
	z.Next()
	token := z.Token()
	return &html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr}
}

// tag puts the signs of a mark in place of the tags around words, if these stay the same.
func tag(a *adapter, f *find) string {
	end, n := a.found[f.counterpart].match, parsedTag(f.group(a.text, 1))
	inner, signs := a.text[f.match[3]:end[2]], signsOf(n.Data)
	closing := signs
	if href, _ := attribute(n, "href"); n.Data == "a" && href != "" && !strings.ContainsAny(href, " ()<>\n\"") {
		signs, closing = "[", "]("+href+")"
	}
	if signs == "" || f.marked || a.Inline || inner == "" || strings.TrimSpace(inner) != inner || a.Comment && (signs == "__" || signs == "==") {
		return ""
	}
	r := rewrite{find: f, done: "Markdown",
		draft: []edit{{f.match[2], f.match[3], ""}, {end[2], end[3], ""}},
		edits: []edit{{f.match[2], f.match[3], signs}, {end[2], end[3], closing}}}
	if signs == "`" {
		r.edits = append(r.edits, edit{f.match[3], end[2], html.UnescapeString(inner)})
	}
	a.rewrites = append(a.rewrites, r)
	return noted
}

// image writes a picture as Markdown.
func image(a *adapter, f *find) string {
	n, size := parsedTag(f.group(a.text, 1)), ""
	src, _ := attribute(n, "src")
	alt, _ := attribute(n, "alt")
	width, _ := attribute(n, "width")
	height, _ := attribute(n, "height")
	width, height = strings.TrimSuffix(width, "px"), strings.TrimSuffix(height, "px")
	if width+height != "" && strings.Trim(width+height, "0123456789") == "" {
		size = ` " =` + width + "x" + height + `"`
	}
	if src == "" || strings.ContainsAny(src+width+height, " ()<>\n\"%") || strings.ContainsAny(alt, "[]\\\n") || a.Comment {
		return ""
	}
	a.replace(f.match[2], f.match[3], "!["+alt+"]("+src+size+")")
	return "an image"
}
