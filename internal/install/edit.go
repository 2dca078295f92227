package install

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Object is a JSON object or TOML table whose fields keep their order.
type Object []Field

// Field is a field of an Object. Its value is a string, a bool, a []any, an
// Object, or any value that was read from a file.
type Field struct {
	Name  string
	Value any

	at int // in a file of JSON that was read
}

// Field returns the value of a field, or nil if there is none.
func (o Object) Field(name string) any {
	for _, field := range o {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// without removes a field from the object.
func (o Object) without(name string) Object {
	return slices.DeleteFunc(o, func(field Field) bool { return field.Name == name })
}

func objectOf(value any) Object {
	object, _ := value.(Object)
	return object
}

// plainValue returns a value in the types that a decoder returns.
func plainValue(value any) any {
	switch value := value.(type) {
	case Object:
		values := make(map[string]any, len(value))
		for _, field := range value {
			values[field.Name] = plainValue(field.Value)
		}
		return values
	case []any:
		return mapList(value, plainValue)
	}
	return value
}

// withOrder returns a decoded value with its maps as Objects.
func withOrder(value any) any {
	switch value := value.(type) {
	case map[string]any:
		var object Object
		for _, name := range slices.Sorted(maps.Keys(value)) {
			object = append(object, Field{Name: name, Value: withOrder(value[name])})
		}
		return object
	case []any:
		return mapList(value, withOrder)
	}
	return value
}

// mapList returns the results of a function for each element of a list.
func mapList[T, R any](list []T, of func(T) R) []R {
	results := make([]R, len(list))
	for i, element := range list {
		results[i] = of(element)
	}
	return results
}

// equal reports whether decoded values are equal. It compares them as printed,
// where maps are sorted by key and NaN equals itself.
func equal(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// same reports whether a value that was read equals a value to be written.
func same(read any, value Object) bool { return equal(plainValue(read), plainValue(value)) }

// place is where a value is: in the object or list with the name holder at the
// root of a file, under a name or, in a list, with an ID.
type place struct {
	holder, name string
	list         bool
}

// server is the place of the entry with a name in the client's file.
func (c Client) server(name string) place { return place{c.Container, name, false} }

// decode returns what a file holds. It is an error if nothing can be edited at a
// place in it.
func (c Client) decode(src []byte, at place) (Object, error) {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) { // its byte order mark
		return nil, errors.New("line 1: it is encoded as UTF-16; save it as UTF-8")
	}
	if c.TOML {
		return decodeTOML(src, at)
	}
	f, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	if _, _, err := f.find(at); err != nil {
		return nil, err
	}
	return objectOf(f.root.value), nil
}

// get returns the value at a place in a file. Objects in it are of type Object.
func (c Client) get(src []byte, at place) (value any, found bool, err error) {
	root, err := c.decode(src, at)
	if err != nil {
		return nil, false, err
	}
	value, found, _ = at.take(root)
	return value, found, nil
}

// change returns a file with a value at a place, or without one if that is nil. A
// holder that is left empty goes too: clients do the same with an empty one and
// none. It is an error if anything else would change.
func (c Client) change(src []byte, at place, value Object) ([]byte, error) {
	before, err := c.decode(src, at)
	if err != nil {
		return nil, err
	}
	edit := editJSON
	if c.TOML {
		edit = editTOML
	}
	text, err := edit(src, at, value)
	if err != nil {
		return nil, err
	}
	after, err := c.decode(text, at)
	_, _, others := at.take(before)
	now, found, othersNow := at.take(after)
	switch {
	case err == nil && found == (value != nil) && (!found || same(now, value)) && same(othersNow, others):
		return text, nil
	case c.TOML:
		return nil, fmt.Errorf("its servers are not written as tables that begin with [%s.NAME]", at.holder)
	}
	return nil, errors.New("the file cannot be edited without risk to the rest of it")
}

// take returns what is at a place in a decoded file, and the file without it. A holder
// that is empty then is left out, too.
func (p place) take(root Object) (value any, found bool, rest Object) {
	var left any
	empty := false
	switch holder := root.Field(p.holder).(type) {
	case Object:
		i := slices.IndexFunc(holder, func(field Field) bool { return field.Name == p.name })
		if found = i >= 0 && !p.list; found {
			value, holder = holder[i].Value, slices.Concat(holder[:i], holder[i+1:])
		}
		left, empty = holder, len(holder) == 0
	case []any:
		i := slices.IndexFunc(holder, func(item any) bool { return objectOf(item).Field("id") == p.name })
		if found = i >= 0 && p.list; found {
			value, holder = holder[i], slices.Concat(holder[:i], holder[i+1:])
		}
		left, empty = holder, len(holder) == 0
	default:
		return nil, false, root
	}
	rest = slices.Clone(root).without(p.holder)
	if !empty {
		rest = append(rest, Field{Name: p.holder, Value: left})
	}
	return value, found, rest
}

// lineEnd returns the line ending of a text.
func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineOf returns the number of the line that an offset is on.
func lineOf(src []byte, offset int) int { return 1 + bytes.Count(src[:offset], []byte("\n")) }

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
	if isDeeper(root, maxDepth) {
		return nil, fmt.Errorf("its tables are more than %d levels deep", maxDepth)
	}
	if _, ok := root[at.holder].(map[string]any); !ok && root[at.holder] != nil {
		return nil, fmt.Errorf("%q is not a table, so it cannot contain a server", at.holder)
	}
	return objectOf(withOrder(root)), err
}

// isDeeper reports whether a decoded value has more levels than a number.
func isDeeper(value any, levels int) bool {
	deeper := func(one any) bool { return isDeeper(one, levels-1) }
	switch value := value.(type) {
	case map[string]any:
		return levels == 0 || slices.ContainsFunc(slices.Collect(maps.Values(value)), deeper)
	case []any:
		return levels == 0 || slices.ContainsFunc(value, deeper)
	}
	return false
}

// editTOML replaces the tables of a server by one, adds that at the end of the file,
// or removes them if the value is nil. Comments before a table and after its last value
// stay. An empty line that only separated a removed table goes with it.
func editTOML(src []byte, at place, value Object) ([]byte, error) {
	var b bytes.Buffer
	if value != nil {
		fmt.Fprintf(&b, "[%s.%s]\n", at.holder, at.name) // names are letters, digits, - and _
	}
	for _, field := range value {
		encoder := toml.NewEncoder(&b).SetTablesInline(true)
		if err := encoder.Encode(map[string]any{field.Name: plainValue(field.Value)}); err != nil {
			return nil, err
		}
	}
	text, end := string(src), lineEnd(src)
	table := strings.ReplaceAll(b.String(), "\n", end)
	cut := text != "" && !strings.HasSuffix(text, "\n") // a last line without an end stays without one
	if cut {
		text += end
	}
	kept, last := "", 0
	spans := tables(text, at)
	for i, span := range spans {
		kept += text[last:span.start]
		last = span.end
		switch separated := kept == "" || strings.HasSuffix(kept, "\n"+end); {
		case i == 0 && table != "":
			kept += table
		case separated && last == len(text):
			kept = strings.TrimSuffix(kept, end)
		case separated && strings.HasPrefix(text[last:], end):
			last += len(end)
		}
	}
	if kept += text[last:]; len(spans) == 0 && table != "" {
		if kept != "" {
			kept += end
		}
		kept += table
	}
	if cut {
		kept = strings.TrimSuffix(kept, end)
	}
	return []byte(kept), nil
}

// A span is a part of a text.
type span struct{ start, end int }

// tables returns where the tables of a server are, each from its header to the end of the
// line of its last value. Those that follow each other are one.
func tables(text string, at place) (spans []span) {
	parser, inside := unstable.Parser{}, false
	parser.Reset([]byte(text))
	for parser.NextExpression() {
		expression := parser.Expression()
		here := expression.Raw
		if expression.Kind != unstable.KeyValue {
			var path []string
			for keys := expression.Key(); keys.Next(); {
				here = keys.Node().Raw
				path = append(path, string(keys.Node().Data))
			}
			before := inside
			if inside = len(path) >= 2 && path[0] == at.holder && path[1] == at.name; inside && !before {
				spans = append(spans, span{start: strings.LastIndexByte(text[:here.Offset], '\n') + 1})
			}
		}
		if inside {
			end := int(here.Offset + here.Length)
			spans[len(spans)-1].end = end + strings.IndexByte(text[end:], '\n') + 1
		}
	}
	return spans
}
