package written

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"outline-mcp/outline/prosemirror"
)

// A form is a form of text that other programs read and Outline does not, or one of its own.
type form struct {
	name  string
	hint  string         // every text with the form has it
	sign  *regexp.Regexp // its first group is the sign of the form
	block bool           // it begins a line, and becomes a block
	pair  string         // what the sign opens or closes, if it does; become gets its begin

	indents bool // what belongs to it is indented

	as         string         // what Outline makes of its own form
	node       string         // its node or mark
	text, told *regexp.Regexp // where it is meant as text, or may be, in a line with ‹ and › for its signs

	// whole returns the match with all that belongs to it, or nil if it is not in the form.
	whole func(text string, match []int) []int
	// become writes it in Outline's form, and says what that is. nil: Outline has none.
	become func(a *adapter, f *find) (as string)
}

// forms is the table of all foreign forms. What a text has in two is in the first.
var forms = sync.OnceValue(func() []form {
	const kind = `(note|info|abstract|summary|tldr|todo|question|help|faq|example|quote|cite|seealso|tip|hint|important|warning|caution|attention|danger|error|failure|fail|missing|bug|success|check|done)`
	re := regexp.MustCompile
	return append([]form{
		{name: "front matter", hint: "---\n", sign: re(`\A(---[ \t]*\n([\w"'][^\n]*:[^\n]*\n(?:[^\n]*\n)*?)---[ \t]*(?:\n+|\z))`), block: true, become: frontMatter},
		{name: "front matter", hint: "+++\n", sign: re(`\A(\+\+\+[ \t]*\n((?:[\w.-]+[ \t]*=[^\n]*\n|\[[\w.]+\]\n)+)\+\+\+[ \t]*(?:\n+|\z))`), block: true, become: frontMatter},
		{name: "comment", hint: "<!--", sign: re(`(<!--(?s:.*?)-->)`), whole: unfenced},
		{name: "details", hint: "<details", pair: "details", sign: re(`(?mi)^(<details\b[^<>]*>)(?:\s*<summary\b[^<>]*>\s*([^\n]*?)\s*</summary>)?(?:[ \t]*\n)*`), block: true, become: details},
		{name: "details", hint: "</details", pair: "details", sign: re(`(?mi)(?:\n[ \t]*)*(</details>)[ \t]*$`), block: true, become: details},
		{name: "aside", hint: "<aside", pair: "aside", sign: re(`(?mi)^(<aside>)\s*`), block: true, become: aside},
		{name: "aside", hint: "</aside", pair: "aside", sign: re(`(?mi)\s*(</aside>)[ \t]*$`), block: true, become: aside},
		{name: "hint", hint: "{% hint", pair: "hint", sign: re(`(?m)^(\{% hint style="(\w+)" %\})\s*`), block: true, become: aside},
		{name: "hint", hint: "{% endhint", pair: "hint", sign: re(`(?m)\s*(\{% endhint %\})[ \t]*$`), block: true, become: aside},
		{name: "alert", hint: "[!", sign: re(`(?mi)^> ?(\[!` + kind + `\][+-]?)[ \t]*(.*)$`), block: true, become: alert},
		{name: "alert", hint: "[!", sign: re(`(?m)^[ \t>*+\d.)-]*>[ \t]*(\[![\w-]+\][+-]?)`)},
		{name: "admonition", hint: ":::", sign: re(`(?m)^:{3,}[ \t]*([\w-]+)(.*)$`), block: true, become: container},
		{name: "admonition", sign: re(`(?mi)^(!!!|\?\?\?\+?)[ \t]+` + kind + `(?:[ \t]+(?:inline|end))*(?:[ \t]+"([^"\n]*)")?[ \t]*$`), block: true, indents: true, become: admonition},
		{name: "admonition", hint: "!!! ", sign: re(`(?m)^[ \t]*(!!! \w+)`)},
		{name: "LaTeX brackets", hint: `\[`, sign: re(`(?m)^(\\\[((?s:.*?))\\\])[ \t]*$`), block: true, become: formulaBlock},
		{name: "LaTeX brackets", hint: `\(`, sign: re(`(\\\(([^$|\n]*?)\\\))`), become: formulaInline},
		{name: "double dollar signs", hint: "$$", sign: re(`[^\s$][^\n$]*(\$\$([^$\s](?:[^$\n]*[^$\s])?)\$\$)|(?:^|\n)(\$\$([^$\s](?:[^$\n]*[^$\s])?)\$\$)[ \t]*[^\s$]`), whole: firstGroups, become: formulaInLine},
		{name: "lines that begin with a label", hint: ":", sign: re(`(?m)^[ \t>]*` + label + `[^\n]*[^\s\\]([ \t]*\n)`), whole: beforeLabel, become: lineBreak},
		{name: "table of contents", hint: "[", sign: re(`(?mi)^(\[(?:\[_?)?toc(?:_?\])?\])[ \t]*$`)},
		{name: "embed", hint: "![[", sign: re(`(!\[\[[^\[\]\n]+\]\])`)},
		{name: "wiki link", hint: "[[", sign: re(`(\[\[([^\[\]|#^\n]+?)(#[^\[\]|\n]*|\^[^\[\]|\n]*)?(?:\\?\|([^\[\]\n]+))?\]\])`), become: wikiLink},
		{name: "footnote", hint: "[^", sign: re(`(\[\^([^\]\[\s\\]{1,60})\])`), become: footnote},
		{name: "footnote", hint: "^[", sign: re(`(\^\[[^\[\]\n]+\])`)},
		{name: "image", hint: "<", sign: re(`(?i)(<img\s([^<>]*)>)`), become: image},
		{name: "HTML", hint: "<", pair: "tag", sign: re(`(?i)(</?(b|strong|i|em|u|s|del|strike|mark|code|a)(\s[^<>]*)?>)`), become: tag},
		{name: "HTML", hint: "<", sign: re(`(?i)(</?(?:abbr|aside|big|blockquote|body|center|cite|dd|details|div|dl|dt|figcaption|figure|font|h[1-6]|hr|html|iframe|ins|kbd|li|ol|p|pre|q|section|small|span|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|ul|video|audio)(?:\s[^<>]*)?/?>)`)},
		{name: "HTML", hint: "<", sign: re(`(<[A-Z][\w.]*(?:\s+\w+=[^<>]*|\s*/)>|</[A-Z][\w.]*>)`)},
		{name: "bullet", sign: re(`(?m)^[ \t]*([•◦▪▫‣⁃●○■➢➤][ \t\x{a0}]+)\S`), block: true, become: bullet},
		{name: "wiki markup", sign: re(`(?m)^(h[1-6]\.)[ \t]+\S`)},
		{name: "wiki markup", hint: "{", sign: re(`(?m)^[ \t]*(\{(?:code|noformat|panel|quote|info|note|tip|warning|expand|toc)(?::[^{}\n]*)?\})[ \t]*$`)},
		{name: "heading", hint: "=", sign: re(`(?m)^(={1,6})[ \t]+\S`)},
		{name: "directive", sign: re(`(?m)^(\.\. [\w-]+::|#\+[A-Za-z_]+:)`)},
		{name: "citation mark", sign: re(`(【[^】\n]{0,40}†[^】\n]{0,80}】|:contentReference\[oaicite:\d+\]\{[^{}\n]*\}|\[cite(?:_start|_end|: ?[\d, ]+)\]|\x{e200}cite[^\x{e201}\n]{0,200}\x{e201})`)},
		{name: "abbreviation", hint: "*[", sign: re(`(?m)^(\*\[[^\]\n]+\]:)`)},
		{name: "shortcode", hint: "{", sign: re(`(\{\{[<%].*?[>%]\}\}|\{% .*? %\})`)},
		{name: "attributes", hint: "{", sign: re(`(?m)(\{:? ?[#.][\w-][^{}\n]*\})[ \t]*$`)},
		{name: "attributes", hint: "){", sign: re(`\)(\{[^{}\n]*[=.#][^{}\n]*\})`)},
		{name: "comment", hint: "%%", sign: re(`(%%[^%\n]+%%)`)},
		{name: "block ID", hint: "^", sign: re(`(?m)(?:^|[ \t])(\^(?:[0-9a-f]{6}|[A-Za-z][\w-]+))[ \t]*$`)},
		{name: "subscript", hint: "~", sign: re(`[^\s~](~[\w+-]{1,12}~)(?:[^~]|$)`)},
		{name: "superscript", hint: "^", sign: re(`[^\s^\[](\^[\w+-]{1,12}\^)`)},
		{name: "definition list", hint: "\n:", sign: re(`(?m)^[^\s#>|:][^\n]*\n\n?(:)[ \t]+\S`)},
		{name: "emoji", hint: ":", sign: re(`(?:^|[\s(])(:([a-z+-][a-z0-9_+-]{1,30}):)`), become: emoji},
	}, ownForms()...)
})

