package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"outline-mcp/outline"
)

const (
	// filesFolder has the files that pages show, by their content.
	filesFolder = "_files"
	// maxAttachment is the size of the largest file that is pulled.
	maxAttachment = 100 << 20

	attachmentAddress = "/api/attachments.redirect?id="
)

// attachments are the files of the folder that are attachments in Outline.
type attachments struct {
	ids   map[string]string // UUIDs of attachments, by path
	paths map[string]string // of the files that are there, by UUID
	lost  bool              // a file is no longer there
}

// add adds a file. Of several attachments of the same content, links name the first.
func (a *attachments) add(id, name string) {
	if other, ok := a.ids[name]; !ok || id < other {
		a.ids[name] = id
	}
	a.paths[id] = name
}

// attachments reads which files of the folder are attachments.
func (f *Folder) attachments() (*attachments, error) {
	all := &attachments{ids: map[string]string{}, paths: map[string]string{}}
	err := f.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(filesBucket).ForEach(func(id, name []byte) error {
			all.add(string(id), string(name))
			return nil
		})
	})
	for id, name := range all.paths {
		if !f.exists(name) {
			delete(all.paths, id)
			all.lost = true
		}
	}
	return all, err
}

// forgetLost forgets the attachments whose files are gone.
func (f *Folder) forgetLost() error {
	var lost []string
	for name, id := range f.files.ids {
		if f.files.paths[id] == "" && !f.exists(name) {
			lost = append(lost, id)
		}
	}
	f.files.lost = false
	return f.forget(filesBucket, lost...)
}

// attached stores that a file of the folder is an attachment.
func (f *Folder) attached(id, name string) error {
	return f.set(filesBucket, id, []byte(name))
}

// pairFiles takes the files that a page without a record shows for the attachments that its
// document shows in their places. It reports whether there are any.
func (f *Folder) pairFiles(one file, stored string) (found bool) {
	var there []string
	replaceLinks(stored, func(address string) string { there = append(there, f.shownID(address)); return address })
	replaceLinks(one.Text, func(address string) string {
		name, _ := f.links.target(address, one.Path)
		if len(there) > 0 && there[0] != "" && name != "" && f.exists(name) && f.attached(there[0], name) == nil {
			f.files.add(there[0], name)
			found = true
		}
		there = there[min(1, len(there)):]
		return address
	})
	return found
}

// attachmentID returns the UUID of the attachment that an address without a host names,
// or "".
func attachmentID(address string) string {
	id, found := strings.CutPrefix(address, attachmentAddress)
	if _, err := uuid.Parse(id); !found || err != nil || len(id) != len(uuid.UUID{}.String()) {
		return ""
	}
	return strings.ToLower(id)
}

// lacksFiles reports whether a text shows files that are not in the folder.
func (p *comparison) lacksFiles(text string) (lacks bool) {
	replaceLinks(text, func(address string) string {
		id := p.shownID(address)
		lacks = lacks || id != "" && p.files.paths[id] == ""
		return address
	})
	return lacks
}

// shownID returns the UUID of the attachment that an address names, or "".
func (f *Folder) shownID(address string) string {
	return attachmentID(strings.TrimPrefix(address, strings.TrimSuffix(f.Instance, "/")))
}

// fetchFiles stores the files that the text of a document shows and the folder lacks. What
// cannot be stored keeps its address, and is told once.
func (p *comparison) fetchFiles(ctx context.Context, c *outline.Client, one *place, text string) (err error) {
	replaceLinks(text, func(address string) string {
		id := p.shownID(address)
		if id == "" || p.files.paths[id] != "" || p.unavailable[id] || err != nil {
			return address
		}
		var why string
		if why, err = p.fetchFile(ctx, c, id, one.ID); why != "" {
			p.unavailable[id] = true
			p.tell(p.paths[one.ID], Skipped, one.URLID, "its file "+id+" "+why+", so its link stays as it is")
		}
		return address
	})
	return err
}

