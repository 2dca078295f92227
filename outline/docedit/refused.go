package docedit

import "outline-mcp/outline/prosemirror"

// Kind is the reason why a change was refused.
type Kind string

// The kinds of refusals.
const (
	// OpenBlock means that the new text opens a code block, callout, toggle or
	// math block without closing it, so that the block would include what
	// follows.
	OpenBlock Kind = "open_block"
	// NotMarkdown means that the change touches blocks that contain something
	// that Markdown cannot express, such as a mention of a document.
	NotMarkdown Kind = "not_markdown"
	// Dropped means that Outline would drop part of the text without an error.
	Dropped Kind = "dropped"
	// NoExactForm means that every form of the request would store something
	// else.
	NoExactForm Kind = "no_exact_form"
	// OutOfRange means that the changes overlap, are not sorted or are outside
	// the text.
	OutOfRange Kind = "out_of_range"
)

// RefusedError says why no request makes a change exactly.
type RefusedError struct {
	Kind    Kind
	Reason  string // a clause without a capital or a full stop, in terms of the document
	Instead string // a sentence that says what would work; may be empty
}

func (e *RefusedError) Error() string {
	if e.Instead == "" {
		return e.Reason
	}
	return e.Reason + ". " + e.Instead
}

// opened returns the refusal of text that opens a block without closing it.
func opened(blocks []*prosemirror.Node) error {
	name, sign := "block", "its closing line"
	if len(blocks) > 0 {
		switch blocks[len(blocks)-1].Type {
		case prosemirror.CodeBlock:
			name, sign = "code block", "a line of ```"
		case prosemirror.Notice:
			name, sign = "callout", "a line of :::"
		case prosemirror.Toggle:
			name, sign = "toggle", "a line of +++"
		case prosemirror.MathBlock:
			name, sign = "math block", "a line of $$"
		}
	}
	return &RefusedError{
		Kind:    OpenBlock,
		Reason:  "the new text leaves a " + name + " open, which would take in what follows",
		Instead: "Close it with " + sign + " in the new text.",
	}
}

// notMarkdown returns the refusal of a change to blocks, or next to blocks,
// that are not what their Markdown means.
func notMarkdown(blocks, meant []*prosemirror.Node) error {
	e := &RefusedError{
		Kind:    NotMarkdown,
		Reason:  "the passage holds formatting that Outline would not read back from its Markdown",
		Instead: "Change only plain words there, or edit it in Outline.",
	}
	for i, block := range blocks {
		if i < len(meant) && alike(block, meant[i]) {
			continue
		}
		what := special(block)
		if plain := []*prosemirror.Node{bare(block)}; what == "" && allAlike(parse(serialize(plain)), plain) {
			what = "a comment on part of a formatted text, which Outline would split there"
		}
		if what != "" {
			e.Reason = "the " + blockName(block) + " holds " + what
			break
		}
	}
	return e
}

// special names the content of a block that Markdown cannot express.
func special(n *prosemirror.Node) string {
	switch n.Type {
	case prosemirror.Mention:
		if kind := n.Attrs.String("type"); kind == "document" || kind == "collection" {
			return "a mention of a " + kind + ", which Outline would turn into a link"
		} else if kind == "date" {
			return "a mention of a date, which Outline would change"
		}
	case prosemirror.TableCell, prosemirror.TableHeader:
		if n.Attrs.Number("colspan") > 1 || n.Attrs.Number("rowspan") > 1 {
			return "merged cells, which Outline would split"
		}
	case prosemirror.Image:
		return "an image that Outline would change"
	}
	for _, child := range n.Content {
		if found := special(child); found != "" {
			return found
		}
	}
	return ""
}

// blockName is the usual name of a block.
func blockName(n *prosemirror.Node) string {
	switch n.Type {
	case prosemirror.BulletList, prosemirror.OrderedList, prosemirror.CheckboxList:
		return "list"
	case prosemirror.Blockquote:
		return "quote"
	case prosemirror.CodeBlock, prosemirror.CodeFence:
		return "code block"
	case prosemirror.MathBlock:
		return "math block"
	case prosemirror.Notice:
		return "callout"
	case prosemirror.Toggle:
		return "toggle"
	case prosemirror.Table, prosemirror.Paragraph, prosemirror.Heading, prosemirror.Attachment, prosemirror.Video:
		return n.Type
	}
	return "block"
}
