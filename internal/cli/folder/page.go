package folder

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A page is what a file says.
type page struct {
	URLID string // of the document; "" for a file that is none yet
	Title string // "" if the name of the file is the title
	Icon  string
	Color string
	Extra []byte // lines of front matter that are not ours
	Text  string // with relative links, without line ends at its end
}

// frontMatter is the part of the front matter that is ours, in its order.
type frontMatter struct {
	Outline string `yaml:"outline,omitempty"`
	Title   string `yaml:"title,omitempty"`
	Icon    string `yaml:"icon,omitempty"`
	Color   string `yaml:"color,omitempty"`
}

// maxFrontMatter is how much front matter is read, in bytes.
const maxFrontMatter = 64 << 10

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
		return page{Text: strings.Trim(text, "\n")}, nil // a rule
	}
	if len(header) > maxFrontMatter {
		return page{}, fmt.Errorf("the front matter has more than %d bytes", maxFrontMatter)
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
	kept := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		field, known := ours[key.Value]
		if !known {
			kept.Content = append(kept.Content, key, value)
			continue
		}
		if value.Kind != yaml.ScalarNode {
			return page{}, fmt.Errorf("line %d: %s in the front matter is not a text", value.Line+1, key.Value)
		}
		*field = value.Value
	}
	if len(kept.Content) > 0 {
		var err error
		if p.Extra, err = yaml.Marshal(kept); err != nil {
			return page{}, errors.New("the front matter cannot be written again")
		}
	}
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
	encoder := yaml.NewEncoder(&out)
	if header := (frontMatter{p.URLID, p.Title, p.Icon, p.Color}); header != (frontMatter{}) {
		_ = encoder.Encode(header) // strings always encode
	}
	out.Write(p.Extra)
	out.WriteString("---\n\n")
	if p.Text != "" {
		out.WriteString(p.Text + "\n")
	}
	return out.Bytes()
}