// fetchFile stores an attachment in a file that is named by its content. why is a clause
// that says why it was left.
func (p *comparison) fetchFile(ctx context.Context, c *outline.Client, id, documentID string) (why string, err error) {
	link, err := c.AttachmentLink(ctx, id, documentID)
	var from *outline.File
	if err == nil {
		from, err = c.OpenFile(ctx, link)
	}
	if errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrBadAnswer) {
		return "is not in Outline, or cannot be read with this key", nil
	}
	if err != nil {
		return "", err
	}
	defer from.Close()
	tooLarge := fmt.Sprintf("has more than %d MB", maxAttachment>>20)
	if from.Size > maxAttachment {
		return tooLarge, nil
	}
	content := &io.LimitedReader{R: from, N: maxAttachment + 1}
	hash, err := p.stage(content)
	if err != nil {
		return "", err
	}
	if content.N <= 0 {
		return tooLarge, nil
	}
	name := path.Join(filesFolder, hash[:32]+extension(from.Name))
	if !p.exists(name) {
		if err := p.place(name); err != nil {
			return "", err
		}
	}
	if err := p.attached(id, name); err != nil {
		return "", err
	}
	p.files.add(id, name)
	return "", nil
}

// extension returns the extension of a name if every file system takes it, or "".
func extension(name string) string {
	found := strings.ToLower(path.Ext(name))
	if len(found) > 9 || strings.Trim(found, ".abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return found
}

// toUpload returns what finds the file of the folder that an address in a file names, if
// Outline does not have it: "" for another address. What the earlier text names as well is
// left, except the files in sent: it may come from others, who must not choose what is
// uploaded.
func (f *Folder) toUpload(from, earlier string, sent []string) func(address string) (name string) {
	left := map[string]bool{}
	replaceLinks(earlier, func(address string) string { left[address] = true; return address })
	return func(address string) string {
		name, rest := f.links.target(address, from)
		if rest != "" || left[address] && !slices.Contains(sent, name) || strings.EqualFold(path.Ext(name), Extension) || strings.Contains("/"+name, "/.") || !f.exists(name) {
			return ""
		}
		return name
	}
}

// uploads returns the files that a push of a page uploads, in the order of the text.
func (f *Folder) uploads(c Change) (names []string, err error) {
	if c.file.Hash == "" { // the page of a folder that has none
		return nil, nil
	}
	whole, err := f.load(c.Path)
	if err != nil {
		return nil, err
	}
	earlier := ""
	if !c.isNew {
		if earlier, err = f.text(c.record.ID); err != nil {
			return nil, err
		}
	}
	toUpload := f.toUpload(c.Path, earlier, c.record.Sent)
	replaceLinks(f.links.withoutWikiLinks(whole.Text, c.Path, earlier), func(address string) string {
		if name := toUpload(address); name != "" && f.files.ids[name] == "" {
			names = append(names, name)
		}
		return address
	})
	return names, nil
}

// uploaded returns a text in which the files of the folder that it shows are attachments
// of the document.
func (p *Push) uploaded(ctx context.Context, c Change, text, earlier string) (string, error) {
	toUpload := p.folder.toUpload(c.Path, earlier, c.record.Sent)
	var failure error
	result := replaceLinks(text, func(address string) string {
		name := toUpload(address)
		if name == "" || failure != nil {
			return address
		}
		if _, ok := p.folder.links.files.ids[name]; !ok {
			failure = p.upload(ctx, c, name)
		}
		if failure != nil {
			return address
		}
		return attachmentAddress + p.folder.links.files.ids[name]
	})
	return result, failure
}

// upload makes a file of the folder an attachment of the document of a change.
func (p *Push) upload(ctx context.Context, c Change, name string) error {
	id := p.NewID()
	if err := p.folder.plan(id, plannedItem{Path: name, Attachment: true, Document: c.record.ID}); err != nil {
		return err
	}
	if err := p.creating(ctx, id, "upload_attachment", map[string]any{"path": filepath.FromSlash(name), "document_id": c.record.ID}, nil); err != nil {
		return err
	}
	if err := p.folder.attached(id, name); err != nil {
		return err
	}
	p.folder.links.files.add(id, name)
	p.Done(uploadOf(name, c))
	return p.folder.forget(plannedBucket, id)
}
