package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func titleTools() []mcptool.Tool {
	return []mcptool.Tool{getDocumentIDFromTitle()}
}

func getDocumentIDFromTitle() mcptool.Tool {
	return mcptool.Spec[titleIn, titleMatches]{
		Name:        "get_document_id_from_title",
		Title:       "Find document by title",
		Description: "Returns published documents whose title matches, an exact one first. To find text use search_documents.",
		Group:       Search,
		Endpoints:   []string{"documents.search_titles", "documents.search"},
		AnyEndpoint: true,
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in titleIn) (titleMatches, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return titleMatches{}, err
			}
			documents, more, err := matchTitles(ctx, env, outline.SearchParams{Query: in.Query, CollectionID: collection})
			if err != nil {
				return titleMatches{}, err
			}
			exact := func(d outline.DocumentSummary) int {
				if strings.EqualFold(output.OneLine(d.Title), output.OneLine(in.Query)) {
					return 0
				}
				return 1
			}
			slices.SortStableFunc(documents, func(a, b outline.DocumentSummary) int { return exact(a) - exact(b) })
			matches := titleMatches{Query: in.Query, Results: []titleMatch{}, offset: in.Offset, Total: len(documents), HasMore: more}
			for _, d := range documents[min(in.Offset, len(documents)):] {
				if len(matches.Results) < in.Limit {
					matches.Results = append(matches.Results, titleMatch{d.ID, d.Title, d.CollectionID})
				}
			}
			return matches.first(len(matches.Results)), nil
		},
	}
}

// maxTitleMatches bounds how many matches are put in order: a title that
// matches more documents is no title to look one up by.
const maxTitleMatches = 500

// matchTitles asks Outline for titles. A key without the scope for
// search_titles, which Outline counts among the writing methods, and a server
// that does not know it yet, fall back to the full-text search. more says that
// there are matches that were not looked at.
func matchTitles(ctx context.Context, env mcptool.Env, params outline.SearchParams) (documents []outline.DocumentSummary, more bool, _ error) {
	for document, err := range env.Outline.SearchTitles(ctx, params) {
		if errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound) {
			return matchText(ctx, env, params)
		}
		if err != nil {
			return nil, false, err
		}
		if len(documents) == maxTitleMatches {
			return documents, true, nil
		}
		documents = append(documents, document)
	}
	return documents, false, nil
}

// matchText returns those of the first hundred hits whose title matches.
func matchText(ctx context.Context, env mcptool.Env, params outline.SearchParams) (documents []outline.DocumentSummary, more bool, _ error) {
	params.Limit = 100
	page, err := env.Outline.Search(ctx, params)
	if err != nil {
		return nil, false, err
	}
	wanted := strings.ToLower(output.OneLine(params.Query))
	for _, hit := range page.Items {
		if strings.Contains(strings.ToLower(output.OneLine(hit.Document.Title)), wanted) {
			documents = append(documents, hit.Document)
		}
	}
	return documents, page.Total > len(page.Items), nil
}

type titleIn struct {
	Query        string `json:"query" maxLength:"1000" jsonschema:"A title or part of one"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Only in this collection"`
	Limit        int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset       int    `json:"offset,omitempty" minimum:"0"`
}

type titleMatch struct {
	DocumentID   string `json:"document_id" format:"uuid"`
	Title        string `json:"title"`
	CollectionID string `json:"collection_id,omitempty" format:"uuid"`
}

type titleMatches struct {
	Results    []titleMatch `json:"results"`
	Query      string       `json:"query"`
	Count      int          `json:"count"`
	Total      int          `json:"total"`
	HasMore    bool         `json:"has_more,omitempty" jsonschema:"There may be matches beyond total"`
	NextOffset int          `json:"next_offset,omitempty"`

	offset int
}

func (m titleMatches) first(n int) titleMatches {
	m.Results, m.Count = m.Results[:n], n
	m.NextOffset = nextOffset(m.offset, n, m.Total)
	return m
}

// Units counts matches.
func (m titleMatches) Units() int { return len(m.Results) }

// Cut implements output.Cuttable.
func (m titleMatches) Cut(n int) output.Result { return m.first(n) }

// WriteText implements output.Result.
func (m titleMatches) WriteText(t *output.Text) {
	t.Line("# %s for the title %s%s", output.Count(m.Total, "match", "matches"), output.Quote(m.Query), shown(m.offset, m.Count, m.Total))
	if m.Count > 0 {
		t.Line("Each line: title, document_id in collection_id")
	}
	t.Blank()
	for _, match := range m.Results {
		t.Printf("- %s %s", titleOf(match.Title), match.DocumentID)
		if match.CollectionID != "" {
			t.Printf(" in %s", match.CollectionID)
		}
		t.Blank()
	}
	if m.Total == 0 {
		t.Line("No title matches: search the text with search_documents.")
	}
	if m.HasMore {
		t.Blank()
		t.Line("There may be more than these %d: give more of the title, or use search_documents.", m.Total)
	}
	writeNextOffset(t, m.NextOffset)
}
