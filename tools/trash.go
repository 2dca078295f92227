package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func deleteDocument() mcptool.Tool {
	return mcptool.Spec[deleteDocumentIn, deletedDocument]{
		Name:        "delete_document",
		Title:       "Delete document",
		Description: "Moves an Outline document and its subpages to the trash.[ restore_document brings them back.]",
		Endpoints:   []string{"documents.delete", "documents.info"},
		Effect:      mcptool.Deletes,
		Run: onDocument(fetchToChange, func(ctx context.Context, env mcptool.Env, in deleteDocumentIn, document outline.Document) (deletedDocument, error) {
			deleted := deletedDocument{documentName: nameOf(document.DocumentSummary), Status: "deleted", Permanent: in.Permanent, already: document.DeletedAt != nil}
			if in.Permanent {
				if err := cmp.Or(checkExactTitle(env, in.DocumentID, document), checkMayErase(ctx, env)); err != nil {
					return deleted, err
				}
			}
			deleted.below = namesBelow(ctx, env, document)
			deleted.DocumentsBelow = deleted.below.count()
			if err := in.confirm(ctx, env, document, deleted.below); err != nil {
				return deleted, err
			}
			if err := trash(ctx, env, document); err != nil || !in.Permanent {
				return deleted, err
			}
			// Afterwards, nothing shows whose children they were.
			deleted.ChildrenInTrash = childrenInTrash(ctx, env, document.ID)
			return deleted, erase(ctx, env, document.ID)
		}),
	}
}

// checkExactTitle is checkExact for a document.
func checkExactTitle(env mcptool.Env, given string, document outline.Document) error {
	if _, ok := env.Outline.ParseShareID(given); ok {
		return nil
	}
	id, err := env.Outline.ParseDocumentID(given)
	return checkExact("document", given, id, err, document.Title, nameOf(document.DocumentSummary).String())
}

type deleteDocumentIn struct {
	documentIn
	Permanent bool `json:"permanent,omitempty" jsonschema:"Cannot be undone; admins only; exact titles"`
}

// confirm asks the user, unless the document is where it is to be.
func (in deleteDocumentIn) confirm(ctx context.Context, env mcptool.Env, document outline.Document, below belowIt) error {
	if document.DeletedAt != nil && !in.Permanent {
		return nil
	}
	return confirmed(ctx, env, document, func(_ context.Context, name string) (string, string) {
		switch {
		case in.Permanent && document.DeletedAt != nil:
			return "Permanently delete " + name + ", which is in the trash? This cannot be undone.", ""
		case in.Permanent && below != nil && len(below) == 0:
			return "Permanently delete " + name + "? This cannot be undone.", ""
		case in.Permanent:
			return "Permanently delete " + name + ", and move" + strings.TrimPrefix(withBelow(below), " and") + " to the trash? This cannot be undone.", ""
		}
		return "Move " + name + withBelow(below) + " to the trash?", ""
	})
}

type deletedDocument struct {
	documentName
	Status    string `json:"status" const:"deleted"`
	Permanent bool   `json:"permanent"`

	DocumentsBelow  *int `json:"documents_below,omitempty" jsonschema:"Moved to the trash along with it; absent if unknown"`
	ChildrenInTrash int  `json:"children_in_trash,omitempty"`

	already bool // it was in the trash before
	below   belowIt
}

func (d deletedDocument) WriteText(t *output.Text) {
	if d.Permanent {
		d.writeDone(t, "Permanently deleted", nil)
		if d.DocumentsBelow != nil && *d.DocumentsBelow > d.ChildrenInTrash { // others than those below
			t.Line("The %s below it went to the trash.", output.Count(*d.DocumentsBelow, "document", "documents"))
		}
		writeChildrenInTrash(t, d.ChildrenInTrash)
		return
	}
	done := "Moved to the trash:"
	if d.already {
		done = "Already in the trash:"
	}
	d.writeDone(t, done, d.below)
	switch {
	case d.DocumentsBelow == nil:
		t.Advice("restore_document restores the document itself; what was below it stays in the trash unless include_children is true.")
	case *d.DocumentsBelow == 0:
		t.Advice("restore_document brings it back.")
	case *d.DocumentsBelow == 1:
		t.Advice("restore_document restores the document itself; the document below it stays in the trash unless include_children is true.")
	default:
		t.Advice("restore_document restores the document itself; the %d documents below it stay in the trash unless include_children is true.", *d.DocumentsBelow)
	}
}

