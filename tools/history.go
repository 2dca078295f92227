package tools

import (
	"context"
	"iter"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func listRevisions() mcptool.Tool {
	return mcptool.Spec[listRevisionsIn, revisionList]{
		Name:        "list_revisions",
		Title:       "List revisions",
		Description: "Lists the revisions of an Outline document, newest first: when, by whom, in the app or by a program.[ read_revision shows one, or what it changed.]",
		Endpoints:   []string{"revisions.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listRevisionsIn) (revisionList, error) {
			id, err := env.Outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return revisionList{}, err
			}
			revisions := func(ctx context.Context, id string) (outline.Page[outline.Revision], error) {
				return env.Outline.Revisions(ctx, outline.RevisionsParams{DocumentID: id, Limit: in.Limit, Offset: in.Offset})
			}
			var document outline.Document
			var page outline.Page[outline.Revision]
			if outline.IsUUID(id) {
				document, page, err = both(ctx, id, env.Outline.Document, revisions)
			} else if document, err = env.Outline.Document(ctx, id); err == nil {
				page, err = revisions(ctx, document.ID) // which takes nothing else
			}
			if err != nil {
				return revisionList{}, err
			}
			list := revisionList{documentName: nameOf(document.DocumentSummary), CurrentRevision: document.Revision, offset: in.Offset}
			list.Revisions = entriesOf(page.Items, func(r outline.Revision) revisionEntry { return revisionEntryOf(r, document.Title) })
			if len(page.Items) == in.Limit {
				list.endAt(in.Limit)
			}
			return list, nil
		},
	}
}

type listRevisionsIn struct {
	documentIn
	// Releases send each revision with its text.
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"10"`
	Offset int `json:"offset,omitempty" minimum:"0"`
}

// revisionFacts tell where a revision comes from.
type revisionFacts struct {
	RevisionID string    `json:"revision_id" format:"uuid"`
	CreatedAt  time.Time `json:"created_at"`
	Authors    []string  `json:"authors"`
}

func factsOf(r outline.Revision) revisionFacts {
	facts := revisionFacts{RevisionID: r.ID, CreatedAt: r.CreatedAt, Authors: []string{}}
	for _, author := range r.Authors() {
		if author.Name != "" {
			facts.Authors = append(facts.Authors, output.Excerpt(author.Name, longestTitle))
		}
	}
	return facts
}

func (f revisionFacts) write(t *output.Text) {
	t.Printf("%s, %s", f.RevisionID, stamp(f.CreatedAt))
	for _, author := range f.Authors {
		t.Printf(", %s", output.Quote(author))
	}
}

type revisionEntry struct {
	revisionFacts
	Name      string     `json:"name,omitempty"`
	Via       string     `json:"via,omitempty" jsonschema:"app, api, oauth …, where Outline tells"`
	Title     string     `json:"title,omitempty" jsonschema:"If other than now"`
	DeletedAt *time.Time `json:"deleted_at,omitempty" `
}

func revisionEntryOf(r outline.Revision, title string) revisionEntry {
	entry := revisionEntry{revisionFacts: factsOf(r), Name: output.Label(r.Name), Via: output.Label(r.Source.AuthType), DeletedAt: r.DeletedAt}
	if r.Title != title {
		entry.Title = output.Label(r.Title)
	}
	return entry
}

func (e revisionEntry) write(t *output.Text) {
	e.revisionFacts.write(t)
	t.If(e.Name != "").Printf(", named %s", output.Quote(e.Name))
	t.If(e.Via != "").Printf(", via %s", output.OneLine(e.Via))
	t.If(e.Title != "").Printf(", titled %s", titleOf(e.Title))
	if e.DeletedAt != nil {
		t.Printf(", deleted %s", stamp(*e.DeletedAt))
	}
}

// revisionList is a page of a document's history. Outline does not say how long it is.
type revisionList struct {
	documentName
	CurrentRevision int             `json:"current_revision" jsonschema:"For expected_revision"`
	Revisions       []revisionEntry `json:"revisions"`
	NextOffset      int             `json:"next_offset,omitempty"`

	offset int
}

func (l *revisionList) endAt(n int) { l.NextOffset = l.offset + n }

// Cuts implements output.Cuttable.
func (l *revisionList) Cuts() []output.Cut { return cutEntries(&l.Revisions, l.endAt) }

// WriteText implements output.Result.
func (l revisionList) WriteText(t *output.Text) {
	t.Printf("# Revisions of ")
	l.documentName.write(t)
	t.Line(", current_revision %d", l.CurrentRevision)
	switch {
	case len(l.Revisions) > 0:
		t.Line("Each line: revision_id, created, authors")
	case l.offset > 0:
		writePastTheEnd(t, l.offset, 0)
	default:
		t.Line("None yet: Outline keeps one when a document is published, and some minutes after a change.")
	}
	t.Blank()
	for _, entry := range l.Revisions {
		t.Printf("- ")
		entry.write(t)
		t.Blank()
	}
	writeNextOffset(t, l.NextOffset)
}

// maxHistory is how many revisions are looked at to find one.
const maxHistory = 1000

// history yields the revisions of a document that are not deleted, newest first, up to
// maxHistory. The first pages are short: most often, one of the newest is looked for,
// and releases send each with its text. An error ends the loop.
func history(ctx context.Context, env mcptool.Env, documentID string) iter.Seq2[outline.Revision, error] {
	list := func(ctx context.Context, p outline.ListParams) (outline.Page[outline.Revision], error) {
		return env.Outline.Revisions(ctx, outline.RevisionsParams{DocumentID: documentID, Limit: p.Limit, Offset: p.Offset})
	}
	return func(yield func(outline.Revision, error) bool) {
		for revision, err := range outline.All(ctx, list, outline.Paging{First: 5, Most: maxHistory}) {
			if revision.DeletedAt == nil && !yield(revision, err) {
				return
			}
		}
	}
}
