package clientfile

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// span is the place of a member of an object or an element of an array, and the
// length of what is between it and its comma.
type span struct{ start, end, extra int }

// members are the members of an object or the elements of an array, and the
// offsets of its brackets.
type members struct {
	open, close   int
	spans         []span
	trailingComma bool
}

func membersOf(value hujson.Value) members {
	m := members{open: value.StartOffset, close: value.EndOffset - 1}
	add := func(start int, last hujson.Value) {
		m.spans = append(m.spans, span{start, last.EndOffset, len(last.AfterExtra)})
		m.trailingComma = last.AfterExtra != nil // the last one decides
	}
	switch composite := value.Value.(type) {
	case *hujson.Object:
		for _, member := range composite.Members {
			add(member.Name.StartOffset, member.Value)
		}
	case *hujson.Array:
		for _, element := range composite.Elements {
			add(element.StartOffset, element)
		}
	}
	return m
}

// comma returns the offset of the comma after a member that has one.
func (m members) comma(i int) int { return m.spans[i].end + m.spans[i].extra }

// insert adds a member at the end, in the layout of the others.
func (f jsonFile) insert(m members, render func(layout) string) []edit {
	l := f.layout(m)
	line := l.eol + l.indent
	if l.compact {
		line = ""
	}
	inner := f.src[m.open+1 : m.close]
	if len(m.spans) == 0 {
		filled := bytes.TrimRight(inner, " \t\r\n")
		switch {
		case len(filled) > 0: // a comment, which may need the end of its line
			return []edit{{m.open + 1 + len(filled), m.open + 1 + len(filled), l.eol + l.indent + render(l)}}
		case l.compact:
			return []edit{{m.open + 1, m.close, render(l)}}
		}
		return []edit{{m.open + 1, m.close, line + render(l) + l.eol + l.outer}}
	}
	last := len(m.spans) - 1
	at := m.spans[last].end
	if m.trailingComma {
		at = m.comma(last) + 1
	}
	after := len(bytes.TrimRight(f.src[at:m.close], " \t\r\n"))
	if l.compact && l.spaced {
		line = " "
	}
	if m.trailingComma {
		return []edit{{at + after, at + after, line + render(l) + ","}}
	}
	return []edit{{at, at, ","}, {at + after, at + after, line + render(l)}}
}

// replace replaces the value of a member of an object.
func (f jsonFile) replace(object hujson.Value, i int, value Object) []edit {
	member := object.Value.(*hujson.Object).Members[i]
	l := f.layout(membersOf(object))
	l.indent = f.indentOf(member.Name.StartOffset)
	return []edit{{member.Value.StartOffset, member.Value.EndOffset, l.value(value, l.indent)}}
}

