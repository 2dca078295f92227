package workspace

import (
	"sync"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
)

// A content is the tree of a document, which is how Outline stores its text, with
// what is derived from it on first use. It is immutable.
type content struct {
	// The tree or, in a seed, the Markdown that it is parsed from, and the
	// comments that are attached to passages of it.
	root     *prosemirror.Node
	source   string
	attached []*Comment

	parse sync.Once

	serialize  sync.Once
	serialized prosemirror.Markdown

	collect sync.Once
	parts   text.Content

	encodeText  sync.Once
	encodedText []byte

	encodeTree  sync.Once
	encodedTree []byte
}

// tree returns the tree. A seed is parsed on first use, because parsing all of the
// sample content takes longer than starting.
func (c *content) tree() *prosemirror.Node {
	c.parse.Do(func() {
		if c.root == nil {
			c.root = prosemirror.Parse(c.source)
		}
		for _, comment := range c.attached {
			mark := prosemirror.CommentMark(comment.ID, comment.CreatedBy, !comment.ResolvedAt.IsZero())
			if with, ok := prosemirror.Attach(c.root, prosemirror.Passage{Text: comment.Anchor}, mark); ok {
				c.root = with
			}
		}
		c.source, c.attached = "", nil
	})
	return c.root
}

// markdown returns the Markdown of the tree, both as documents are patched in
// and as the API shows it.
func (c *content) markdown() *prosemirror.Markdown {
	c.serialize.Do(func() { c.serialized = prosemirror.ToMarkdown(c.tree()) })
	return &c.serialized
}

// read returns what the tree contains.
func (c *content) read() *text.Content {
	c.collect.Do(func() { c.parts = text.Read(c.tree()) })
	return &c.parts
}

// textJSON returns the text as JSON.
func (c *content) textJSON() []byte {
	c.encodeText.Do(func() { c.encodedText = api.Encode(c.markdown().Text)[0] })
	return c.encodedText
}

// treeJSON returns the tree as JSON.
func (c *content) treeJSON() []byte {
	c.encodeTree.Do(func() { c.encodedTree = c.tree().AppendJSON(nil) })
	return c.encodedTree
}
