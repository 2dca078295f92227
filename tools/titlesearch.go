package tools

import (
	"context"
	"errors"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func getDocumentIDFromTitle() mcptool.Tool {
	return mcptool.Spec[titleIn, titleMatches]{
		Name:        "get_document_id_from_title",
		Title:       "Find document by title",
		Description: "Finds published Outline documents by their title or a part of it, exact matches first.",
		Endpoints:   []string{"documents.search_titles", "documents.search"},
		AnyEndpoint: true,
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in titleIn) (titleMatches, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return titleMatches{}, err
			}
			names := env.Collections.Begin(ctx)
			documents, more, err := matchTitles(ctx, env, outline.SearchParams{Query: in.Query, CollectionID: collection})
			if err != nil {
				return titleMatches{}, err
			}
			var same, others []outline.DocumentSummary
			for _, d := range documents {
				if strings.EqualFold(output.OneLine(d.Title), output.OneLine(in.Query)) {
					same = append(same, d)
				} else {
					others = append(others, d)
				}
			}
			documents = append(same, others...)
			known := names()
			if in.Offset == 0 {
				if chosen, err := chooseDocument(env, in.Query, same, known); err != nil || chosen.Results != nil {
					return chosen, err
				}
			}
			matches := titleMatches{Query: in.Query, Total: len(documents), HasMore: more, offset: in.Offset}
			matches.Results = entriesOf(pageOf(documents, in.paging), func(d outline.DocumentSummary) titleMatch {
				return titleMatch{nameOf(d), homeOf(known, d.CollectionID)}
			})
			matches.show(len(matches.Results))
			if matches.Total == 0 && env.Outline.UnlistedCollection(ctx) != "" {
				matches.Note = notListedYet
			}
			return matches, nil
		},
	}
}

// maxTitleMatches is the maximum number of matches that are sorted. A query
// with more matches does not identify a document.
const maxTitleMatches = 500

// matchTitles searches titles. It falls back to the full-text search if the key
// lacks the scope for search_titles, which Outline counts as a write, or the
// server is too old for it. more reports that there are further matches.
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

// matchText searches the text and returns the documents among the first hundred
// whose title matches.
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
	Query        string `json:"query" maxLength:"1000"`
	CollectionID string `json:"collection_id,omitempty"`
	paging
}

type titleMatch struct {
	documentName
	home
}

func (m titleMatch) write(t *output.Text) {
	t.Printf("%s%s", m.documentName, m.inShort())
}

type titleMatches struct {
	Results    []titleMatch `json:"results"`
	Query      string       `json:"query"`
	Count      int          `json:"count"`
	Total      int          `json:"total"`
	HasMore    bool         `json:"has_more,omitempty" jsonschema:"There may be matches beyond total"`
	NextOffset int          `json:"next_offset,omitempty"`
	Note       string       `json:"note,omitempty"`

	offset int
}

func (m *titleMatches) show(n int) {
	m.Count, m.NextOffset = n, nextOffset(m.offset, n, m.Total)
}

func (m *titleMatches) Cuts() []output.Cut { return cutEntries(&m.Results, m.show) }

func (m titleMatches) WriteText(t *output.Text) {
	writeList(t, output.Count(m.Total, "match", "matches")+" for the title "+output.Quote(m.Query)+shown(m.offset, m.Count, m.Total),
		"Each line: title, document_id in collection", m.Results)
	switch {
	case m.Total == 0:
		t.Advice("No title matches[: search the text with search_documents].")
	case m.Count == 0:
		writePastTheEnd(t, m.offset, m.Total)
	}
	t.If(m.Note != "").Line("Note: %s.", m.Note)
	writeHomes(t, entriesOf(m.Results, func(m titleMatch) home { return m.home }))
	if m.HasMore {
		t.Blank()
		t.Advice("There may be more than these %d: give more of the title[, or use search_documents].", m.Total)
	}
	writeNextOffset(t, m.NextOffset)
}
