package prosemirror

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// label returns the position of the ] that closes the bracket at start, or -1
// if there is none. With noLinks, a label must not contain a link.
func (p *inlineParser) label(start int, noLinks bool) int {
	old := p.pos
	defer func() { p.pos = old }()
	p.pos = start + 1
	level := 1
	for p.pos < p.max {
		marker := p.src[p.pos]
		if marker == ']' {
			if level--; level == 0 {
				return p.pos
			}
		}
		before := p.pos
		p.skip()
		if marker == '[' {
			if before == p.pos-1 {
				level++
			} else if noLinks {
				return -1
			}
		}
	}
	return -1
}

// target is what a link or image points to.
type target struct {
	href, title string
	end         int // the position after it
}

// inlineTarget reads (url "title") after a label (CommonMark 6.3); pos is that
// of the opening parenthesis. If it fails, end is where markdown-it looks for a
// reference instead, or -1 if it does not.
func (p *inlineParser) inlineTarget(pos int, image bool) (t target, ok bool) {
	t.end = -1
	pos = p.skipSpace(pos + 1)
	if pos >= p.max {
		return t, false
	}
	dest, end, ok := linkDestination(p.src, pos, p.max)
	if ok {
		t.href = normalizeURL(dest)
		if allowedURL(t.href) {
			pos = end
		} else {
			t.href = ""
		}
	}
	if ok || image {
		start := pos
		pos = p.skipSpace(pos)
		if title, end, ok := linkTitle(p.src, pos, p.max); ok && pos != start {
			t.title = title
			pos = p.skipSpace(end)
		}
	}
	t.end = pos + 1
	return t, pos < p.max && p.src[pos] == ')'
}

func (p *inlineParser) skipSpace(pos int) int {
	for pos < p.max && (isBlank(p.src[pos]) || p.src[pos] == '\n') {
		pos++
	}
	return pos
}

// referenceTarget reads [label] after a label, or uses the label itself.
func (p *inlineParser) referenceTarget(labelStart, labelEnd, pos int) (t target, ok bool) {
	if len(p.references) == 0 {
		return t, false
	}
	label := ""
	t.end = labelEnd + 1
	if pos < p.max && p.src[pos] == '[' {
		if end := p.label(pos, false); end >= 0 {
			label = p.src[pos+1 : end]
			t.end = end + 1
		}
	}
	if label == "" {
		label = p.src[labelStart:labelEnd]
	}
	label = normalizeLabel(label)
	ref, ok := p.references[label]
	if ok {
		p.drops.refersTo(label)
	}
	t.href, t.title = ref.href, ref.title
	return t, ok
}

// link reads [text](url) or a reference link.
func (p *inlineParser) link(silent bool) bool {
	start := p.pos + 1
	end := p.label(p.pos, true)
	if end < 0 {
		return false
	}
	t, ok := target{end: end + 1}, false
	if end+1 < p.max && p.src[end+1] == '(' {
		t, ok = p.inlineTarget(end+1, false)
		if t.end < 0 {
			return false
		}
	}
	if !ok {
		if t, ok = p.referenceTarget(start, end, t.end); !ok {
			return false
		}
	}
	max := p.max
	if !silent {
		p.pos, p.max = start, end
		open := p.push(linkOpen, "")
		open.detail = &detail{t.href, t.title}
		open.number = int32(start - 1)
		outer := p.run
		p.addRun()
		p.level++
		p.tokenize()
		p.level--
		p.run = outer
		p.push(linkClose, "").number = int32(t.end)
	}
	p.pos, p.max = t.end, max
	return true
}

// image reads ![alt](src "title"). The text between the brackets is kept
// unchanged.
func (p *inlineParser) image(silent bool) bool {
	if p.pos+1 >= len(p.src) || p.src[p.pos+1] != '[' {
		return false
	}
	start := p.pos + 2
	end := p.label(p.pos+1, false)
	if end < 0 {
		return false
	}
	var t target
	var ok bool
	if end+1 < p.max && p.src[end+1] == '(' {
		t, ok = p.inlineTarget(end+1, true)
	} else {
		t, ok = p.referenceTarget(start, end, end+1)
	}
	if !ok {
		return false
	}
	if !silent {
		image := p.push(imageToken, p.src[start:end])
		image.detail = &detail{t.href, t.title}
	}
	p.pos = t.end
	return true
}

// autolink reads <https://…> or <name@host> (CommonMark 6.5).
func (p *inlineParser) autolink(silent bool) bool {
	stop := strings.IndexAny(p.src[p.pos+1:p.max], "<>")
	if stop < 0 || p.src[p.pos+1+stop] == '<' {
		return false
	}
	url := p.src[p.pos+1 : p.pos+1+stop]
	full := url
	if !absoluteURL.get().MatchString(url) {
		if !emailAddress.get().MatchString(url) {
			return false
		}
		full = "mailto:" + url
	}
	full = normalizeURL(full)
	if !allowedURL(full) {
		return false
	}
	if !silent {
		open := p.push(linkOpen, "")
		open.detail = &detail{info: full}
		open.flag = autolinked
		p.push(textToken, urlText(url))
		p.push(linkClose, "").flag = autolinked
	}
	p.pos += len(url) + 2
	return true
}

// The addresses in angle brackets, with a scheme or of e-mail, as in CommonMark.
var (
	absoluteURL  = pattern{expression: `^[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^<>\x00-\x20]*$`}
	emailAddress = pattern{expression: "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" + hostLabel + `(?:\.` + hostLabel + `)*$`}
)

