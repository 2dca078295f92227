package completion

import (
	"context"
	"path"
	"strings"
	"time"
	"unicode"

	"outline-mcp/outline"
)

// kind is what an ID identifies.
type kind string

// The kinds that have titles. Arguments name those of documents that are not
// active in their names tag.
const (
	documents   kind = "document"
	archived    kind = "archived document"
	trashed     kind = "deleted document"
	collections kind = "collection"
)

// title is a document or collection as a person picks it.
type title struct {
	ID   string // UUID
	Slug string // e.g. deploy-guide-1FF9VyHA4X; tools accept it as an ID too
	Name string
}

// idFor returns the form of the ID that begins with what is typed: the slug,
// which begins with the title and so can be typed, or the UUID. It returns ""
// if neither does, or if a shell would have to quote it: no ID is like that.
func (t title) idFor(typed string) string {
	for _, id := range []string{t.Slug, t.ID} {
		if id != "" && strings.HasPrefix(id, typed) && !strings.ContainsFunc(id, needsQuotes) {
			return id
		}
	}
	return ""
}

func needsQuotes(r rune) bool {
	return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

const (
	// titlesTimeout is how long a person who pressed Tab waits for Outline.
	titlesTimeout = 1500 * time.Millisecond
	// maxTitles is how many documents are offered. Nobody picks from more.
	maxTitles = 50
	// maxCollections is how many collections are offered.
	maxCollections = 100
)

// titles returns documents or collections to pick from: those whose titles
// contain the words typed so far or, if nothing is typed, as Outline lists
// them. It makes one request, or a second one if Outline does not look up
// titles, and does not retry. On an error it returns what it has.
func titles(ctx context.Context, client *outline.Client, kind kind, typed string) []title {
	ctx, cancel := context.WithTimeout(ctx, titlesTimeout)
	defer cancel()
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	switch kind {
	case collections:
		found, _ := client.Collections(ctx, outline.ListParams{Limit: maxCollections})
		return convert(found.Items, func(c outline.Collection) title { return title{c.ID, path.Base(c.URL), c.Name} })
	case archived:
		found, _ := client.ArchivedDocuments(ctx, outline.ArchivedParams{Limit: maxTitles})
		return convert(found.Items, titleOf)
	case trashed:
		found, _ := client.DeletedDocuments(ctx, outline.ListParams{Limit: maxTitles})
		return convert(found.Items, titleOf)
	}
	if words := strings.ReplaceAll(typed, "-", " "); strings.TrimSpace(words) != "" {
		if found := titlesLike(ctx, client, words); len(found) > 0 {
			return found
		}
	}
	// Without words a search is a list.
	found, _ := client.Search(ctx, outline.SearchParams{Limit: maxTitles})
	return convert(found.Items, func(hit outline.SearchHit) title { return titleOf(hit.Document) })
}

// titlesLike returns the documents whose titles contain the words; none if
// Outline does not tell.
func titlesLike(ctx context.Context, client *outline.Client, words string) []title {
	var found []title
	for document, err := range client.SearchTitles(ctx, outline.SearchParams{Query: words}) {
		if err != nil {
			return nil
		}
		if found = append(found, titleOf(document)); len(found) == maxTitles {
			break
		}
	}
	return found
}

func titleOf(d outline.DocumentSummary) title { return title{d.ID, path.Base(d.URL), d.Title} }

func convert[T any](items []T, to func(T) title) []title {
	titles := make([]title, 0, len(items))
	for _, item := range items {
		titles = append(titles, to(item))
	}
	return titles
}
