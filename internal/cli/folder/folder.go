// Package folder keeps part of a wiki as a folder of Markdown files, as the commands
// pull, status, diff and push show it.
//
// # Layout
//
// Each collection is a folder, and each document a file in it, named by its title.
// The documents below it are in a folder of the same name:
//
//	Handbook/
//	    Welcome.md
//	    Welcome/
//	        First week.md
//	.outline/
//	    pulled.db
//
// A file begins with front matter that names its document. Its text is the document's
// Markdown, in which links between documents of the folder are relative. Which file a
// document has depends only on the titles around it, so two folders of the same wiki
// hold the same bytes.
//
// The database in .outline holds each document as it was pulled or pushed last: that
// is what files are compared with, and the revision with which a push is guarded.
//
// # Interruptions
//
// Each file is replaced by one rename. Before files are written, the database says
// what will be in them; what an interrupted command has written is recognized by that.
// A push records the ID of a document before it creates it.
//
// # Trust
//
// Titles and texts are data from outside. All files are opened through an os.Root, so
// no title, link or symbolic link leads out of the folder.
package folder

import (
	"cmp"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

const (
	stateFolder = ".outline"
	stateFile   = "pulled.db"
	// maxFile is the largest file that is read. Outline stores texts up to about 1.5 MB.
	maxFile = 8 << 20
)

// settings is what a folder was pulled with.
type settings struct {
	Instance   string            // address of Outline
	Collection string            // UUID; "" for all
	Below      string            // UUID; "" for all documents
	Into       string            // UUID of the collection whose top level the folder itself is; "" if each collection has a folder
	Tops       map[string]string // folder of each collection, by UUID
	Newest     time.Time         // change that was pulled last
	Drafts     bool              // the folder has the caller's own drafts
	Files      bool              // the folder has the files that pages show
	Bound      bool              // the folder is only of what was pushed from it, and of what is below that
	Anew       bool              // all pages are to be written with links to them
}

// ErrNotPulled reports a folder without a database.
var ErrNotPulled = errors.New("it has not been pulled yet: run outline-mcp pull there first, or outline-mcp push with --collection to create documents from its files")

// A Folder is a folder of Markdown files, open for one command.
type Folder struct {
	settings
	dir  string
	root *os.Root
	db   *bbolt.DB

	// Next has the next document that a tool creates get an ID.
	Next func(id string)
	// DryRun has create_document and update_document write nothing while it is true.
	DryRun *bool
	// Check keeps Pull from storing the files that pages show.
	Check bool

	damaged  bool               // the database cannot be read
	named    bool               // only documents that files name are pulled
	restores bool               // lost outline lines are written into their files
	lost     map[string]*record // of the documents whose files lack the outline line, by the paths of those

	taken  map[string]string // URL IDs of the documents that a first push finds, by the folded paths that their files would have
	files  *attachments
	links  pages // by the places of the files as Status has found them
	writer *flate.Writer
	reader io.ReadCloser // by flate
}

// Open opens a folder. If create is set, it makes the folder and its database.
// Otherwise a folder without a database is [ErrNotPulled]. Only one command at a
// time has a folder open.
func Open(dir string, create bool) (*Folder, error) {
	if create {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, root: root, reader: flate.NewReader(nil)}
	f.writer, _ = flate.NewWriter(nil, flate.BestSpeed) // fails for unknown levels only
	if err := f.openState(create); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.recover(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Folder) openState(create bool) error {
	info, err := f.root.Lstat(stateFolder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		if err := f.root.Mkdir(stateFolder, 0o755); err != nil {
			return err
		}
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotPulled
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", stateFolder)
	}
	name := path.Join(stateFolder, stateFile)
	info, err = f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !create:
		return ErrNotPulled
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", name)
	}
	open := func(readOnly bool) error {
		return f.guarded(func() (err error) {
			f.db, err = bbolt.Open(filepath.Join(f.dir, filepath.FromSlash(name)), 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: readOnly})
			return err
		})
	}
	if err = nil; info != nil && info.Size() > 0 { // which reads no list of free pages yet
		if err = open(true); err == nil {
			if err = f.view(f.checkPages); err == nil {
				err = f.db.Close()
			}
		}
	}
	if err == nil {
		err = open(false)
	}
	if err != nil {
		return notOpened(err)
	}
	return f.update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{settingsBucket, recordsBucket, textsBucket, arrivedBucket, plannedBucket, filesBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if value := tx.Bucket(settingsBucket).Get(settingsKey); value != nil {
			if json.Unmarshal(value, &f.settings) != nil {
				return errDamaged
			}
		}
		return nil
	})
}

