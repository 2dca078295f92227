package prosemirror

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MarshalJSON returns the node as Outline sends it in data.
func (n *Node) MarshalJSON() ([]byte, error) {
	return n.AppendJSON(nil), nil
}

// AppendJSON appends the node as Outline sends it in data.
func (n *Node) AppendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	b = appendString(b, n.Type)
	b = appendAttrs(b, n.Attrs)
	if len(n.Content) > 0 {
		b = append(b, `,"content":[`...)
		for i, child := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = child.AppendJSON(b)
		}
		b = append(b, ']')
	}
	if len(n.Marks) > 0 {
		b = append(b, `,"marks":[`...)
		for i, mark := range n.Marks {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"type":`...)
			b = appendString(b, mark.Type)
			b = appendAttrs(b, mark.Attrs)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if n.IsText() || n.Text != "" {
		b = append(b, `,"text":`...)
		b = appendString(b, n.Text)
	}
	return append(b, '}')
}

func appendAttrs(b []byte, attrs Attrs) []byte {
	if attrs == nil {
		return b
	}
	b = append(b, `,"attrs":{`...)
	for i, attr := range attrs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, attr.Name)
		b = append(b, ':')
		b = appendValue(b, attr.Value)
	}
	return append(b, '}')
}

func appendValue(b []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendString(b, value)
	case bool:
		return strconv.AppendBool(b, value)
	case float64:
		return append(b, formatNumber(value)...)
	case []any:
		b = append(b, '[')
		for i, element := range value {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, element)
		}
		return append(b, ']')
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		slices.Sort(names)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, name)
			b = append(b, ':')
			b = appendValue(b, value[name])
		}
		return append(b, '}')
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, encoded...)
}

// formatNumber writes a number as JavaScript does.
func formatNumber(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

func appendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			b = append(b, s[start:i]...)
			b = append(b, "\uFFFD"...)
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}