// removeFrom removes a member from a container, and the container from the root
// if it is left empty and keepEmpty is not set.
func (f jsonFile) removeFrom(container string, m members, i int, keepEmpty bool) []edit {
	blank := func(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
	if len(m.spans) > 1 || !blank(f.src[m.open+1:m.spans[0].start]) {
		return f.remove(m, i)
	}
	rest := f.src[m.spans[0].end:m.close]
	if m.trailingComma {
		rest = append(bytes.Clone(f.src[m.spans[0].end:m.comma(0)]), f.src[m.comma(0)+1:m.close]...)
	}
	switch {
	case !blank(rest):
		return f.remove(m, i)
	case keepEmpty:
		return []edit{{m.open + 1, m.close, ""}}
	}
	root := membersOf(f.root)
	at, _ := f.find(f.root.Value.(*hujson.Object), container)
	if len(root.spans) == 1 && blank(f.src[root.open+1:root.spans[0].start]) && blank(f.src[root.spans[0].end:root.close]) {
		return []edit{{root.open + 1, root.close, ""}}
	}
	return f.remove(root, at)
}

// remove removes a member, the comma that only it needs, and its line if nothing
// else is on that.
func (f jsonFile) remove(m members, i int) []edit {
	one, last := m.spans[i], i == len(m.spans)-1
	var edits []edit
	end := one.end
	switch {
	case !last || m.trailingComma:
		comma := m.comma(i)
		if one.extra > 0 { // perhaps a comment, which stays
			edits = append(edits, edit{comma, comma + 1, ""})
		} else {
			end = comma + 1
		}
	case i > 0:
		comma := m.comma(i - 1)
		edits = append(edits, edit{comma, comma + 1, ""})
	}
	before := m.open + 1
	if i > 0 {
		before = m.comma(i-1) + 1
	}
	start := len(bytes.TrimRight(f.src[:one.start], " \t"))
	rest, _, _ := bytes.Cut(f.src[end:], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	// A bracket may move up to the line before, unless that ends in a line comment.
	goes := len(rest) == 0 || bytes.ContainsAny(rest[:1], "}]") && !endsInLineComment(f.src[before:one.start])
	switch alone := start > 0 && f.src[start-1] == '\n'; {
	case alone && goes:
		start--
		if start > 0 && f.src[start-1] == '\r' {
			start--
		}
	case alone:
		start = one.start // what follows on the line keeps its indentation
	}
	return append(edits, edit{start, end, ""})
}

// layout is how members are written: each on a line, or all on one.
type layout struct {
	eol     string
	indent  string // of the member
	outer   string // of the object or list around it
	unit    string // added by one level
	compact bool   // all on one line
	spaced  bool   // with spaces after colons and commas
}

// layout returns the layout for a new member among others.
func (f jsonFile) layout(m members) layout {
	l := layout{eol: lineEnd(f.src), unit: "  ", spaced: true}
	root := membersOf(f.root)
	if len(root.spans) > 0 && f.startsLine(root.spans[0].start) {
		if unit := strings.TrimPrefix(f.indentOf(root.spans[0].start), f.indentOf(root.open)); unit != "" {
			l.unit = unit
		}
	}
	oneLine := !bytes.Contains(f.src[f.root.StartOffset:f.root.EndOffset], []byte("\n")) && len(root.spans) > 0
	if len(m.spans) > 0 {
		oneLine = !bytes.Contains(f.src[m.open:m.close], []byte("\n"))
	}
	if oneLine {
		l.compact, l.spaced = true, bytes.Contains(f.src, []byte(`": `))
	}
	l.outer = f.indentOf(m.open)
	l.indent = l.outer + l.unit
	if len(m.spans) > 0 && f.startsLine(m.spans[len(m.spans)-1].start) {
		l.indent = f.indentOf(m.spans[len(m.spans)-1].start)
	}
	return l
}

// indentOf returns the white space at the beginning of the line that offset is
// on.
func (f jsonFile) indentOf(offset int) string {
	line := f.src[lineStart(f.src, offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine reports whether there is only white space before offset on its
// line.
func (f jsonFile) startsLine(offset int) bool {
	return len(bytes.TrimSpace(f.src[lineStart(f.src, offset):offset])) == 0
}

// member writes a member of an object.
func (l layout) member(name string, value any) string {
	return quote(name) + l.colon() + l.value(value, l.indent)
}

// list writes a member whose value is a list of one item.
func (l layout) list(name string, item Object) string {
	if l.compact {
		return quote(name) + l.colon() + "[" + l.value(item, "") + "]"
	}
	inner := l.indent + l.unit
	return quote(name) + ": [" + l.eol + inner + l.value(item, inner) + l.eol + l.indent + "]"
}

func (l layout) colon() string {
	if l.spaced {
		return ": "
	}
	return ":"
}

// endsInLineComment reports whether the last of the comments between two values is
// one that ends with its line.
func endsInLineComment(between []byte) bool {
	line := false
	for {
		start := bytes.IndexByte(between, '/')
		if start < 0 || start+1 == len(between) {
			return line
		}
		line = between[start+1] == '/'
		end := "*/"
		if line {
			end = "\n"
		}
		_, between, _ = bytes.Cut(between[start+2:], []byte(end))
	}
}