// Lock keeps other commands from changing a folder until unlock is called.
func Lock(dir string) (unlock func(), err error) {
	name := filepath.Join(dir, stateFolder, stateFile)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return func() {}, nil
	}
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: true})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, notOpened(err)
	} else if err != nil { // who opens the folder next says why
		return func() {}, nil
	}
	return func() { _ = db.Close() }, nil
}

// notOpened says why the database cannot be opened.
func notOpened(err error) error {
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return errors.New("another command is using this folder; try again when it finishes")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be written: %w. Make the folder writable: each command stores its state there", stateFolder, err)
	case errors.Is(err, errDamaged):
		return err
	}
	return fmt.Errorf("%s/%s cannot be opened (%w); move it away and pull again", stateFolder, stateFile, err)
}

// Close closes the folder.
func (f *Folder) Close() error {
	if f.db == nil || f.damaged { // bbolt may wait for its own locks after a panic
		return f.root.Close()
	}
	return errors.Join(f.db.Close(), f.root.Close())
}

// recover takes over the files that an interrupted command has written.
func (f *Folder) recover() error {
	interrupted, err := f.records(func(r *record) bool { return r.Next != "" })
	if err != nil {
		return err
	}
	for _, r := range interrupted {
		if content, err := f.read(r.NextPath); err == nil && hashOf(content) == r.Next {
			r.Hash, r.Path = r.Next, cmp.Or(r.Path, r.NextPath)
		}
		r.Next, r.NextPath = "", ""
		if r.Hash == "" { // it has not been written: there is no such file yet
			if err := f.forget(recordsBucket, r.ID); err != nil {
				return err
			}
			continue
		}
		if err := f.put(nil, *r); err != nil {
			return err
		}
	}
	return nil
}

// What says what has become, or will become, of a file or a document.
type What string

// What a command says of a file.
const (
	New       What = "new"
	Updated   What = "changed"
	Merged    What = "merged"
	Conflict  What = "conflict"
	Moved     What = "moved"
	Removed   What = "removed"
	Restored  What = "restored"
	Kept      What = "kept"
	Skipped   What = "skipped"
	Renamed   What = "renamed"
	Archived  What = "archived"
	Deleted   What = "deleted"
	Refused   What = "refused"
	Gone      What = "gone"
	Cancelled What = "cancelled"
	Uploaded  What = "uploaded"
)

// leaves reports whether a push leaves what it is said of.
func (w What) leaves() bool {
	return w == Conflict || w == Gone || w == Kept || w == Refused || w == Cancelled
}

// left returns what a push ends with: before is what it would have ended with so far.
func (w What) left(before error) error {
	switch {
	case w == Conflict:
		return ErrConflict
	case before == nil && w != Kept && w.leaves():
		return ErrIncomplete
	}
	return before
}

// A Line says what has become of a file.
type Line struct {
	Path     string `json:"path"`
	What     What   `json:"what"`
	Document string `json:"document,omitempty"` // URL ID
	Detail   string `json:"detail,omitempty"`   // a clause
}

// Write writes a line for people.
func (l Line) Write(w io.Writer) {
	fmt.Fprintf(w, "%-10s %s", l.What, l.Path)
	if l.Detail != "" {
		fmt.Fprintf(w, "  (%s)", l.Detail)
	}
	fmt.Fprintln(w)
}

// Write writes a change for people.
func (c Change) Write(w io.Writer) {
	side := func(name string, all []What) {
		for _, what := range all {
			fmt.Fprintf(w, "%-8s %-10s %s\n", name, what, c.Path)
		}
	}
	side("here", c.Here)
	side("there", c.There)
	if c.Conflict {
		fmt.Fprintf(w, "%-8s %-10s %s  (Outline's version is in %s)\n", "both", Conflict, c.Path, besidePath(c.Path))
	}
}
