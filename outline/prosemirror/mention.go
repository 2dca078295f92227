package prosemirror

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

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
		if link := mentionMarkdown(n); link[0] == '[' && n.Attrs.String("anchorId") == "" && !known[link] {
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
func linksToMentions(children []token) []token {
	out := children[:0]
	for i := 0; i < len(children); i++ {
		t := children[i]
		if i+3 < len(children) && isMention(children[i:i+4]) {
			t.content = strings.TrimSuffix(t.content, "@")
			out = append(out, t, token{kind: mentionToken, content: children[i+2].content, detail: children[i+1].detail})
			i += 3
		} else {
			out = append(out, t)
		}
	}
	return out
}

func isMention(chunk []token) bool {
	if chunk[0].kind != textToken || !strings.HasSuffix(chunk[0].content, "@") || chunk[1].kind != linkOpen ||
		chunk[2].content == "" || chunk[3].kind != linkClose {
		return false
	}
	return mentionURL.get().MatchString(chunk[1].info())
}

// mentionURL matches mention://id/type/model or mention://type/model. A model is an id, a
// date or a date and time such as 2024-02-03T13:00.
var mentionURL = pattern{expression: `^mention://(?:([a-z0-9-]+)/)?([a-z_]+)/([a-z0-9-]+(?:T[0-9]{2}:[0-9]{2})?)$`}
