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

// mentionSign is how a text mentions a person, @[Name] or @[e-mail], or a document or a
// collection, @[Title] or @[Title](/doc/…). With another address behind it, such as that of
// Outline's own form of a mention, it stays as it is.
var mentionSign = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`@\[([^\[\]\n]{1,200})\](?:\(((?:https?://[^\s()/]+)?/(?:doc|collection)/[^\s()]+)\)|(\())?`)
})

// mostMentions is how many mentions a text may hold that have to be looked up.
const mostMentions = 50

// withMentions returns a text in which each @[Name] is a mention in Outline's form,
// @[Name](mention://ID/user/USER). parse is what Outline makes of the text: what does
// not become a mention there, as in code, stays as it is, and so does what would be
// part of a link, and the literal ones. It fails if a name is not that of exactly one user,
// document or collection.
func withMentions(ctx context.Context, env mcptool.Env, text string, parse func(string) *prosemirror.Node, literal ...string) (string, error) {
	if !strings.Contains(text, "@[") {
		return text, nil
	}
	const nobody = "00000000-0000-4000-8000-%012d"
	number := func(form string) string {
		count := 0
		return replaceMentions(text, func(_, _, _ string) string {
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
	known, at, err := map[string]mention{}, 0, error(nil)
	written := replaceMentions(text, func(sign, name, address string) string {
		at++
		if err != nil || !become[fmt.Sprintf(nobody, at)] || slices.Contains(literal, sign) {
			return sign
		}
		m, found := known[sign]
		if !found {
			if len(known) == mostMentions {
				err = output.Invalid("nothing was written: the text mentions more than %d people or pages", mostMentions)
				return sign
			}
			if m, err = mentioned(ctx, env, name, address); err != nil {
				var failure output.Failure
				if errors.As(err, &failure) {
					failure.Sentence += ` To keep it as text, write \@[…].`
					err = failure
				}
				return sign
			}
			known[sign] = m
		}
		return m.markdown(env)
	})
	return written, err
}

// signsIn returns the mentions of a text as they are written.
func signsIn(text string) (signs []string) {
	replaceMentions(text, func(sign, _, _ string) string {
		signs = append(signs, sign)
		return ""
	})
	return signs
}

// withNewMentions is withMentions for the new text of an edit, which becomes what it is
// where it stands in the document: text in a code block, for example. What the old
// text holds in the same form is not a mention, and stays as it is.
func withNewMentions(ctx context.Context, env mcptool.Env, document string, edit textEdit) (string, error) {
	parse := prosemirror.Parse
	document = asRead(document, edit.OldText)
	if n := strings.Count(document, edit.OldText); edit.OldText != "" && (n == 1 || edit.AllOccurrences) {
		if strings.Contains(edit.NewText, "@[") && n != 1 {
			return "", output.Invalid("nothing was written: new_text with a mention, @[…], can replace one occurrence of old_text, not several. Write one edit for each, or leave out all_occurrences")
		}
		parse = func(text string) *prosemirror.Node {
			return prosemirror.Parse(strings.Replace(document, edit.OldText, text, 1))
		}
	}
	return withMentions(ctx, env, edit.NewText, parse, signsIn(edit.OldText)...)
}

// replaceMentions replaces each @[Name] that has no other address behind it than that of a
// page. One that follows a letter or a digit is part of an e-mail address,
// user@[192.0.2.1].
func replaceMentions(text string, with func(sign, name, address string) string) string {
	var out strings.Builder
	last := 0
	for _, m := range mentionSign().FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		if m[6] >= 0 || unicode.IsLetter(before) || unicode.IsDigit(before) || strings.TrimSpace(text[m[2]:m[3]]) == "" {
			continue
		}
		address := ""
		if m[4] >= 0 {
			address = text[m[4]:m[5]]
		}
		out.WriteString(text[last:m[0]])
		out.WriteString(with(text[m[0]:m[1]], text[m[2]:m[3]], address))
		last = m[1]
	}
	return out.String() + text[last:]
}

// A mention is what a text mentions: a user, a document or a collection.
type mention struct{ kind, id, label, url string }

// markdown returns the mention in Outline's form.
func (m mention) markdown(env mcptool.Env) string {
	label := strings.NewReplacer("[", "", "]", "", `\`, "").Replace(output.OneLine(m.label))
	return fmt.Sprintf("@[%s](mention://%s/%s/%s)", label, env.NewID(), m.kind, m.id)
}

// mentioned returns what a name or an address stands for: a user who has the name or the
// e-mail address or, if nobody has it, the document or collection with the title.
func mentioned(ctx context.Context, env mcptool.Env, name, address string) (mention, error) {
	if address != "" {
		return mentionedAt(ctx, env, address)
	}
	user, err := mentionedUser(ctx, env, name)
	failure, failed := errors.AsType[output.Failure](err)
	switch {
	case err == nil:
		return mention{kind: "user", id: user.ID, label: user.Name}, nil
	case !failed || failure.Code == output.Forbidden || outline.IsUUID(strings.TrimSpace(name)):
		return mention{}, err
	}
	if failure.Code == output.InvalidArguments { // several
		if like, likeErr := usersLike(ctx, env, name); likeErr != nil || slices.ContainsFunc(like, func(u outline.User) bool { return strings.EqualFold(output.OneLine(u.Name), output.OneLine(name)) }) {
			return mention{}, err
		}
	}
	pages, pagesErr := pagesCalled(ctx, env, name)
	switch {
	case pagesErr != nil:
		return mention{}, pagesErr
	case len(pages) == 1:
		return pages[0], nil
	case len(pages) > 1:
		return mention{}, output.Invalid("nothing was written: @[%s] in the text is the title of several pages. Write one of them with its address: %s.", output.OneLine(name),
			firstOf(pages, mostPeople, ", ", "", func(m mention) string {
				return fmt.Sprintf("@[%s](/%s/%s)", output.OneLine(m.label), strings.TrimSuffix(m.kind, "ument"), m.id)
			}))
	}
	if failure.Code == output.NotFound {
		failure.Sentence += " No document or collection that this key can see has this title either."
	}
	return mention{}, failure
}

// mentionedAt returns the document or collection with an address.
func mentionedAt(ctx context.Context, env mcptool.Env, address string) (m mention, err error) {
	if strings.Contains(address, "/collection/") {
		var id string
		var collection outline.Collection
		if id, err = env.Outline.ParseCollectionID(address); err == nil {
			collection, err = env.Outline.Collection(ctx, id)
		}
		m = mention{kind: "collection", id: collection.ID, label: collection.Name}
	} else {
		var document outline.Document
		document, err = fetchDocument(ctx, env, address)
		m = mention{kind: "document", id: document.ID, label: document.Title}
	}
	if err != nil {
		failure := output.Error(err)
		failure.Sentence = fmt.Sprintf("nothing was written: @[…](%s) in the text: %s", output.Excerpt(address, 200), failure.Sentence)
		return m, failure
	}
	return m, nil
}

// pagesCalled returns the documents and collections that have a title, in any case.
func pagesCalled(ctx context.Context, env mcptool.Env, title string) (pages []mention, err error) {
	same := func(other string) bool { return strings.EqualFold(output.OneLine(other), output.OneLine(title)) }
	names := env.Collections.Begin(ctx)
	documents, _, err := matchTitles(ctx, env, outline.SearchParams{Query: title})
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		if same(d.Title) {
			pages = append(pages, mention{"document", d.ID, d.Title, d.URL})
		}
	}
	for id, collection := range names() {
		if same(collection.Name) {
			pages = append(pages, mention{kind: "collection", id: id, label: collection.Name})
		}
	}
	return pages, nil
}

// mentionedUser returns the one user who has a name or an e-mail address. Part of a name
// is not enough: it could be another user's.
func mentionedUser(ctx context.Context, env mcptool.Env, name string) (outline.User, error) {
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
