package folder

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// create makes a document of a new file.
func (p *Push) create(ctx context.Context, c Change) (Change, error) {
	dry := *p.folder.DryRun
	if err := p.place(&c); err != nil && !dry {
		return c, err
	}
	var whole file
	if c.file.Hash != "" { // not for the page of a folder that has none
		var err error
		if whole, err = p.folder.load(c.Path); err != nil {
			return c, err
		}
	} else if table := strings.TrimSuffix(c.Path, Extension) + ".csv"; p.folder.exists(table) {
		whole.Text = "[Data](" + relativePath(path.Dir(c.Path), table) + ")"
	}
	id, text := p.NewID(), p.folder.links.absolute(whole.Text, c.Path, "")
	if !dry {
		if err := p.folder.plan(id, plannedItem{Path: c.Path, Hash: whole.Hash, Text: text}); err != nil {
			return c, err
		}
	}
	arguments := map[string]any{"title": c.Title, "text": text}
	collection, document := c.parent.collection, c.parent.document
	if collection == drafts { // it stays among the documents that the folder is of
		collection, document = p.folder.Collection, p.folder.Below
		arguments["publish"] = false
	}
	if document != "" {
		collection = ""
	}
	for name, value := range map[string]string{"icon": whole.Icon, "collection_id": collection, "parent_document_id": document} {
		if value != "" {
			arguments[name] = value
		}
	}
	var answer struct {
		Notes []string `json:"notes"`
	}
	if err := p.creating(ctx, id, "create_document", arguments, &answer); err != nil {
		return c, err
	}
	if c.notes = strings.Join(answer.Notes, "; "); dry {
		return c, nil
	}
	stored, err := p.Outline.Document(ctx, id)
	if err != nil {
		return c, err
	}
	whole.URLID, c.Document = stored.URLID, stored.URLID
	whole.Path, c.file = c.Path, whole
	c.revision = stored.Revision
	if prosemirror.SameContent(stored.Text, text) || c.revision <= 2 { // what differs was adapted; publishing may raise the revision once
		text = stored.Text
	} else {
		c.revision = 1 // another user has changed it
	}
	if c, err = p.took(c, stored, text); err != nil {
		return c, err
	}
	return c, p.folder.forget(plannedBucket, id)
}

// creating calls a tool that creates what has the planned ID.
func (p *Push) creating(ctx context.Context, id, tool string, arguments map[string]any, answer any) error {
	p.Next(id)
	defer p.Next("")
	return p.Call(ctx, tool, arguments, answer)
}

// place finds the parent of a page whose parent was new, too.
func (p *Push) place(c *Change) error {
	if c.parent.page == "" || c.parent.document != "" {
		return nil
	}
	page, ok := p.folder.links.at(c.parent.page)
	if !ok {
		return &ToolError{output.NotFound, "the page above it, " + c.parent.page + ", is not in Outline"}
	}
	c.parent.document = page.ID
	return nil
}

// took stores what Outline holds now, and writes it into the file if that has not been
// changed meanwhile. sent is the text that was sent. What a tool has adapted in it, or
// another user has changed since, comes into the file as well, and is told. If the file was
// changed, another user's change is left to the next pull, which merges the two.
func (p *Push) took(c Change, stored outline.Document, sent string) (Change, error) {
	f := p.folder
	one := placeOf(stored)
	f.links.add(&one, c.Path)
	content := page{
		URLID: one.URLID, Title: titleField(c.Path, one.URLID, one.Title), Icon: stored.Icon, Color: stored.Color,
		Extra: c.file.Extra, Text: f.links.relative(stored.Text, c.Path),
	}
	plain := content
	plain.Extra = ""
	if c.isNew {
		content.Color = c.file.Color // which create_document does not take
	}
	if c.notes == "" && stored.Revision != c.revision && !prosemirror.SameContent(stored.Text, sent) {
		c.notes = "another user has changed it since; the file includes that change"
	}
	c.notes = joinClauses(c.notes, wikiNote(c.file.Text, sent))
	if !c.isNew {
		c.notes = joinClauses(c.notes, joinedLine(sent, stored.Text))
	}
	c.record = record{place: one, Revision: stored.Revision, Icon: stored.Icon, Color: stored.Color, Path: c.Path, Hash: hashOf(plain.bytes()), Pending: c.isNew, Awaits: f.links.awaits(stored.Text, c.Path)}
	if c.isNew {
		c.record.Sent = f.links.targets(sent, c.Path)
	}
	f.links.settled[c.Path] = true
	if whole := content.bytes(); hashOf(whole) != c.file.Hash {
		written, err := f.replace(c.Path, c.file.Hash, whole)
		f.links.settled[c.Path] = written
		if err == nil && !written && c.isNew {
			err = f.name(c.Path, one.URLID)
		}
		if err != nil {
			return c, err
		}
		if c.unmerged = !written && stored.Revision != c.revision; c.unmerged {
			c.notes = "another user has changed it since, and the file was changed during this push; pull to merge the two"
			c.record.Revision, c.record.Title, c.record.Icon = c.revision, c.Title, c.file.Icon
			stored.Text = sent
		}
	}
	return c, f.put(map[string]string{one.ID: stored.Text}, c.record)
}

