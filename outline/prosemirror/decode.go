package prosemirror

import (
	"fmt"
	"slices"
	"strings"
)

// maxDepth is how deep a tree read from JSON may be nested. Trees from
// Outline's parser are at most about 300 deep.
const maxDepth = 1000

// maxAttrs bounds the attributes of a node read from JSON.
const maxAttrs = 1000

// Decode reads a document from the JSON form that Outline sends in data. It
// keeps unknown types and attributes.
func Decode(data []byte) (*Node, error) {
	return new(Decoder).decode(data, nil)
}

// UnmarshalJSON reads the node from the JSON form that Outline sends in data.
func (n *Node) UnmarshalJSON(data []byte) error {
	node, err := Decode(data)
	if err == nil {
		*n = *node
	}
	return err
}

func (*Decoder) decode(data []byte, known *Decoder) (*Node, error) {
	d := decoder{
		src: data, known: known,
		names: map[string]string{}, attrSets: map[string]Attrs{}, markSets: map[string][]Mark{},
	}
	node := d.node(0)
	d.space()
	if d.err == nil && d.pos < len(d.src) {
		d.fail("unexpected text after the document")
	}
	if d.err != nil {
		return nil, d.err
	}
	return node, nil
}

// A decoder reads one tree from JSON. It does not use encoding/json, because a
// document of a megabyte has several megabytes of JSON. Names, and repeated
// attributes and marks, are stored once.
type decoder struct {
	src      []byte
	pos      int
	err      error
	known    *Decoder
	nodes    []Node          // memory for nodes
	children []*Node         // memory for their content
	pending  []*Node         // content of the nodes that are open
	texts    strings.Builder // memory for text
	names    map[string]string
	attrSets map[string]Attrs
	markSets map[string][]Mark
}

func (d *decoder) fail(message string) {
	if d.err == nil {
		d.err = fmt.Errorf("decode document at byte %d: %s", d.pos, message)
	}
}

func (d *decoder) node(depth int) *Node {
	if depth > maxDepth {
		d.fail("nested too deep")
		return nil
	}
	if len(d.nodes) == cap(d.nodes) {
		d.nodes = make([]Node, 0, min(1024, max(16, 2*cap(d.nodes))))
	}
	d.nodes = append(d.nodes, Node{})
	n := &d.nodes[len(d.nodes)-1]
	d.object(func(name []byte) {
		switch string(name) {
		case "type":
			n.Type = d.typeName()
		case "text":
			n.Text = d.text()
		case "attrs":
			n.Attrs = d.attrs(depth)
		case "content":
			n.Content = d.content(depth)
		case "marks":
			n.Marks = d.marks(depth)
		default:
			d.value(depth)
		}
	})
	if d.err == nil && n.Type == "" {
		d.fail("node without a type")
	}
	return n
}

func (d *decoder) content(depth int) []*Node {
	if d.null() {
		return nil
	}
	start := len(d.pending)
	d.array(func() {
		var child *Node
		if depth == 0 && d.known != nil {
			child = d.block()
		} else {
			child = d.node(depth + 1)
		}
		if len(d.pending) == cap(d.pending) {
			d.pending = slices.Grow(d.pending, max(64, len(d.pending)))
		}
		d.pending = append(d.pending, child)
	})
	d.pending = d.pending[:start+joinTexts(d.pending[start:])]
	count := len(d.pending) - start
	if count > cap(d.children)-len(d.children) {
		d.children = make([]*Node, 0, max(count, min(4096, 2*cap(d.children)), 64))
	}
	end := len(d.children) + count
	d.children = append(d.children, d.pending[start:]...)
	d.pending = d.pending[:start]
	return d.children[end-count : end : end]
}

// joinTexts joins neighboring text nodes with the same marks, as ProseMirror
// does when it reads a tree. It returns the number of remaining nodes.
func joinTexts(nodes []*Node) int {
	kept := 0
	for i := 0; i < len(nodes); {
		n := nodes[i]
		end := i + 1
		for n != nil && n.IsText() && end < len(nodes) && nodes[end] != nil && sameMarkup(n, nodes[end]) {
			end++
		}
		if end > i+1 {
			var text strings.Builder
			for _, part := range nodes[i:end] {
				text.WriteString(part.Text)
			}
			n = n.withText(text.String())
		}
		nodes[kept] = n
		kept++
		i = end
	}
	return kept
}

// block reads a top-level block, or reuses the node that was read from the same
// JSON before.
func (d *decoder) block() *Node {
	d.space()
	source := d.extent(len(d.src))
	if source == nil {
		return d.node(1)
	}
	hash := d.known.hash(source)
	if known := d.known.find(hash); known != nil {
		d.pos += len(source)
		return known
	}
	node := d.node(1)
	if d.err == nil {
		d.known.add(hash, node)
	}
	return node
}

// marks reads a list of marks and sorts them as in the schema.
func (d *decoder) marks(depth int) []Mark {
	if d.null() {
		return nil
	}
	source := d.extent(maxShared)
	if known, ok := d.markSets[string(source)]; ok {
		d.pos += len(source)
		return known
	}
	var marks []Mark
	d.array(func() {
		var m Mark
		d.object(func(name []byte) {
			switch string(name) {
			case "type":
				m.Type = d.typeName()
			case "attrs":
				m.Attrs = d.attrs(depth)
			default:
				d.value(depth)
			}
		})
		marks = append(marks, m)
	})
	slices.SortStableFunc(marks, func(a, b Mark) int { return markRank(a.Type) - markRank(b.Type) })
	if source != nil && d.err == nil {
		d.markSets[string(source)] = marks
	}
	return marks
}

func (d *decoder) attrs(depth int) Attrs {
	if d.null() {
		return nil
	}
	source := d.extent(maxShared)
	if known, ok := d.attrSets[string(source)]; ok {
		d.pos += len(source)
		return known
	}
	attrs := Attrs{}
	d.object(func(key []byte) {
		name := d.intern(key)
		value := d.value(depth + 1)
		if len(attrs) > maxAttrs {
			d.fail("too many attributes")
		}
		for i := range attrs {
			if attrs[i].Name == name {
				attrs[i].Value = value // the last one counts, as in any JSON
				return
			}
		}
		attrs = append(attrs, Attr{name, value})
	})
	if source != nil && d.err == nil {
		d.attrSets[string(source)] = attrs
	}
	return attrs
}

// maxShared is the maximum length of the JSON of attributes and marks that are
// kept to be shared.
const maxShared = 256
