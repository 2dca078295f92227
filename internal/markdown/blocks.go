package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// endsKey is the key, in the context of a parse, of the map from each container
// with a heading to its last line.
var endsKey = parser.NewContextKey()

// container is a parser of blocks that contain blocks. It notes where those
// with headings inside end, because the finished tree does not say.
type container struct{ parser.BlockParser }

func (c container) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	c.BlockParser.Close(node, reader, pc)
	ends := pc.Get(endsKey).(map[ast.Node]int)
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if _, inside := ends[child]; !inside && child.Kind() != ast.KindHeading {
			continue
		}
		// A container is closed on the first line that is not its own, whose
		// number, counted from 0 as goldmark does, is that of the line before
		// counted from 1.
		last, _ := reader.Position()
		if line, _ := reader.PeekLine(); line == nil {
			last++
		}
		ends[node] = last
		return
	}
}

// quote parses block quotes up to maxNesting.
type quote struct{ container }

func (q quote) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return q.container.Open(parent, reader, pc)
}

// list parses lists up to maxNesting. Items need no limit of their own, because
// a list without items is not a list.
type list struct{ container }

func (l list) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// Asked first, because it clears a flag that the item before has set.
	node, state := l.container.Open(parent, reader, pc)
	if node == nil || tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return node, state
}

// tooDeep reports whether parent is as deep as a container may be.
func tooDeep(parent ast.Node) bool {
	depth := 0
	for node := parent; node.Parent() != nil; node = node.Parent() {
		depth++
	}
	return depth >= maxNesting
}

// atxHeading parses headings marked with #. It gives an empty heading a
// position in the source, as every other has.
type atxHeading struct{ parser.BlockParser }

func (a atxHeading) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, position := reader.Position()
	node, state := a.BlockParser.Open(parent, reader, pc)
	if node != nil && node.Lines().Len() == 0 {
		node.Lines().Append(text.NewSegment(position.Start, position.Start))
	}
	return node, state
}

// containerLine parses the lines that open and close Outline's notices
// (":::info", ":::") and toggles ("+++ Title", "+++"). Between them are ordinary
// blocks, but the lines themselves never belong to a paragraph, and so not to a
// heading that is an underlined paragraph.
type containerLine struct{}

func (containerLine) Trigger() []byte { return []byte{':', '+'} }

func (containerLine) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	// There is no offset where a tab is wider than all that is left of the line.
	offset := pc.BlockOffset()
	if offset < 0 || !isContainerLine(string(line[offset:])) {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return ast.NewThematicBreak(), parser.NoChildren
}

func (containerLine) Continue(ast.Node, text.Reader, parser.Context) parser.State {
	return parser.Close
}

func (containerLine) Close(ast.Node, text.Reader, parser.Context) {}
func (containerLine) CanInterruptParagraph() bool                 { return true }
func (containerLine) CanAcceptIndentedLine() bool                 { return false }

// isContainerLine reports whether line is at least three colons and at most a
// name, or at least three plus signs and any title.
func isContainerLine(line string) bool {
	if strings.HasPrefix(line, "+++") {
		return true
	}
	name, ok := strings.CutPrefix(line, ":::")
	if !ok {
		return false
	}
	name = strings.TrimSpace(strings.TrimLeft(name, ":"))
	return strings.IndexFunc(name, func(r rune) bool { return !isWordRune(r) && r != '-' && r != '_' }) < 0
}

// references takes link reference definitions out of paragraphs, unless they
// are so long that finding them would take quadratic time.
type references struct{ parser.ParagraphTransformer }

func (r references) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.At(lines.Len()-1).Stop-lines.At(0).Start > maxReferenceText {
		return
	}
	r.ParagraphTransformer.Transform(node, reader, pc)
}