// texts returns the file of a page, the text of its document as it was pulled or pushed last,
// and the text that the file makes of it.
func (f *Folder) texts(c Change) (whole file, earlier, text string, err error) {
	if whole, err = f.load(c.Path); err == nil {
		earlier, err = f.text(c.record.ID)
	}
	return whole, earlier, f.links.absolute(whole.Text, c.Path, earlier), err
}

// change moves, renames and changes a document.
func (p *Push) change(ctx context.Context, c Change) (Change, error) {
	if c.has(Moved) {
		if err := p.move(ctx, &c); err != nil {
			return c, err
		}
	}
	whole, earlier, text, err := p.folder.texts(c)
	if err != nil {
		return c, err
	}
	c.file = whole
	if *p.folder.DryRun {
		if c.has(Updated) || c.has(Renamed) {
			err = p.update(ctx, &c, whole, text)
		}
		return c, err
	}
	if c.has(Updated) {
		if text, err = p.uploaded(ctx, c, text, earlier); err != nil {
			return c, err
		}
	}
	if c.has(Updated) || c.has(Renamed) {
		if err = p.update(ctx, &c, whole, text); err != nil {
			return c, err
		}
	}
	stored, err := p.Outline.Document(ctx, c.record.ID)
	if err != nil {
		return c, err
	}
	if !c.has(Updated) && !c.has(Renamed) && !p.folder.isAsRecorded(c.record, stored) {
		stored.Revision = c.record.Revision // another user's change, which the next pull brings
		stored.Text, text = earlier, earlier
	}
	return p.took(c, stored, text)
}

// move moves a document.
func (p *Push) move(ctx context.Context, c *Change) error {
	if err := p.place(c); err != nil && !*p.folder.DryRun {
		return err
	}
	now, err := p.Outline.Document(ctx, c.record.ID)
	if err != nil {
		return err
	}
	there := now.ParentDocumentID == c.parent.document && (c.parent.document != "" || now.CollectionID == c.parent.collection)
	if !there && !p.folder.isAsRecorded(c.record, now) || otherPage(c.record, now) {
		return &ToolError{output.Conflict, ""}
	}
	if p.away[c.record.ID] = true; *p.folder.DryRun {
		return nil
	}
	arguments := map[string]any{"document_id": c.record.ID, "collection_id": c.parent.collection}
	if c.parent.document != "" {
		arguments = map[string]any{"document_id": c.record.ID, "parent_document_id": c.parent.document}
	}
	if err := p.Call(ctx, "move_document", arguments, nil); err != nil {
		return err
	}
	if c.record.Collection == drafts {
		if err := p.Call(ctx, "update_document", map[string]any{"document_id": c.record.ID, "publish": true}, nil); err != nil {
			return err
		}
	}
	return nil
}

