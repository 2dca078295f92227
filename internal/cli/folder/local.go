package folder

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A file is a file of a document in the folder.
type file struct {
	Path  string
	found string // Path before the file was moved; "" if it was not
	Hash  string
	page  // without its text
}

// local is what is in the folder.
type local struct {
	known   records
	changed map[string]file // that are not as their records say, by URL ID
	fresh   []file          // that name no document, in the order of their paths
	others  []string        // paths of all files that are not as their records say
	// beside has the paths of versions of Outline that lie beside a file in conflict.
	beside map[string]bool
	// unreadable has the paths of files that cannot be read. What they say is not known.
	unreadable map[string]bool
	// alike has the paths of new files by the UUIDs of documents without a file that have
	// most of their lines.
	alike    map[string]string
	problems []Line
}

// scan reads the folder.
func (f *Folder) scan(ctx context.Context, known records) (local, error) {
	found := local{known: known, changed: map[string]file{}, beside: map[string]bool{}, alike: map[string]string{}, unreadable: map[string]bool{}}
	byPath := make(map[string]*record, len(known))
	for _, r := range known {
		byPath[r.Path] = r
	}
	byURLID := sync.OnceValue(func() map[string]*record {
		all := make(map[string]*record, len(known))
		for _, r := range known {
			all[r.URLID] = r
		}
		return all
	})
	add := func(one file) {
		one.Text = ""
		found.add(one, byURLID()[one.URLID])
	}
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == "." {
			return err
		}
		if base := path.Base(name); strings.HasPrefix(base, ".") || entry.IsDir() && strings.HasPrefix(base, "_") && !(name == draftsFolder && f.Drafts) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		linked := entry.Type()&fs.ModeSymlink != 0 && hasBelow(known, name)
		if entry.IsDir() || !linked && !strings.EqualFold(path.Ext(name), Extension) {
			return nil
		}
		if r := byPath[name]; r != nil && r.Conflict == nil {
			if content, err := f.read(name); err == nil && hashOf(content) == r.Hash {
				found.add(file{Path: name, Hash: r.Hash, page: page{URLID: r.URLID}}, r)
				return nil
			}
		}
		found.others = append(found.others, name)
		if strings.HasSuffix(name, outlineSuffix) {
			found.beside[name] = true
			return nil
		}
		one, err := f.load(name)
		if err != nil {
			found.unreadable[name] = true
			found.problems = append(found.problems, Line{Path: name, What: Skipped, Detail: err.Error()})
			return nil
		}
		add(one)
		return nil
	})
	if err == nil {
		err = f.scanMoving(&found, add)
	}
	if err == nil {
		err = f.identify(&found)
	}
	slices.SortFunc(found.fresh, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return found, err
}

// hasBelow reports whether files are known to be below a folder.
func hasBelow(known records, name string) bool {
	for _, r := range known {
		if strings.HasPrefix(r.Path, name+"/") {
			return true
		}
	}
	return false
}

// movingPrefix begins the names of files that an interrupted command was moving.
const movingPrefix = "moving-"

// scanMoving finds the files that an interrupted command was moving.
func (f *Folder) scanMoving(found *local, add func(file)) error {
	entries, err := fs.ReadDir(f.root.FS(), stateFolder)
	for _, entry := range entries {
		name := path.Join(stateFolder, entry.Name())
		if !strings.HasPrefix(entry.Name(), movingPrefix) {
			continue
		}
		if strings.HasSuffix(name, outlineSuffix) {
			found.beside[name] = true
		} else if one, err := f.load(name); err == nil {
			add(one)
		}
	}
	return err
}

// versionBeside returns the path of Outline's version of a document in conflict: beside its
// file, where that was, or where an interrupted command has left it; "" if there is none.
func (l *local) versionBeside(one file, r *record) string {
	for _, name := range []string{one.Path, r.Path, asidePath(r.URLID)} {
		if name = besidePath(name); r.Conflict != nil && l.beside[name] {
			return name
		}
	}
	return ""
}

// strays returns the paths of files that are named like versions of Outline, but are beside
// no file in conflict.
func (l *local) strays(known records) []string {
	all := maps.Clone(l.beside)
	for _, r := range known {
		one, _ := l.file(&r.place)
		delete(all, l.versionBeside(one, r))
	}
	return slices.Sorted(maps.Keys(all))
}