// trash moves a document to the trash unless it is already there. Outline permanently
// deletes only what is there.
func trash(ctx context.Context, env mcptool.Env, document outline.Document) error {
	if document.DeletedAt != nil {
		return nil
	}
	return env.Outline.DeleteDocument(ctx, document.ID, false)
}

// checkMayErase refuses a permanent deletion, before anything is changed, to a role that
// Outline allows none.
func checkMayErase(ctx context.Context, env mcptool.Env) error {
	who, err := env.Outline.AuthInfo(outline.WithCallOptions(ctx, outline.NoRetries()))
	if err != nil || !slices.Contains([]string{"member", "viewer", "guest"}, who.User.Role) {
		return nil // Outline decides
	}
	return output.Failure{Code: output.Forbidden, Cause: errOnlyAdmins,
		Sentence: "nothing was deleted: only an admin's key may delete permanently. Leave out permanent to move to the trash."}
}

// erase permanently deletes a document that is in the trash.
func erase(ctx context.Context, env mcptool.Env, id string) error {
	err := env.Outline.DeleteDocument(ctx, id, true)
	failure := output.Failure{DocumentID: id}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, outline.ErrForbidden):
		failure.Code, failure.Cause = output.Forbidden, errOnlyAdmins
		failure.Sentence = fmt.Sprintf("the document %s is in the trash, but not permanently deleted: %s.", id, errOnlyAdmins)
	case outline.OutcomeUnknown(err):
		failure.Code = output.OutcomeUnknown
		failure.Sentence = fmt.Sprintf("the document %s was in the trash, and the answer to deleting it permanently was lost (%s).", id, reasonOf(err))
		failure.Next = "Check [list_trash|Outline's trash] before you repeat it."
	default:
		reason := output.Error(err)
		failure.Code, failure.RetryAfterSeconds, failure.Next = reason.Code, reason.RetryAfterSeconds, reason.Next
		failure.Sentence = fmt.Sprintf("the document %s is in the trash; deleting it permanently failed: %s", id, reason.Sentence)
	}
	return failure
}

// errOnlyAdmins is the reason why Outline refuses a permanent deletion.
var errOnlyAdmins = errors.New("only an admin's key may do that")

func listTrash() mcptool.Tool {
	return mcptool.Spec[paging, documentList[trashEntry]]{
		Name:        "list_trash",
		Title:       "List trash",
		Description: "Lists the documents and templates in Outline's trash.",
		Endpoints:   []string{"documents.deleted"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in paging) (documentList[trashEntry], error) {
			deleted := func(d outline.DocumentSummary) time.Time { return *cmp.Or(d.DeletedAt, new(time.Time)) }
			page, total, err := latest(ctx, trashOf(env), in, deleted)
			parents := paths{}.parents(ctx, env, page)
			list := documentsOf(page, in, "in the trash", "deleted", func(d outline.DocumentSummary) trashEntry {
				return trashEntry{nameOf(d), deleted(d), parentNameOf(parents[d.ParentDocumentID])}
			})
			list.of(total)
			return list, err
		},
	}
}

type trashEntry struct {
	documentName
	DeletedAt time.Time `json:"deleted_at"`
	parentName
}

// mostParents is how many documents list_trash asks for by itself, to name what
// others were below. Most parents are on the same page.
const mostParents = 10

// parents returns the names of the documents that those of a page are or were below.
func (p paths) parents(ctx context.Context, env mcptool.Env, page []outline.DocumentSummary) map[string]documentName {
	if !slices.ContainsFunc(page, func(d outline.DocumentSummary) bool { return d.ParentDocumentID != "" }) {
		return nil
	}
	names := map[string]documentName{}
	for _, d := range page {
		names[d.ID] = nameOf(d)
	}
	var missing []string
	for _, d := range page {
		id := d.ParentDocumentID
		if id != "" && names[id].DocumentID == "" {
			names[id] = p.parent(d)
		}
		if id != "" && names[id].DocumentID == "" {
			names[id] = documentName{DocumentID: id}
			missing = append(missing, id)
		}
	}
	found := make([]documentName, min(len(missing), mostParents))
	mcptool.Parallel(env.BatchConcurrency, len(found), func(i int) { found[i] = findName(ctx, env, missing[i]) })
	for _, name := range found {
		names[name.DocumentID] = name
	}
	return names
}

