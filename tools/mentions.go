package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// mentionSign is how a text mentions somebody: @[Name] or @[e-mail]. With an address
// behind it, it is Outline's own form of a mention, which stays as it is.
var mentionSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\[([^\[\]\n]{1,200})\](\(?)`) })

// mostMentions is how many mentions a text may hold that have to be looked up.
const mostMentions = 50

// withMentions returns a text in which each @[Name] is a mention in Outline's form,
// @[Name](mention://ID/user/USER). parse is what Outline makes of the text: what does
// not become a mention there, as in code, stays as it is, and so does what would be
// part of a link, and the literal ones. It fails if a name or an e-mail address is not that of exactly one
// user.
func withMentions(ctx context.Context, env mcptool.Env, text string, parse func(string) *prosemirror.Node, literal ...string) (string, error) {
	if !strings.Contains(text, "@[") {
		return text, nil
	}
	const nobody = "00000000-0000-4000-8000-%012d"
	number := func(form string) string {
		count := 0
		return replaceMentions(text, func(string) string {
			count++
			return strings.ReplaceAll(form, "ID", fmt.Sprintf(nobody, count))
		})
	}
	drafted := number("@[x](mention://ID/user/ID)")
	if drafted == text {
		return text, nil
	}
	become := map[string]bool{}
	prosemirror.Walk(parse(drafted), func(n *prosemirror.Node) bool {
		if n.Type == prosemirror.Mention {
			become[n.Attrs.String("modelId")] = true
		}
		return true
	})
	// A mention in the text of a link would end the link.
	prosemirror.Walk(parse(number("@[ID]")), func(n *prosemirror.Node) bool {
		if _, linked := n.Mark(prosemirror.Link); linked {
			for _, sign := range mentionSign().FindAllStringSubmatch(n.Text, -1) {
				delete(become, sign[1])
			}
		}
		return true
	})
	people, at, err := map[string]outline.User{}, 0, error(nil)
	written := replaceMentions(text, func(name string) string {
		at++
		sign := "@[" + name + "]"
		if err != nil || !become[fmt.Sprintf(nobody, at)] || slices.Contains(literal, sign) {
			return sign
		}
		user, known := people[name]
		if !known {
			if len(people) == mostMentions {
				err = output.Invalid("nothing was written: the text mentions more than %d people", mostMentions)
				return sign
			}
			if user, err = mentioned(ctx, env, name); err != nil {
				var failure output.Failure
				if errors.As(err, &failure) {
					failure.Sentence += ` To keep it as text, write \@[…].`
					err = failure
				}
				return sign
			}
			people[name] = user
		}
		label := strings.NewReplacer("[", "", "]", "", `\`, "").Replace(output.OneLine(user.Name))
		return fmt.Sprintf("@[%s](mention://%s/user/%s)", label, env.NewID(), user.ID)
	})
	return written, err
}

// withNewMentions is withMentions for the new text of an edit, which becomes what it is
// where it stands in the document: text in a code block, for example. What the old
// text holds in the same form is not a mention, and stays as it is.
func withNewMentions(ctx context.Context, env mcptool.Env, document string, edit textEdit) (string, error) {
	parse := prosemirror.Parse
	if edit.OldText != "" && strings.Count(document, edit.OldText) == 1 {
		parse = func(text string) *prosemirror.Node {
			return prosemirror.Parse(strings.Replace(document, edit.OldText, text, 1))
		}
	}
	var literal []string
	replaceMentions(edit.OldText, func(name string) string {
		literal = append(literal, "@["+name+"]")
		return ""
	})
	return withMentions(ctx, env, edit.NewText, parse, literal...)
}

// replaceMentions replaces each @[Name] that has no address behind it. One that
// follows a letter or a digit is part of an e-mail address, user@[192.0.2.1].
func replaceMentions(text string, with func(name string) string) string {
	var out strings.Builder
	last := 0
	for _, m := range mentionSign().FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		if m[4] < m[5] || unicode.IsLetter(before) || unicode.IsDigit(before) || strings.TrimSpace(text[m[2]:m[3]]) == "" {
			continue
		}
		out.WriteString(text[last:m[0]])
		out.WriteString(with(text[m[2]:m[3]]))
		last = m[1]
	}
	return out.String() + text[last:]
}

// mentioned returns the one user who has a name or an e-mail address. Part of a name
// is not enough: it could be somebody else's.
func mentioned(ctx context.Context, env mcptool.Env, name string) (outline.User, error) {
	const argument, byID = "nothing was written: @[…] in the text", "@[Name](mention://user/UUID)"
	if outline.IsUUID(strings.TrimSpace(name)) {
		return outline.User{}, output.Invalid("%s takes a name or an e-mail address, not a UUID: for that, write %s.", argument, byID)
	}
	user, err := findPerson(ctx, env, argument, byID, name)
	if err != nil {
		return user, err
	}
	if !strings.EqualFold(output.OneLine(user.Name), output.OneLine(name)) && !strings.EqualFold(user.Email, name) &&
		!(user.Email == "" && strings.Contains(name, "@")) {
		return user, output.Failure{Code: output.NotFound,
			Sentence: fmt.Sprintf("%s: no user has the name or e-mail address %s. The nearest is %s.", argument, output.Quote(output.Excerpt(name, longestTitle)), people([]outline.User{user}))}
	}
	return user, nil
}
