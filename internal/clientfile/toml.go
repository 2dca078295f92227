package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// TOML is TOML 1.0 (https://toml.io/en/v1.0.0). A member is the table
// [container.name].
type TOML struct{}

// expression is a table header or a key with its value.
type expression struct {
	kind       unstable.Kind
	name       []string // in full, with those of its tables
	start, end int      // from the start of its first line to that of the next line
	inline     bool
}

// of reports whether an expression belongs to a member.
func (e expression) of(member []string) bool {
	return len(e.name) >= len(member) && slices.Equal(e.name[:len(member)], member)
}

// decodeTOML decodes a file.
func decodeTOML(src []byte) (map[string]any, error) {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return nil, errUTF16
	}
	root := map[string]any{}
	err := toml.Unmarshal(src, &root)
	var decodeErr *toml.DecodeError
	if errors.As(err, &decodeErr) {
		line, column := decodeErr.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(decodeErr.Error(), "toml: "))
	}
	return root, err
}

// expressions returns the expressions of a file that decodeTOML accepts.
func expressions(src []byte) ([]expression, error) {
	var parser unstable.Parser
	parser.Reset(src)
	var all []expression
	var table []string
	for parser.NextExpression() {
		node := parser.Expression()
		var name []string
		var first, last unstable.Range
		for keys := node.Key(); keys.Next(); {
			key := keys.Node()
			if len(name) == 0 {
				first = key.Raw
			}
			last = key.Raw
			name = append(name, string(key.Data))
		}
		e := expression{kind: node.Kind, start: lineStart(src, int(first.Offset))}
		end := int(last.Offset + last.Length)
		if node.Kind == unstable.KeyValue {
			end = int(node.Raw.Offset + node.Raw.Length)
			e.inline = node.Value().Kind == unstable.InlineTable
			e.name = slices.Concat(table, name)
		} else {
			e.name, table = name, name
		}
		e.end = len(src)
		if newline := bytes.IndexByte(src[end:], '\n'); newline >= 0 {
			e.end = end + newline + 1
		}
		all = append(all, e)
	}
	return all, parser.Error()
}

// read returns what a file holds, and its expressions.
func (TOML) read(src []byte, container string) (map[string]any, []expression, error) {
	root, err := decodeTOML(src)
	if err != nil {
		return nil, nil, err
	}
	all, err := expressions(src)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range all {
		if !slices.Equal(e.name, []string{container}) || e.kind == unstable.Table {
			continue
		}
		line := 1 + bytes.Count(src[:e.start], []byte("\n"))
		if e.inline {
			return nil, nil, fmt.Errorf("line %d: %q is an inline table; write each server as a table [%s.NAME]", line, container, container)
		}
		return nil, nil, fmt.Errorf("line %d: %q is not a table, so it cannot contain a server", line, container)
	}
	return root, all, nil
}

// Member implements Format.
func (t TOML) Member(src []byte, container, name string) (any, bool, error) {
	root, _, err := t.read(src, container)
	if err != nil {
		return nil, false, err
	}
	members, _ := root[container].(map[string]any)
	value, found := members[name]
	return ordered(value), found, nil
}

// HasContainer implements Format.
func (t TOML) HasContainer(src []byte, container string) bool {
	root, _, err := t.read(src, container)
	return err == nil && root[container] != nil
}

// SetMember implements Format. A member that is not a table of its own is
// removed and added at the end.
func (t TOML) SetMember(src []byte, container, name string, value Object) ([]byte, error) {
	before, all, err := t.read(src, container)
	if err != nil {
		return nil, err
	}
	member := []string{container, name}
	header := slices.IndexFunc(all, func(e expression) bool {
		return e.kind == unstable.Table && slices.Equal(e.name, member)
	})
	table := writeTable(container, name, value, lineEnd(src))
	var text []byte
	if header >= 0 {
		edits := removals(src, all, member, false)
		at := slices.IndexFunc(edits, func(e edit) bool { return e.start <= all[header].start && all[header].start < e.end })
		if edits[at].end == len(src) && !bytes.HasSuffix(src, []byte("\n")) {
			table = strings.TrimSuffix(table, lineEnd(src))
		}
		edits[at].text = table
		text = apply(src, edits...)
	} else {
		text = apply(src, removals(src, all, member, true)...)
		text = appendTable(text, table)
	}
	return checkTOML(before, text, change{dropMember, container, name, value.plain()})
}

// RemoveMember implements Format. Tables need no container, so none is left.
func (t TOML) RemoveMember(src []byte, container, name string, _ bool) ([]byte, error) {
	before, all, err := t.read(src, container)
	if err != nil {
		return nil, err
	}
	edits := removals(src, all, []string{container, name}, true)
	if len(edits) == 0 {
		return src, nil
	}
	return checkTOML(before, apply(src, edits...), change{dropMember, container, name, nil})
}

// checkTOML returns the new text if it can be decoded and differs from what was
// there before by the change alone, else errUnsafe.
func checkTOML(before map[string]any, text []byte, only change) ([]byte, error) {
	after, err := decodeTOML(text)
	if err != nil || !only.explains(before, after) {
		return nil, errUnsafe
	}
	return text, nil
}
