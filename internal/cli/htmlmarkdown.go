package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func attributeOf(n *html.Node, name string) string {
	for _, one := range n.Attr {
		if one.Key == name {
			return one.Val
		}
	}
	return ""
}

func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if attributeOf(n, "id") == id {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text strings.Builder
	for one := range n.Descendants() {
		if one.Type == html.TextNode {
			text.WriteString(one.Data)
		} else if one.DataAtom == atom.Br {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// A converter writes HTML as Markdown.
type converter struct {
	link   func(address string) string
	within []string // signs of the words around
	inCell bool     // where code has no lines of its own
	inInfo bool     // within a box, where Outline has no other
	spaces bool     // those beside signs are written so that Outline keeps them in cells of several lines
}

var (
	textSigns = map[atom.Atom]string{atom.Strong: "**", atom.B: "**", atom.Em: "*", atom.I: "*", atom.Del: "~~", atom.S: "~~"}
	// players show what Markdown has only a link to.
	players = []atom.Atom{atom.Iframe, atom.Video, atom.Audio, atom.Embed}
	noPage  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*((about|javascript|data):|$)`) })
	// plain writes words that Markdown would read as signs, and addresses.
	plain       = strings.NewReplacer("\n", " ", "\u00a0", " ", `\`, `\\`, "`", "\\`", "$", `\$`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~~", `\~~`, "==", `\==`, "!!", `\!!`)
	destination = strings.NewReplacer(" ", "%20", "\n", "", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E")
	// sign finds what Markdown reads as the beginning of a block.
	sign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\d*)([#>+.):=-])`) })
	// reference finds words that Markdown would read as one character.
	reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&#?\w+;`) })
	// besideSign finds spaces before and after escaped signs.
	besideSign    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\\.) +| +(\\)`) })
	trailingSpace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` +$`) })
	leadingSpace  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ +`) })
)

// address returns an address as a link has it.
func (c converter) address(n *html.Node, attribute string) string {
	return "](" + destination.Replace(c.link(attributeOf(n, attribute))) + ")"
}

// fence returns the signs around code.
func fence(code, sign string) string {
	for strings.Contains(code, sign) {
		sign += "`"
	}
	return sign
}

// inline returns the words of a node.
func (c converter) inline(n *html.Node) string {
	if n.Type == html.TextNode {
		text := reference().ReplaceAllString(plain.Replace(n.Data), `\$0`)
		if c.spaces {
			text = besideSign().ReplaceAllString(text, "$1&#32;$2")
		}
		return text
	}
	if code := textOf(n); (n.DataAtom == atom.Code || n.DataAtom == atom.Tt) && strings.TrimSpace(code) != "" {
		return codeSpan(strings.ReplaceAll(code, "\n", " "))
	}
	sign := textSigns[n.DataAtom]
	if slices.Contains(c.within, sign) {
		sign = ""
	}
	c.within = append(slices.Clip(c.within), sign)
	inner := ""
	for child := range n.ChildNodes() {
		inner = c.joined(inner, c.inline(child))
	}
	switch {
	case n.DataAtom == atom.Br:
		return "\n"
	case n.DataAtom == atom.Img:
		return "![" + plain.Replace(attributeOf(n, "alt")) + c.address(n, "src")
	case slices.Contains(players, n.DataAtom):
		if source := sourceOf(n); source != nil {
			return "[" + plain.Replace(attributeOf(source, "src")) + c.address(source, "src")
		}
	case n.DataAtom == atom.A && attributeOf(n, "href") != "" && strings.TrimSpace(inner) != "":
		return "[" + inner + c.address(n, "href")
	case sign != "" && strings.TrimSpace(inner) != "":
		words := strings.TrimSpace(inner)
		return strings.Replace(inner, words, sign+words+sign, 1) // spaces stay outside
	}
	return inner
}

// sourceOf returns the node that has the address of what a player shows, or nil.
func sourceOf(player *html.Node) *html.Node {
	if !noPage().MatchString(attributeOf(player, "src")) {
		return player
	}
	for n := range player.Descendants() {
		if n.DataAtom == atom.Source && !noPage().MatchString(attributeOf(n, "src")) {
			return n
		}
	}
	return nil
}

// codeSpan returns code within words.
func codeSpan(code string) string {
	around := fence(code, "`")
	if len(around) > 1 {
		code = " " + code + " "
	}
	return around + code + around
}

