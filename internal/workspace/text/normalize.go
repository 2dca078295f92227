package text

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// normalize returns Markdown as Outline returns what it was given: bullets are
// stars, soft line breaks are spaces, tables are padded, and so on. Outline
// reads a text into its editor's document and writes that; the rules here are
// those that recorded texts show. What none of them shows stays as it is.
//
// A line that holds a single backslash becomes an empty paragraph, which is
// written as a further blank line and so lost when it comes back; all else is
// the same when it is normalised again.
func Normalize(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	stable := text
	blocks := blockParser()
	for range 8 {
		next := rewrite(blocks, stable, references(blocks, stable), false)
		if next == stable {
			return writeEmptyParagraphs(stable)
		}
		stable = next
	}
	// Rewriting goes round in circles: nothing is normal.
	return text
}

// rewrite writes a text in Outline's form, empty paragraphs as backslashes. It
// is given the targets of link references, and whether the text is that of a
// notice, in which there is no other one.
func rewrite(blocks parser.Parser, markdown string, links map[string]string, inNotice bool) string {
	var w blockWriter
	for _, c := range splitBlocks(markdown) {
		block := markdown[c.start:c.end]
		switch {
		case c.first == emptyBlock && strings.TrimSpace(block) == `\`:
			w.block(`\`, emptyBlock, emptyBlock)
		case c.first == noticeBlock && !inNotice:
			head, content, _ := strings.Cut(block, "\n")
			content = rewrite(blocks, strings.TrimSuffix(content, ":::"), links, true)
			if content != "" {
				content += "\n\n"
			}
			head = ":::" + strings.TrimSpace(strings.TrimPrefix(head, ":::")) + "\n"
			w.block(head+content+":::", noticeBlock, noticeBlock)
		case strings.HasPrefix(block, "$$") || strings.HasPrefix(block, "+++") || nestsTooDeeply(block):
			w.block(block, otherBlock, otherBlock)
		default:
			source := []byte(block)
			m := markdownWriter{source: source, links: links}
			m.blocks(&w, blocks.Parse(text.NewReader(source)))
		}
	}
	return w.String()
}

// withEmpty writes empty paragraphs as Outline does, given a text that has
// backslashes for them.
func writeEmptyParagraphs(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var w blockWriter
	for _, c := range splitBlocks(text) {
		if c.first == emptyBlock {
			w.empty()
		} else {
			w.block(text[c.start:c.end], c.first, c.last)
		}
	}
	return strings.TrimRight(w.String(), "\n")
}

// A blockWriter puts blocks one below the other with the space between them
// that Outline leaves.
type blockWriter struct {
	strings.Builder
	closed bool      // a block has ended and nothing has followed
	last   blockKind // what it was
	tight  bool      // inside a list item
}

// block writes a block whose text begins and ends with blocks of these kinds.
func (w *blockWriter) block(text string, first, last blockKind) {
	if text == "" {
		return
	}
	if w.closed {
		switch {
		case w.tight && first.isList() && !(w.last == first):
			w.WriteString("\n")
		case first.isList() && w.last == first:
			w.WriteString("\n\n\n")
		case first.needsExtraLine():
			w.WriteString("\n\n\n")
		default:
			w.WriteString("\n\n")
		}
	}
	w.WriteString(text)
	w.closed, w.last = true, last
}

// empty writes an empty paragraph.
func (w *blockWriter) empty() {
	if w.closed {
		w.WriteString("\n\n")
		w.closed = false
	}
	if w.Len() > 0 {
		w.WriteString("\n")
	}
}

// maxMarks is how deep quotes and lists may nest on one line. What nests deeper
// is left alone: to read it takes time that grows with the square of the depth.
const maxNestingMarks = 100

func nestsTooDeeply(block string) bool {
	for line := range strings.SplitSeq(block, "\n") {
		marks := line[:len(line)-len(strings.TrimLeft(line, "> \t-+*"))]
		if len(marks) > maxNestingMarks && len(strings.Map(func(r rune) rune {
			if r == ' ' || r == '\t' {
				return -1
			}
			return r
		}, marks)) > maxNestingMarks {
			return true
		}
	}
	return false
}

// blockParser reads blocks as Outline does: there is no HTML.
func blockParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
	)
}

// A markdownWriter writes parsed Markdown in Outline's form.
type markdownWriter struct {
	source []byte
	links  map[string]string // the references of the whole text
}

func (m *markdownWriter) blocks(w *blockWriter, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			line := m.inline(n)
			w.block(strings.TrimRight(strings.Repeat("#", n.Level)+" "+line, " "), otherBlock, otherBlock)
		case *ast.ThematicBreak:
			w.block(m.rule(n), ruleBlock, ruleBlock)
		case *ast.FencedCodeBlock:
			info := ""
			if n.Info != nil {
				info = string(n.Info.Segment.Value(m.source))
			}
			w.block(m.code(n, info), otherBlock, otherBlock)
		case *ast.CodeBlock:
			w.block(m.code(n, ""), otherBlock, otherBlock)
		case *ast.Blockquote:
			var inside blockWriter
			m.blocks(&inside, n)
			w.block(prefixed(inside.String(), "> ", "> "), otherBlock, otherBlock)
		case *ast.List:
			kind := bulletBlock
			switch {
			case n.IsOrdered():
				kind = orderedBlock
			case m.isCheckList(n):
				kind = checkBlock
			}
			w.block(m.list(n, kind), kind, kind)
		case *extast.Table:
			w.block(m.table(n), otherBlock, otherBlock)
		case *ast.Paragraph, *ast.TextBlock:
			line := m.inline(n)
			if strings.HasPrefix(line, "![") && !w.tight {
				line = " " + line
			}
			w.block(line, paragraphBlock, paragraphBlock)
		}
	}
}

// rule is a horizontal rule: three of the characters that it was made of.
func (m *markdownWriter) rule(n *ast.ThematicBreak) string {
	for _, c := range m.source[max(n.Pos(), 0):] {
		if c == '*' || c == '-' || c == '_' {
			return strings.Repeat(string(c), 3)
		}
	}
	return "---"
}

// code is a fenced code block.
func (m *markdownWriter) code(n ast.Node, info string) string {
	text := string(n.Lines().Value(m.source))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := "```"
	for strings.Contains(text, fence) || strings.Contains(info, "`") && fence == "```" {
		if strings.Contains(info, "`") {
			fence = strings.Repeat("~", max(3, len(fence)))
			if !strings.Contains(text, fence) {
				break
			}
		}
		fence += fence[:1]
	}
	return fence + info + "\n" + text + fence
}
