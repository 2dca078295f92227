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
	if err := p.place(&c); err != nil {
		return c, err
	}
	id, err := p.folder.planned(c.Path, p.NewID)
	if err != nil {
		return c, err
	}
	var whole file
	if c.file.Hash != "" { // not for the page of a folder that has none
		if whole, err = p.folder.load(c.Path); err != nil {
			return c, err
		}
	}
	text := p.folder.links.absolute(whole.Text, c.Path, "")
	stored, err := p.Outline.Document(ctx, id)
	if errors.Is(err, outline.ErrNotFound) {
		arguments := map[string]any{"title": c.Title, "text": text}
		if whole.Icon != "" {
			arguments["icon"] = whole.Icon
		}
		if c.parent.document != "" {
			arguments["parent_document_id"] = c.parent.document
		} else {
			arguments["collection_id"] = c.parent.collection
		}
		p.Next(id)
		if err = p.Call(ctx, "create_document", arguments, nil); err == nil {
			stored, err = p.Outline.Document(ctx, id)
		}
	}
	if err != nil {
		return c, err
	}
	whole.URLID, c.Document = stored.URLID, stored.URLID
	whole.Path, c.file = c.Path, whole
	if c, err = p.took(c, stored, text, 1); err != nil {
		return c, err
	}
	return c, p.folder.created(c.Path)
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
// changed meanwhile. sent is the text that was stored as a revision: if Outline holds
// another one, as another user has changed it since, the file keeps its own, and that
// change is left to the next pull.
func (p *Push) took(c Change, stored outline.Document, sent string, revision int) (Change, error) {
	f := p.folder
	one := place{ID: stored.ID, URLID: stored.URLID, URL: stored.URL, Title: stored.Title, Collection: stored.CollectionID, Parent: stored.ParentDocumentID}
	f.links.add(one, c.Path)
	content := page{
		URLID: one.URLID, Title: titleField(c.Path, one.URLID, one.Title), Icon: stored.Icon, Color: stored.Color,
		Extra: c.file.Extra, Text: f.links.relative(stored.Text, c.Path),
	}
	plain := content
	plain.Extra = ""
	if !prosemirror.SameContent(stored.Text, sent) {
		content.Text, plain.Text = c.file.Text, f.links.relative(sent, c.Path)
		stored.Text, stored.Revision = sent, revision
		c.Document = "" // its links are not sent now
	}
	c.record = record{place: one, Revision: stored.Revision, Icon: stored.Icon, Color: stored.Color, Path: c.Path, Hash: hashOf(plain.bytes())}
	now, err := f.read(c.Path)
	if err == nil && hashOf(now) == c.file.Hash || c.file.Hash == "" {
		if written := content.bytes(); hashOf(written) != c.file.Hash {
			if err := f.write(c.Path, written); err != nil {
				return c, err
			}
		}
	}
	return c, f.put(map[string]string{one.ID: stored.Text}, c.record)
}

// change moves, renames and changes a document.
func (p *Push) change(ctx context.Context, c Change) (Change, error) {
	if c.has(Moved) {
		if err := p.place(&c); err != nil {
			return c, err
		}
		now, err := p.Outline.Document(ctx, c.record.ID)
		if err != nil {
			return c, err
		}
		there := now.ParentDocumentID == c.parent.document && (c.parent.document != "" || now.CollectionID == c.parent.collection)
		if now.Revision != c.record.Revision && !there {
			return c, &ToolError{output.Conflict, ""}
		}
		arguments := map[string]any{"document_id": c.record.ID, "collection_id": c.parent.collection}
		if c.parent.document != "" {
			arguments = map[string]any{"document_id": c.record.ID, "parent_document_id": c.parent.document}
		}
		if err := p.Call(ctx, "move_document", arguments, nil); err != nil {
			return c, err
		}
	}
	whole, err := p.folder.load(c.Path)
	if err != nil {
		return c, err
	}
	c.file = whole
	earlier, err := p.folder.text(c.record.ID)
	if err != nil {
		return c, err
	}
	if c.has(Moved) { // a move is a revision
		stored, err := p.Outline.Document(ctx, c.record.ID)
		if err != nil {
			return c, err
		}
		if stored.Text == earlier && stored.Title == c.record.Title {
			c.record.Revision = stored.Revision
		}
	}
	text := p.folder.links.absolute(whole.Text, c.Path, earlier)
	revision := c.record.Revision
	if c.has(Updated) || c.has(Renamed) {
		if revision, err = p.update(ctx, c, whole, text); err != nil {
			return c, err
		}
	}
	stored, err := p.Outline.Document(ctx, c.record.ID)
	if err != nil {
		return c, err
	}
	if stored.Revision != c.record.Revision && !c.has(Updated) && !c.has(Renamed) {
		stored.Revision = c.record.Revision // somebody else's change, which the next pull brings
		stored.Text, text = earlier, earlier
	}
	return p.took(c, stored, text, revision)
}

