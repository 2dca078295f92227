package folder

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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

// A record is a document as it was pulled or pushed last.
type record struct {
	place
	Revision int
	Icon     string `json:",omitempty"`
	Color    string `json:",omitempty"`
	Path     string // of its file
	Hash     string // of the file as it was written
	// Next is the hash of a file that is about to be written to NextPath.
	Next     string `json:",omitempty"`
	NextPath string `json:",omitempty"`
	// Conflict is set while Outline's version lies beside the file. The text and Revision
	// are then still those that both versions come from.
	Conflict *version `json:",omitempty"`
	// Gone says that the document is no longer in Outline, or cannot be seen there. Its
	// file has changes, and was left.
	Gone bool `json:",omitempty"`
}

// A version is a state of a document in Outline.
type version struct {
	Revision    int
	Icon, Color string `json:",omitempty"`
	Text        string // Outline's Markdown
	Beside      string `json:",omitempty"` // hash of the file that shows it in a conflict
}

// settings is what a folder was pulled with.
type settings struct {
	Instance   string            // address of Outline
	Collection string            // UUID; "" for all
	Below      string            // UUID; "" for all documents
	Into       string            // UUID of the collection whose top level the folder itself is; "" if each collection has a folder
	Tops       map[string]string // folder of each collection, by UUID
	Newest     time.Time         // change that was pulled last
}

var (
	settingsBucket = []byte("settings")
	recordsBucket  = []byte("documents") // records, by UUID
	textsBucket    = []byte("texts")     // Outline's Markdown that goes with the record, by UUID
	arrivedBucket  = []byte("arrived")   // versions that are not in files yet, by UUID
	plannedBucket  = []byte("planned")   // UUIDs of documents that a push creates, by path
	settingsKey    = []byte("folder")
)

// ErrNotPulled reports a folder without a database.
var ErrNotPulled = errors.New("it has not been pulled yet: run outline-mcp pull there first")

// A Folder is a folder of Markdown files, open for one command.
type Folder struct {
	settings
	dir  string
	root *os.Root
	db   *bbolt.DB

	// Next has the next document that a tool creates get an ID.
	Next func(id string)
	// Check keeps Pull from writing anything.
	Check bool

	links  pages // by the places of the files as Status has found them
	writer *flate.Writer
	found  map[string]bool // documents of which Check has seen another version, by UUID
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
	f := &Folder{dir: dir, root: root}
	if err := f.openState(create); err != nil {
		root.Close()
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
	f.db, err = bbolt.Open(filepath.Join(f.dir, filepath.FromSlash(name)), 0o600, &bbolt.Options{Timeout: time.Second})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return errors.New("another command is using this folder; try again when it finishes")
	}
	if err != nil {
		return fmt.Errorf("%s cannot be opened (%w); move it away and pull again", name, err)
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{settingsBucket, recordsBucket, textsBucket, arrivedBucket, plannedBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if value := tx.Bucket(settingsBucket).Get(settingsKey); value != nil {
			return json.Unmarshal(value, &f.settings)
		}
		return nil
	})
}

// Close closes the folder.
func (f *Folder) Close() error { return errors.Join(f.db.Close(), f.root.Close()) }

// recover takes over the files that an interrupted command has written.
func (f *Folder) recover() error {
	all, err := f.records()
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Next == "" {
			continue
		}
		if content, err := f.read(r.NextPath); err == nil && hashOf(content) == r.Next {
			r.Hash, r.Path = r.Next, r.NextPath
		}
		r.Next, r.NextPath = "", ""
		if r.Hash == "" { // it has not been written: there is no such file yet
			if err := f.forget(r.ID); err != nil {
				return err
			}
			continue
		}
		if err := f.put(nil, r); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) saveSettings() error {
	value, err := json.Marshal(f.settings)
	if err != nil {
		return err
	}
	return f.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(settingsBucket).Put(settingsKey, value) })
}

// put stores records in one step, and the texts of those that texts has, by ID.
func (f *Folder) put(texts map[string]string, records ...record) error {
	if len(records) == 0 {
		return nil
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		for _, r := range records {
			if err := putJSON(tx.Bucket(recordsBucket), r.ID, r); err != nil {
				return err
			}
			text, ok := texts[r.ID]
			if !ok {
				continue
			}
			if err := tx.Bucket(textsBucket).Put([]byte(r.ID), f.compress([]byte(text))); err != nil {
				return err
			}
		}
		return nil
	})
}

