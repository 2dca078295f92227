package tools

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

func archiveDocument() mcptool.Tool {
	return mcptool.Spec[documentIn, archivedDocument]{
		Name:        "archive_document",
		Title:       "Archive document",
		Description: "Archives an Outline document and its subpages: hidden from searches.[ unarchive_document brings them back.]",
		Endpoints:   []string{"documents.archive"},
		Effect:      mcptool.Moves,
		Run: func(ctx context.Context, env mcptool.Env, in documentIn) (archivedDocument, error) {
			var err error
			if in.DocumentID, err = documentID(ctx, env, in.DocumentID); err != nil {
				return archivedDocument{}, err
			}
			below, before, err := in.confirmArchive(ctx, env)
			if err != nil {
				return archivedDocument{}, err
			}
			document, err := archive(ctx, env, in.DocumentID)
			return archivedDocument{linkTo(env, document.DocumentSummary), "archived", below.count(), before, below}, err
		},
	}
}

// confirmArchive names the documents below, and asks the user. before says which were
// archived already, or is "".
func (in documentIn) confirmArchive(ctx context.Context, env mcptool.Env) (below belowIt, before string, err error) {
	confirms, options := env.Person.Confirms(), ctx
	if !confirms { // without the names, the document can be archived as well
		options = outline.WithCallOptions(ctx, outline.NoRetries())
	}
	document, err := fetchToChange(options, env, in.DocumentID)
	switch {
	case err != nil && !confirms:
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	if document.Status() == "published" {
		archived := inBackground(func() string { return archivedBelow(ctx, env, document) })
		below = namesBelow(ctx, env, document)
		if before = archived(); before != "" {
			before = "below it, documents were archived before, and unarchiving it brings them back, too: " + before
		}
	}
	return below, before, confirmed(ctx, env, document, func(_ context.Context, name string) (string, string) {
		if document.ArchivedAt != nil {
			return "Archive " + name + ", which is archived already?", ""
		}
		return "Archive " + name + withBelow(below) + "?", before
	})
}

// archivedBelow names the archived documents below one, as far as the caller may list
// them.
func archivedBelow(ctx context.Context, env mcptool.Env, document outline.Document) string {
	if document.CollectionID == "" {
		return ""
	}
	archived, _ := env.Outline.ArchivedBelow(outline.WithCallOptions(ctx, outline.NoRetries()), document.DocumentSummary)
	return listNames(entriesOf(archived, nameOf))
}

type archivedDocument struct {
	documentLink
	Status string `json:"status" const:"archived"`

	DocumentsBelow *int   `json:"documents_below,omitempty" jsonschema:"Archived along with it; absent if unknown"`
	Note           string `json:"note,omitempty"`

	below belowIt
}

func (d archivedDocument) WriteText(t *output.Text) {
	d.writeDone(t, "Archived", d.below)
	writeNotes(t, d.Note)
	t.Advice("unarchive_document brings back what was archived.")
	t.Line("%s", d.URL)
}

// belowIt names the published documents below a document. It is nil if they are not
// known, and empty if there are none.
type belowIt []documentName

func namesBelow(ctx context.Context, env mcptool.Env, document outline.Document) belowIt {
	if below, known := nodesBelow(ctx, env, document); known {
		return entriesOf(below, nameOfNode)
	}
	return nil
}

func (b belowIt) count() *int {
	if b == nil {
		return nil
	}
	return new(len(b))
}

// String returns the number of the documents, and the titles of the first.
func (b belowIt) String() string {
	return output.Count(len(b), "document", "documents") + " below it (" +
		firstOf(b, mostTitlesBelow, ", ", "and ", func(n documentName) string { return titleOf(n.Title) }) + ")"
}

const mostTitlesBelow = 10

// nodesBelow returns the published documents below an active document, if they are known.
func nodesBelow(ctx context.Context, env mcptool.Env, document outline.Document) (below []outline.Node, known bool) {
	if document.CollectionID == "" || document.ArchivedAt != nil || document.DeletedAt != nil {
		return nil, false
	}
	tree, err := env.Outline.CollectionDocuments(outline.WithCallOptions(ctx, outline.NoRetries()), document.CollectionID)
	if err != nil {
		return nil, false
	}
	if node := findNode(tree, document.ID); node != nil { // no draft
		below = flatten(node.Children)
	}
	return below, true
}

// cameBack says which documents came back from the archive with one, or "".
func cameBack(ctx context.Context, env mcptool.Env, document outline.Document) string {
	below, _ := nodesBelow(ctx, env, document)
	if len(below) == 0 {
		return ""
	}
	return fmt.Sprintf("%s below it also came back, regardless of when they were archived, because Outline brings all of them back: %s",
		output.Count(len(below), "document", "documents"), listNames(entriesOf(below, nameOfNode)))
}

// archive archives a document by any form of its ID. Outline rejects a document
// that is already archived; archive does not.
func archive(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := documentID(ctx, env, given)
	if err != nil {
		return outline.Document{}, err
	}
	document, err := env.Outline.ArchiveDocument(ctx, id)
	if errors.Is(err, outline.ErrForbidden) {
		now, readErr := env.Outline.Document(ctx, id)
		switch {
		case readErr == nil && now.ArchivedAt != nil && now.DeletedAt == nil:
			return now, nil
		case readErr == nil && now.Status() == "draft":
			return now, withDocument(now, output.Failure{Code: output.Conflict, Cause: err, Sentence: "the document is a draft, and only published documents can be archived.",
				Next: "[Publish it with update_document first, or remove it with delete_document.]"})
		}
	}
	return document, refused(ctx, env, id, err)
}

func unarchiveDocument() mcptool.Tool {
	return mcptool.Spec[archivedDocumentIn, activeDocument]{
		Name:        "unarchive_document",
		Title:       "Unarchive document",
		Description: "Brings an archived Outline document back, with archived subpages.[ From the trash: restore_document.]",
		Endpoints:   []string{"documents.restore", "documents.info"},
		Effect:      mcptool.Moves,
		Run: onDocument(fetchArchived, func(ctx context.Context, env mcptool.Env, _ archivedDocumentIn, document outline.Document) (activeDocument, error) {
			restored, err := unarchive(ctx, env, document)
			nowTopLevel := document.ParentDocumentID != "" && restored.ParentDocumentID == ""
			if err != nil {
				return activeDocument{}, err
			}
			return activeDocument{linkTo(env, restored.DocumentSummary), "active", nowTopLevel, cameBack(ctx, env, restored)}, nil
		}),
	}
}

// fetchArchived is fetchToChange for a document that is to be unarchived.
func fetchArchived(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := documentFirst(ctx, env, given, "archived")
	if err != nil {
		return outline.Document{}, err
	}
	return env.Outline.Document(outline.WithCallOptions(ctx, outline.ToChange()), id)
}

type archivedDocumentIn struct {
	DocumentID string `json:"document_id" names:"archived document"`
}

func (in archivedDocumentIn) document() string { return in.DocumentID }

type activeDocument struct {
	documentLink
	Status string `json:"status" const:"active"`

	NowTopLevel bool   `json:"now_top_level,omitempty" jsonschema:"Its parent is gone"`
	Note        string `json:"note,omitempty"`
}

func (d activeDocument) WriteText(t *output.Text) {
	d.writeDone(t, "Unarchived", nil)
	t.If(d.NowTopLevel).Line("It is now at the top level of its collection, because its parent is archived or deleted.")
	writeNotes(t, d.Note)
	t.Line("%s", d.URL)
}

func unarchive(ctx context.Context, env mcptool.Env, document outline.Document) (outline.Document, error) {
	switch {
	case document.DeletedAt != nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is in the trash, not in the archive", Next: ": restore_document brings it back."}
	case document.ArchivedAt == nil:
		return document, output.Failure{Code: output.Conflict, Sentence: "the document is not archived: there is nothing to do."}
	}
	err := confirmed(ctx, env, document, func(ctx context.Context, name string) (string, string) {
		below := archivedBelow(ctx, env, document)
		if below == "" {
			return "Unarchive " + name + ", with what is archived below it?", ""
		}
		return "Unarchive " + name + ", with all archived documents below it, whenever they were archived?", below
	})
	if err != nil {
		return document, err
	}
	restored, err := env.Outline.RestoreDocument(ctx, document.ID, "")
	if errors.Is(err, outline.ErrNotFound) {
		// The document existed a moment ago, so it is the endpoint that an
		// old server does not have.
		restored, err = env.Outline.UnarchiveDocument(ctx, document.ID)
	}
	if errors.Is(err, outline.ErrInvalid) {
		return document, output.Failure{Code: output.Conflict, Cause: err, Sentence: fmt.Sprintf("its collection is archived or deleted (%s)", reasonOf(err)),
			Next: ": restore_document with a collection_id brings it back elsewhere"}
	}
	return restored, err
}

func listArchivedDocuments() mcptool.Tool {
	return mcptool.Spec[listArchivedIn, archivedList]{
		Name:        "list_archived_documents",
		Title:       "List archived documents",
		Description: "Lists archived Outline documents.",
		Endpoints:   []string{"documents.archived"},
		Effect:      mcptool.Reads,
		Run: onCollection(optionalCollection, func(ctx context.Context, env mcptool.Env, in listArchivedIn, collection string) (archivedList, error) {
			fetch := func(ctx context.Context, p outline.ListParams) (outline.Page[outline.DocumentSummary], error) {
				return env.Outline.ArchivedDocuments(ctx, outline.ArchivedParams{CollectionID: collection, Limit: p.Limit, Offset: p.Offset, Sort: outline.ByCreation})
			}
			page, total, err := latest(ctx, fetch, in.paging, func(d outline.DocumentSummary) time.Time { return d.UpdatedAt })
			list := documentsOf(page, in.paging, "in the archive", "updated, archived", func(d outline.DocumentSummary) archivedEntry {
				return archivedEntry{nameOf(d), d.UpdatedAt, d.ArchivedAt}
			})
			list.of(total)
			return archivedList{list, notListed(ctx, env, collection, page...)}, err
		}),
	}
}

type listArchivedIn struct {
	inCollectionIn
	paging
}

type archivedList struct {
	documentList[archivedEntry]
	Note string `json:"note,omitempty"`
}

func (l archivedList) WriteText(t *output.Text) {
	l.documentList.WriteText(t)
	writeNotes(t, l.Note)
}

type archivedEntry struct {
	documentName
	UpdatedAt  time.Time  `json:"updated_at"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
}

func (e archivedEntry) write(t *output.Text) {
	t.Printf("%s, %s", e.documentName, stamp(e.UpdatedAt))
	if e.ArchivedAt != nil {
		t.Printf(", %s", stamp(*e.ArchivedAt))
	}
}

// publishIn holds the arguments of updates that publish a draft.
type publishIn struct {
	Publish      *bool  `json:"publish,omitempty" jsonschema:"false alone makes it a draft"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"For a draft without one"`
}

// wanted reports whether a draft is to be published, unwanted whether a published
// document is to become a draft.
func (in publishIn) wanted() bool { return in.Publish != nil && *in.Publish }

func (in publishIn) unwanted() bool { return in.Publish != nil && !*in.Publish }

// unpublish makes a published document a draft in its collection.
func unpublish(ctx context.Context, env mcptool.Env, given string) (updatedDocument, error) {
	before, err := fetchActive(ctx, env, given)
	if err != nil {
		return updatedDocument{}, err
	}
	after, note := before, "it was a draft already"
	if before.PublishedAt != nil {
		err = confirmed(ctx, env, before, func(_ context.Context, name string) (string, string) {
			return "Unpublish " + name + ", which makes it a draft?", ""
		})
		if err != nil {
			return updatedDocument{}, err
		}
		after, err = env.Outline.UnpublishDocument(ctx, before.ID)
		note = "it is a draft now"
	}
	if errors.Is(err, outline.ErrInvalid) {
		err = output.Failure{Code: output.Conflict, Cause: err, Sentence: fmt.Sprintf("nothing was changed: Outline does not make it a draft (%s).", reasonOf(err)), Next: "[Move what is below it with move_document first.]"}
	}
	if err != nil {
		return updatedDocument{}, withDocument(before, conflict(before, err))
	}
	chars := utf8.RuneCountInString(after.Text)
	return updatedDocument{
		documentName: nameOf(after.DocumentSummary), URL: env.Outline.AbsoluteURL(after.URL), Changed: before.PublishedAt != nil, Verified: after.PublishedAt == nil,
		RevisionBefore: before.Revision, Revision: after.Revision, CharsBefore: chars, CharsAfter: chars, Note: note,
	}, nil
}

// publish adds the publishing of a draft to a change. A document that is published
// already stays as it is.
func (in publishIn) publish(ctx context.Context, env mcptool.Env, before outline.Document, change *edit.Params) error {
	if !in.wanted() || before.PublishedAt != nil {
		return nil
	}
	collection, err := optionalCollection(ctx, env, in.CollectionID)
	if err != nil {
		return err
	}
	if collection == "" && before.CollectionID == "" {
		return output.Failure{Code: output.InvalidArguments, DocumentID: before.ID,
			Sentence: "nothing was written: the draft is in no collection. To publish it, give the collection_id to publish it in",
			Next:     "[ (list_collections shows them)]."}
	}
	if collection != "" && before.CollectionID != "" && collection != before.CollectionID {
		return output.Failure{Code: output.InvalidArguments, DocumentID: before.ID, CollectionID: before.CollectionID,
			Sentence: "nothing was written: the draft is in another collection already. Leave out collection_id to publish it there",
			Next:     "[, or move it with move_document]."}
	}
	change.Publish = new(true)
	if before.CollectionID == "" {
		change.CollectionID = collection
	}
	return nil
}

// published reports whether an update has published a draft.
func published(u edit.Result) bool {
	return u.Before.PublishedAt == nil && u.After.PublishedAt != nil
}
