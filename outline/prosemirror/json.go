package prosemirror

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// appendValue appends the value of an attribute, which was read from JSON. Numbers are
// written as JavaScript does, and text that is not UTF-8 is replaced.
func appendValue(b []byte, value any) []byte {
	encoded, err := json.Marshal(value, lenient(), json.Deterministic(true))
	if err != nil {
		return append(b, "null"...) // a value that JSON does not have
	}
	return append(b, encoded...)
}

func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // replaces what is not UTF-8, and reports it
	return b
}