// update sends the text, title and icon of a file, for the revision that was pulled. The
// change gets what is said of the text.
func (p *Push) update(ctx context.Context, c *Change, whole file, text string) error {
	arguments := map[string]any{"document_id": c.record.ID, "expected_revision": c.record.Revision, "allow_shrink": p.AllowShrink}
	if c.has(Renamed) {
		arguments["title"] = c.Title
	}
	earlier, err := p.folder.text(c.record.ID)
	if err != nil {
		return err
	}
	if text != earlier {
		if text == "" {
			return &ToolError{output.InvalidArguments, "a push empties no page: leave some text in the file, or empty the page in Outline"}
		}
		arguments["text"] = text
	}
	for name, values := range map[string][2]string{"icon": {whole.Icon, c.record.Icon}, "color": {whole.Color, c.record.Color}} {
		if values[0] != values[1] {
			arguments[name] = values[0]
			if values[0] == "" {
				arguments[name] = "none"
			}
		}
	}
	c.revision = c.record.Revision
	if len(arguments) == 3 {
		return nil // what was pending is there
	}
	if now, err := p.Outline.Document(ctx, c.record.ID); err == nil && otherPage(c.record, now) {
		return &ToolError{output.InvalidArguments, fmt.Sprintf("its document in Outline is %q, not %q; pull first", now.Title, c.record.Title)}
	} else if err == nil && p.folder.isAsRecorded(c.record, now) {
		c.revision, arguments["expected_revision"] = now.Revision, now.Revision
	}
	var answer struct {
		Note     string `json:"note"`
		Revision int    `json:"revision"`
		Changed  bool   `json:"changed"`
	}
	err = p.Call(ctx, "update_document", arguments, &answer)
	var failed *ToolError
	if errors.As(err, &failed) && failed.Code == output.Conflict && !*p.folder.DryRun {
		// An interrupted push may have made this change: it would change nothing now.
		if stored, readErr := p.Outline.Document(ctx, c.record.ID); readErr == nil && stored.Title == c.Title && stored.Icon == whole.Icon && stored.Color == whole.Color {
			arguments["expected_revision"] = stored.Revision
			*p.folder.DryRun = true
			readErr = p.Call(ctx, "update_document", arguments, &answer)
			*p.folder.DryRun = false
			if readErr == nil && !answer.Changed {
				c.revision = stored.Revision
				return nil
			}
		}
		return err
	}
	c.notes, c.revision = answer.Note, answer.Revision
	return err
}

// isAsRecorded reports whether a document is what its record says, whatever its revision:
// Outline counts what it stores by itself, too.
func (f *Folder) isAsRecorded(r record, now outline.Document) bool {
	if now.Revision == r.Revision {
		return true
	}
	text, err := f.text(r.ID)
	return err == nil && now.Text == text && now.Title == r.Title && now.Icon == r.Icon && now.Color == r.Color
}

// otherPage reports whether a record has the title of another page than its document.
func otherPage(r record, now outline.Document) bool {
	return now.Revision == r.Revision && fileName(now.Title) != fileName(r.Title)
}

// archive archives the document of a file that is gone.
func (p *Push) archive(ctx context.Context, c Change) error {
	stored, err := p.Outline.Document(ctx, c.record.ID)
	if isGone := errors.Is(err, outline.ErrNotFound) || err == nil && stored.ArchivedAt != nil; isGone && *p.folder.DryRun {
		return nil
	} else if isGone {
		return p.folder.drop(c.record.ID)
	}
	if err != nil {
		return err
	}
	if !p.folder.isAsRecorded(c.record, stored) || otherPage(c.record, stored) {
		return &ToolError{output.Conflict, ""}
	}
	below, err := p.Outline.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{ParentDocumentID: c.record.ID}, Limit: perPage})
	if err != nil {
		return err
	}
	for _, one := range below.Items {
		if !p.away[one.ID] {
			return &ToolError{output.InvalidArguments, fmt.Sprintf("archiving it would also archive what is below it in Outline, such as %q; move or archive that first", one.Title)}
		}
	}
	if p.away[c.record.ID] = true; *p.folder.DryRun {
		return nil
	}
	tool := "archive_document"
	if c.record.Collection == drafts { // Outline archives none
		tool = "delete_document"
	}
	if err := p.Call(ctx, tool, map[string]any{"document_id": c.record.ID}, nil); err != nil {
		return err
	}
	return p.folder.drop(c.record.ID)
}
