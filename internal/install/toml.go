package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// decodeTOML decodes a file of TOML 1.0 (https://toml.io/en/v1.0.0). A server is the
// table [container.name] with those below it.
func decodeTOML(src []byte, at place) (Object, error) {
	root := map[string]any{}
	err := toml.Unmarshal(src, &root)
	var decodeErr *toml.DecodeError
	if errors.As(err, &decodeErr) {
		line, column := decodeErr.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(decodeErr.Error(), "toml: "))
	}
	if _, ok := root[at.holder].(map[string]any); !ok && root[at.holder] != nil {
		return nil, fmt.Errorf("%q is not a table, so it cannot contain a server", at.holder)
	}
	return objectOf(ordered(root)), err
}

// editTOML replaces the tables of a server by one, adds that at the end of the file,
// or removes them if the value is nil. It goes by lines.
func editTOML(src []byte, at place, value Object) ([]byte, error) {
	var b bytes.Buffer
	if value != nil {
		fmt.Fprintf(&b, "[%s.%s]\n", at.holder, at.name) // names are letters, digits, - and _
	}
	for _, field := range value {
		encoder := toml.NewEncoder(&b).SetTablesInline(true)
		if err := encoder.Encode(map[string]any{field.Name: plain(field.Value)}); err != nil {
			return nil, err
		}
	}
	end := lineEnd(src)
	table := strings.ReplaceAll(b.String(), "\n", end)
	text, found := replaceTables(src, at.holder, at.name, table)
	switch {
	case found || table == "":
	case text == "":
		text = table
	case strings.HasSuffix(text, "\n"):
		text += end + table
	default: // a last line without an end stays without one
		text += end + end + strings.TrimSuffix(table, end)
	}
	return []byte(text), nil
}

// replaceTables returns a file in which the first table of a member is replaced,
// and the others are gone. Comments before a table and after its last key stay. If
// nothing replaces a table, an empty line that only separated it goes with it.
func replaceTables(src []byte, container, name, table string) (text string, found bool) {
	var b strings.Builder
	inside, replaced := false, false
	held := "" // lines after the last key, which may belong to the next table
	leave := func(atEnd bool) {
		cut := atEnd && !bytes.HasSuffix(src, []byte("\n"))
		text := b.String()
		switch separated := text == "" || strings.HasSuffix(text, "\n\n") || strings.HasSuffix(text, "\n\r\n"); {
		case replaced && cut && held == "":
			text = withoutLineEnd(text)
		case replaced || !separated:
		case atEnd && held == "":
			if text = withoutLineEnd(text); cut {
				text = withoutLineEnd(text)
			}
		default:
			held = strings.TrimPrefix(strings.TrimPrefix(held, "\r"), "\n")
		}
		b.Reset()
		b.WriteString(text + held)
		held, inside, replaced = "", false, false
	}
	for line := range strings.SplitAfterSeq(string(src), "\n") {
		content := strings.TrimSpace(line)
		if path, ok := header(content); ok {
			mine := len(path) >= 2 && path[0] == container && path[1] == name
			if inside && !mine {
				leave(false)
			}
			if inside = mine; mine && !found {
				b.WriteString(table)
				found, replaced = true, table != ""
			}
		}
		switch {
		case !inside:
			b.WriteString(line)
		case content == "" || content[0] == '#':
			held += line
		default:
			held = ""
		}
	}
	if inside {
		leave(true)
	}
	return b.String(), found
}

func withoutLineEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// header returns the name of the table that a line begins.
func header(line string) (path []string, ok bool) {
	var table map[string]any
	if !strings.HasPrefix(line, "[") || toml.Unmarshal([]byte(line), &table) != nil {
		return nil, false
	}
	for len(table) == 1 {
		for name, value := range table {
			if list, isList := value.([]any); isList && len(list) == 1 {
				value = list[0]
			}
			path = append(path, name)
			table, _ = value.(map[string]any)
		}
	}
	return path, true
}
