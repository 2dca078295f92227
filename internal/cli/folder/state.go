package folder

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
	"os"
	"unique"

	"go.etcd.io/bbolt"
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
	// Sent has the paths that the text of a pending document named when it was created.
	Sent []string `json:",omitempty"`
	// Conflict is set while Outline's version lies beside the file. The text and Revision
	// are then still those that both versions come from.
	Conflict *version `json:",omitempty"`
	// Pending says that the document is new, and its links and files are not sent yet.
	Pending bool `json:",omitempty"`
	// Awaits says that the text links to files that are not documents yet.
	Awaits bool `json:",omitempty"`
	// Gone says that the document is no longer in Outline, or cannot be seen there. Its
	// file has changes, and was left.
	Gone bool `json:",omitempty"`

	unchanged bool // the file is as it was written
}

// A version is a state of a document in Outline.
type version struct {
	Revision    int
	Icon, Color string `json:",omitempty"`
	Text        string // Outline's Markdown
	Beside      string `json:",omitempty"` // hash of the file that shows it in a conflict
}

var (
	settingsBucket = []byte("settings")
	recordsBucket  = []byte("documents") // records, by UUID
	textsBucket    = []byte("texts")     // Outline's Markdown that goes with the record, by UUID
	arrivedBucket  = []byte("arrived")   // versions that are not in files yet, by UUID
	plannedBucket  = []byte("planned")   // what a push is about to create, by UUID
	filesBucket    = []byte("files")     // paths of files that are attachments, by UUID
	settingsKey    = []byte("folder")
)

func (f *Folder) saveSettings() error {
	value, err := json.Marshal(f.settings)
	if err != nil {
		return err
	}
	return f.set(settingsBucket, string(settingsKey), value)
}

// view reads the database. Whatever cannot be read of it counts as damage.
func (f *Folder) view(do func(*bbolt.Tx) error) error {
	return f.guarded(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			defer f.release(tx)
			if do(tx) != nil {
				return errDamaged
			}
			return nil
		})
	})
}

// update changes the database in one step.
func (f *Folder) update(do func(*bbolt.Tx) error) error {
	err := f.guarded(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			defer f.release(tx)
			return do(tx)
		})
	})
	if err != nil {
		return err
	}
	return f.view(func(*bbolt.Tx) error { return nil }) // releases what the commit has read
}

// release keeps the part of the database that has been read from taking memory.
func (f *Folder) release(tx *bbolt.Tx) { release(f.db.Info().Data, uintptr(min(tx.Size(), f.size()))) }

// size returns the size of the file of the database.
func (f *Folder) size() int64 {
	info, err := os.Stat(f.db.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

// set stores one value.
func (f *Folder) set(bucket []byte, key string, value []byte) error {
	return f.update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(key), value) })
}

// forget removes what a bucket has of documents or attachments.
func (f *Folder) forget(bucket []byte, ids ...string) error {
	return f.update(func(tx *bbolt.Tx) error { return forgetIn(tx, bucket, ids...) })
}

func forgetIn(tx *bbolt.Tx, bucket []byte, ids ...string) error {
	for _, id := range ids {
		if err := tx.Bucket(bucket).Delete([]byte(id)); err != nil {
			return err
		}
	}
	return nil
}

// put stores records in one step, and the texts of those that texts has, by ID.
func (f *Folder) put(texts map[string]string, records ...record) error {
	if len(records) == 0 {
		return nil
	}
	return f.update(func(tx *bbolt.Tx) error { return f.putIn(tx, texts, records) })
}

func (f *Folder) putIn(tx *bbolt.Tx, texts map[string]string, records []record) error {
	for _, r := range records {
		data, err := json.Marshal(r)
		if err == nil {
			err = tx.Bucket(recordsBucket).Put([]byte(r.ID), data)
		}
		if text, ok := texts[r.ID]; err == nil && ok {
			err = tx.Bucket(textsBucket).Put([]byte(r.ID), f.compress([]byte(text)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text returns the text that goes with the record of a document.
func (f *Folder) text(id string) (text string, err error) {
	err = f.view(func(tx *bbolt.Tx) error {
		value, err := f.decompress(tx.Bucket(textsBucket).Get([]byte(id)))
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
	return f.update(func(tx *bbolt.Tx) error {
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
	err = f.view(func(tx *bbolt.Tx) error {
		if value := tx.Bucket(arrivedBucket).Get([]byte(id)); value != nil {
			data, err := f.decompress(value)
			if err != nil {
				return err
			}
			return json.Unmarshal(data, &v)
		}
		return nil
	})
	return v, err
}

// maxText is the longest text that is taken out of the database, in bytes.
const maxText = 4 * maxFile

// compress makes texts smaller in the database.
func (f *Folder) compress(data []byte) []byte {
	var out bytes.Buffer
	f.writer.Reset(&out)
	_, _ = f.writer.Write(data) // a buffer takes everything
	_ = f.writer.Close()
	return out.Bytes()
}

func (f *Folder) decompress(data []byte) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	if err := f.reader.(flate.Resetter).Reset(bytes.NewReader(data), nil); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f.reader, maxText+1))
	if len(text) > maxText {
		return nil, errDamaged
	}
	return text, err
}

// drop forgets a document.
func (f *Folder) drop(id string) error {
	return f.update(func(tx *bbolt.Tx) error {
		return errors.Join(forgetIn(tx, recordsBucket, id), forgetIn(tx, textsBucket, id), forgetIn(tx, arrivedBucket, id))
	})
}

// records are the records of a folder, by UUID. They have no texts.
type records map[string]*record

// get returns the record of a document, if there is one.
func (all records) get(id string) (r record, ok bool) {
	found, ok := all[id]
	if ok {
		r = *found
	}
	return r, ok
}

// records returns the records that keep takes.
func (f *Folder) records(keep func(*record) bool) (records, error) {
	all, n := records{}, 0
	return all, f.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(recordsBucket).ForEach(func(_, value []byte) error {
			r := new(record)
			if err := json.Unmarshal(value, r); err != nil {
				return err
			}
			if keep(r) {
				r.Collection, r.Parent = unique.Make(r.Collection).Value(), unique.Make(r.Parent).Value()
				all[r.ID] = r
			}
			if n++; n%100 == 0 {
				f.release(tx)
			}
			return nil
		})
	})
}

// A plannedItem is a document or an attachment that is about to be created of a file. Its
// ID is stored first, so that an interrupted push creates nothing twice.
type plannedItem struct {
	Path       string
	Hash       string `json:",omitempty"` // of the file; "" for the page of a folder that has none
	Text       string `json:",omitempty"` // that is sent
	Attachment bool   `json:",omitempty"`
	Document   string `json:",omitempty"` // UUID of the document that shows the attachment
}

// plan stores what is about to be created.
func (f *Folder) plan(id string, what plannedItem) error {
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return f.set(plannedBucket, id, f.compress(data))
}

// plans returns what may have been created by an interrupted push, by UUID.
func (f *Folder) plans() (map[string]plannedItem, error) {
	all, left := map[string]plannedItem{}, 8*maxText
	return all, f.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(plannedBucket).ForEach(func(id, value []byte) error {
			data, err := f.decompress(value)
			if left -= len(data); err != nil || left < 0 {
				return errDamaged
			}
			var what plannedItem
			err = json.Unmarshal(data, &what)
			all[string(id)] = what
			return err
		})
	})
}
