package prosemirror

import (
	"errors"
	"slices"
	"strings"
)

// The ways in which Outline refuses an edit.
var (
	// ErrNotFound means that the document does not contain the text to replace;
	// Outline answers 404.
	ErrNotFound = errors.New("text to replace not found in the document")
	// ErrEmptyText means that an append or prepend has no text, or a patch
	// nothing to find; Outline answers 400.
	ErrEmptyText = errors.New("no text given")
	// ErrServer means that the edit causes an error in Outline's server, which
	// answers 500: the match begins after a mention, or splits a character.
	ErrServer = errors.New("edit fails on the server")
)

// Patched is the outcome of a patch.
type Patched struct {
	Doc   *Node
	First int // the first top-level block that the match touches
	Last  int // the last one
}

// Patch replaces the first occurrence of find in the raw form of a document, whose Markdown
// is md, by text, as Outline's server does with an update in patch mode, its bugs included.
// Blocks that it does not touch are shared with doc.
func (md *Markdown) Patch(doc *Node, find, text string) (Patched, error) {
	if find == "" {
		return Patched{}, ErrEmptyText
	}
	start := strings.Index(md.Raw, find)
	if start < 0 {
		return Patched{}, ErrNotFound
	}
	match := Range{start, start + len(find)}
	out := Patched{First: -1}
	for i, block := range md.Blocks {
		if block.Raw.End > match.Start && block.Raw.Start < match.End {
			if out.First < 0 {
				out.First = i
			}
			out.Last = i
		}
	}
	region := Range{md.Blocks[out.First].Raw.Start, md.Blocks[out.Last].Raw.End}
	patched := md.Raw[region.Start:match.Start] + text + md.Raw[match.End:region.End]
	var blocks []*Node
	if out.First == out.Last {
		edit := blockPatch{
			source: md.Raw[region.Start:region.End], patched: patched,
			match: Range{match.Start - region.Start, match.End - region.Start}, text: text, dialect: md.Dialect,
		}
		block, err := edit.apply(doc.Content[out.First])
		if err != nil {
			return Patched{}, err
		}
		if block != nil {
			blocks = []*Node{block}
		}
	}
	if blocks == nil { // all that the match touches is parsed again
		blocks = md.Dialect.Parse(patched).Content
	}
	out.Doc = doc.With(slices.Concat(doc.Content[:out.First], blocks, doc.Content[out.Last+1:]))
	return out, nil
}

// Update carries out an update of a document, whose Markdown is md, in one of the modes of
// documents.update. Find is for patches.
func (md *Markdown) Update(doc *Node, mode, find, text string) (*Node, error) {
	switch mode {
	case "append":
		return md.Dialect.Append(doc, text)
	case "prepend":
		return md.Dialect.Prepend(doc, text)
	case "patch":
		patched, err := md.Patch(doc, find, text)
		return patched.Doc, err
	}
	return md.Dialect.Parse(text), nil
}

// Append adds text at the end of a document as Outline does: a paragraph
// continues the last paragraph, without a blank between them, unless the text
// begins with a newline.
func (d Dialect) Append(doc *Node, text string) (*Node, error) {
	if text == "" {
		return nil, ErrEmptyText
	}
	added := d.Parse(text)
	blank := text[:len(text)-len(strings.TrimLeftFunc(text, isSpaceRune))]
	return doc.With(joinBlocks(doc.Content, added.Content, !strings.Contains(blank, "\n"))), nil
}

// Prepend adds text at the start of a document, with a paragraph joined to a
// paragraph unless the text ends with a newline.
func (d Dialect) Prepend(doc *Node, text string) (*Node, error) {
	if text == "" {
		return nil, ErrEmptyText
	}
	added := d.Parse(text)
	blank := text[len(strings.TrimRightFunc(text, isSpaceRune)):]
	return doc.With(joinBlocks(added.Content, doc.Content, !strings.Contains(blank, "\n"))), nil
}

// joinBlocks appends blocks to blocks. If merge is set, adjacent paragraphs
// become one.
func joinBlocks(first, second []*Node, merge bool) []*Node {
	if merge && len(first) > 0 && len(second) > 0 {
		last := first[len(first)-1]
		if last.Type == Paragraph && second[0].Type == Paragraph {
			joined := last.With(appendContent(last.Content, second[0].Content))
			return slices.Concat(first[:len(first)-1], []*Node{joined}, second[1:])
		}
	}
	return slices.Concat(first, second)
}

// appendContent joins two lists of inline nodes; adjacent text with the same
// marks becomes one node.
func appendContent(first, second []*Node) []*Node {
	return joinTexts(slices.Concat(first, second))
}
