package tools

import (
	"context"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

func backlinkTools() []mcptool.Tool {
	return []mcptool.Tool{getDocumentBacklinks()}
}

func getDocumentBacklinks() mcptool.Tool {
	return mcptool.Spec[backlinksIn, backlinkList]{
		Name:        "get_document_backlinks",
		Title:       "Document backlinks",
		Description: "Returns the documents that link to a document.",
		Group:       Comments,
		Endpoints:   []string{"documents.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in backlinksIn) (backlinkList, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return backlinkList{}, err
			}
			list := backlinkList{Backlinks: []backlink{}, DocumentID: document.ID, offset: in.Offset}
			for d, err := range env.Outline.Backlinks(ctx, document.ID) {
				if err != nil {
					return backlinkList{}, about(document, err)
				}
				if list.Total++; list.Total > in.Offset {
					list.Backlinks = append(list.Backlinks, backlink{d.ID, d.Title, d.UpdatedAt})
				}
			}
			return list.Cut(len(list.Backlinks)).(backlinkList), nil
		},
	}
}

type backlinksIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
	Offset     int    `json:"offset,omitempty" minimum:"0"`
}

type backlink struct {
	DocumentID string    `json:"document_id" format:"uuid"`
	Title      string    `json:"title"`
	UpdatedAt  time.Time `json:"updated_at"`
}

type backlinkList struct {
	Backlinks  []backlink `json:"backlinks"`
	DocumentID string     `json:"document_id" format:"uuid"`
	Count      int        `json:"count"`
	Total      int        `json:"total"`
	NextOffset int        `json:"next_offset,omitempty"`

	offset int
}

// WriteText implements output.Result.
func (l backlinkList) WriteText(t *output.Text) {
	t.Line("# %s to document_id %s%s", output.Count(l.Total, "document links", "documents link"), l.DocumentID, shown(l.offset, l.Count, l.Total))
	if l.Count > 0 {
		t.Line("Each line: title, document_id, updated")
	}
	t.Blank()
	for _, b := range l.Backlinks {
		t.Line("- %s %s, %s", titleOf(b.Title), b.DocumentID, stamp(b.UpdatedAt))
	}
	writeNextOffset(t, l.NextOffset)
}

// Units counts documents.
func (l backlinkList) Units() int { return len(l.Backlinks) }

// Cut implements output.Cuttable.
func (l backlinkList) Cut(n int) output.Result {
	l.Backlinks, l.Count = l.Backlinks[:n], n
	l.NextOffset = nextOffset(l.offset, n, l.Total)
	return l
}
