package outline

import (
	"bytes"
	"sync"

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

// take removes the tree of a document from the JSON of an answer, which it
// changes, and decodes it. That takes a fraction of the time of encoding/json.
// The tree is nil if the answer has none, or one that is left out.
func (t *trees) take(answer []byte) (rest []byte, tree *prosemirror.Node, err error) {
	start, end := findTree(answer)
	if start < 0 {
		return answer, nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.leftOut = t.bounded && bytes.Count(answer[start:end], []byte(`"type"`)) > maxNodes; !t.leftOut {
		if tree, err = t.decoder.Decode(answer[start:end]); err != nil {
			return answer, nil, err
		}
	}
	length := start + copy(answer[start:], "null")
	length += copy(answer[length:], answer[end:])
	return answer[:length], tree, nil
}

// findTree returns where in an answer the object data.data or data.document.data
// lies, or a negative start. It does not look for errors in the JSON.
func findTree(answer []byte) (start, end int) {
	s := jsonScanner{source: answer}
	if !s.find("data") {
		return -1, 0
	}
	inData := s
	if !s.find("data") {
		if s = inData; !s.find("document") || !s.find("data") {
			return -1, 0
		}
	}
	if start = s.at; s.next() != '{' || !s.skip() {
		return -1, 0
	}
	return start, s.at
}
