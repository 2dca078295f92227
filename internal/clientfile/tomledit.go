package clientfile

import (
	"bytes"
	"strings"
)

// removals returns the edits that remove a member: its tables, with the
// comments in them, and its keys. Comments before a table and after its last
// key stay. If lines is set, an empty line that only separated the member is
// removed too.
func removals(src []byte, all []expression, member []string, lines bool) []edit {
	var edits []edit
	open := false // the expression before is a part of the member
	for _, e := range all {
		switch {
		case !e.of(member):
			open = false
		case open:
			edits[len(edits)-1].end = e.end
		default:
			edits = append(edits, edit{start: e.start, end: e.end})
			open = true
		}
	}
	for i := range edits {
		if lines {
			edits[i] = withEmptyLine(src, edits[i])
		}
	}
	return edits
}

// withEmptyLine extends an edit that removes lines by one empty line, where
// otherwise two would meet or the file would end with one.
func withEmptyLine(src []byte, e edit) edit {
	before, after := src[:e.start], src[e.end:]
	emptyBefore := bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n"))
	switch {
	case len(after) == 0 && emptyBefore:
		e.start -= len(lineEndAt(before, bytes.HasSuffix))
		if !bytes.HasSuffix(src[:e.end], []byte("\n")) { // a file without an end of its last line keeps none
			e.start -= len(lineEndAt(src[:e.start], bytes.HasSuffix))
		}
	case emptyBefore || len(before) == 0:
		e.end += len(lineEndAt(after, bytes.HasPrefix))
	}
	return e
}

// lineEndAt returns the line ending that a text begins or ends with, as has
// tells, or "".
func lineEndAt(text []byte, has func(text, end []byte) bool) string {
	for _, end := range []string{"\r\n", "\n"} {
		if has(text, []byte(end)) {
			return end
		}
	}
	return ""
}

// appendTable adds a table at the end of a file, after an empty line. A last
// line without an end stays without one.
func appendTable(src []byte, table string) []byte {
	end := lineEnd(src)
	text := string(src)
	switch {
	case text == "":
		return []byte(table)
	case strings.HasSuffix(text, "\n"):
		return []byte(text + end + table)
	}
	return []byte(text + end + end + strings.TrimSuffix(table, end))
}

// writeTable writes a member as one table, in which objects are inline tables.
func writeTable(container, name string, value Object, end string) string {
	var b strings.Builder
	b.WriteString("[" + key(container) + "." + key(name) + "]" + end)
	for _, field := range value {
		b.WriteString(key(field.Name) + " = " + tomlValue(field.Value) + end)
	}
	return b.String()
}

// tomlString writes a basic string. DEL is the one character that JSON does not
// escape and TOML must.
func tomlString(text string) string { return strings.ReplaceAll(quote(text), "\x7f", `\u007f`) }

// key writes a key, without quotes if possible.
func key(name string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !bare(r) }) < 0 {
		return name
	}
	return tomlString(name)
}