func putJSON(bucket *bbolt.Bucket, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return bucket.Put([]byte(key), data)
}

// text returns the text that goes with the record of a document.
func (f *Folder) text(id string) (text string, err error) {
	err = f.db.View(func(tx *bbolt.Tx) error {
		value, err := decompress(tx.Bucket(textsBucket).Get([]byte(id)))
		text = string(value)
		return err
	})
	return text, err
}

// arrive stores versions that are to come into files.
func (f *Folder) arrive(versions map[string]version) error {
	if len(versions) == 0 {
		return nil
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		for id, v := range versions {
			data, err := json.Marshal(v)
			if err == nil {
				err = tx.Bucket(arrivedBucket).Put([]byte(id), f.compress(data))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// arrived returns the version of a document that has arrived, if there is one.
func (f *Folder) arrived(id string) (v *version, err error) {
	err = f.db.View(func(tx *bbolt.Tx) error {
		if value := tx.Bucket(arrivedBucket).Get([]byte(id)); value != nil {
			data, err := decompress(value)
			if err != nil {
				return err
			}
			return json.Unmarshal(data, &v)
		}
		return nil
	})
	return v, err
}

// compress makes texts smaller in the database.
func (f *Folder) compress(data []byte) []byte {
	var out bytes.Buffer
	if f.writer == nil {
		f.writer, _ = flate.NewWriter(&out, flate.BestSpeed) // fails for unknown levels only
	}
	f.writer.Reset(&out)
	_, _ = f.writer.Write(data) // a buffer takes everything
	_ = f.writer.Close()
	return out.Bytes()
}

func decompress(data []byte) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	return io.ReadAll(flate.NewReader(bytes.NewReader(data)))
}

// settle forgets what has arrived for documents, as it is in their files.
func (f *Folder) settle(outcomes []outcome) error {
	return f.db.Update(func(tx *bbolt.Tx) error {
		for _, o := range outcomes {
			if err := tx.Bucket(arrivedBucket).Delete([]byte(o.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

// forget removes the record of a document, and keeps what has arrived for it.
func (f *Folder) forget(id string) error {
	return f.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(recordsBucket).Delete([]byte(id)) })
}

// drop forgets documents.
func (f *Folder) drop(ids ...string) error {
	return f.db.Update(func(tx *bbolt.Tx) error {
		for _, id := range ids {
			for _, bucket := range [][]byte{recordsBucket, textsBucket, arrivedBucket} {
				if err := tx.Bucket(bucket).Delete([]byte(id)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// records returns all records by ID. They have no texts.
func (f *Folder) records() (map[string]record, error) {
	all := map[string]record{}
	return all, f.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(recordsBucket).ForEach(func(id, value []byte) error {
			var r record
			if err := json.Unmarshal(value, &r); err != nil {
				return err
			}
			all[string(id)] = r
			return nil
		})
	})
}

// planned returns the ID with which the document of a new file is created: the same one
// after an interruption.
func (f *Folder) planned(name string, newID func() string) (id string, err error) {
	err = f.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(plannedBucket)
		if value := bucket.Get([]byte(name)); value != nil {
			id = string(value)
			return nil
		}
		id = newID()
		return bucket.Put([]byte(name), []byte(id))
	})
	return id, err
}

// created forgets the ID that was planned for a file.
func (f *Folder) created(name string) error {
	return f.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(plannedBucket).Delete([]byte(name)) })
}

// read reads a file of documents.
func (f *Folder) read(name string) ([]byte, error) {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes; a document has at most %d", name, info.Size(), maxFile)
	}
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// write replaces a file, or makes it with its folders, in one step.
func (f *Folder) write(name string, content []byte) error {
	if err := f.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	temporary := filepath.Join(stateFolder, "writing")
	if err := f.root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.root.Rename(temporary, filepath.FromSlash(name))
}

// remove deletes a file and the folders that it leaves empty.
func (f *Folder) remove(name string) error {
	if err := f.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(filepath.FromSlash(dir)) != nil { // not empty
			break
		}
	}
	return nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
