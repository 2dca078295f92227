package app

import (
	"context"
	"path"
	"strings"

	"outline-mcp/outline"
)

// Kind is what an argument of a tool names.
type Kind string

// The kinds of which Titles knows the titles.
const (
	Documents  Kind = "document"
	Archived   Kind = "archived document"
	Trashed    Kind = "document in the trash"
	Collection Kind = "collection"
)

// Title is a document or collection as a person picks it.
type Title struct {
	ID   string // UUID
	Slug string // e.g. deploy-guide-1FF9VyHA4X; tools take it as an ID, too
	Name string
}

// titlesLimit is how many titles are offered. Nobody picks from more.
const titlesLimit = 50

// Titles returns documents or collections to pick from, as the server's own
// key sees them: those whose titles hold the words typed so far or, when
// nothing is typed, as Outline lists them. It makes one request, or a second
// one where Outline does not look up titles, and repeats none.
func (a *App) Titles(ctx context.Context, kind Kind, typed string) ([]Title, error) {
	ctx = outline.WithCallOptions(a.AsOperator(ctx), outline.NoRetries())
	client := a.outline.client
	page := outline.ListParams{Limit: titlesLimit}
	switch kind {
	case Collection:
		page.Limit = 100
		found, err := client.Collections(ctx, page)
		return titlesOf(found.Items, func(c outline.Collection) Title { return Title{c.ID, path.Base(c.URL), c.Name} }), err
	case Archived:
		found, err := client.ArchivedDocuments(ctx, outline.ArchivedParams{Limit: page.Limit})
		return titlesOf(found.Items, titleOf), err
	case Trashed:
		found, err := client.DeletedDocuments(ctx, page)
		return titlesOf(found.Items, titleOf), err
	}
	if words := strings.ReplaceAll(typed, "-", " "); strings.TrimSpace(words) != "" {
		if found, err := titlesLike(ctx, client, words); err == nil && len(found) > 0 {
			return found, nil
		}
	}
	// Without words a search is a list.
	found, err := client.Search(ctx, outline.SearchParams{Limit: titlesLimit})
	return titlesOf(found.Items, func(hit outline.SearchHit) Title { return titleOf(hit.Document) }), err
}

func titlesLike(ctx context.Context, client *outline.Client, words string) ([]Title, error) {
	var found []Title
	for document, err := range client.SearchTitles(ctx, outline.SearchParams{Query: words}) {
		if err != nil {
			return found, err
		}
		if found = append(found, titleOf(document)); len(found) == titlesLimit {
			break
		}
	}
	return found, nil
}

func titleOf(d outline.DocumentSummary) Title { return Title{d.ID, path.Base(d.URL), d.Title} }

func titlesOf[T any](items []T, title func(T) Title) []Title {
	titles := make([]Title, 0, len(items))
	for _, item := range items {
		titles = append(titles, title(item))
	}
	return titles
}
