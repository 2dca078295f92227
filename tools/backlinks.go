package tools

import (
	"context"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func getDocumentBacklinks() mcptool.Tool {
	return mcptool.Spec[backlinksIn, backlinkList]{
		Name:        "get_document_backlinks",
		Title:       "Document backlinks",
		Description: "Lists the Outline documents that link to a document.",
		Endpoints:   []string{"documents.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in backlinksIn, document outline.Document) (backlinkList, error) {
			list := backlinkList{Backlinks: []backlink{}, documentName: nameOf(document.DocumentSummary), wholeList: wholeList{offset: in.Offset}}
			for d, err := range env.Outline.Backlinks(ctx, document.ID) {
				if err != nil {
					return backlinkList{}, err
				}
				if list.Total++; list.Total > in.Offset {
					list.Backlinks = append(list.Backlinks, backlink{nameOf(d), d.UpdatedAt})
				}
			}
			list.show(len(list.Backlinks))
			return list, nil
		}),
	}
}

type backlinksIn struct {
	documentIn
	Offset int `json:"offset,omitempty" minimum:"0"`
}

type backlink struct {
	documentName
	UpdatedAt time.Time `json:"updated_at"`
}

func (b backlink) write(t *output.Text) { t.Printf("%s, %s", b.documentName, stamp(b.UpdatedAt)) }

type backlinkList struct {
	Backlinks []backlink `json:"backlinks"`
	documentName
	wholeList
}

func (l *backlinkList) Cuts() []output.Cut { return cutEntries(&l.Backlinks, l.show) }

func (l backlinkList) WriteText(t *output.Text) {
	heading := output.Count(l.Total, "document links", "documents link") + " to " + titleOf(l.Title) + " " + l.id()
	writeList(t, heading+l.shown(), "Each line: title, document_id, updated", l.Backlinks)
	l.writeEnd(t)
}
