package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// restoreRevision sets a document back to one of its revisions.
func restoreRevision(ctx context.Context, env mcptool.Env, in restoreDocumentIn) (restoredRevision, error) {
	before, revision, err := in.readBoth(ctx, env)
	if err == nil {
		err = in.checkRestorable(env, before, revision)
	}
	if err != nil {
		return restoredRevision{}, err
	}
	if holdsRevision(before, revision) {
		restored := restoredTo(revision, before, before)
		restored.Verified = before.Tree != nil && revision.Tree != nil
		return restored, nil
	}
	lost, err := in.accept(ctx, env, before, revision)
	if err != nil {
		return restoredRevision{}, err
	}
	err = confirmed(ctx, env, before, func(_ context.Context, name string) (string, string) {
		title := ""
		if revision.Title != before.Title {
			title = ", with the title " + titleOf(revision.Title)
		}
		var details output.Text
		newDiff(before, revision.Text, "as it was then").write(&details)
		return fmt.Sprintf("Set %s back to its revision of %s%s?", name, stamp(revision.CreatedAt), title), details.String()
	})
	if err != nil {
		return restoredRevision{}, err
	}
	if env.Person.Approved() {
		in.ExpectedRevision = before.Revision
	}
	edit.ForgetUnknownTree(&before)
	update, err := edit.Restore(ctx, env.Outline, before, revision, in.ExpectedRevision)
	if err != nil {
		return restoredRevision{}, about(before, conflict(before, refused(ctx, env, before.ID, err)))
	}
	if err := verify(ctx, env, &update); err != nil {
		return restoredRevision{}, err
	}
	verified := update.ByTree() && revision.Heads(update.After.DocumentSummary) && !update.Unconfirmed && !update.Others.Within
	restored := restoredTo(revision, update.Before, update.After)
	restored.Changed, restored.Verified = true, verified
	restored.Lost, restored.earlier = newLost(lost), earlierOf(update)
	if !update.ByTree() {
		restored.Notes = append(restored.Notes, treeNotCompared)
	}
	restored.Notes = append(restored.Notes, notesOnOthers(update)...)
	if !revision.Heads(update.After.DocumentSummary) {
		restored.Notes = append(restored.Notes, "title or icon are not those of the revision")
	}
	if note := restored.earlier.note(); note != "" {
		restored.Notes = append(restored.Notes, note)
	}
	if restored.Lost == nil && before.Tree != nil && !prosemirror.Equal(before.Tree, before.Tree.WithoutMarks(prosemirror.Comment)) {
		restored.Notes = append(restored.Notes, commentsRemoved)
	}
	return restored, nil
}

// treeNotCompared is the note on a revision of which only the text was compared.
const treeNotCompared = "the trees of the document and the revision could not be compared exactly: the stored text is compared only by the meaning of its Markdown"

// readBoth reads the document and the revision side by side.
func (in restoreDocumentIn) readBoth(ctx context.Context, env mcptool.Env) (before outline.Document, revision outline.RevisionContent, err error) {
	id, err := env.Outline.ParseDocumentID(in.DocumentID)
	if err != nil {
		return before, revision, err
	}
	revisionID, err := outline.ParseRevisionID(in.RevisionID)
	if err != nil {
		return before, revision, err
	}
	var revisionErr error
	var wait sync.WaitGroup
	wait.Go(func() { revision, revisionErr = env.Outline.RevisionWithTree(ctx, revisionID) })
	before, err = env.Outline.DocumentToUpdate(ctx, id, true)
	wait.Wait()
	if err == nil {
		err = revisionErr
	}
	return before, revision, err
}

