package folder

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A page is what a file says.
type page struct {
	URLID string // of the document; "" for a file that is none yet
	Title string // "" if the name of the file is the title
	Icon  string
	Color string
	Extra string // lines of front matter that are not ours
	Text  string // with relative links, without line ends at its end
}

// maxFrontMatter is how much front matter is read, in bytes.
const maxFrontMatter = 64 << 10

// outlineLine finds the line of front matter that names a document, before any text.
var outlineLine = regexp.MustCompile(`\A(.+\n)*outline:[ \t]*\S`)

// parsePage reads a file.
func parsePage(content []byte) (page, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return page{Text: strings.Trim(text, "\n")}, nil
	}
	header, body, ok := cutFrontMatter(rest)
	if !ok {
		if outlineLine.MatchString(rest) {
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
		var read map[string]any
		if yaml.Unmarshal([]byte("key: "+form+"\n"), &read) == nil && len(read) == 1 && read["key"] == s && !strings.Contains(s, "\n") {
			return form
		}
	}
	return strconv.QuoteToASCII(s) // whose escapes are YAML's, too
}
