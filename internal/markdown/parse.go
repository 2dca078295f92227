package markdown

import (
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxNesting       = 100     // containers open at once; a list and its item are two
	maxHeadingBytes  = 1 << 10 // of one heading whose marks are interpreted
	maxReferenceText = 16 << 10
)

// document is a parsed document on the way to its sections. Its source is what
// is parsed: the original without carriage returns at line ends, of which
// goldmark does not clear every place, and with one blank line for each run of
// them, because blank lines are cheap to write and in deep lists dear to parse.
type document struct {
	source   []byte
	lines    []line
	root     ast.Node
	context  parser.Context   // knows the document's link references
	ends     map[ast.Node]int // see endsKey
	sections []Section
}

// line is a line of a document's source.
type line struct {
	start  int // offset of the first byte
	number int // in the original, counting from 1
}

// blocks parses the block structure alone. Only headings are ever read further,
// by [inlines].
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(containerLine{}, 50),
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(list{container{parser.NewListParser()}}, 300),
			util.Prioritized(container{parser.NewListItemParser()}, 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(atxHeading{parser.NewATXHeadingParser()}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(quote{container{parser.NewBlockquoteParser()}}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(references{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(tables{}, 200),
		),
	)
})

func parse(source string) *document {
	d := &document{context: parser.NewContext(), ends: make(map[ast.Node]int)}
	d.read(source)
	d.context.Set(endsKey, d.ends)
	d.root = blocks().Parse(text.NewReader(d.source), parser.WithContext(d.context))
	return d
}

func (d *document) read(source string) {
	d.source = make([]byte, 0, len(source))
	d.lines = make([]line, 0, countLines(source))
	number, afterBlank := 0, false
	for content := range strings.Lines(strings.ReplaceAll(source, "\r\n", "\n")) {
		number++
		start := len(d.source)
		d.source = append(d.source, content...)
		blank := util.IsBlank(d.source[start:])
		if blank && afterBlank {
			d.source = d.source[:start]
			continue
		}
		afterBlank = blank
		d.lines = append(d.lines, line{start, number})
	}
}

// collect appends the sections of the headings that are children of block, or
// lie in containers inside it. end is the number of lines up to the end of
// block.
func (d *document) collect(block ast.Node, end int) {
	var open []int // indexes of the sections still open, of rising levels
	closeFrom := func(level, end int) {
		last := d.lastFilled(end)
		for len(open) > 0 {
			section := &d.sections[open[len(open)-1]]
			if section.Heading.Level < level {
				break
			}
			section.LastLine = last
			open = open[:len(open)-1]
		}
	}
	for child := block.FirstChild(); child != nil; child = child.NextSibling() {
		heading, ok := child.(*ast.Heading)
		if !ok {
			if end, ok := d.ends[child]; ok {
				d.collect(child, end)
			}
			continue
		}
		before := d.linesBefore(heading.Lines().At(0).Start)
		closeFrom(heading.Level, before)
		number := d.lines[before].number
		open = append(open, len(d.sections))
		d.sections = append(d.sections, Section{
			Heading:   Heading{Level: heading.Level, Text: d.headingText(heading), Line: number},
			FirstLine: number,
		})
	}
	closeFrom(1, end)
}

// linesBefore returns how many lines end before the byte at offset.
func (d *document) linesBefore(offset int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i].start > offset }) - 1
}

// lastFilled returns the number of the last line that is not blank among the
// first n.
func (d *document) lastFilled(n int) int {
	for ; n > 0; n-- {
		end := len(d.source)
		if n < len(d.lines) {
			end = d.lines[n].start
		}
		if !util.IsBlank(d.source[d.lines[n-1].start:end]) {
			return d.lines[n-1].number
		}
	}
	return 0
}
