package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// Resume takes over the documents and attachments that an interrupted push has created,
// wherever their files are now.
func (f *Folder) Resume(ctx context.Context, c *outline.Client) error {
	plans, err := f.plans()
	if err != nil || len(plans) == 0 {
		return err
	}
	known, here, err := f.look(ctx)
	if err != nil {
		return err
	}
	byPath := func(a, b string) int { return strings.Compare(plans[a].Path, plans[b].Path) }
	for _, id := range slices.SortedFunc(maps.Keys(plans), byPath) {
		what := plans[id]
		if _, done := known.get(id); done {
			err = nil
		} else if what.Attachment {
			err = f.resumeAttachment(ctx, c, id, what)
		} else {
			err = f.resumeDocument(ctx, c, id, what, &here)
		}
		notCreated := errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrForbidden) || what.Attachment && errors.Is(err, outline.ErrBadAnswer)
		if err != nil && !notCreated {
			return err
		}
		if err := f.forget(plannedBucket, id); err != nil {
			return err
		}
	}
	return nil
}

// resumeAttachment takes over an attachment, unless its file was not uploaded.
func (f *Folder) resumeAttachment(ctx context.Context, c *outline.Client, id string, what plannedItem) error {
	link, err := c.AttachmentLink(ctx, id, what.Document)
	if err != nil {
		return err
	}
	file, err := c.OpenFile(ctx, link)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), f.attached(id, what.Path))
}

// ownRevisions is the revision that a document has when it was created and published.
const ownRevisions = 3

// resumeDocument takes over a document. Its record is that of the file as it was sent, so
// that what has become of the file since is a change like others.
func (f *Folder) resumeDocument(ctx context.Context, c *outline.Client, id string, what plannedItem, here *local) error {
	stored, err := c.Document(ctx, id)
	if err != nil {
		return err
	}
	r := record{place: placeOf(stored), Revision: stored.Revision, Icon: stored.Icon, Color: stored.Color, Path: what.Path, Hash: what.Hash, Pending: true, Sent: f.links.targets(what.Text, what.Path)}
	if isCreated := stored.Revision <= ownRevisions && stored.UpdatedBy == stored.CreatedBy; !isCreated && !prosemirror.SameContent(stored.Text, what.Text) {
		r.Revision = 1 // another user has changed it; before that, what differs was adapted
	}
	one, found := here.file(&r.place)
	if !found {
		one, found = f.takeFresh(what, here)
	}
	switch {
	case found:
		err = f.name(one.Path, stored.URLID)
	case what.Hash == "":
		one := page{URLID: stored.URLID, Title: titleField(what.Path, stored.URLID, stored.Title), Text: what.Text}
		_, err = f.replace(what.Path, "", one.bytes())
	}
	if err != nil {
		return err
	}
	return f.put(map[string]string{id: what.Text}, r)
}

// name writes into the front matter of a file which document it has become.
func (f *Folder) name(path, urlID string) error {
	one, err := f.load(path)
	if err != nil {
		return err
	}
	one.URLID, one.Title = urlID, titleField(path, urlID, f.newTitle(one))
	written, err := f.replace(path, one.Hash, one.bytes())
	if err == nil && !written {
		err = fmt.Errorf("%s has just been changed; run the command again", path)
	}
	return err
}

// takeFresh finds the file that a document was created of, among those that name none: one
// with the same content, the one at its path, or the one that has most of its lines.
func (f *Folder) takeFresh(what plannedItem, here *local) (file, bool) {
	best, most, lines := -1, 0, linesOf(what.Text)
	for i, one := range here.fresh {
		score := 0
		if whole, err := f.load(one.Path); err == nil {
			score = 2 * inCommon(lines, linesOf(whole.Text))
		}
		if one.Hash == what.Hash {
			score = 1 << 20
		}
		if one.Path == what.Path {
			score++
		}
		if score > most {
			best, most = i, score
		}
	}
	if best < 0 {
		return file{}, false
	}
	one := here.fresh[best]
	here.fresh = slices.Delete(here.fresh, best, best+1)
	return one, true
}
