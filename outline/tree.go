package outline

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"outline-mcp/outline/prosemirror"
)

// treeVersion is the version of the API in which documents have their tree, in
// data, in place of Markdown.
const treeVersion = "3"

// maxNodes is how many nodes and marks a tree may hold to be decoded before a change,
// about. An edit keeps several trees, which take some hundred bytes a node. Documents
// of a megabyte have some ten thousand nodes.
const maxNodes = 100_000

// trees decodes and serializes the trees of one document. Blocks that are the same
// in several states of the document share one node, so that comparing and serializing
// them only visits what changed.
type trees struct {
	bounded bool // whether larger trees than maxNodes are left out
	leftOut bool // whether one was

	mu       sync.Mutex
	decoder  prosemirror.Decoder
	written  *prosemirror.Node // the state that was written last
	markdown prosemirror.Markdown
}

// write returns the Markdown of a tree.
func (t *trees) write(tree *prosemirror.Node) prosemirror.Markdown {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.written == nil {
		t.markdown = prosemirror.ToMarkdown(tree)
	} else if t.written != tree {
		t.markdown = t.markdown.Update(t.written, tree)
	}
	t.written = tree
	return t.markdown
}

// treeData is what documents and revisions have in data: their tree. Without trees it is
// skipped.
type treeData struct {
	trees *trees            // decode it
	tree  *prosemirror.Node // nil if there is none, or one that is left out
}

var errNoTree = errors.New(`"data" of the document is not its tree`)

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (d *treeData) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if d.trees == nil || in.PeekKind() != '{' {
		return in.SkipValue()
	}
	d.trees.mu.Lock()
	defer d.trees.mu.Unlock()
	if d.trees.leftOut = d.trees.bounded && bytes.Count(in.UnreadBuffer(), []byte(`"type"`)) > maxNodes; d.trees.leftOut {
		return in.SkipValue()
	}
	var err error
	if d.tree, err = d.trees.decoder.DecodeFrom(in); err != nil {
		return fmt.Errorf("%w: %w", errNoTree, err)
	}
	return nil
}
