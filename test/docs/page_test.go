// Package docs_test checks the documentation: links lead somewhere, commands
// print what the pages say, and the README agrees with the pages that it
// repeats.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
		return strings.HasPrefix(name, ".") || path == "dist" || path == "internal/fakeoutline/content"
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
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, edit, found := strings.Cut(string(page), "\n## An edit\n")
	if !found {
		t.Fatal("the page has no section on an edit")
	}
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
	page, err := os.ReadFile("../../docs/architecture.md")
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
