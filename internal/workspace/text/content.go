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

// parsed is what a text says without its Markdown.
type Content struct {
	Plain string   // blocks on lines of their own
	Tasks Tasks    // of its task lists
	Links []string // the urlIds of the documents it links to
}

// parseText reads Markdown as Outline writes it.
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

// endLine ends a block, unless its line is ended already.
func endLine(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	if b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
		b.WriteByte('\n')
	}
}

// writeText writes one run of text. The marks of Outline's notices, lines that
// begin with :::, are no text, and its hard breaks are a backslash and an n.
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

// linkedDocument is the urlId of the document that a link leads to, "" if it
// leads elsewhere.
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

// tasks counts the task list items of a document.
type Tasks struct {
	Completed int `json:"completed"`
	Total     int `json:"total"`
}
