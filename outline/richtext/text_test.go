package richtext_test

import (
	"bytes"
	"encoding/json"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	htmlwriter "github.com/yuin/goldmark/renderer/html"

	"outline-mcp/outline/richtext"
)

// reader reads the Markdown that comments are rendered to.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithRendererOptions(htmlwriter.WithUnsafe()))

// FuzzTextOfACommentIsNeverMarkup renders any text in every place that text can
// stand in and reads the Markdown again: it must be the same text, and
// nothing else may have become of it.
func FuzzTextOfACommentIsNeverMarkup(f *testing.F) {
	for _, s := range []string{
		"plain", "*a* **b** _c_ ~~d~~ `e`", "# a\n- b\n1. c\n> d\n\n    e", "[a](b) ![c](d) <e> &amp;", "[a]: b", "a\n===", "a | b\n--- | ---",
		"\\", "\\\n\\", "~~~\na", "- [ ] a", "***", "<!--", "&#0;", "\u00a0\t a \u2003", "`` ` ``", "a\\*", "1)\n2)", "*", "_ _ _", "\x1b[31m", "``", "a`", "` `",
		"$0$$*$$ ~0",
	} {
		f.Add(s)
	}
	f.Fuzz(checkText)
}

// TestTextMadeOfMarkupIsNeverMarkup does the same for texts made at random of
// words that look like markup.
func TestTextMadeOfMarkupIsNeverMarkup(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(2, 3))}
	for range 500 {
		var s strings.Builder
		for range 1 + g.IntN(6) {
			s.WriteString(g.word() + []string{"", "", " ", "a", "\n", "  "}[g.IntN(6)])
		}
		if checkText(t, s.String()); t.Failed() {
			return
		}
	}
}

// places are where a text can stand.
var places = map[string]struct {
	put         func(text any) node
	open, close string // what goldmark writes around it
	between     string // what goldmark writes between its lines
}{
	"paragraph": {func(s any) node { return p(s) }, "<p>", "</p>", "<br>\n"},
	"item":      {func(s any) node { return ul(li(p(s))) }, "<ul>\n<li>", "</li>\n</ul>", "<br>\n"},
	"quote":     {func(s any) node { return el("blockquote", p(s)) }, "<blockquote>\n<p>", "</p>\n</blockquote>", "<br>\n"},
	"heading":   {func(s any) node { return el("heading", s) }, "<h1>", "</h1>", " "},
	"cell":      {func(s any) node { return table(row(cell(p(s)))) }, "<table>\n<thead>\n<tr>\n<th>", "</th>\n</tr>\n</thead>\n</table>", "<br>"},
}

// marked are the marks that goldmark knows.
var marked = map[string]struct{ mark, open, close string }{
	"plain": {"comment", "", ""}, "strong": {"strong", "<strong>", "</strong>"}, "em": {"em", "<em>", "</em>"},
	"struck": {"strikethrough", "<del>", "</del>"}, "linked": {"link:/x", `<a href="/x">`, "</a>"},
}

// tilde finds a tilde at the ends of a line: next to those that strike it out
// goldmark takes none for text.
var tilde = regexp.MustCompile(`(?m)^\s*~|~\s*$`)

func checkText(t *testing.T, s string) {
	if !utf8.ValidString(s) {
		return // JSON has no other
	}
	lines := linesOf(s)
	for where, place := range places {
		for how, m := range marked {
			if how == "struck" && tilde.MatchString(s) || how == "linked" && len(lines) == 1 && strings.EqualFold(lines[0], "x") {
				continue // goldmark takes the [x] of [x](/x) for a task
			}
			want := ""
			switch {
			case len(lines) > 0:
				want = place.open + m.open + strings.Join(lines, "\n") + m.close + place.close + "\n"
			case where == "cell":
				want = place.open + place.close + "\n"
			}
			markdown := rendered(t, doc(place.put(txt(s, m.mark))))
			var out bytes.Buffer
			if err := reader.Convert([]byte(markdown), &out); err != nil {
				t.Fatal(err)
			}
			got := html.UnescapeString(strings.ReplaceAll(out.String(), place.between, "\n"))
			if where == "heading" { // one line, whose spaces are as good as breaks
				got, want = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")
			}
			if got != want {
				t.Errorf("%s text %q in a %s\nbecomes %q,\nread as %q,\nwant    %q", how, s, where, markdown, got, want)
			}
		}
	}
}

// linesOf are the lines of a text as they show: without white space at their
// ends and without empty ones at its ends.
func linesOf(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", " ", "\f", " ", "\x00", "\uFFFD").Replace(s)
	lines := strings.Split(strings.TrimFunc(s, unicode.IsSpace), "\n")
	for i := range lines {
		lines[i] = strings.TrimFunc(lines[i], unicode.IsSpace)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

func FuzzAnyDataIsRendered(f *testing.F) {
	f.Add(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a","marks":[{"type":"em"}]}]}]}`)
	f.Add(`{"type":"table","content":[{"content":[{"attrs":{"colspan":1e99},"content":[{"text":"|"}]}]}]}`)
	f.Add(`{"type":"ordered_list","attrs":{"order":-1},"content":[{"content":[{"type":"hr"}]}]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, data string) {
		var n richtext.Node
		if json.Unmarshal([]byte(data), &n) != nil {
			return
		}
		if got := n.Markdown(); !utf8.ValidString(got) || len(got) > 100*(len(data)+10) {
			t.Errorf("rendered as %.500q", got)
		}
	})
}
