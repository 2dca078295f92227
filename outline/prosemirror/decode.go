package prosemirror

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
// keeps unknown types and attributes.
func Decode(data []byte) (*Node, error) { return new(Decoder).Decode(data) }

// A Decoder reads several states of a document, such as those before and after
// a write. A top-level block whose JSON it has read before becomes the same
// node, so that comparing the states only visits what changed. The zero value is
// ready to use.
type Decoder struct {
	blocks map[[sha256.Size]byte]*Node // by the hash of their JSON, which is several times as long
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
		d.blocks = map[[sha256.Size]byte]*Node{}
	}
	doc := new(Node)
	if err := json.UnmarshalDecode(in, doc, json.WithUnmarshalers(json.UnmarshalFromFunc(d.block))); err != nil {
		return nil, fmt.Errorf("decode document: %w", err)
	}
	return doc, nil
}

// block reads a top-level block.
func (d *Decoder) block(in *jsontext.Decoder, block **Node) error {
	source, err := in.ReadValue()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(source)
	if *block = d.blocks[hash]; *block == nil {
		err = json.Unmarshal(source, block, lenient())
		d.blocks[hash] = *block
	}
	return err
}

// UnmarshalJSON is [Node.UnmarshalJSONFrom] for encoding/json.
func (n *Node) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, n, lenient()) }

// UnmarshalJSONFrom reads the node from the JSON form that Outline sends in data.
func (n *Node) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.StackDepth() > 2*maxDepth { // two levels a node
		return errTooDeep
	}
	type fields Node
	*n = Node{}
	if err := json.UnmarshalDecode(in, (*fields)(n)); err != nil {
		return err
	}
	if n.Type == "" || slices.Contains(n.Content, nil) {
		return errors.New("a node without a type")
	}
	n.Content = joinTexts(n.Content)
	slices.SortStableFunc(n.Marks, func(a, b Mark) int { return markRank(a.Type) - markRank(b.Type) })
	return nil
}

// UnmarshalJSONFrom reads attributes in their order.
func (a *Attrs) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	*a = nil
	switch token, err := in.ReadToken(); {
	case err != nil:
		return err
	case token.Kind() == 'n':
		return nil
	case token.Kind() != '{':
		return fmt.Errorf("%v in place of attributes", token.Kind())
	}
	*a = Attrs{}
	for in.PeekKind() != '}' {
		token, err := in.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		i := slices.IndexFunc(*a, func(a Attr) bool { return a.Name == name })
		if i < 0 {
			i = len(*a)
			*a = append(*a, Attr{Name: name})
		}
		if len(*a) > maxAttrs {
			return errors.New("too many attributes")
		}
		var value any
		if err := json.UnmarshalDecode(in, &value); err != nil {
			return err
		}
		if isDeep(value, maxDepth) {
			return errTooDeep
		}
		(*a)[i].Value = value
	}
	_, err := in.ReadToken()
	return err
}

// isDeep reports whether a value is nested deeper than limit, too deep to be compared
// and written recursively.
func isDeep(value any, limit int) bool {
	deeper := func(v any) bool { return isDeep(v, limit-1) }
	switch value := value.(type) {
	case []any:
		return limit == 0 || slices.ContainsFunc(value, deeper)
	case map[string]any:
		return limit == 0 || slices.ContainsFunc(slices.Collect(maps.Values(value)), deeper)
	}
	return false
}

// joinTexts joins neighboring text nodes with the same marks, as ProseMirror
// does when it reads a tree.
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