// label begins a line such as "**Owner:** Ada" or "Status: open".
const label = `(?:\*\*[^*\n]{1,60}(?::\*\*|\*\*:)|[A-Z][\w ]{0,30}:)[ \t]`

var (
	labelStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t>]*` + label) })
	boldQuote  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*>[ \t>]*\*\*[^\n]{1,80}$`) })
	quoteWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*>[ \t>]*[\pL*]`) })
)

// beforeLabel keeps the end of a line if the next one begins with a label as well or, in a
// quote, if the label is bold, as those of a message are.
func beforeLabel(text string, m []int) []int {
	rest := text[m[1]:]
	if labelStart().MatchString(rest) || boldQuote().MatchString(text[m[0]:m[2]]) && quoteWords().MatchString(rest) {
		return m
	}
	return nil
}

// lineBreak keeps lines apart that Outline would join.
func lineBreak(a *adapter, f *find) string {
	if a.Comment {
		return noted
	}
	a.replace(f.match[2], f.match[3], "\\\n")
	if slices.ContainsFunc(a.parts, func(p Part) bool { return p.Name == f.name }) {
		return noted
	}
	return "line breaks"
}

// firstGroups moves the groups of the second way to match a form to those of the first.
func firstGroups(_ string, m []int) []int {
	if m[2] < 0 {
		copy(m[2:6], m[6:10])
	}
	return m
}

// formulaInLine writes a formula between words as Outline reads it there.
func formulaInLine(a *adapter, f *find) string {
	inner := strings.TrimSpace(f.group(a.text, 2))
	if !latex().MatchString(inner) && len(inner) > 1 {
		return ""
	}
	a.replace(f.match[2], f.match[3], "$"+inner+"$")
	return "dollar signs"
}

// styleOf returns the style of a callout for the kind of an alert.
func styleOf(kind string) string {
	switch strings.ToLower(kind) {
	case "tip", "hint":
		return "tip"
	case "important", "warning", "caution", "attention", "danger", "error", "failure", "fail", "missing", "bug":
		return "warning"
	case "success", "check", "done":
		return "success"
	}
	return "info"
}

// unfenced keeps a match of several lines from reaching over the fence of a code block.
func unfenced(text string, m []int) []int {
	if part := text[m[0]:m[1]]; strings.Contains(part, "\n```") || strings.Contains(part, "\n~~~") {
		return nil
	}
	return m
}