func (e trashEntry) write(t *output.Text) {
	t.Printf("%s, %s%s", e.documentName, stamp(e.DeletedAt), e.after(", was below "))
}

// restoreBelow restores the documents in the trash below a document, parents before
// children. What cannot be restored keeps what is below it in the trash: Outline
// would put that on the first level of the collection.
func restoreBelow(ctx context.Context, env mcptool.Env, parent outline.Document, trash []outline.DocumentSummary) []restoredChild {
	outcomes := []restoredChild{}
	for _, d := range trash {
		if d.ParentDocumentID != parent.ID {
			continue
		}
		outcome := restoredChild{documentName: nameOf(d), Status: "restored"}
		restored, err := env.Outline.RestoreDocument(ctx, d.ID, parent.CollectionID)
		if err != nil {
			failure := itemFailure(env, err)
			outcome.Status, outcome.Error, outcome.Code = "failed", failure.Sentence, failure.Code
			outcomes = append(outcomes, outcome)
			continue
		}
		outcomes = append(append(outcomes, outcome), restoreBelow(ctx, env, restored, trash)...)
	}
	return outcomes
}

// namesInTrash names the documents in the trash below a document.
func namesInTrash(trash []outline.DocumentSummary, id string) belowIt {
	below, names := map[string]bool{id: true}, belowIt{}
	for grows := true; grows; {
		grows = false
		for _, d := range trash {
			if below[d.ParentDocumentID] && !below[d.ID] {
				below[d.ID], grows = true, true
				names = append(names, nameOf(d))
			}
		}
	}
	return names
}

func writeChildrenInTrash(t *output.Text, count int) {
	t.If(count > 0).Advice("Still in the trash: %s directly below it[; see list_trash].", output.Count(count, "document", "documents"))
}

// childrenInTrash counts the direct children of a document that are in the
// trash: Outline leaves them there when the parent is restored or permanently
// deleted. The count is optional: without access to the trash it is 0.
func childrenInTrash(ctx context.Context, env mcptool.Env, id string) int {
	trash, _ := readTrash(outline.WithCallOptions(ctx, outline.NoRetries()), env)
	count := 0
	for _, document := range trash {
		if document.ParentDocumentID == id {
			count++
		}
	}
	return count
}

// maxTrash is how many documents of the trash are looked at to find those below
// another, and of a list to put them in the order of their dates.
const maxTrash = 1000

// trashOf returns what fetches pages of the trash in the order of creation.
func trashOf(env mcptool.Env) func(context.Context, outline.ListParams) (outline.Page[outline.DocumentSummary], error) {
	return func(ctx context.Context, p outline.ListParams) (outline.Page[outline.DocumentSummary], error) {
		return env.Outline.DeletedDocuments(ctx, outline.ByCreation, p)
	}
}

// latest returns a page of a list in the order of dates, latest first, and the length of
// the list, or -1 if that is not known. fetch returns pages in the order of creation, in
// which a list of more than maxTrash documents stays.
func latest(ctx context.Context, fetch func(context.Context, outline.ListParams) (outline.Page[outline.DocumentSummary], error), in paging, date func(outline.DocumentSummary) time.Time) ([]outline.DocumentSummary, int, error) {
	all, err := outline.Collect(outline.All(ctx, fetch, outline.Paging{Most: maxTrash}))
	if err != nil {
		return nil, -1, err
	}
	if len(all) >= maxTrash {
		page, err := fetch(ctx, outline.ListParams{Limit: in.Limit, Offset: in.Offset})
		return page.Items, -1, err
	}
	slices.SortStableFunc(all, func(a, b outline.DocumentSummary) int { return date(b).Compare(date(a)) })
	return pageOf(all, in), len(all), nil
}

// readTrash returns what is in the trash, oldest documents first.
func readTrash(ctx context.Context, env mcptool.Env) (trash []outline.DocumentSummary, err error) {
	trash, err = outline.Collect(outline.All(ctx, trashOf(env), outline.Paging{Most: maxTrash}))
	slices.SortStableFunc(trash, func(a, b outline.DocumentSummary) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return trash, err
}
