package mcptool

import (
	"cmp"
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// documents returns documents whose titles match or, if nothing is typed, those that
// were changed last.
func (s *Suggestions) documents(ctx context.Context, typed string) (candidates, error) {
	found, more, err := s.lookUp(ctx, typed, mostDocuments)
	if err != nil || len(found) == 0 {
		return candidates{}, err
	}
	list := make([]candidate, len(found))
	for i, d := range found {
		list[i] = candidate{value: slugOf(d.ID, d.URL, outline.ParseDocumentID), id: d.ID, name: output.OneLine(d.Title)}
	}
	return candidates{matching(list, typed), more}, nil
}

func (s *Suggestions) lookUp(ctx context.Context, typed string, most int) (found []outline.DocumentSummary, more bool, _ error) {
	if typed == "" {
		page, err := s.client.Documents(ctx, outline.DocumentListParams{Limit: most})
		return page.Items, page.More, err
	}
	if query := queryFor(typed); query != "" {
		page, err := s.client.TitlesLike(ctx, outline.SearchParams{Query: query, Limit: most})
		if err == nil && len(page.Items) > 0 || ctx.Err() != nil {
			return page.Items, len(page.Items) == most, err
		}
	}
	// The title has other characters between the words, the key lacks the scope for
	// titles, or it is the beginning of a UUID.
	query := strings.Join(wordsOf(typed), " ")
	if beginsUUID().MatchString(typed) {
		query = "" // which lists documents
	} else if query == "" {
		return nil, false, nil
	}
	page, err := s.client.Search(ctx, outline.SearchParams{Query: query, Limit: most})
	for _, hit := range page.Items {
		found = append(found, hit.Document.DocumentSummary)
	}
	return found, page.Total > len(page.Items), err
}

// beginsUUID matches what is not a word that people type.
var beginsUUID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]*[0-9][0-9a-f]*(-[0-9a-f-]*)?$`) })

// queryFor returns what to look for in titles. Outline finds titles that contain a
// text, so of a slug, which has hyphens in place of what is between the words, only
// the longest word is of use.
func queryFor(typed string) string {
	if strings.ContainsRune(typed, ' ') || !strings.ContainsRune(typed, '-') {
		return typed
	}
	words := strings.Split(typed, "-")
	if _, err := outline.ParseDocumentID(typed); err == nil {
		words = words[:len(words)-1] // the URL id is not in the title
	}
	return slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// slugOf returns the slug at the end of a path, or the ID if there is no slug.
func slugOf(id, url string, parse func(string) (string, error)) string {
	slug := path.Base(url)
	if _, err := parse(slug); err != nil {
		return id
	}
	return slug
}

// findCollections returns the collections that the caller sees, by name.
func (s *Suggestions) findCollections(ctx context.Context, typed string) candidates {
	known := s.collections.Begin(ctx)()
	list := make([]candidate, 0, len(known))
	for id, c := range known {
		list = append(list, candidate{value: slugOf(id, c.Slug, outline.ParseCollectionID), id: id, name: c.Name})
	}
	sortByName(list)
	return candidates{matching(list, typed), len(known) == mostCollections}
}

// mostOthers is how many people and templates are looked at, the longest page of
// Outline.
const mostOthers = 100

// people returns the active users whose name or e-mail address contains what is
// typed.
func (s *Suggestions) people(ctx context.Context, typed string) (candidates, error) {
	page, err := s.client.Users(ctx, outline.UserListParams{Query: typed, Sort: "name", Direction: "ASC", Limit: mostOthers})
	if errors.Is(err, outline.ErrForbidden) { // for guests, and without the scope
		return candidates{}, nil
	}
	list, addresses := make([]candidate, len(page.Items)), map[string]string{}
	for i, user := range page.Items {
		name := output.OneLine(user.Name)
		list[i], addresses[user.ID] = candidate{value: name, id: user.ID, name: name}, output.OneLine(user.Email)
	}
	makeUnique(list, addresses)
	best := matching(list, typed)
	others := slices.DeleteFunc(list, func(c candidate) bool { return c.rank(typed) < noMatch }) // by their addresses
	return candidates{slices.Concat(best, others), page.Total > len(page.Items)}, err
}

// findTemplates returns the templates whose title contains what is typed. They come
// with their texts, so they are asked for once a minute, not with each letter.
func (s *Suggestions) findTemplates(ctx context.Context, typed string) candidates {
	templates := s.templates.Begin(ctx, func(ctx context.Context) ([]outline.Template, bool) {
		page, err := s.client.Templates(ctx, outline.TemplateParams{ListParams: outline.ListParams{Limit: mostOthers}})
		for i := range page.Items {
			page.Items[i].Tree = nil
		}
		return page.Items, err == nil || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound)
	})()
	if len(templates) == 0 {
		return candidates{}
	}
	list := make([]candidate, len(templates))
	for i, t := range templates {
		title := output.OneLine(t.Title)
		list[i] = candidate{value: title, id: t.ID, name: title}
	}
	makeUnique(list, nil)
	sortByName(list)
	return candidates{matching(list, typed), len(templates) == mostOthers}
}

// makeUnique replaces values that several candidates have, and empty ones: by what
// others has for an ID, or by the ID.
func makeUnique(list []candidate, others map[string]string) {
	count := map[string]int{}
	for _, c := range list {
		count[strings.ToLower(c.value)]++
	}
	for i, c := range list {
		if c.value == "" || count[strings.ToLower(c.value)] > 1 {
			list[i].value = cmp.Or(others[c.id], c.id)
		}
	}
}

func sortByName(list []candidate) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return cmp.Or(strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), strings.Compare(a.id, b.id)) < 0
	})
}

// matching returns the candidates that a text can mean, the best first: those whose
// name is the text, those whose name begins with it, and those that contain all of
// its words. A candidate can also be meant by the beginning of its ID.
func matching(list []candidate, typed string) []candidate {
	var byRank [noMatch][]candidate
	for _, c := range list {
		if rank := c.rank(typed); rank < noMatch {
			byRank[rank] = append(byRank[rank], c)
		}
	}
	return slices.Concat(byRank[:]...)
}

const noMatch = 4

// rank returns how well a text matches, from 0, the best, to noMatch.
func (c candidate) rank(typed string) int {
	if typed == "" {
		return 0
	}
	name, typed := strings.ToLower(c.name), strings.ToLower(typed)
	slug := strings.ToLower(c.value)
	switch {
	case name == typed, slug == typed, c.id == typed:
		return 0
	case strings.HasPrefix(name, typed), strings.HasPrefix(slug, typed), strings.HasPrefix(c.id, typed):
		return 1
	}
	// The slug has the title without accents, too.
	all := " " + strings.Join(wordsOf(name+" "+slug), " ")
	words := wordsOf(typed)
	if len(words) == 0 && !strings.Contains(name, typed) {
		return noMatch
	}
	rank := 2
	for _, word := range words {
		switch {
		case strings.Contains(all, " "+word):
		case strings.Contains(all, word):
			rank = 3
		default:
			return noMatch
		}
	}
	return rank
}

// wordsOf returns the runs of letters, marks and digits of a text.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}