// maxFrontMatter is the length, in bytes, up to which front matter is read.
const maxFrontMatter = 16 << 10

func frontMatter(a *adapter, f *find) string {
	inner, language := f.group(a.text, 2), "toml"
	if strings.HasPrefix(a.text, "-") {
		var fields yaml.Node // a map would make an error of each pair of keys that are the same
		if language = "yaml"; len(inner) > maxFrontMatter || yaml.Unmarshal([]byte(inner), &fields) != nil || strings.HasSuffix(inner, "\n\n") || fields.IsZero() ||
			fields.Content[0].Kind != yaml.MappingNode || len(fields.Content[0].Content) == 2 && inner[0] < 'a' {
			return ""
		}
	}
	fence := "```"
	for strings.Contains(inner, fence) {
		fence += "`"
	}
	a.replace(f.match[0], f.match[1], fence+language+"\n"+inner+fence+"\n\n")
	return "a code block"
}

// maxNested is how many toggles may be in one.
const maxNested = 10

// details makes a toggle. One that holds others has more signs than they.
func details(a *adapter, f *find) string {
	end := a.found[f.counterpart].match
	body := a.text[f.match[1]:max(f.match[1], end[0])]
	if strings.Contains("\n"+body, "\n+++") {
		return ""
	}
	inner := strings.Count(strings.ToLower(body), "<details")
	if inner > maxNested {
		return ""
	}
	signs := strings.Repeat("+", 3+inner)
	if title := f.match[4:6]; f.group(a.text, 2) == "" {
		a.replace(f.match[0], f.match[1], a.gap(f.match[0])+signs+"\nDetails\n\n")
	} else {
		a.replace(f.match[0], title[0], a.gap(f.match[0])+signs+"\n")
		a.replace(title[1], f.match[1], "\n\n")
	}
	a.replace(end[0], end[1], "\n\n"+signs)
	return "a toggle"
}

