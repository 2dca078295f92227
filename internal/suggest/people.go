package suggest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// mostOthers is how many people and templates are looked at, the longest page of
// Outline.
const mostOthers = 100

// people returns the active users whose name or e-mail address contains what is
// typed.
func (s *Source) people(ctx context.Context, typed string) (Found, error) {
	page, err := s.client.Users(ctx, outline.UserListParams{Query: typed, Sort: "name", Direction: "ASC", Limit: mostOthers})
	if errors.Is(err, outline.ErrForbidden) { // for guests, and without the scope
		return Found{}, nil
	}
	candidates := make([]Candidate, 0, len(page.Items))
	for _, user := range page.Items {
		name := output.OneLine(user.Name)
		candidates = append(candidates, Candidate{Value: name, ID: user.ID, Name: name})
	}
	addresses := map[string]string{}
	for _, user := range page.Items {
		addresses[user.ID] = output.OneLine(user.Email)
	}
	makeUnique(candidates, addresses)
	best := matching(candidates, typed)
	others := slices.DeleteFunc(candidates, func(c Candidate) bool { return c.rank(typed) < noMatch }) // by their addresses
	return Found{slices.Concat(best, others), page.Total > len(page.Items)}, err
}

// findTemplates returns the templates whose title contains what is typed. They come
// with their texts, so they are asked for once a minute, not with each letter.
func (s *Source) findTemplates(ctx context.Context, typed string, most extent) Found {
	names := most.places(ctx)
	templates := s.templates.Begin(ctx, func(ctx context.Context) ([]outline.Template, bool) {
		page, err := s.client.Templates(ctx, outline.TemplateParams{ListParams: outline.ListParams{Limit: mostOthers}})
		for i := range page.Items {
			page.Items[i].Tree = nil
		}
		return page.Items, err == nil || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound)
	})()
	if len(templates) == 0 {
		return Found{}
	}
	known := names()
	candidates := make([]Candidate, len(templates))
	for i, t := range templates {
		title := output.OneLine(t.Title)
		candidates[i] = Candidate{Value: title, ID: t.ID, Name: title, Place: known[t.CollectionID].Name}
	}
	makeUnique(candidates, nil)
	sortByName(candidates)
	return Found{matching(candidates, typed), len(templates) == mostOthers}
}

// makeUnique replaces values that several candidates have, and empty ones: by what
// others has for an ID, or by the ID.
func makeUnique(candidates []Candidate, others map[string]string) {
	count := map[string]int{}
	for _, c := range candidates {
		count[strings.ToLower(c.Value)]++
	}
	for i, c := range candidates {
		if c.Value == "" || count[strings.ToLower(c.Value)] > 1 {
			candidates[i].Value = cmp.Or(others[c.ID], c.ID)
		}
	}
}

func sortByName(candidates []Candidate) {
	sort.Slice(candidates, func(i, j int) bool {
		a, b := candidates[i], candidates[j]
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID)) < 0
	})
}
