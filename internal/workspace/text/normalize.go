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

// Normalize returns Markdown in the form in which Outline stores it: with
// asterisks as bullets, spaces for soft line breaks, padded tables, and so on.
// Outline parses a text into its editor's document and serializes that
// document; the rules here are those that recordings show. Markdown that no
// recording covers stays unchanged.
//
// A line with a single backslash becomes an empty paragraph, which is stored as
// an additional blank line and lost the next time. Apart from that, normalizing
// a text twice changes nothing.
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
	// Rewriting does not converge.
	return text
}

// rewrite returns a text in Outline's form, with a backslash for each empty
// paragraph. links are the targets of link references. inNotice is set for the
// content of a notice, which cannot contain another one.
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

// writeEmptyParagraphs returns a text with its empty paragraphs, which are
// backslashes, in Outline's form.
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

// A blockWriter writes blocks with the space that Outline leaves between them.
type blockWriter struct {
	strings.Builder
	closed bool      // the last write ended a block
	last   blockKind // the kind of that block
	tight  bool      // inside a list item
}

// block writes a text whose first and last blocks have the given kinds.
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

// maxNestingMarks is the maximum number of markers of quotes and lists on one
// line. Blocks that nest deeper stay unchanged because parsing them takes time
// quadratic in the depth.
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

// blockParser returns a parser of the blocks that Outline knows, which do not
// include HTML.
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

// rule returns a horizontal rule of three of the characters in its source.
func (m *markdownWriter) rule(n *ast.ThematicBreak) string {
	for _, c := range m.source[max(n.Pos(), 0):] {
		if c == '*' || c == '-' || c == '_' {
			return strings.Repeat(string(c), 3)
		}
	}
	return "---"
}

// code returns a fenced code block.
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
