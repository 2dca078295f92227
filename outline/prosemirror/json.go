package prosemirror

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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

// maxDepth is how deep a tree read from JSON may be nested. Trees from
// Outline's parser are at most about 300 deep.
const maxDepth = 1000

// maxAttrs bounds the attributes of a node read from JSON.
const maxAttrs = 1000

// lenient accepts what other readers of JSON accept: of several members with one name,
// the last one counts, and text that is not UTF-8 is replaced.
func lenient() jsontext.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

var errTooDeep = errors.New("nested too deep")

// Decode reads a document from the JSON form that Outline sends in data. It
// keeps unknown types and attributes, and adds the attributes that Outline adds
// whenever it reads the document to change it.
func Decode(data []byte) (*Node, error) { return new(Decoder).Decode(data) }

// A Decoder reads several states of a document, such as those before and after
// a write. A top-level block whose JSON it has read before becomes the same
// node, so that comparing the states only visits what changed. Names, attributes
// and marks from the same short JSON are stored once, too: most of those of a
// document are the same, and to read them again takes as long as all the rest. The
// zero value is ready to use.
type Decoder struct {
	blocks map[[sha256.Size]byte]*Node // by the hash of their JSON, which is several times as long

	in   jsontext.Decoder // of one block
	open []*Node          // content of the nodes that are being read

	// By their JSON:
	names    map[string]string
	attrSets map[string]Attrs
	markSets map[string][]Mark
}

// UnmarshalJSON reads the node from the JSON form that Outline sends in data.
func (n *Node) UnmarshalJSON(data []byte) error {
	node, err := Decode(data)
	if err == nil {
		*n = *node
	}
	return err
}

// Decode is like the function, but shares blocks with the documents decoded
// before.
func (d *Decoder) Decode(data []byte) (*Node, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(data), lenient())
	node, err := d.DecodeFrom(in)
	if err != nil {
		return nil, err
	}
	if _, err := in.ReadToken(); err != io.EOF {
		return nil, errors.New("decode document: more follows the document")
	}
	return node, nil
}

// DecodeFrom is like Decode. It reads the value that comes next.
func (d *Decoder) DecodeFrom(in *jsontext.Decoder) (*Node, error) {
	if d.blocks == nil {
		d.blocks, d.names, d.attrSets, d.markSets = map[[sha256.Size]byte]*Node{}, map[string]string{}, map[string]Attrs{}, map[string][]Mark{}
	}
	node, err := d.node(in, d.block)
	if err != nil {
		return nil, fmt.Errorf("decode document: %w", err)
	}
	return node, nil
}

// block reads a top-level block, or reuses the node that was read from the same
// JSON before.
func (d *Decoder) block(in *jsontext.Decoder) (*Node, error) {
	source, err := in.ReadValue()
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(source)
	if known := d.blocks[hash]; known != nil {
		return known, nil
	}
	d.in.Reset(bytes.NewBuffer(source), lenient())
	node, err := d.inner(&d.in)
	if err == nil {
		d.blocks[hash] = node
	}
	return node, err
}

func (d *Decoder) inner(in *jsontext.Decoder) (*Node, error) { return d.node(in, d.inner) }

func (d *Decoder) node(in *jsontext.Decoder, child func(*jsontext.Decoder) (*Node, error)) (*Node, error) {
	if in.StackDepth() > 2*maxDepth { // two levels a node
		return nil, errTooDeep
	}
	n := new(Node)
	err := each(in, '{', '}', func() error {
		name, err := in.ReadValue()
		if err != nil {
			return err
		}
		switch string(name) {
		case `"type"`:
			n.Type, err = d.name(in)
		case `"text"`:
			n.Text, err = readText(in)
		case `"attrs"`:
			n.Attrs, err = readOnce(in, d.attrSets, d.attrs)
		case `"marks"`:
			n.Marks, err = readOnce(in, d.markSets, d.marks)
		case `"content"`:
			start := len(d.open)
			err = each(in, '[', ']', func() error {
				node, err := child(in)
				d.open = append(d.open, node)
				return err
			})
			if err == nil {
				n.Content = slices.Clone(joinTexts(d.open[start:]))
			}
			d.open = d.open[:start]
		default:
			err = in.SkipValue()
		}
		return err
	})
	if err == nil && n.Type == "" {
		err = errors.New("a node without a type")
	}
	n.complete()
	return n, err
}