// bold makes a title bold, unless it has its own marks.
func bold(title string) string {
	if strings.ContainsAny(title, "*_`[]~=") {
		return title
	}
	return "**" + strings.TrimSpace(title) + "**"
}

// aside makes a callout of what has a sign at its begin and at its end.
func aside(a *adapter, f *find) string {
	end := a.found[f.counterpart].match
	a.replace(f.match[0], f.match[1], a.gap(f.match[0])+":::"+styleOf(f.group(a.text, 2))+"\n")
	a.replace(end[0], end[1], "\n:::")
	return "a callout"
}

// alert makes a callout of a quote that begins with a kind.
func alert(a *adapter, f *find) string {
	if !f.first || len(f.around) != 3 || f.around[1] != prosemirror.Blockquote {
		return ""
	}
	first, rest := len(a.edits), a.text[f.match[1]:]
	at := f.match[1]
	for strings.HasPrefix(rest, "\n>") {
		line, _, _ := strings.Cut(rest[1:], "\n")
		if strings.HasPrefix(strings.TrimLeft(line, "> "), ":::") {
			a.edits = a.edits[:first] // it would end the callout
			return ""
		}
		a.replace(at+1, at+1+len(line)-len(strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")), "")
		at, rest = at+1+len(line), rest[1+len(line):]
	}
	if next := strings.TrimPrefix(rest, "\n"); strings.TrimSpace(next) != "" && next[0] != '\n' && !blockStart().MatchString(next) {
		a.edits = a.edits[:first] // more words of the same quote
		return ""
	}
	if title := f.match[6:8]; strings.TrimSpace(a.text[title[0]:title[1]]) != "" {
		a.replace(f.match[0], title[1], ":::"+styleOf(f.group(a.text, 2))+"\n"+bold(a.text[title[0]:title[1]])+"\n")
	} else {
		a.replace(f.match[0], f.match[1], ":::"+styleOf(f.group(a.text, 2)))
	}
	a.replace(at, at, "\n:::")
	return "a callout"
}

// container gives a callout one of the styles that Outline has, and its title a line.
func container(a *adapter, f *find) string {
	kind, title := f.group(a.text, 1), strings.TrimSpace(f.group(a.text, 2))
	style := styleOf(kind)
	if title == "" && kind == style && a.text[f.match[2]-1] == ':' {
		return noted
	}
	if f.around[len(f.around)-1] != prosemirror.Notice || style == "info" && !strings.Contains("|info|note|abstract|summary|todo|question|example|quote|", "|"+strings.ToLower(kind)+"|") {
		return ""
	}
	if title = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(title, "]"), "["), `{title="`), `"}`); title != "" {
		title = "\n" + bold(title) + "\n"
	}
	signs, _, _ := strings.Cut(a.text[f.match[0]:], kind)
	a.replace(f.match[0], f.match[1], strings.TrimSpace(signs)+style+title)
	return "a callout"
}

// admonition makes a callout or, if it can be closed, a toggle.
func admonition(a *adapter, f *find) string {
	body := a.dedents(f.match[1])
	if len(f.around) != 2 || !f.first || len(body) == 0 {
		return ""
	}
	last := body[len(body)-1].start
	end := last + len(a.lineAt(last))
	if inner := a.text[f.match[1]:end]; strings.Contains(inner, "!!!") || strings.Contains(inner, "???") || strings.Contains(inner, ":::") || strings.Contains(inner, "+++") {
		return ""
	}
	as, title, signs, style := "a callout", f.group(a.text, 3), ":::", styleOf(f.group(a.text, 2))
	switch {
	case a.text[f.match[0]] == '?':
		as, signs, style = "a toggle", "+++", ""
		if title == "" {
			title = f.group(a.text, 2)
		}
		title = "\n" + title + "\n"
	case title != "":
		title = "\n" + bold(title) + "\n"
	}
	a.replace(f.match[0], f.match[1], a.gap(f.match[0])+signs+style+title)
	a.edits = append(a.edits, body...)
	a.replace(end, end, "\n"+signs+"\n")
	return as
}

