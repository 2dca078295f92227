package suggest

import (
	"context"
	"path"
	"regexp"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// documents returns documents whose titles match or, if nothing is typed, those that
// were changed last.
func (s *Source) documents(ctx context.Context, kind Kind, typed string, most extent) (Found, error) {
	names := most.places(ctx)
	found, more, err := s.lookUp(ctx, kind, typed, most.documents)
	if err != nil || len(found) == 0 {
		return Found{}, err
	}
	known := names()
	candidates := make([]Candidate, len(found))
	for i, d := range found {
		candidates[i] = Candidate{Value: slugOf(d.ID, d.URL, outline.ParseDocumentID), ID: d.ID, Name: output.OneLine(d.Title), Place: known[d.CollectionID].Name}
	}
	return Found{matching(candidates, typed), more}, nil
}

func (s *Source) lookUp(ctx context.Context, kind Kind, typed string, most int) (found []outline.DocumentSummary, more bool, _ error) {
	switch {
	case kind == Archived:
		page, err := s.client.ArchivedDocuments(ctx, outline.ArchivedParams{Limit: most})
		return page.Items, len(page.Items) == most, err
	case kind == Deleted:
		page, err := s.client.DeletedDocuments(ctx, outline.ListParams{Limit: most})
		return page.Items, len(page.Items) == most, err
	case typed == "":
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
		found = append(found, hit.Document)
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
	longest := ""
	for _, word := range words {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}

// slugOf returns the slug at the end of a path, or the ID if that is none.
func slugOf(id, url string, parse func(string) (string, error)) string {
	slug := path.Base(url)
	if _, err := parse(slug); err != nil {
		return id
	}
	return slug
}

// findCollections returns the collections that the caller sees, by name.
func (s *Source) findCollections(ctx context.Context, typed string) Found {
	known := s.collections.Begin(ctx)()
	candidates := make([]Candidate, 0, len(known))
	for id, c := range known {
		candidates = append(candidates, Candidate{Value: slugOf(id, c.Slug, outline.ParseCollectionID), ID: id, Name: c.Name})
	}
	sortByName(candidates)
	return Found{matching(candidates, typed), len(known) == mcptool.MostCollections}
}
