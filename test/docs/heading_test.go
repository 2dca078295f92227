package docs_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// anchors are the fragments under which parts of a page can be linked to on
// GitHub: its headings, and elements of HTML that have an id or a name.
func anchors(p page) map[string]bool {
	found := map[string]bool{}
	times := map[string]int{}
	named := regexp.MustCompile(`\b(?:id|name)="([^"]+)"`)
	_ = ast.Walk(p.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			slug := slug(plain(node, p.source))
			anchor := slug
			if times[slug] > 0 {
				anchor = fmt.Sprintf("%s-%d", slug, times[slug])
			}
			times[slug]++
			found[anchor] = true
		case *ast.HTMLBlock, *ast.RawHTML:
			for _, match := range named.FindAllSubmatch(markup(node, p.source), -1) {
				found[string(match[1])] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// slug converts the text of a heading as GitHub does: to lower case, without
// characters other than letters, digits, hyphens and underscores, and with
// hyphens for spaces.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r), unicode.Is(unicode.Pc, r):
			return r
		default:
			return -1
		}
	}, strings.ToLower(text))
}

// plain is the text of a node without its markup.
func plain(node ast.Node, source []byte) string {
	var text strings.Builder
	_ = ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			text.Write(node.Segment.Value(source))
			if node.SoftLineBreak() {
				text.WriteByte(' ')
			}
		case *ast.AutoLink:
			text.Write(node.Label(source))
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return html.UnescapeString(strings.ReplaceAll(text.String(), `\`, ""))
}

// markup is the source of a piece of HTML.
func markup(node ast.Node, source []byte) []byte {
	switch node := node.(type) {
	case *ast.HTMLBlock:
		html := slices.Clone(node.Lines().Value(source))
		if node.HasClosure() {
			html = append(html, node.ClosureLine.Value(source)...)
		}
		return html
	case *ast.RawHTML:
		return node.Segments.Value(source)
	default:
		return nil
	}
}

func TestHeadingsHaveTheAnchorsThatGitHubGivesThem(t *testing.T) {
	found := anchors(parsePage("page.md", []byte(strings.Join([]string{
		"# Reverse proxy and TLS", "## `search_documents`", "## What's new?", "## Twice", "## Twice",
		"## See [clients](clients.md) & more", "## Über 3.5 Größen", `<a id="by-hand"></a>`,
	}, "\n\n"))))
	for _, anchor := range []string{
		"reverse-proxy-and-tls", "search_documents", "whats-new", "twice", "twice-1",
		"see-clients--more", "über-35-größen", "by-hand",
	} {
		if !found[anchor] {
			t.Errorf("no anchor %q in %v", anchor, found)
		}
	}
}
