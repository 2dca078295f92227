package text

import (
	"bytes"
	"outline-mcp/internal/workspace/ident"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"

	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Content is what a text contains, without its Markdown.
type Content struct {
	Plain string   // each block on its own line
	Tasks Tasks    // in task lists
	Links []string // the URL IDs of linked documents
}

// Parse returns the content of a stored text.
func Parse(markdown string) Content {
	source := []byte(markdown)
	reader := goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Strikethrough))
	root := reader.Parser().Parse(text.NewReader(source))

	var p Content
	var plain bytes.Buffer
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				endLine(&plain)
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			writeText(&plain, n, source)
		case *ast.String:
			plain.Write(n.Value)
		case *ast.CodeSpan:
			for child := n.FirstChild(); child != nil; child = child.NextSibling() {
				if t, ok := child.(*ast.Text); ok {
					plain.Write(t.Segment.Value(source))
				}
			}
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			plain.Write(n.Label(source))
		case *ast.Link:
			if id := linkedURLID(string(n.Destination)); id != "" {
				p.Links = append(p.Links, id)
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			plain.Write(n.Lines().Value(source))
		case *ast.HTMLBlock, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *extast.TaskCheckBox:
			p.Tasks.Total++
			if n.IsChecked {
				p.Tasks.Completed++
			}
		}
		return ast.WalkContinue, nil
	})
	p.Plain = string(bytes.TrimSpace(plain.Bytes()))
	return p
}

// endLine ends a block unless its line has already ended.
func endLine(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	if b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
		b.WriteByte('\n')
	}
}

// writeText writes a run of text without the ::: lines of notices, with a line
// break for each hard break.
func writeText(b *bytes.Buffer, n *ast.Text, source []byte) {
	value := n.Segment.Value(source)
	if bytes.HasPrefix(value, []byte(":::")) {
		return
	}
	if bytes.IndexByte(value, '\\') >= 0 {
		value = util.UnescapePunctuations([]byte(replaceHardBreaks(string(value), "\n")))
	}
	if bytes.IndexByte(value, '&') >= 0 {
		value = util.ResolveNumericReferences(util.ResolveEntityNames(value))
	}
	b.Write(value)
	switch {
	case n.HardLineBreak():
		b.WriteByte('\n')
	case n.SoftLineBreak():
		b.WriteByte(' ')
	}
}

// linkedURLID returns the URL ID of the document that a link leads to, or "" if
// it leads elsewhere.
func linkedURLID(destination string) string {
	_, slug, ok := strings.Cut(destination, "/doc/")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(slug, "/?#"); end >= 0 {
		slug = slug[:end]
	}
	return ident.URLID(slug)
}

// Tasks counts the task list items of a document.
type Tasks struct {
	Completed int `json:"completed"`
	Total     int `json:"total"`
}
