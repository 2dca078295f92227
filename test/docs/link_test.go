package docs_test

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// destinations are where the links and images of a page lead.
func destinations(p page) []string {
	var found []string
	attribute := regexp.MustCompile(`\b(?:href|src|srcset)="([^"]*)"`)
	_ = ast.Walk(p.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Link:
			found = append(found, string(node.Destination))
		case *ast.Image:
			found = append(found, string(node.Destination))
		case *ast.AutoLink:
			if node.AutoLinkType == ast.AutoLinkURL {
				found = append(found, string(node.URL(p.source)))
			}
		case *ast.HTMLBlock, *ast.RawHTML:
			for _, match := range attribute.FindAllSubmatch(markup(node, p.source), -1) {
				found = append(found, string(match[1]))
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// A site is the repository as links see it.
type site struct {
	pages map[string]page
	// folder tells whether a path is there, and whether it is a folder.
	folder func(path string) (folder, exists bool)
}

func newSite(t *testing.T) site {
	top := root(t)
	return site{pages(t), func(path string) (bool, bool) {
		found, err := os.Stat(filepath.Join(top, filepath.FromSlash(path)))
		return err == nil && found.IsDir(), err == nil
	}}
}

// follow returns the page that a link leads to ("" if it is not a page), or
// what is wrong with it.
func (s site) follow(from page, destination string) (string, error) {
	target, err := url.Parse(destination)
	switch {
	case err != nil:
		return "", err
	case target.Scheme == "https":
		if !strings.Contains(target.Hostname(), ".") || target.User != nil || strings.ContainsAny(destination, " <>") {
			return "", fmt.Errorf("%s is no address that a reader can open", destination)
		}
		return "", nil
	case target.Scheme != "" || target.Host != "":
		return "", fmt.Errorf("%s is neither https:// nor a path in this repository", destination)
	case strings.HasPrefix(target.Path, "/"):
		return "", fmt.Errorf("%s is absolute: it leads nowhere in a checkout", destination)
	}
	at := from.path
	if target.Path != "" {
		at = path.Join(path.Dir(from.path), target.Path)
	}
	folder, exists := s.folder(at)
	if !exists || strings.HasPrefix(at, "..") {
		return "", fmt.Errorf("%s: there is no %s", destination, at)
	}
	if folder {
		at = path.Join(at, "README.md")
	}
	to, isPage := s.pages[at]
	if !isPage {
		at = ""
	} else if target.Fragment != "" && !anchors(to)[target.Fragment] {
		return at, fmt.Errorf("%s: %s has no heading with this anchor", destination, at)
	}
	return at, nil
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	site := newSite(t)
	for _, page := range site.pages {
		for _, destination := range destinations(page) {
			if _, err := site.follow(page, destination); err != nil {
				t.Errorf("%s: %v", page.path, err)
			}
		}
	}
}

func TestNoLinkIsLeftUnresolved(t *testing.T) {
	reference := regexp.MustCompile(`\[[^\[\]]+\]\[[^\[\]]*\]`)
	for _, page := range pages(t) {
		_ = ast.Walk(page.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && (node.Kind() == ast.KindCodeSpan || node.Kind() == ast.KindFencedCodeBlock) {
				return ast.WalkSkipChildren, nil
			}
			if _, isParagraph := node.(*ast.Paragraph); entering && isParagraph {
				if found := reference.FindString(plain(node, page.source)); found != "" {
					t.Errorf("%s: %s is no link", page.path, found)
				}
			}
			return ast.WalkContinue, nil
		})
	}
}

func TestEveryPageIsReachedFromTheReadme(t *testing.T) {
	site := newSite(t)
	reached := map[string]bool{"README.md": true}
	for queue := []string{"README.md"}; len(queue) > 0; queue = queue[1:] {
		from := site.pages[queue[0]]
		for _, destination := range destinations(from) {
			if to, err := site.follow(from, destination); err == nil && to != "" && !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	for path := range site.pages {
		if !reached[path] {
			t.Errorf("no link leads from README.md to %s, not even over other pages", path)
		}
	}
}

func TestTheIndexNamesEveryPage(t *testing.T) {
	site := newSite(t)
	index, exists := site.pages["docs/README.md"]
	if !exists {
		t.Fatal("there is no docs/README.md")
	}
	var named []string
	for _, destination := range destinations(index) {
		if to, err := site.follow(index, destination); err == nil {
			named = append(named, to)
		}
	}
	for path := range site.pages {
		if strings.HasPrefix(path, "docs/") && path != "docs/README.md" && !slices.Contains(named, path) {
			t.Errorf("docs/README.md does not name %s", path)
		}
	}
}

func TestNoPageNamesThisMachine(t *testing.T) {
	// A checkout right below / has a name that may well be part of others.
	top := filepath.ToSlash(root(t))
	if strings.Count(top, "/") < 2 {
		t.Skip("the repository is right below the root of the file system")
	}
	for _, page := range pages(t) {
		if strings.Contains(string(page.source), top) {
			t.Errorf("%s names %s, a folder of this machine", page.path, top)
		}
	}
}

func TestLinksThatLeadNowhereAreFound(t *testing.T) {
	here := parsePage("docs/here.md", []byte("# Here"))
	site := site{
		pages: map[string]page{"docs/here.md": here, "docs/there/README.md": parsePage("docs/there/README.md", []byte("# There"))},
		folder: func(path string) (bool, bool) {
			return path == "docs/there", path == "docs/there" || path == "docs/here.md" || path == "docs/picture.svg"
		},
	}
	tests := []struct {
		destination, to string
		broken          bool
	}{
		{"#here", "docs/here.md", false},
		{"#elsewhere", "docs/here.md", true},
		{"there", "docs/there/README.md", false},
		{"there#there", "docs/there/README.md", false},
		{"there#here", "docs/there/README.md", true},
		{"picture.svg", "", false},
		{"missing.svg", "", true},
		{"../../outside.md", "", true},
		{"/docs/here.md", "", true},
		{"file:///docs/here.md", "", true},
		{"http://example.com", "", true},
		{"https://example.com/a?b#c", "", false},
		{"https://localhost/a", "", true},
		{"https://someone@example.com", "", true},
		{"//example.com/a", "", true},
		{"https://exa mple.com", "", true},
	}
	for _, test := range tests {
		to, err := site.follow(here, test.destination)
		if to != test.to || (err != nil) != test.broken {
			t.Errorf("%s: %q, %v", test.destination, to, err)
		}
	}
	for _, source := range []string{"[a](there)", "![a](there)", "<https://there>", `<img src="there">`, "a <a href=\"there\">b</a>", "[a][b]\n\n[b]: there"} {
		found := destinations(parsePage("docs/here.md", []byte(source)))
		if len(found) != 1 || !strings.HasSuffix(found[0], "there") {
			t.Errorf("%q has the links %q", source, found)
		}
	}
}