// checkRestorable refuses what Outline would refuse, and what it would do in another
// way than asked for.
func (in restoreDocumentIn) checkRestorable(env mcptool.Env, before outline.Document, revision outline.RevisionContent) error {
	failure := output.Failure{Code: output.Conflict, DocumentID: before.ID}
	switch {
	case revision.DocumentID != before.ID:
		return ofAnother(revision.Revision, before.ID)
	case before.DeletedAt != nil || before.ArchivedAt != nil:
		where := "is archived"
		if before.DeletedAt != nil {
			where = "is in the trash"
		}
		failure.Sentence = fmt.Sprintf("nothing was restored: the document %s, and Outline would bring it back with its present text instead of the revision's.", where)
		failure.Next = "First bring it back with restore_document without revision_id, then call again."
		return failure
	case before.CollectionID == "":
		failure.Sentence = "nothing was restored: Outline does not restore revisions of a draft that is in no collection."
		failure.Next = "[Read the text with read_revision and write it with update_document|Publish the draft in a collection first]."
		return failure
	}
	return conflict(before, env.Outline.CheckRevision(before, in.ExpectedRevision))
}

// holdsRevision reports whether a document has the text, the title and the icon of a
// revision.
func holdsRevision(d outline.Document, r outline.RevisionContent) bool {
	switch {
	case !r.Heads(d.DocumentSummary):
		return false
	case d.Tree != nil && r.Tree != nil:
		return prosemirror.EqualWithoutComments(d.Tree, r.Tree)
	}
	return d.Text == r.Text
}

// accept returns the comments that lose their place in text that is kept. It refuses
// the write if one of them is unresolved, unless the caller allows it.
func (in restoreDocumentIn) accept(ctx context.Context, env mcptool.Env, before outline.Document, revision outline.RevisionContent) (edit.Loss, error) {
	if before.Tree == nil || revision.Tree == nil {
		return edit.Loss{}, nil
	}
	loss := edit.Loss{CommentAnchors: edit.Lost(before.Tree, revision.Tree.WithoutMarks(prosemirror.Comment)).CommentAnchors}
	open, err := detached(ctx, env, before.ID, loss, in.AllowLoss)
	if err != nil || len(open) == 0 {
		return loss, err
	}
	return loss, output.Failure{Code: output.InvalidArguments, DocumentID: before.ID,
		Sentence: fmt.Sprintf("nothing was restored: Outline would detach %s from text that is kept. With allow_loss true, the comments stay, but lose their place in the text.\n%s",
			output.Count(len(open), "unresolved comment", "unresolved comments"), strings.Join(open, "\n"))}
}

// restoredRevision is a document that was set back to a revision.
type restoredRevision struct {
	documentName
	Status      string `json:"status" const:"restored"`
	RevisionID  string `json:"revision_id" format:"uuid"`
	TitleBefore string `json:"title_before,omitempty" jsonschema:"If it has changed"`
	change             // never guarded: Outline has no guard here
}

// restoredTo returns the answer for a document that was set back to a revision.
func restoredTo(revision outline.RevisionContent, before, after outline.Document) restoredRevision {
	restored := restoredRevision{
		documentName: nameOf(after.DocumentSummary), Status: "restored", RevisionID: revision.ID,
		change: change{RevisionBefore: before.Revision, Revision: after.Revision, diff: diffOf(before, after)},
	}
	if before.Title != after.Title {
		restored.TitleBefore = output.Label(before.Title)
	}
	return restored
}

// WriteText implements output.Result.
func (r restoredRevision) WriteText(t *output.Text) {
	done, to := "Restored", " to"
	if !r.Changed {
		done, to = "Nothing changed in", ", which already has the text of"
	}
	t.Printf("%s ", done)
	r.documentName.write(t)
	t.Line("%s revision_id %s", to, r.RevisionID)
	more := ""
	if r.TitleBefore != "" {
		more = ", title_before " + titleOf(r.TitleBefore)
	}
	r.line(t, more)
	r.rest(t, r.id(), false)
}

// Cuts implements output.Cuttable.
func (r *restoredRevision) Cuts() []output.Cut {
	return []output.Cut{{Units: len(r.Diff), Keep: func(n int) { r.diff = r.cut(n) }}}
}