// marks reads a list of marks and sorts them as in the schema.
func (d *Decoder) marks(in *jsontext.Decoder) ([]Mark, error) {
	var marks []Mark
	err := each(in, '[', ']', func() error {
		var m Mark
		err := each(in, '{', '}', func() error {
			name, err := d.name(in)
			if err != nil {
				return err
			}
			switch name {
			case "type":
				m.Type, err = d.name(in)
			case "attrs":
				m.Attrs, err = d.attrs(in)
			default:
				err = in.SkipValue()
			}
			return err
		})
		marks = append(marks, m)
		return err
	})
	slices.SortStableFunc(marks, func(a, b Mark) int { return markRank(a.Type) - markRank(b.Type) })
	return marks, err
}

func (d *Decoder) attrs(in *jsontext.Decoder) (Attrs, error) {
	attrs := Attrs{}
	err := each(in, '{', '}', func() error {
		name, err := d.name(in)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(attrs, func(a Attr) bool { return a.Name == name })
		if i < 0 {
			i, attrs = len(attrs), append(attrs, Attr{Name: name})
		}
		if len(attrs) > maxAttrs {
			return errors.New("too many attributes")
		}
		attrs[i].Value = nil
		return json.UnmarshalDecode(in, &attrs[i].Value)
	})
	return attrs, err
}

// readOnce reads attributes or marks, which are often the same, and null as none. Those
// from the same short JSON are stored once.
func readOnce[T any](in *jsontext.Decoder, known map[string]T, read func(*jsontext.Decoder) (T, error)) (list T, err error) {
	const short = 256
	source, err := in.ReadValue()
	if err != nil || source.Kind() == 'n' {
		return list, err
	}
	if list, ok := known[string(source)]; ok {
		return list, nil
	}
	if len(source) > short {
		if err := checkDepth(source); err != nil {
			return list, err
		}
	}
	list, err = read(jsontext.NewDecoder(bytes.NewBuffer(source), lenient()))
	if err == nil && len(source) <= short {
		known[string(source)] = list
	}
	return list, err
}

// checkDepth returns an error if attributes are nested too deep to be compared and
// written recursively.
func checkDepth(source []byte) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(source), lenient())
	for in.StackDepth() <= maxDepth {
		if _, err := in.ReadToken(); err != nil {
			return nil // it has been read before: this is its end
		}
	}
	return errTooDeep
}

// name reads a string that occurs often, which is stored once.
func (d *Decoder) name(in *jsontext.Decoder) (string, error) {
	source, err := in.ReadValue()
	if err != nil {
		return "", err
	}
	name, known := d.names[string(source)]
	if !known {
		if name, err = readText(jsontext.NewDecoder(bytes.NewReader(source), lenient())); err == nil {
			d.names[string(source)] = name
		}
	}
	return name, err
}

func readText(in *jsontext.Decoder) (string, error) {
	token, err := in.ReadToken()
	if err != nil {
		return "", err
	}
	if token.Kind() != '"' {
		return "", fmt.Errorf("%v in place of a string", token.Kind())
	}
	return token.String(), nil
}

// each calls read for each element of the array, or member of the object, that comes
// next, and not at all for null.
func each(in *jsontext.Decoder, begin, end jsontext.Kind, read func() error) error {
	token, err := in.ReadToken()
	switch {
	case err != nil:
		return err
	case token.Kind() == 'n':
		return nil
	case token.Kind() != begin:
		return fmt.Errorf("%v in place of %v", token.Kind(), begin)
	}
	for in.PeekKind() != end {
		if err := read(); err != nil {
			return err
		}
	}
	_, err = in.ReadToken()
	return err
}

// joinTexts joins neighboring text nodes with the same marks, as ProseMirror
// does when it reads a tree. It returns them in the place of nodes, which it overwrites.
func joinTexts(nodes []*Node) []*Node {
	joined := nodes[:0]
	for i := 0; i < len(nodes); {
		n, end := nodes[i], i+1
		for n.IsText() && end < len(nodes) && sameMarkup(n, nodes[end]) {
			end++
		}
		if end > i+1 {
			var text strings.Builder
			for _, part := range nodes[i:end] {
				text.WriteString(part.Text)
			}
			n = n.withText(text.String())
		}
		joined = append(joined, n)
		i = end
	}
	return joined
}