// taken returns the folded paths of all files.
func (l *local) taken() map[string]bool {
	all := make(map[string]bool, len(l.known)+len(l.others))
	for _, r := range l.known {
		if r.unchanged {
			all[folded(r.Path)] = true
		}
	}
	for _, name := range l.others {
		all[folded(name)] = true
	}
	return all
}

// add takes a file; r is the record of its document, or nil. If two files name one
// document, it is that of the file at its known place.
func (l *local) add(one file, r *record) {
	if one.URLID == "" {
		if !isInstruction(one.Path) { // which are for those who work here
			l.fresh = append(l.fresh, one)
		}
		return
	}
	at := &place{URLID: one.URLID}
	if r != nil {
		at = &r.place
	}
	if other, twice := l.file(at); twice {
		if r != nil && other.Path == r.Path {
			one, other = other, one
		}
		l.problems = append(l.problems, Line{Path: other.Path, What: Skipped, Document: one.URLID,
			Detail: fmt.Sprintf("it is a copy of %s; remove the outline line to make it a new document", one.Path)})
	}
	if r != nil {
		r.unchanged = one.Path == r.Path && one.Hash == r.Hash && r.Conflict == nil
		if r.unchanged {
			delete(l.changed, one.URLID)
			return
		}
	}
	l.changed[one.URLID] = one
}

// moved takes the file of a document at its new place.
func (l *local) moved(at *place, one file) {
	if r := l.known[at.ID]; r != nil {
		r.unchanged = false
	}
	l.changed[at.URLID], l.others = one, append(l.others, one.Path)
}

// file returns the file of a document, if there is one.
func (l *local) file(at *place) (file, bool) {
	if r := l.known[at.ID]; r != nil && r.unchanged {
		return file{Path: r.Path, Hash: r.Hash, page: page{URLID: r.URLID, Title: titleField(r.Path, r.URLID, r.Title), Icon: r.Icon, Color: r.Color}}, true
	}
	one, ok := l.changed[at.URLID]
	return one, ok
}

// load reads a file with its text.
func (f *Folder) load(name string) (file, error) {
	content, err := f.read(name)
	if err != nil {
		return file{}, err
	}
	p, err := parsePage(content)
	if r := f.lost[name]; r != nil && p.URLID == "" {
		p = page{r.URLID, cmp.Or(p.Title, titleField(r.Path, r.URLID, r.Title)), cmp.Or(p.Icon, r.Icon), cmp.Or(p.Color, r.Color), p.Extra, p.Text}
	}
	return file{Path: name, Hash: hashOf(content), page: p}, err
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

// replace writes a file in one step if its hash is still was; "" stands for no file. It
// reports whether it has.
func (f *Folder) replace(name, was string, content []byte) (bool, error) {
	if _, err := f.stage(bytes.NewReader(content)); err != nil {
		return false, err
	}
	now, err := f.read(name)
	if was == "" && !errors.Is(err, fs.ErrNotExist) || was != "" && (err != nil || hashOf(now) != was) {
		return false, nil
	}
	return true, f.place(name)
}

// stagingPath is where content is written before it is placed.
const stagingPath = stateFolder + "/writing"

// stage writes content to a separate file, and returns its hash.
func (f *Folder) stage(content io.Reader) (hash string, err error) {
	if err := f.root.Remove(stagingPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	file, err := f.root.OpenFile(stagingPath, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, sum), content)
	if err == nil {
		err = file.Sync()
	}
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, file.Close())
}

// place puts what was staged into a file, and makes the folders that it needs.
func (f *Folder) place(name string) error {
	if err := f.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	return f.root.Rename(stagingPath, filepath.FromSlash(name))
}

// remove deletes a file and the folders that it leaves empty.
func (f *Folder) remove(name string) error {
	if err := f.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.prune(name)
	return nil
}

// prune removes the folders above a path that are empty.
func (f *Folder) prune(name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(filepath.FromSlash(dir)) != nil { // not empty
			break
		}
	}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// rename moves a file within the folder, and removes the folders that it leaves empty.
func (f *Folder) rename(from, to string) error {
	if err := f.root.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	if err := f.root.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.prune(from)
	return nil
}

// exists reports whether the folder holds a file that is no page, such as a picture.
func (f *Folder) exists(name string) bool {
	info, err := f.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && fs.ValidPath(name)
}

// Root returns the folder for what opens the files that a push uploads.
func (f *Folder) Root() *os.Root { return f.root }
