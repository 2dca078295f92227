package outline

import (
	"bytes"
	"strings"
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

// A jsonScanner finds values in JSON.
type jsonScanner struct {
	source []byte
	at     int
}

// next moves to the next byte that is not white space, and returns it, or 0 at
// the end.
func (s *jsonScanner) next() byte {
	for ; s.at < len(s.source); s.at++ {
		switch c := s.source[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// find moves to the value that an object, which comes next, has under a name.
func (s *jsonScanner) find(name string) bool {
	if s.next() != '{' {
		return false
	}
	for s.at++; s.next() == '"'; s.at++ {
		start := s.at + 1
		if !s.skip() {
			return false
		}
		key := s.source[start : s.at-1]
		if s.next() != ':' {
			return false
		}
		s.at++
		s.next()
		if string(key) == name {
			return true
		}
		if !s.skip() || s.next() != ',' {
			return false
		}
	}
	return false
}

// skip moves past the value that comes next.
func (s *jsonScanner) skip() bool {
	for level := 0; ; {
		switch s.next() {
		case 0:
			return false
		case '{', '[':
			level++
			s.at++
		case '}', ']':
			level--
			s.at++
		case ',', ':':
			if level == 0 {
				return false
			}
			s.at++
		case '"':
			for s.at++; s.at < len(s.source) && s.source[s.at] != '"'; s.at++ {
				if s.source[s.at] == '\\' {
					s.at++
				}
			}
			if s.at++; s.at > len(s.source) {
				return false
			}
		default: // a number or a word
			for s.at < len(s.source) && strings.IndexByte(",]} \t\r\n", s.source[s.at]) < 0 {
				s.at++
			}
		}
		if level <= 0 {
			return level == 0
		}
	}
}
