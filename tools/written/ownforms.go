package written

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"outline-mcp/outline/prosemirror"
)

// This file finds what Outline reads otherwise than CommonMark does, and than was meant.

// ownForms is the table of signs that Outline reads as its own forms, and of emphasis that
// neither it nor CommonMark reads. A sign has its inner text as the second group.
func ownForms() []form {
	re := regexp.MustCompile
	const dunder = `[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|init|main|name|file|dict|class|doc|str|repr|call|len|eq|hash|iter|next|enter|exit|new|del|all|version|author|path|future|slots|module|import|getattr|setattr|getitem|setitem|proto|dirname|filename|func|typename|schema|tests?|mocks|fixtures|snapshots|pycache|FILE|LINE|DATE|TIME|DEV`
	return []form{
		{name: "emphasis", as: "text with its signs", sign: re(`(\*{1,3}|~~|==)[^\s*~=]`), whole: notFlanking, become: emphasis},
		{name: "emphasis in emphasis", as: "emphasis up to the inner end", hint: "*", sign: re(`(?:^|[^*\\])(\*[^\s*][^*\n]*\s\*[^\s*](?:[^*\n]*[^*\s])?\*[^*\n]*[^*\s]\*|\*\*[^\s*][^*\n]*\s\*\*[^\s*](?:[^*\n]*[^*\s])?\*\*[^*\n]*[^*\s]\*\*)(?:[^*]|$)`), told: re(``), become: own},
		{name: "line break", as: "a line break", hint: `\n`, sign: re(`(?:^|[^\\])(\\(n))`), become: own,
			text: re(`"[^"]{0,200}⟦n⟧[^"]*"|(?:^|[\s(=])'[^']{0,60}⟦n⟧[^']*'|(?:^|[\s|])⟦n⟧[a-z]|(?:^|[^\pL\d])[A-Za-z]:(?:\\\S*)?⟦|(?:^|\s)\\\\\S*⟦|\\[a-mo-zA-Z0-9]\S*⟦|⟧\S*\\[a-mo-zA-Z0-9]|[\[(^']⟦|⟧(?:[\])}+?'/]|\*(?:$|\s))|(?:^|\s)\w+(?:\\\w+)*⟦n⟧\w+(?:\\\w+)*\.\w+(?:$|\s)`),
			told: re(`\s⟦n⟧(?:\s|$)|[^\\][a-z]⟦n⟧[a-z\d]|^[a-z]⟦n⟧[a-z]|[A-Z\d%]⟦n⟧[a-z]`)},
		{name: "emoji", as: "an emoji", hint: ":", sign: re(`(:([\w+-]+))`), whole: knownEmoji, become: own,
			text: re(`[A-Za-z0-9]⟦.*⟧:[A-Za-z0-9]|[A-Za-z0-9]⟦(?:.|\d+|.{36})⟧:|⟦(?:.|\d+)⟧:[A-Za-z0-9]`)},
		{name: "highlight", as: "a highlight", hint: "==", node: prosemirror.Highlight, sign: re(`(==)[^\s=]`), whole: paired, become: own,
			text: re(`⟦>|<⟧`), told: re(`[A-Za-z0-9]⟦|⟧[A-Za-z0-9]`)},
		{name: "underline", as: "underlined", hint: "__", node: prosemirror.Underline, sign: re(`(__)[^\s_]`), whole: paired, become: own,
			text: re(`⟦(?:` + dunder + `)⟧|⟦[a-z][a-z0-9]*⟧(?:[(/]|\.[A-Za-z0-9])`)},
		{name: "placeholder", as: "a placeholder", hint: "!!", node: prosemirror.Placeholder, sign: re(`(!!)[^\s!]`), whole: paired, become: own, text: re(`[A-Za-z0-9]⟦`)},
		{name: "formula", as: "a formula", hint: "$", node: prosemirror.MathInline, sign: re(`(\$([^\s$](?:[^$\n]*[^\s$])?)\$)`), become: own,
			text: re(`[A-Za-z0-9]⟦|⟦\d[^\\^_={}<>+*]* [^\\^_={}<>+*]*⟧|⟦[^\\^_{]{2,}⟧[A-Za-z0-9]`), told: re(`⟦[^\\^_={}<>+*]*[\pL\d.]+ [^\\^_={}<>+*]*⟧`)},
		{name: "list with letters", as: "a list", hint: ".", sign: re(`(?m)^(([A-Za-z])\.)[ \t]+\S`), become: letter, text: re(``)},
		{name: "task", as: "a task", hint: "]", sign: re(`\[(([ xX_-])\])\s`), whole: inItem, become: own, text: re(``)},
		{name: "task", as: "a task with the word undefined", hint: "]", sign: re(`(?m)^[ \t>]*[-*+][ \t]+\[[ xX_-]\][ \t]+(\\[!-/:-@[-\x60{-~]|&#?\w+;)`), become: firstSign},
		{name: "checkbox in code", as: "a task", hint: "]", sign: re("(?m)^[ \\t>]*([-*+])[ \\t]+[^\\[\\n]*`[^`\\n]*\\[[ xX_-]\\][ \\t][^`\\n]*`"), told: re(``), become: own},
		{name: "task without text", hint: "]", sign: re(`(?m)^[ \t>]*[-*+][ \t]+(\[[ xX]\])[ \t]*$`)},
		{name: "task in a table", as: "text with all its signs", hint: "|", sign: re(`\|[ \t]*(?:-[ \t]*)?(\[[ xX_-]\])[ \t]+[^|\n]*[*_\x60~&\[\]\\$:=<][^|\n]*\|`), told: re(``), become: own},
		{name: "list from 0", as: "a list from 1", hint: "0", sign: re(`(?:\A|\n[ \t]*\n)[ \t]*(0{1,9}[.)])[ \t]+\S`), told: re(``), become: own},
	}
}

