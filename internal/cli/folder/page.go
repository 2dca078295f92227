package folder

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
	"go.yaml.in/yaml/v3"
)

// A page is what a file says.
type page struct {
	URLID string // of the document; "" for a file without a document
	Title string // "" if the name of the file is the title
	Icon  string
	Color string
	Extra string // lines of front matter that are not ours
	Text  string // with relative links, without line ends at its end
}

// maxFrontMatter is how much front matter is read, in bytes.
const maxFrontMatter = 64 << 10

// outlineLine finds the line of front matter that names a document, before any text.
var outlineLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(.+\n)*outline:[ \t]*\S`) })

// parsePage reads a file.
func parsePage(content []byte) (page, error) {
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return page{}, errors.New("it is not UTF-8 text; save it as UTF-8")
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return page{Text: strings.Trim(text, "\n")}, nil
	}
	header, body, ok := cutFrontMatter(rest)
	if !ok {
		if outlineLine().MatchString(rest) {
			return page{}, errors.New("the front matter has no --- line that ends it")
		}
		return page{Text: strings.Trim(text, "\n")}, nil // a rule
	}
	if len(header) > maxFrontMatter {
		return page{}, fmt.Errorf("the front matter has more than %d bytes", maxFrontMatter)
	}
	if strings.ContainsAny(header, "\r\u0085\u2028\u2029") {
		return page{}, errors.New("the front matter holds line breaks other than newlines")
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(header), &node); err != nil {
		return page{}, fmt.Errorf("the front matter is not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	p := page{Text: strings.Trim(body, "\n")}
	if len(node.Content) == 0 {
		return p, nil
	}
	root := node.Content[0]
	if root.Kind != yaml.MappingNode {
		return page{Text: strings.Trim(text, "\n")}, nil
	}
	ours := map[string]*string{"outline": &p.URLID, "title": &p.Title, "icon": &p.Icon, "color": &p.Color}
	lines := strings.SplitAfter(header, "\n")
	var extra strings.Builder
	last, kept := 0, true // what stands before the first key is kept, too
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if kept {
			extra.WriteString(strings.Join(lines[last:key.Line-1], ""))
		}
		last = key.Line - 1
		field, known := ours[key.Value]
		if kept = !known; kept {
			continue
		}
		if value.Kind != yaml.ScalarNode {
			return page{}, fmt.Errorf("line %d: %s in the front matter must be a string", value.Line+1, key.Value)
		}
		*field = value.Value
	}
	if kept {
		extra.WriteString(strings.Join(lines[last:], ""))
	}
	p.Extra = extra.String()
	return p, nil
}

// cutFrontMatter cuts a text at the line that ends its front matter.
func cutFrontMatter(s string) (header, body string, ok bool) {
	if body, ok = strings.CutPrefix(s, "---\n"); ok {
		return "", body, true
	}
	header, body, ok = strings.Cut(s, "\n---\n")
	if !ok {
		header, ok = strings.CutSuffix(s, "\n---")
	}
	return header + "\n", body, ok
}

// bytes returns the file of a page.
func (p page) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("---\n")
	for _, field := range [][2]string{{"outline", p.URLID}, {"title", p.Title}, {"icon", p.Icon}, {"color", p.Color}} {
		if field[1] != "" {
			out.WriteString(field[0] + ": " + scalar(field[1]) + "\n")
		}
	}
	out.WriteString(p.Extra)
	out.WriteString("---\n\n")
	if p.Text != "" {
		out.WriteString(p.Text + "\n")
	}
	return out.Bytes()
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// scalar writes a text as YAML: as it is, quoted, or with escapes, whatever comes first
// that is read as the text.
func scalar(s string) string {
	for _, form := range []string{s, `"` + escapes.Replace(s) + `"`} {
		var read map[string]yaml.Node // whose values, such as a map of many equal keys, are not decoded
		if strings.Contains(s, "\n") || yaml.Unmarshal([]byte("key: "+form+"\n"), &read) != nil || len(read) != 1 {
			continue
		}
		if value := read["key"]; value.ShortTag() == "!!str" && value.Value == s && value.Kind == yaml.ScalarNode {
			return form
		}
	}
	return strconv.QuoteToASCII(s) // whose escapes are YAML's, too
}

// titleField returns the title in the front matter of a file: "" if the name says it.
func titleField(name, urlID, title string) string {
	if stem(name, urlID) == title {
		return ""
	}
	return title
}

// stem returns the title that the name of a file says.
func stem(name, urlID string) string {
	base := strings.TrimSuffix(path.Base(name), Extension)
	return strings.TrimSuffix(base, " ("+urlID+")")
}

// title returns the title that a file gives its document.
func (one file) title(r record) string {
	written := titleField(r.Path, r.URLID, r.Title)
	switch {
	case one.Title != written && one.Title != "":
		return one.Title
	case path.Base(one.Path) != path.Base(r.Path), one.Title != written:
		return stem(one.Path, r.URLID)
	}
	return r.Title
}

// merge makes the changes of both texts to their common earlier text. ok is false if
// both change the same block, or blocks that touch, in different ways.
func merge(earlier, ours, theirs string) (merged string, ok bool) {
	if merged, ok = mergeField(earlier, ours, theirs); ok {
		return merged, true
	}
	o, a, b := blocks(earlier), blocks(ours), blocks(theirs)
	inA, inB := matches(o, a), matches(o, b)
	var out []string
	var i, j, k int // how far o, a and b have been merged
	for i < len(o) || j < len(a) || k < len(b) {
		if i < len(o) && inA[i] == j && inB[i] == k {
			out = append(out, o[i])
			i, j, k = i+1, j+1, k+1
			continue
		}
		// The next block that all three have ends what differs.
		end := i
		for end < len(o) && (inA[end] < j || inB[end] < k) {
			end++
		}
		endA, endB := len(a), len(b)
		if end < len(o) {
			endA, endB = inA[end], inB[end]
		}
		old, mine, other := o[i:end], a[j:endA], b[k:endB]
		switch {
		case slices.Equal(mine, other), slices.Equal(old, other):
			out = append(out, mine...)
		case slices.Equal(old, mine):
			out = append(out, other...)
		default:
			each, ok := mergeEach(old, mine, other)
			if !ok {
				return "", false
			}
			out = append(out, each...)
		}
		i, j, k = end, endA, endB
	}
	return strings.TrimRight(strings.Join(out, ""), "\n"), true
}

// mergeEach merges block by block where neither side adds or removes one.
func mergeEach(old, mine, other []string) (merged []string, ok bool) {
	ok = len(mine) == len(old) && len(other) == len(old)
	for i := 0; ok && i < len(old); i++ {
		var block string
		block, ok = mergeField(old[i], mine[i], other[i])
		merged = append(merged, block)
	}
	return merged, ok
}

// blocks cuts a text where blank lines are outside of code. A block includes the blank
// lines after it, and the last one ends like the others so that it can be compared.
func blocks(text string) []string {
	var all []string
	start, at, fence, blank := 0, 0, "", false
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	for line := range strings.Lines(text) {
		isBlank := strings.TrimSpace(line) == "" && fence == ""
		if blank && !isBlank {
			all = append(all, text[start:at])
			start = at
		}
		blank = isBlank
		fence = fenceAfter(line, fence)
		at += len(line)
	}
	return append(all, text[start:]+"\n\n")
}

// matches returns for each item of a the index of the same item in b, or -1: a common
// subsequence.
func matches(a, b []string) []int {
	result, at, shift := make([]int, len(a)), 0, 0
	for _, d := range append(lcs.DiffLines(a, b), lcs.Diff{Start: len(a), End: len(a)}) {
		for ; at < d.Start; at++ {
			result[at] = at + shift
		}
		for ; at < d.End; at++ {
			result[at] = -1
		}
		shift = d.ReplEnd - d.End
	}
	return result
}

// joinedLine says which line of a text Outline has joined with the one before it.
func joinedLine(sent, stored string) string {
	joins := map[string]bool{} // lines that Outline has made
	for line := range strings.Lines(stored) {
		joins[withoutStart(line)] = true
	}
	for line := range strings.Lines(sent) {
		delete(joins, withoutStart(line))
	}
	var paragraph []string
	for line := range strings.Lines(sent + "\n\n") {
		body := withoutStart(line)
		if body == "" || body != strings.TrimSpace(line) { // it ends what was before
			if len(paragraph) > 1 && joins[strings.Join(paragraph, " ")] {
				return fmt.Sprintf("the line %.40q continues the one before it; a blank line between them would make it a paragraph of its own", paragraph[1])
			}
			paragraph = nil
		}
		if body != "" {
			paragraph = append(paragraph, body)
		}
	}
	return ""
}

// withoutStart returns a line without what makes it an item or a quote.
func withoutStart(line string) string {
	return strings.TrimSpace(line[len(itemStart().FindString(line)):])
}
