package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func listRevisions() mcptool.Tool {
	return mcptool.Spec[listRevisionsIn, revisionList]{
		Name:        "list_revisions",
		Title:       "List revisions",
		Description: "Lists the revisions of an Outline document, newest first, with authors.[ read_revision shows one.]",
		Endpoints:   []string{"revisions.list", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listRevisionsIn) (revisionList, error) {
			id, err := documentID(ctx, env, in.DocumentID)
			if err != nil {
				return revisionList{}, err
			}
			revisions := func(ctx context.Context, id string) (outline.Page[outline.Revision], error) {
				return env.Outline.Revisions(ctx, outline.RevisionsParams{DocumentID: id, Limit: in.Limit, Offset: in.Offset})
			}
			var document outline.Document
			var page outline.Page[outline.Revision]
			if outline.IsUUID(id) {
				document, page, err = concurrently(ctx, id, env.Outline.Document, revisions)
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
	t.Line("# Revisions of %s, current_revision %d", l.documentName, l.CurrentRevision)
	switch {
	case len(l.Revisions) > 0:
		t.Line("Each line: revision_id, created, authors")
	case l.offset > 0:
		writePastTheEnd(t, l.offset, 0)
	default:
		t.Line("None yet: Outline keeps one when a document is published, and some minutes after a change.")
	}
	t.Blank()
	writeEntries(t, l.Revisions)
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

// restoreRevision sets a document back to one of its revisions.
func restoreRevision(ctx context.Context, env mcptool.Env, in restoreDocumentIn) (_ restoredRevision, err error) {
	before, revision, err := in.readBoth(ctx, env)
	defer func() { err = withDocument(before, err) }()
	if err == nil {
		err = in.checkRestorable(env, before, revision)
	}
	if err != nil {
		return restoredRevision{}, err
	}
	if holdsRevision(before, revision) {
		restored := restoredTo(env, revision, before, before)
		restored.Verified = before.Tree != nil && revision.Tree != nil
		return restored, nil
	}
	parts, lost := keepingComments(ctx, before, revision), edit.Loss{}
	if parts == nil {
		if lost, err = in.accept(ctx, env, before, revision); err != nil {
			return restoredRevision{}, err
		}
	}
	err = confirmed(ctx, env, before, func(_ context.Context, name string) (string, string) {
		title := ""
		if revision.Title != before.Title {
			title = ", with the title " + titleOf(revision.Title)
		}
		_, lines := textChanges(before.Text, revision.Text)
		return fmt.Sprintf("Set %s back to its revision of %s%s?", name, stamp(revision.CreatedAt), title), lines
	})
	if err != nil {
		return restoredRevision{}, err
	}
	if env.Person.Approved() {
		in.ExpectedRevision = before.Revision
	}
	edit.ForgetUnknownTree(&before)
	var update edit.Result
	if parts != nil {
		update, err = updateDocumentIn{}.applyParts(ctx, env, parts, edit.Params{ExpectedRevision: in.ExpectedRevision})
		if errors.Is(err, outline.ErrForbidden) { // the key may restore, but not update
			lost, err = in.accept(ctx, env, before, revision)
			if parts = nil; err != nil {
				return restoredRevision{}, err
			}
		}
	}
	if parts == nil {
		update, err = edit.Restore(ctx, env.Outline, before, revision, in.ExpectedRevision)
	}
	if err != nil {
		return restoredRevision{}, conflict(before, refused(ctx, env, before.ID, err))
	}
	if err := verify(ctx, env, &update); err != nil {
		return restoredRevision{}, err
	}
	wrote(ctx, env, update, true)
	verified := update.ByTree() && revision.Heads(update.After.DocumentSummary)
	restored := restoredTo(env, revision, update.Before, update.After)
	restored.Changed, restored.Verified, restored.Guarded = true, verified, parts != nil && update.Guarded
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
	if restored.Lost == nil && before.Tree != nil && update.After.Tree != nil && removesComments(before, update.After, nil) {
		restored.Notes = append(restored.Notes, commentsRemoved)
	}
	return restored, nil
}

// keepingComments plans a restore as edits of what differs: Outline's restore removes the
// anchors of all comments. It returns nil if the document has none, if more than the text
// differs, or if edits are not exact or would lose anything.
func keepingComments(ctx context.Context, before outline.Document, revision outline.RevisionContent) *edit.Edits {
	edit.ForgetUnknownTree(&before)
	if before.Tree == nil || revision.Tree == nil || len(commentsOn(before.Tree, nil)) == 0 ||
		before.Title != revision.Title || before.Icon != revision.Icon || before.Color != revision.Color {
		return nil
	}
	parts, err := edit.PrepareText(ctx, before, before.Dialect().ToText(revision.Tree)) // that of a revision begins with its title
	if err != nil || parts == nil || len(parts.First.Steps) == 0 || !parts.First.Lost.IsZero() {
		return nil
	}
	if last := parts.First.Steps[len(parts.First.Steps)-1].Request.Result; !sameTree(last, revision.Tree) {
		return nil
	}
	return parts
}

// treeNotCompared is the note on a revision of which only the text was compared.
const treeNotCompared = "the trees of the document and the revision could not be compared exactly: the stored text is compared only by the meaning of its Markdown"

// readBoth reads the document and the revision side by side.
func (in restoreDocumentIn) readBoth(ctx context.Context, env mcptool.Env) (before outline.Document, revision outline.RevisionContent, err error) {
	id, err := documentID(ctx, env, in.DocumentID)
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
	return before, revision, cmp.Or(err, revisionErr)
}

// checkRestorable refuses what Outline would refuse, and what it would do in another
// way than asked for.
func (in restoreDocumentIn) checkRestorable(env mcptool.Env, before outline.Document, revision outline.RevisionContent) error {
	failure := output.Failure{Code: output.Conflict, DocumentID: before.ID}
	switch {
	case revision.DocumentID != before.ID:
		return ofAnother(revision.Revision, before.ID)
	case before.DeletedAt != nil || before.ArchivedAt != nil:
		where := map[bool]string{true: "is in the trash", false: "is archived"}[before.DeletedAt != nil]
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
	return r.Heads(d.DocumentSummary) && sameText(d, r)
}

// sameText reports whether a document has the text of one of its revisions.
func sameText(d outline.Document, r outline.RevisionContent) bool {
	if d.Tree != nil && r.Tree != nil {
		return sameTree(d.Tree, r.Tree)
	}
	return d.Text == r.Text
}

// sameTree compares trees without comments, and without an empty paragraph at the end, which
// Outline adds behind a list or a table when somebody comments on the document.
func sameTree(a, b *prosemirror.Node) bool {
	trimmed := func(n *prosemirror.Node) *prosemirror.Node {
		if last := len(n.Content) - 1; last > 0 && n.Content[last].Type == prosemirror.Paragraph && len(n.Content[last].Content) == 0 {
			return n.With(n.Content[:last])
		}
		return n
	}
	return prosemirror.EqualWithoutComments(trimmed(a), trimmed(b))
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
	documentLink
	Status      string `json:"status" const:"restored"`
	RevisionID  string `json:"revision_id" format:"uuid"`
	TitleBefore string `json:"title_before,omitempty" jsonschema:"If it has changed"`
	change             // not guarded where Outline restores the revision itself
}

// restoredTo returns the answer for a document that was set back to a revision.
func restoredTo(env mcptool.Env, revision outline.RevisionContent, before, after outline.Document) restoredRevision {
	restored := restoredRevision{
		documentLink: linkTo(env, after.DocumentSummary), Status: "restored", RevisionID: revision.ID,
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
	t.Line("%s revision_id %s, %s", to, r.RevisionID, r.URL)
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
