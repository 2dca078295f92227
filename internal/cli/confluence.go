package cli

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An exported page is a page of an HTML export of Confluence.
type exportedPage struct {
	title string
	above []string // names of the files of the pages above it
	body  *html.Node
	files map[string][]byte // that came within the page, by the addresses that it shows
}

// ConvertConfluence writes a Markdown file for each page of an HTML export of Confluence, in
// the tree of the pages, or of a folder of Word exports, whose links lead to each other and to
// the attachments. It returns their paths; none if the folder is no such export, was pushed
// before, or has other Markdown files. left are the documents of Word that were not converted.
// What is outside of the folder, and files that are there, stay as they are.
func ConvertConfluence(dir string) (written, left []string, err error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, nil // who opens the folder next says why
	}
	defer folder.Close()
	names, _ := fs.Glob(folder.FS(), "*.html")
	read := readHTML
	if !slices.Contains(names, "index.html") {
		names, _ = fs.Glob(folder.FS(), "*.doc")
		read = readWord
	}
	if _, err := folder.Stat(".outline"); err == nil {
		return nil, nil, nil
	}
	all, _ := fs.Glob(folder.FS(), "*.doc")
	more, _ := fs.Glob(folder.FS(), "*.docx")
	hidden := func(name string) bool { return strings.HasPrefix(name, ".") } // such as what macOS adds to archives
	all, names = slices.DeleteFunc(slices.Sorted(slices.Values(append(all, more...))), hidden), slices.DeleteFunc(names, hidden)
	pages, byTitle := map[string]exportedPage{}, map[string]string{}
	for _, name := range names {
		if info, err := folder.Stat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
			return nil, nil, fmt.Errorf("%s is not a file of up to %d MiB; move it out of the folder and push again", name, maxFile>>20)
		}
		content, err := folder.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		if page, err := read(content); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		} else if page.title = cmp.Or(page.title, strings.TrimSuffix(name, path.Ext(name))); page.body != nil {
			pages[name], byTitle[page.title] = page, name
		}
	}
	for _, name := range all {
		if _, ok := pages[name]; !ok {
			left = append(left, name)
		}
	}
	paths := pathsOf(pages)
	texts, files := map[string]string{}, map[string]string{} // by path
	for name, page := range pages {
		up := strings.Repeat("../", strings.Count(paths[name], "/"))
		convert := converter{link: func(address string) string {
			file, _, _ := strings.Cut(address, "#")
			within := unescaped(file)
			if content := page.files[within]; content != nil {
				to := path.Join("attachments", strings.TrimSuffix(name, ".doc"), strings.TrimSuffix(path.Base(within), extensionOf(content))+extensionOf(content))
				files[to] = string(content)
				return up + (&url.URL{Path: to}).EscapedPath()
			}
			if title, err := url.QueryUnescape(path.Base(file)); page.files != nil && err == nil {
				within = byTitle[title]
			}
			if to := paths[within]; to != "" {
				return up + (&url.URL{Path: to}).EscapedPath()
			}
			if file, _, _ = strings.Cut(file, "?"); strings.HasPrefix(file, "attachments/") {
				return up + file
			}
			return address
		}}
		texts[paths[name]] = fmt.Sprintf("---\ntitle: %s\n---\n\n%s\n", strconv.Quote(page.title), strings.TrimSpace(convert.blocks(page.body)))
	}
	made, _ := fs.Glob(folder.FS(), "*.md")
	for _, name := range made { // those of a conversion that was interrupted are as they would be written
		if there, err := folder.ReadFile(name); err != nil || texts[name] != string(there) {
			return nil, all, nil
		}
	}
	for name, content := range files {
		if err := writeNew(folder, filepath.FromSlash(name), content); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := writeNew(folder, filepath.FromSlash(name), texts[name]); err != nil {
			return nil, nil, err
		}
		written = append(written, name)
	}
	return written, left, nil
}

// readHTML reads a page of an HTML export.
func readHTML(content []byte) (page exportedPage, err error) {
	root, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		return page, err
	}
	page.body = byID(root, "main-content")
	page.title = strings.Join(strings.Fields(textOf(byID(root, "title-text"))), " ")
	if _, behind, found := strings.Cut(page.title, " : "); found { // the name of the space
		page.title = behind
	}
	if crumbs := byID(root, "breadcrumbs"); crumbs != nil {
		for n := range crumbs.Descendants() {
			if href := attributeOf(n, "href"); n.DataAtom == atom.A && href != "index.html" {
				page.above = append(page.above, unescaped(href))
			}
		}
	}
	return page, nil
}

// readWord reads a page of a Word export, which is HTML with its pictures in the form of a
// message. Another file has no body.
func readWord(content []byte) (page exportedPage, err error) {
	message, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return page, nil
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" {
		return page, nil
	}
	page.files = map[string][]byte{}
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return page, nil
		} else if err != nil {
			return page, err
		}
		var from io.Reader = part
		if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") {
			from = base64.NewDecoder(base64.StdEncoding, part)
		}
		data, err := io.ReadAll(from)
		if err != nil {
			return page, err
		}
		if kind, _, _ = mime.ParseMediaType(part.Header.Get("Content-Type")); kind != "text/html" || page.body != nil {
			page.files[path.Base(part.Header.Get("Content-Location"))] = data
			continue
		}
		root, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			return page, err
		}
		for n := range root.Descendants() {
			switch {
			case n.DataAtom == atom.Body:
				page.body = n
			case n.DataAtom == atom.H1 && page.title == "":
				page.title = strings.TrimSpace(textOf(n))
				defer n.Parent.RemoveChild(n)
			}
		}
	}
}

// extensionOf returns the extension that the name of a file lacks.
func extensionOf(content []byte) string {
	kind := http.DetectContentType(content)
	if name, isImage := strings.CutPrefix(kind, "image/"); isImage {
		return "." + name
	}
	return ""
}

// writeNew writes a file unless there is one, in one step.
func writeNew(folder *os.Root, name, text string) error {
	const part = ".converting"
	if _, err := folder.Lstat(name); err == nil {
		return nil
	}
	err := folder.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = folder.WriteFile(part, []byte(text), 0o644)
	}
	if err == nil {
		err = folder.Rename(part, name)
	}
	return err
}

// longestStem is how many characters of a title the name of its file has.
const longestStem = 60

// pathsOf returns the path of the file for each page. Files that differ only in case would be
// one on some systems, and names that begin with a dot are hidden.
func pathsOf(pages map[string]exportedPage) map[string]string {
	stems, used := map[string]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		stem := strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "-", "<", "-", ">", "-", "|", "-").Replace(pages[name].title)
		stem = strings.Trim(string([]rune(stem)[:min(longestStem, utf8.RuneCountInString(stem))]), ". ")
		for stem == "" || used[strings.ToLower(stem)] {
			stem = strings.TrimSpace(stem + " " + strings.Trim(strings.TrimSuffix(name, ".html"), ". "))
		}
		stems[name], used[strings.ToLower(stem)] = stem, true
	}
	paths := map[string]string{}
	for name, page := range pages {
		parts := make([]string, 0, len(page.above)+1)
		for _, one := range page.above {
			if stems[one] != "" {
				parts = append(parts, stems[one])
			}
		}
		paths[name] = strings.Join(append(parts, stems[name]), "/") + ".md"
	}
	return paths
}

// unescaped returns the name of the file that an address in the export leads to.
func unescaped(address string) string {
	if name, err := url.PathUnescape(address); err == nil {
		return name
	}
	return address
}
