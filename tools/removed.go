package tools

import (
	"context"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func removedTools() []mcptool.Tool {
	return []mcptool.Tool{listArchivedDocuments(), listTrash()}
}

func listArchivedDocuments() mcptool.Tool {
	return mcptool.Spec[listArchivedIn, archivedList]{
		Name:        "list_archived_documents",
		Title:       "List archived documents",
		Description: "Returns archived documents, of one collection or all.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.archived"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listArchivedIn) (archivedList, error) {
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return archivedList{}, err
			}
			page, err := env.Outline.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: collection, Limit: in.Limit, Offset: in.Offset})
			if err != nil {
				return archivedList{}, err
			}
			list := archivedList{Documents: []archivedEntry{}, removedPage: removedPage{offset: in.Offset, full: len(page.Items) == in.Limit}}
			for _, d := range page.Items {
				list.Documents = append(list.Documents, archivedEntry{d.ID, d.Title, d.UpdatedAt, d.ArchivedAt})
			}
			return list.Cut(len(list.Documents)).(archivedList), nil
		},
	}
}

type listArchivedIn struct {
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Only of this collection"`
	Limit        int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset       int    `json:"offset,omitempty" minimum:"0"`
}

// removedPage is what both lists have beside their documents. Outline does not
// say how many there are: a full page may be the last.
type removedPage struct {
	Count      int  `json:"count"`
	HasMore    bool `json:"has_more" jsonschema:"There may be more"`
	NextOffset int  `json:"next_offset,omitempty"`

	offset int
	full   bool
}

func (p removedPage) cut(n, of int) removedPage {
	p.Count, p.HasMore, p.NextOffset = n, n < of || p.full, 0
	if p.HasMore {
		p.NextOffset = p.offset + n
	}
	return p
}

func (p removedPage) write(t *output.Text, where, columns string) {
	t.Line("# %s %s", output.Count(p.Count, "document", "documents"), where)
	if p.Count > 0 {
		t.Line("From offset %d; each line: title, document_id, %s", p.offset, columns)
	}
	t.Blank()
}

type archivedEntry struct {
	DocumentID string     `json:"document_id" format:"uuid"`
	Title      string     `json:"title"`
	UpdatedAt  time.Time  `json:"updated_at"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
}

type archivedList struct {
	Documents []archivedEntry `json:"documents"`
	removedPage
}

// WriteText implements output.Result.
func (l archivedList) WriteText(t *output.Text) {
	l.write(t, "in the archive", "updated, archived")
	for _, d := range l.Documents {
		t.Printf("- %s %s, %s", titleOf(d.Title), d.DocumentID, stamp(d.UpdatedAt))
		if d.ArchivedAt != nil {
			t.Printf(", %s", stamp(*d.ArchivedAt))
		}
		t.Blank()
	}
	writeNextOffset(t, l.NextOffset)
}

// Units counts documents.
func (l archivedList) Units() int { return len(l.Documents) }

// Cut implements output.Cuttable.
func (l archivedList) Cut(n int) output.Result {
	l.removedPage = l.cut(n, len(l.Documents))
	l.Documents = l.Documents[:n]
	return l
}

func listTrash() mcptool.Tool {
	return mcptool.Spec[listTrashIn, trashList]{
		Name:        "list_trash",
		Title:       "List trash",
		Description: "Returns deleted documents and templates that are still in the trash.",
		Group:       Lifecycle,
		Endpoints:   []string{"documents.deleted"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listTrashIn) (trashList, error) {
			page, err := env.Outline.DeletedDocuments(ctx, outline.ListParams{Limit: in.Limit, Offset: in.Offset})
			if err != nil {
				return trashList{}, err
			}
			list := trashList{Documents: []trashEntry{}, removedPage: removedPage{offset: in.Offset, full: len(page.Items) == in.Limit}}
			for _, d := range page.Items {
				entry := trashEntry{DocumentID: d.ID, Title: d.Title}
				if d.DeletedAt != nil {
					entry.DeletedAt = *d.DeletedAt
				}
				list.Documents = append(list.Documents, entry)
			}
			return list.Cut(len(list.Documents)).(trashList), nil
		},
	}
}

type listTrashIn struct {
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25"`
	Offset int `json:"offset,omitempty" minimum:"0"`
}

type trashEntry struct {
	DocumentID string    `json:"document_id" format:"uuid"`
	Title      string    `json:"title"`
	DeletedAt  time.Time `json:"deleted_at"`
}

type trashList struct {
	Documents []trashEntry `json:"documents"`
	removedPage
}

// WriteText implements output.Result.
func (l trashList) WriteText(t *output.Text) {
	l.write(t, "in the trash", "deleted")
	for _, d := range l.Documents {
		t.Line("- %s %s, %s", titleOf(d.Title), d.DocumentID, stamp(d.DeletedAt))
	}
	writeNextOffset(t, l.NextOffset)
}

// Units counts documents.
func (l trashList) Units() int { return len(l.Documents) }

// Cut implements output.Cuttable.
func (l trashList) Cut(n int) output.Result {
	l.removedPage = l.cut(n, len(l.Documents))
	l.Documents = l.Documents[:n]
	return l
}