// update sends the text, title and icon of a file, for the revision that was pulled, and
// returns the revision that it became.
func (p *Push) update(ctx context.Context, c Change, whole file, text string) (revision int, err error) {
	arguments := map[string]any{"document_id": c.record.ID, "expected_revision": c.record.Revision, "allow_shrink": true}
	if c.has(Renamed) {
		arguments["title"] = c.Title
	}
	earlier, err := p.folder.text(c.record.ID)
	if err != nil {
		return 0, err
	}
	if text != earlier {
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
	var answer struct {
		Revision int `json:"revision"`
	}
	err = p.Call(ctx, "update_document", arguments, &answer)
	var failed *ToolError
	if errors.As(err, &failed) && failed.Code == output.Conflict {
		// An interrupted push may have made this change.
		if stored, readErr := p.Outline.Document(ctx, c.record.ID); readErr == nil && stored.Text == text && stored.Title == c.Title && stored.Icon == whole.Icon {
			return stored.Revision, nil
		}
	}
	return answer.Revision, err
}

// archive archives the document of a file that is gone.
func (p *Push) archive(ctx context.Context, c Change) error {
	stored, err := p.Outline.Document(ctx, c.record.ID)
	if errors.Is(err, outline.ErrNotFound) || err == nil && stored.ArchivedAt != nil {
		return p.folder.drop(c.record.ID)
	}
	if err != nil {
		return err
	}
	if stored.Revision != c.record.Revision {
		return &ToolError{output.Conflict, ""}
	}
	below, err := p.Outline.Documents(ctx, outline.DocumentListParams{DocumentFilter: outline.DocumentFilter{ParentDocumentID: c.record.ID}, Limit: 1})
	if err != nil {
		return err
	}
	if len(below.Items) > 0 {
		return &ToolError{output.InvalidArguments, fmt.Sprintf("archiving it would also archive what is below it in Outline, such as %q; move or archive that first", below.Items[0].Title)}
	}
	if err := p.Call(ctx, "archive_document", map[string]any{"document_id": c.record.ID}, nil); err != nil {
		return err
	}
	return p.folder.drop(c.record.ID)
}

// relink changes the links to pages that were new when the page was sent, and uploads the
// pictures that new pages show.
func (p *Push) relink(ctx context.Context, changed []Change) error {
	for _, c := range changed {
		if c.Document == "" {
			continue
		}
		whole, err := p.folder.load(c.Path)
		if err != nil {
			return err
		}
		earlier, err := p.folder.text(c.record.ID)
		if err != nil {
			return err
		}
		text := p.folder.links.absolute(whole.Text, c.Path, earlier)
		if c.isNew { // a page of others must not name what is uploaded
			text, err = p.uploaded(ctx, c, text)
		}
		revision := 0
		if err == nil && text != earlier {
			revision, err = p.update(ctx, c, whole, text)
		}
		var failed *ToolError
		if errors.As(err, &failed) {
			p.Done(Line{c.Path, Refused, c.Document, "its links or pictures: " + failed.Text})
			continue
		}
		if err != nil || text == earlier {
			if err != nil {
				return err
			}
			continue
		}
		stored, err := p.Outline.Document(ctx, c.record.ID)
		if err != nil {
			return err
		}
		c.file = whole
		if _, err := p.took(c, stored, text, revision); err != nil {
			return err
		}
	}
	return nil
}

// uploaded returns a text in which the files of the folder that it shows are attachments
// of the document.
func (p *Push) uploaded(ctx context.Context, c Change, text string) (string, error) {
	addresses := map[string]string{}
	var failure error
	result := replaceLinks(text, func(address string) string {
		name, rest := p.folder.links.target(address, c.Path)
		if name == "" || rest != "" || failure != nil || strings.EqualFold(path.Ext(name), Extension) ||
			strings.Contains("/"+name, "/.") || !p.folder.exists(name) {
			return address
		}
		if _, ok := addresses[name]; !ok {
			var uploaded struct {
				AttachmentID string `json:"attachment_id"`
			}
			failure = p.Call(ctx, "upload_attachment", map[string]any{"path": p.folder.absolutePath(name), "document_id": c.record.ID}, &uploaded)
			addresses[name] = "/api/attachments.redirect?id=" + uploaded.AttachmentID
		}
		return addresses[name]
	})
	return result, failure
}
