package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inlines parses one paragraph and what is in it: the content of a heading.
// Outline writes ~~ for struck and == for highlighted text, besides the marks
// of CommonMark.
var inlines = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(marks{'~', 1}, 500),
			util.Prioritized(marks{'=', 2}, 500),
		),
	)
})

func (d *document) headingText(heading *ast.Heading) string {
	return plainText(heading.Lines().Value(d.source), d.context)
}

// plainText returns what a reader sees of source, the content of one heading.
// pc, which may be nil, knows the link references.
func plainText(source []byte, pc parser.Context) string {
	if len(source) > maxHeadingBytes || !bytes.ContainsAny(source, "\\`*_~=[<&") {
		return collapse(string(source))
	}
	if pc == nil {
		pc = parser.NewContext()
	}
	var b strings.Builder
	root := inlines().Parse(text.NewReader(source), parser.WithContext(pc))
	// The walker never fails.
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			value := node.Value(source)
			if node.IsRaw() || node.Parent().Kind() == ast.KindCodeSpan {
				b.Write(value)
			} else {
				b.Write(unescape(value))
			}
			if node.SoftLineBreak() || node.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(node.Label(source))
		case *ast.RawHTML:
			// Most tags are inside a word or around one; a line break separates
			// two.
			if tag := node.Segments.Value(source); len(tag) >= 3 && strings.EqualFold(string(tag[:3]), "<br") {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return collapse(b.String())
}

// escapes matches backslash escapes, Outline's hard break (a backslash and n), and
// what may hold entities.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\\\[!-/:-@[-`{-~n]|&[^;]*;") })

// unescape replaces backslash escapes and entities by what they stand for.
func unescape(value []byte) []byte {
	if !bytes.ContainsAny(value, `\&`) {
		return value // nearly all texts
	}
	return escapes().ReplaceAllFunc(value, func(match []byte) []byte {
		switch {
		case match[0] == '&':
			return util.ResolveEntityNames(util.ResolveNumericReferences(match))
		case match[1] == 'n':
			return []byte(" ")
		}
		return match[1:]
	})
}

// collapse makes one space of each run of white space and none at the ends.
func collapse(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// marks parses text between one or two of a sign: ~~struck~~ or ==highlighted==. For
// the former, it does what goldmark's extension does, whose package compiles regular
// expressions for half a millisecond at every start.
type marks struct {
	sign  byte
	least int // that opens or closes
}

func (m marks) Trigger() []byte { return []byte{m.sign} }

func (m marks) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, m.least, m)
	if node == nil || node.OriginalLength > 2 || before == rune(m.sign) {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

func (m marks) IsDelimiter(b byte) bool { return b == m.sign }

func (marks) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (marks) OnMatch(int) ast.Node { return ast.NewEmphasis(1) }