// dedents returns the edits that take the indent from the lines behind a place.
func (a *adapter) dedents(at int) (edits []edit) {
	for at < len(a.text) {
		line := a.lineAt(at + 1)
		switch {
		case strings.HasPrefix(line, "\t"):
			edits = append(edits, edit{at + 1, at + 2, ""})
		case strings.HasPrefix(line, "    "):
			edits = append(edits, edit{at + 1, at + 5, ""})
		case strings.TrimSpace(line) != "":
			return edits
		}
		at += 1 + len(line)
	}
	return edits
}

var latex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[a-zA-Z]{2,}|[A-Za-z0-9)]\^|_\{`) })

func formulaBlock(a *adapter, f *find) string {
	inner := strings.TrimSpace(f.group(a.text, 2))
	if !latex().MatchString(inner) || strings.Contains(inner, "$$") || blankLine().MatchString(inner) {
		return noted
	}
	a.replace(f.match[0], f.match[1], a.gap(f.match[0])+"$$\n"+inner+"\n$$\n")
	return "dollar signs"
}

// notLaTeX matches what is in brackets of text: a path, or a bracket in it.
var notLaTeX = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{2,}\\|:\\|\\\(`) })

// formulaInline takes brackets for those of a formula, and not for escaped ones of text,
// if they hold LaTeX, or a letter beside other LaTeX.
func formulaInline(a *adapter, f *find) string {
	isLaTeX := func(inner string) bool { return latex().MatchString(inner) && !notLaTeX().MatchString(inner) }
	inner := strings.TrimSpace(f.group(a.text, 2))
	before, _ := utf8.DecodeLastRuneInString(a.text[:f.match[0]])
	after, _ := utf8.DecodeRuneInString(a.text[f.match[1]:])
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	letter := len(inner) == 1 && unicode.IsLetter(rune(inner[0])) &&
		slices.ContainsFunc(a.found, func(other find) bool { return other.name == f.name && isLaTeX(other.group(a.text, 2)) })
	if !letter && !isLaTeX(inner) || isWord(before) || strings.ContainsRune("_/)", before) || isWord(after) {
		return noted
	}
	a.replace(f.match[0], f.match[1], "$"+inner+"$")
	return "dollar signs"
}

// bullet gives an item of a list the sign that Markdown has for it. Only the first is noted.
func bullet(a *adapter, f *find) string {
	a.replace(f.match[2], f.match[3], "* ")
	if slices.ContainsFunc(a.parts, func(p Part) bool { return p.Name == f.name && p.As != "" }) {
		return noted
	}
	return "a list"
}

// wikiLink makes a link to the one page that has the title.
func wikiLink(a *adapter, f *find) string {
	title := f.group(a.text, 2)
	if end := f.match[1]; f.linked || strings.TrimSpace(title) != title || end < len(a.text) && strings.ContainsRune("([", rune(a.text[end])) {
		return noted
	}
	if f.group(a.text, 3) != "" || a.Page == nil || a.err != nil {
		return ""
	}
	var link string
	if link, a.err = a.Page(title, f.group(a.text, 4)); link == "" {
		return ""
	}
	a.replace(f.match[0], f.match[1], link)
	return "a link"
}

// footnote keeps the definition of a footnote from becoming that of a link, and from being
// joined with the line above it.
func footnote(a *adapter, f *find) string {
	after := a.text[f.match[3]:]
	start := a.text[:f.match[2]]
	defines := strings.HasPrefix(after, ":") && (start == "" || strings.HasSuffix(start, "\n"))
	switch {
	case f.linked, strings.HasPrefix(after, "("), !defines && !strings.Contains(a.text, a.text[f.match[2]:f.match[3]]+":") && strings.Trim(f.group(a.text, 2), "0123456789") != "":
		return noted
	case defines && !a.Inline:
		a.replace(f.match[2], f.match[2], a.gap(f.match[2])+`\`)
	}
	return ""
}

func emoji(a *adapter, f *find) string {
	name := f.group(a.text, 2)
	if _, known := prosemirror.EmojiByName()[name]; known {
		return noted
	}
	other, ok := map[string]string{"+1": "thumbs_up", "thumbsup": "thumbs_up", "-1": "thumbs_down", "thumbsdown": "thumbs_down"}[name]
	if !ok {
		return ""
	}
	a.replace(f.match[2], f.match[3], ":"+other+":")
	return "an emoji"
}