// joined joins words. Equal signs that meet would be read as other signs, and so would those
// between a mark and a letter: the former go, and the latter leave the mark outside.
func (c converter) joined(words, more string) string {
	if c.spaces && words != "" {
		words = trailingSpace().ReplaceAllString(words, "&#32;")
		more = leadingSpace().ReplaceAllString(more, "&#32;")
	}
	if before, is := strings.CutSuffix(words, "!"); is && strings.HasPrefix(more, "[") && !strings.HasSuffix(before, `\`) {
		words = before + `\!` // or the link would be an image
	}
	for _, sign := range []string{"**", "~~", "*"} {
		before, ends := strings.CutSuffix(words, sign)
		after, begins := strings.CutPrefix(more, sign)
		if single := sign == "*" && (strings.HasSuffix(before, "*") || strings.HasPrefix(after, "*")); ends && begins && !single && !strings.HasSuffix(before, `\`) {
			return before + after
		}
	}
	inner := strings.TrimRight(words, "*~")
	core := strings.TrimRight(inner, ".,:;!?")
	first, _ := utf8.DecodeRuneInString(more)
	if signs := words[len(inner):]; signs != "" && core != inner && !strings.HasSuffix(core, `\`) && (unicode.IsLetter(first) || unicode.IsNumber(first)) {
		words = core + signs + inner[len(core):]
	}
	return words + more
}

// lines returns words as the lines of a block.
func lines(words string) string {
	return strings.ReplaceAll(sign().ReplaceAllString(strings.TrimSpace(words), `$1\$2`), "\n", "\\\n")
}

// isBlock reports whether a node is one of those that blocks knows.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Hr, atom.P, atom.Dt, atom.Dd, atom.Div, atom.Section, atom.Article:
		return true
	}
	return false
}

// holdsBlocks reports whether there are blocks in a node, such as one of <details>.
func holdsBlocks(n *html.Node) bool {
	for one := range n.Descendants() {
		if isBlock(one) {
			return true
		}
	}
	return false
}

// blocks returns the blocks in a node, with blank lines between them.
func (c converter) blocks(n *html.Node) string {
	var text strings.Builder
	words := ""
	end := func() {
		if inner := lines(words); inner != "" {
			text.WriteString(inner + "\n\n")
		}
		words = ""
	}
	for child := range n.ChildNodes() {
		class, block := attributeOf(child, "class"), ""
		switch child.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			block = strings.Repeat("#", int(child.Data[1]-'0')) + " " + strings.ReplaceAll(strings.TrimSpace(c.inline(child)), "\n", " ")
		case atom.Pre:
			_, language, _ := strings.Cut(attributeOf(child, "data-syntaxhighlighter-params"), "brush: ")
			language, _, _ = strings.Cut(language, ";")
			code := strings.TrimRight(textOf(child), "\n")
			if block = fence(code, "```"); c.inCell {
				var spans []string
				for line := range strings.FieldsFuncSeq(code, func(r rune) bool { return r == '\n' }) {
					spans = append(spans, codeSpan(line))
				}
				block = strings.Join(spans, "\n")
			} else {
				block += language + "\n" + code + "\n" + block
			}
		case atom.Ul, atom.Ol:
			block = c.list(child)
		case atom.Table:
			block = c.table(child)
		case atom.Blockquote:
			block = "> " + strings.ReplaceAll(strings.TrimSpace(c.blocks(child)), "\n", "\n> ")
		case atom.Hr:
			block = "---"
		case atom.P, atom.Dt, atom.Dd:
			if block = lines(c.inline(child)); holdsBlocks(child) { // a table may be in a paragraph
				block = c.blocks(child)
			}
		case atom.Div, atom.Section, atom.Article, atom.Tbody:
			inner := c
			isInfo := slices.Contains(strings.Fields(class), "confluence-information-macro")
			inner.inInfo = c.inInfo || isInfo
			if block = inner.blocks(child); isInfo && !c.inInfo {
				style := "info"
				for sign, other := range map[string]string{"-warning": "warning", "-note": "warning", "-tip": "tip"} {
					if strings.Contains(class, sign) {
						style = other
					}
				}
				block = ":::" + style + "\n" + strings.TrimSpace(block) + "\n:::"
			}
		case atom.Script, atom.Style:
		default:
			if !holdsBlocks(child) {
				words = c.joined(words, c.inline(child))
				continue
			}
			block = c.blocks(child)
		}
		if end(); strings.TrimSpace(block) != "" {
			text.WriteString(strings.TrimSpace(block) + "\n\n")
		}
	}
	end()
	return text.String()
}

// highestStart is the highest number with which a list begins: with its last item, it has
// the nine digits that Markdown reads.
const highestStart = 900_000_000

// list returns a list. What is in no item, such as a list within it, belongs to the item before.
func (c converter) list(n *html.Node) string {
	var last *html.Node
	for _, child := range slices.Collect(n.ChildNodes()) {
		switch {
		case child.DataAtom == atom.Li:
			last = child
		case child.Type == html.ElementNode || strings.TrimSpace(child.Data) != "" && child.Type == html.TextNode:
			if last == nil {
				last = &html.Node{Type: html.ElementNode, DataAtom: atom.Li, Data: "li"}
				n.InsertBefore(last, child)
			}
			n.RemoveChild(child)
			last.AppendChild(child)
		}
	}
	var text strings.Builder
	number, err := strconv.Atoi(strings.TrimSpace(attributeOf(n, "start")))
	if err != nil || number < 1 || number > highestStart {
		number = 1
	}
	for item := range n.ChildNodes() {
		if item.DataAtom != atom.Li {
			continue
		}
		sign := "- "
		if n.DataAtom == atom.Ol {
			sign = strconv.Itoa(number) + ". "
			number++
		} else if strings.Contains(attributeOf(n, "class"), "inline-task-list") {
			sign = "- [ ] "
			if strings.Contains(attributeOf(item, "class"), "checked") {
				sign = "- [x] "
			}
		}
		body := strings.ReplaceAll(strings.TrimSpace(c.blocks(item)), "\n\n- ", "\n- ")
		text.WriteString(sign + strings.ReplaceAll(body, "\n", "\n"+strings.Repeat(" ", strings.IndexByte(sign, ' ')+1)) + "\n")
	}
	return text.String()
}