const hostLabel = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`

// isFileURL reports the URL of a file that Outline stores, unless it asks to
// stay a link.
func isFileURL(href string) bool {
	return !strings.Contains(href, "display=link") &&
		(strings.HasPrefix(href, "/api/attachments.redirect") || strings.HasPrefix(href, "/api/files.get"))
}

// linksToFiles turns a paragraph that links to a stored file into an attachment
// or a video. All other text of the paragraph is lost. The last word of the
// link's first text is the size in bytes, or width x height.
func linksToFiles(list []token, drops *drops) []token {
	out := list[:0]
	inside := "" // the URL of the enclosing link, which continues after its paragraph
	for i := 0; i < len(list); i++ {
		file := token{}
		if i > 0 && i < len(list)-1 && list[i].kind == inlineToken && list[i-1].kind == paragraphOpen {
			children := list[i].children
			for j := 0; j < len(children)-1; j++ {
				switch t := &children[j]; {
				case t.kind == linkOpen:
					inside = t.info()
				case t.kind == linkClose:
					inside = ""
				case isFileURL(inside):
					file = fileToken(inside, t.content)
					drops.file(list[i].line, children, j, &file)
				}
				if file.kind != noToken {
					inside = ""
					break
				}
			}
		}
		if file.kind == noToken {
			out = append(out, list[i])
			continue
		}
		out[len(out)-1] = file // in place of the paragraph
		i++
	}
	return out
}

func fileToken(href, label string) token {
	title, size := "", label
	if at := strings.LastIndexByte(label, ' '); at >= 0 {
		title, size = label[:at], label[at+1:]
	}
	kind := attachmentToken
	if strings.Contains(size, "x") {
		kind = videoToken
	} else if size == "" {
		size = "0"
	}
	return token{kind: kind, content: title, detail: &detail{href, size}}
}

// A LinkedMention is a mention of a document or a collection, which Outline shows as
// a link. From its form, @[Label](mention://…), Outline makes a mention again.
type LinkedMention struct {
	Link string // as it is shown, [Label](/doc/…)

	node *Node
}

// LinkedMentions returns the mentions of documents and collections that a document holds,
// each link once, without those that stand for a link as well.
func LinkedMentions(doc *Node) (mentions []LinkedMention) {
	known := map[string]bool{}
	Walk(doc, func(n *Node) bool {
		if link, linked := n.Mark(Link); linked {
			known["["+n.Text+"]("+link.Attrs.String("href")+")"] = true
		}
		return true
	})
	Walk(doc, func(n *Node) bool {
		if n.Type != Mention {
			return true
		}
		if link := mentionMarkdown(n, Main); link[0] == '[' && n.Attrs.String("anchorId") == "" && !known[link] {
			known[link] = true
			mentions = append(mentions, LinkedMention{link, n})
		}
		return true
	})
	return mentions
}

// In returns Markdown with a new mention in place of its links, except in code and the
// like.
func (m LinkedMention) In(markdown string) string {
	const number = "00000000-0000-4000-8000-%012d"
	parts := strings.Split(markdown, m.Link)
	if len(parts) == 1 {
		return markdown
	}
	var numbered strings.Builder
	for i, part := range parts {
		if i > 0 {
			numbered.WriteString(mentionForm(m.node, fmt.Sprintf(number, i)))
		}
		numbered.WriteString(part)
	}
	become := map[string]bool{}
	Walk(Parse(numbered.String()), func(n *Node) bool {
		if n.Type == Mention {
			become[n.Attrs.String("id")] = true
		}
		return true
	})
	var out strings.Builder
	for i, part := range parts {
		switch {
		case i > 0 && become[fmt.Sprintf(number, i)] && !strings.HasSuffix(parts[i-1], "@"):
			out.WriteString(mentionForm(m.node, uuid.NewString()))
		case i > 0:
			out.WriteString(m.Link)
		}
		out.WriteString(part)
	}
	return out.String()
}

// mentionForm returns the Markdown of which Outline makes a mention, also of a document
// or a collection. It has no place for the heading that a mention points to.
func mentionForm(n *Node, id string) string {
	if id != "" {
		id += "/"
	}
	return "@[" + mentionLabel(n) + "](mention://" + id + scriptString(n, "type") + "/" + scriptString(n, "modelId") + ")"
}

// linksToMentions turns @[label](mention://…) into mentions.
func linksToMentions(children []token, dialect Dialect) []token {
	out := children[:0]
	for i := 0; i < len(children); i++ {
		t := children[i]
		if i+3 < len(children) && isMention(children[i:i+4], dialect) {
			t.content = strings.TrimSuffix(t.content, "@")
			out = append(out, t, token{kind: mentionToken, content: children[i+2].content, detail: children[i+1].detail})
			i += 3
		} else {
			out = append(out, t)
		}
	}
	return out
}

func isMention(chunk []token, dialect Dialect) bool {
	if chunk[0].kind != textToken || !strings.HasSuffix(chunk[0].content, "@") || chunk[1].kind != linkOpen ||
		chunk[2].content == "" || chunk[3].kind != linkClose {
		return false
	}
	parts := mentionURL.get().FindStringSubmatch(chunk[1].info())
	return parts != nil && (dialect != Until192 || parts[4] == "")
}

// mentionURL matches mention://id/type/model or mention://type/model. A model is an id, a
// date or a date and time such as 2024-02-03T13:00.
var mentionURL = pattern{expression: `^mention://(?:([a-z0-9-]+)/)?([a-z_]+)/([a-z0-9-]+(T[0-9]{2}:[0-9]{2})?)$`}
