// Package docs_test checks the documentation: links lead somewhere, commands
// print what the pages say, and the README agrees with the pages that it
// repeats.
package docs_test

import (
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// A page is a Markdown file.
type page struct {
	path   string // from the root of the repository, with slashes
	source []byte
	tree   ast.Node
}

func parsePage(path string, source []byte) page {
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	return page{path, source, parser.Parse(text.NewReader(source))}
}

// line is the number of the line at an offset of the source.
func (p page) line(offset int) int {
	return 1 + strings.Count(string(p.source[:offset]), "\n")
}

// root is the absolute path of the repository.
func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// passedOver reports whether a folder contains nothing to check: files of
// tools, and Markdown that is data.
func passedOver(path string) bool {
	switch name := filepath.Base(path); name {
	case "node_modules", "testdata", "bin":
		return true
	default:
		return strings.HasPrefix(name, ".") || path == "dist" || path == "plugins" || path == "internal/fakeoutline/content"
	}
}

// pages reads all documentation of the repository.
func pages(t *testing.T) map[string]page {
	t.Helper()
	top := os.DirFS(root(t))
	found := map[string]page{}
	err := fs.WalkDir(top, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && passedOver(path):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		source, err := fs.ReadFile(top, path)
		found[path] = parsePage(path, source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestTheFilesOfAnEditExistAndAreAtMostFortyFive reads the table of the architecture page.
// A name without a folder is in the folder of the name before it.
func TestTheFilesOfAnEditExistAndAreAtMostFortyFive(t *testing.T) {
	page, err := os.ReadFile("../../docs/project/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, edit, found := strings.Cut(string(page), "\n## An edit\n")
	if !found {
		t.Fatal("the page has no section on an edit")
	}
	edit, _, _ = strings.Cut(edit, "\n## ")
	files := map[string]bool{}
	folder := ""
	for _, name := range regexp.MustCompile("`([a-z/]+\\.go)`").FindAllStringSubmatch(edit, -1) {
		if strings.Contains(name[1], "/") {
			folder = path.Dir(name[1])
		}
		file := path.Join(folder, path.Base(name[1]))
		files[file] = true
		if _, err := os.Stat("../../" + file); err != nil {
			t.Error(err)
		}
	}
	if len(files) < 20 || len(files) > 45 {
		t.Errorf("an edit takes %d files", len(files))
	}
}

func TestTheToolInTheArchitectureIsInTheCode(t *testing.T) {
	page, err := os.ReadFile("../../docs/project/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, found := strings.Cut(code, "```")
	source, err := os.ReadFile("../../tools/lifecycle.go")
	if err != nil || !found || !strings.Contains(string(source), code) {
		t.Errorf("tools/lifecycle.go does not have (%v)\n%s", err, code)
	}
}

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
