package prompts

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/text/unicode/norm"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Limits for what a document of the operator's collection becomes.
const (
	longestName        = 60  // characters of a prompt's or an argument's name
	longestDescription = 300 // characters
	mostArguments      = 20
)

// A Written prompt is one that somebody wrote as a document.
type Written struct {
	Name, Title, Description string
	Arguments                []mcp.PromptArgument
	DocumentID               string // UUID

	collection string // UUID of the one that the document is in
	text       string // with arguments in double braces
}

// written reads a document as a prompt: its title is the name, its first paragraph the
// description, and the rest what the prompt says. If there is no rest, the paragraph is
// that, too. Words in double braces are arguments.
func written(d outline.Document) Written {
	w := Written{
		Name:       cmp.Or(identifier(d.Title), "prompt_"+d.URLID),
		Title:      output.Excerpt(d.Title, longestDescription),
		DocumentID: d.ID,
		collection: d.CollectionID,
		text:       strings.TrimSpace(d.Text),
	}
	if first, rest, _ := strings.Cut(w.text, "\n\n"); isParagraph(first) {
		w.Description = strings.Clone(output.Excerpt(first, longestDescription)) // a part would keep the whole text
		w.text = cmp.Or(strings.TrimSpace(rest), w.text)
	}
	seen := map[string]bool{}
	for _, match := range slots().FindAllStringSubmatch(w.text, -1) {
		title, name := slotOf(match[1])
		if name == "" || seen[name] || len(seen) == mostArguments {
			continue
		}
		seen[name] = true
		w.Arguments = append(w.Arguments, mcp.PromptArgument{Name: name, Title: title, Required: true})
	}
	return w
}

// isParagraph reports whether a block of Markdown is plain text: no heading, list,
// quotation, table, rule or code.
func isParagraph(block string) bool {
	return block != "" && !notParagraph().MatchString(block)
}

var notParagraph = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:#|[-*+>|] |\\||```|---|\\d+[.)] |!\\[)") })

// slots matches an argument in a text.
var slots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *([^{}\n]{1,80}?) *\}\}`) })

// slotOf returns the title and the name of an argument. Outline writes a backslash
// before an underscore.
func slotOf(inside string) (title, name string) {
	title = strings.Clone(output.OneLine(strings.ReplaceAll(inside, `\`, "")))
	return title, identifier(title)
}

// fill returns the text with the values of its arguments. Braces in values stay as they
// are.
func (w Written) fill(values arguments) string {
	return slots().ReplaceAllStringFunc(w.text, func(slot string) string {
		_, name := slotOf(slots().FindStringSubmatch(slot)[1])
		if value, ok := values[name]; ok {
			return value
		}
		return slot
	})
}

// arguments returns the declaration of the arguments.
func (w Written) arguments() []Argument {
	var all []Argument
	for _, a := range w.Arguments {
		all = append(all, Argument{a.Name, a.Title, a.Required})
	}
	return all
}

// identifier returns a name that clients accept: lower-case Latin letters, digits and
// single underscores. It is "" if nothing of the text can be kept.
func identifier(text string) string {
	var name strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKD.String(latin.Replace(text))) {
		switch {
		case unicode.IsMark(r):
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap && name.Len() > 0 {
				name.WriteByte('_')
			}
			gap = false
			name.WriteRune(r)
		default:
			gap = true
		}
	}
	return strings.TrimRight(name.String()[:min(longestName, name.Len())], "_")
}

// latin replaces letters that Unicode does not decompose.
var latin = strings.NewReplacer("ß", "ss", "Æ", "ae", "æ", "ae", "Ø", "o", "ø", "o", "Œ", "oe", "œ", "oe", "Ł", "l", "ł", "l")

// A Clash is a document that cannot become a prompt because its name is taken.
type Clash struct {
	Name       string
	DocumentID string // UUID
	With       string // UUID of the other document; "" for a prompt of this server
}

func (c Clash) String() string {
	if c.With == "" {
		return fmt.Sprintf("document %s would be the prompt %s, which this server has already", c.DocumentID, c.Name)
	}
	return fmt.Sprintf("document %s would be the prompt %s, as document %s is", c.DocumentID, c.Name, c.With)
}

// distinct returns the prompts of documents, oldest first, without those whose names are
// taken. They have no texts, which can be long: many callers' prompts are kept.
func distinct(documents []outline.Document) (prompts []Written, clashes []Clash) {
	taken := map[string]string{}
	for _, s := range All() {
		taken[s.Name] = ""
	}
	for _, d := range documents {
		w := written(d)
		if with, ok := taken[w.Name]; ok {
			clashes = append(clashes, Clash{w.Name, w.DocumentID, with})
			continue
		}
		taken[w.Name], w.text = w.DocumentID, ""
		prompts = append(prompts, w)
	}
	return prompts, clashes
}