// A rewrite is a place where another way to write it keeps what was meant.
type rewrite struct {
	*find
	edits []edit
	draft []edit // make a text that shows the same: a word stands for each sign of text
	done  string // what it is then, if that is noted
}

// nearby is how many bytes around a sign are looked at. Longer lines than longestLine are not.
const nearby, longestLine = 200, 4000

// own keeps the signs of a form as text where that is meant, and notes where it may be.
func own(a *adapter, f *find) string {
	start, end, inner := f.match[2], f.match[3], f.match[len(f.match)-2:]
	if f.node != "" && !a.has(f.node, a.text[inner[0]:inner[1]]) {
		return noted
	}
	before, behind := a.text[max(0, start-nearby):start], a.text[end:min(len(a.text), end+nearby)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ = strings.Cut(behind, "\n")
	place := before + "⟦" + a.text[inner[0]:inner[1]] + "⟧" + behind
	if f.text != nil && f.text.MatchString(place) {
		r := rewrite{find: f}
		for at := start; at < end; at++ {
			if at < inner[0] || at >= inner[1] {
				r.edits = append(r.edits, edit{at, at, `\`})
				r.draft = append(r.draft, a.word(at, at+1, a.text[at:at+1]))
			}
		}
		a.rewrites = append(a.rewrites, r)
	} else if f.told != nil && f.told.MatchString(place) {
		a.note(f, f.as)
	}
	return noted
}

// word returns the edit that puts a word in place of what is shown.
func (a *adapter) word(start, end int, shown string) edit {
	word := fmt.Sprintf("Xq%dz", len(a.words)/2)
	a.words = append(a.words, word, shown)
	return edit{start, end, word}
}

// checkRewrites makes the edits of the rewrites after which the text shows what was
// written. The others are noted.
func (a *adapter) checkRewrites() {
	back := strings.NewReplacer(a.words...)
	shows := func(list ...rewrite) bool {
		edits, drafts := slices.Clone(a.edits), slices.Clone(a.edits)
		for _, r := range list {
			edits, drafts = append(edits, r.edits...), append(drafts, r.draft...)
		}
		return a.Parse(a.edited(edits)).TextContent() == back.Replace(a.Parse(a.edited(drafts)).TextContent())
	}
	all := len(a.rewrites) > 0 && shows(a.rewrites...)
	for i, r := range a.rewrites {
		if all || i < maxRewrites && len(a.text) < maxRewritten && shows(r) {
			if a.edits = append(a.edits, r.edits...); r.done != "" {
				a.note(r.find, r.done)
			}
		} else {
			a.note(r.find, r.as)
		}
	}
}

// maxRewrites is how many rewrites are checked one by one, of a text that is not longer than
// maxRewritten.
const maxRewrites, maxRewritten = 20, 100_000

// has reports whether Outline makes a mark, or a node, of words.
func (a *adapter) has(kind, words string) bool {
	if a.made == nil {
		a.made = map[string]map[string]bool{prosemirror.MathInline: {}, prosemirror.Highlight: {}, prosemirror.Underline: {}, prosemirror.Placeholder: {}}
		prosemirror.Walk(a.Parse(a.text), func(n *prosemirror.Node) bool {
			if made := a.made[n.Type]; made != nil {
				made[n.TextContent()] = true
			}
			for _, mark := range n.Marks {
				if made := a.made[mark.Type]; made != nil && n.Text != "" {
					made[n.Text] = true
				}
			}
			return true
		})
	}
	if kind == prosemirror.MathInline || a.made[kind][words] {
		return a.made[kind][words]
	}
	for text := range a.made[kind] { // with other marks in it
		if strings.Contains(words, text) {
			return true
		}
	}
	return false
}

// paired extends the match of the sign that opens a mark in a line to the one that closes it.
func paired(text string, m []int) []int {
	start := strings.LastIndexByte(text[:m[2]], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	if len(line) > longestLine {
		return nil
	}
	open, size := -1, m[3]-m[2]
	for at := 0; at < len(line); {
		n := 1
		for at+n < len(line) && line[at+n] == line[at] {
			n++
		}
		switch {
		case line[at] == '\\':
			n = min(2, len(line)-at)
		case line[at] == '`':
			if end := strings.Index(line[at+n:], line[at:at+n]); end >= 0 {
				n += end + n
			}
		case line[at] != text[m[2]] || n != size:
		case open < 0:
			open = at
		case start+open != m[2]:
			open = -1
		case line[at-1] == ' ' || line[at-1] == '\t':
			return nil
		default:
			return []int{m[0], start + at + n, m[2], start + at + n, m[3], start + at}
		}
		at += n
	}
	return nil
}

// notFlanking is paired for emphasis that CommonMark does not read, because it has
// punctuation at its edge and a letter beside it. 2**(n-1), a == b and *.a or b.*c are none.
func notFlanking(text string, m []int) []int {
	if m = paired(text, m); m == nil {
		return nil
	}
	opens, _ := prosemirror.Flanking(text, m[2])
	_, closes := prosemirror.Flanking(text, m[5])
	first, _ := utf8.DecodeRuneInString(text[m[4]:])
	last, _ := utf8.DecodeLastRuneInString(text[:m[5]])
	isLetter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before := m[2] > 0 && isLetter(rune(text[m[2]-1])) && text[m[2]-1] < utf8.RuneSelf
	code := before && (text[m[2]] == '=' || isLetter(first) || isLetter(last) || unicode.IsDigit(rune(text[m[2]-1])))
	ascii := !opens && before || !closes && m[3] < len(text) && text[m[3]] < utf8.RuneSelf
	pattern := (ascii || m[4]-m[2] == 1) && strings.ContainsRune("./?", first) || ascii && m[4]-m[2] == 1
	if opens && closes || code || pattern || unicode.Is(unicode.Pe, first) || unicode.Is(unicode.Ps, last) {
		return nil
	}
	return m
}

// emphasis writes the letters beside emphasis as entities: beside these its signs are read.
func emphasis(a *adapter, f *find) string {
	start, end := f.match[2], f.match[3]
	r := rewrite{find: f, draft: []edit{{start, f.match[4], ""}, {f.match[5], end, ""}}}
	if opens, _ := prosemirror.Flanking(a.text, start); !opens {
		before, size := utf8.DecodeLastRuneInString(a.text[:start])
		r.edits = append(r.edits, edit{start - size, start, fmt.Sprintf("&#%d;", before)})
	}
	if _, closes := prosemirror.Flanking(a.text, f.match[5]); !closes {
		after, size := utf8.DecodeRuneInString(a.text[end:])
		r.edits = append(r.edits, edit{end, end + size, fmt.Sprintf("&#%d;", after)})
	}
	a.rewrites = append(a.rewrites, r)
	return noted
}

// knownEmoji keeps the match of the name of an emoji, or of the ID of one, outside of <URL>.
func knownEmoji(text string, m []int) []int {
	near := text[max(0, m[2]-nearby):m[2]]
	if word := near[strings.LastIndexAny(near, " \t\n<")+1:]; strings.HasSuffix(near, "<"+word) && strings.Contains(word, "://") {
		return nil
	}
	if _, known := prosemirror.EmojiByName()[text[m[4]:m[5]]]; strings.HasPrefix(text[m[3]:], ":") && (known || m[5]-m[4] == 36) {
		return m
	}
	return nil
}

// letter takes a letter before a dot for text if no line has the one before or behind it.
func letter(a *adapter, f *find) string {
	if a.letters == nil {
		a.letters = map[string]bool{}
		for line := range strings.Lines(a.text + "\n" + a.Stored) {
			if first, _, found := strings.Cut(strings.TrimLeft(line, " \t"), ". "); found && len(first) == 1 {
				a.letters[first] = true
			}
		}
	}
	if c := a.text[f.match[2]]; a.letters[string(c-1)] || a.letters[string(c+1)] {
		return noted
	}
	return own(a, f)
}

var item = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\[[ xX_-]\](?:[ \t]|$))?`)
})

// inItem keeps the match of a box in the first paragraph of an item, but not at its start.
func inItem(text string, m []int) []int {
	next, _, _ := strings.Cut(text[m[1]:], "\n")
	if text[m[1]-1] == '\n' && (strings.TrimSpace(next) == "" || item().MatchString(next)) {
		return nil // the end of the paragraph
	}
	for end, lines := m[1], 0; end > 0 && lines < maxUnclosed; lines++ {
		start := strings.LastIndexByte(text[:end-1], '\n') + 1
		line := strings.TrimSuffix(text[start:end], "\n")
		if sign := item().FindStringSubmatch(line); sign != nil && sign[1] == "" {
			return m
		} else if sign != nil || strings.TrimSpace(line) == "" {
			return nil
		}
		end = start
	}
	return nil
}

// firstSign writes the sign that a task begins with as it is: before an escape or an entity
// Outline writes a word.
func firstSign(a *adapter, f *find) string {
	shown := html.UnescapeString(strings.TrimPrefix(a.text[f.match[2]:f.match[3]], `\`))
	a.rewrites = append(a.rewrites, rewrite{f, []edit{{f.match[2], f.match[3], shown}}, []edit{a.word(f.match[2], f.match[3], shown)}, ""})
	return noted
}

// complete keeps signs without their ends from taking in the rest of the text, and gives
// tasks and plain items lists of their own.
func (a *adapter) complete() {
	note := func(part Part) {
		if len(a.parts) < maxFinds && !slices.Contains(a.parts, part) {
			a.parts = append(a.parts, part)
		}
	}
	for changed, tries := true, 0; changed && tries < 3 && !a.Comment; tries++ {
		changed = false
		lines := strings.Split(a.text, "\n")
		for i, block := range prosemirror.UnclosedIn(a.text) {
			line := lines[block.Line-1]
			sign := strings.TrimLeft(line[len(item().FindString(line)):], " \t>")
			part := Part{Line: block.Line, Name: "block without its end", Text: sign, As: "text"}
			switch {
			case a.known[strings.TrimSpace(line)]:
				continue
			case strings.HasPrefix(sign, "$$"):
				lines[block.Line-1], changed = strings.ReplaceAll(line, "$$", `\$\$`), true
			case strings.IndexAny(sign, ":+") == 0 && (block.Empty || strings.Trim(sign, sign[:1]+" \t") == ""):
				lines[block.Line-1], changed = strings.TrimSuffix(line, sign)+`\`+sign, true
			case i < maxUnclosed && blankLine().MatchString(strings.TrimSpace(strings.Join(lines[block.Line:], "\n"))):
				part.As, part.Own = "a block up to the end", true
			default:
				continue
			}
			note(part)
		}
		a.text = strings.Join(lines, "\n")
	}
	for range 3 { // a list may join the one behind it
		split, at := prosemirror.SplitTaskLists(a.text)
		lines := strings.Split(a.text, "\n")
		if !slices.ContainsFunc(at, func(line int) bool { return !a.known[strings.TrimSpace(lines[line-1])] }) {
			break
		}
		for _, line := range at {
			note(Part{Line: line, Name: "list of tasks and plain items", Text: lines[line-1], As: "two lists"})
		}
		a.text = split
	}
}
