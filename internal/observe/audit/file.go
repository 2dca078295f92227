package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A file is the end of a trail that lines are added to. Several processes may add to
// one file: each batch of lines is a single write in append mode, and a file that was
// renamed or removed, also by another process, is noticed before the next one.
type file struct {
	path    string    // "" writes to out instead
	out     io.Writer // without a path
	maxSize int64     // in bytes, from which the file is renamed; 0 means never
	keep    int       // renamed files that are kept; 0 means all
	now     func() time.Time

	mu   sync.Mutex // guards next
	next *batch

	writing sync.Mutex // held to write; guards what follows
	opened  *os.File
	broken  bool // the last write may have ended within a line
}

// A batch holds the lines that are written and synced together: those that arrive
// while another batch is being written.
type batch struct {
	lines   []byte
	written bool // err is the outcome
	err     error
}

// add puts a line, with its line break, in the next batch.
func (f *file) add(line []byte) *batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next = new(batch)
	}
	f.next.lines = append(f.next.lines, line...)
	return f.next
}

// commit returns when the batch is stored, with an error if it could not be. The first
// caller that gets to write does so for all lines of its batch.
func (f *file) commit(b *batch) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if !b.written {
		f.mu.Lock()
		f.next = nil // it is b: only one is open, and those before it are written
		f.mu.Unlock()
		b.err = f.write(b.lines)
		b.written, b.lines = true, nil
	}
	return b.err
}

// write stores lines. If it fails, some of them may be in the file nevertheless.
func (f *file) write(lines []byte) error {
	if f.path == "" {
		_, err := f.out.Write(lines)
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	if f.broken {
		lines = slices.Concat([]byte("\n"), lines)
	}
	n, err := f.opened.Write(lines)
	f.broken = f.broken && n == 0 || n > 0 && n < len(lines)
	if err != nil {
		return err
	}
	if err := f.opened.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) { // a device cannot be synced
		return err
	}
	return nil
}

// open opens the file, unless it is open and still the one at the path, and renames it
// if it is too large.
func (f *file) open() error {
	for range 5 { // each time, another process can be faster
		if f.opened == nil {
			opened, err := OpenTrail(f.path, os.O_CREATE)
			if err != nil {
				return err
			}
			f.opened, f.broken = opened, endsWithinLine(opened)
		}
		here, err := f.opened.Stat()
		there, errThere := os.Stat(f.path)
		isSame := err == nil && errThere == nil && os.SameFile(here, there)
		isFull := isSame && f.maxSize > 0 && here.Mode().IsRegular() && here.Size() >= f.maxSize
		if isSame && !isFull {
			return nil
		}
		if isFull {
			if err := f.rotate(); err != nil {
				return err
			}
		}
		f.closeFile() // everything in it is synced
	}
	return fmt.Errorf("%s is renamed again and again", f.path)
}

// OpenTrail opens a file to add to. With the flag os.O_CREATE it creates the file, for its
// owner alone. It refuses what cannot be a trail, such as a folder, or a pipe: to open that
// would wait for a reader.
func OpenTrail(path string, flag int) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a file")}
	}
	opened, err := os.OpenFile(path, os.O_APPEND|os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	syncFolder(path)
	return opened, nil
}

// endsWithinLine reports whether a file ends with a line that is not complete, because
// the disk was full or the machine stopped.
func endsWithinLine(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && !bytes.Equal(last, []byte("\n"))
}

// rotatedAt is the layout of the time in the names of renamed files: they sort by age.
const rotatedAt = "20060102T150405.000000Z"

// rotate renames the file and removes renamed ones that are too many.
func (f *file) rotate() error {
	to := f.path + "." + f.now().UTC().Format(rotatedAt)
	if _, err := os.Lstat(to); err == nil { // the clock was set back
		to += "." + randomID()
	}
	if err := os.Rename(f.path, to); err != nil && !errors.Is(err, fs.ErrNotExist) { // unless another process was faster
		return err
	}
	syncFolder(f.path)
	if f.keep == 0 {
		return nil
	}
	older, err := Rotated(f.path)
	for i := 0; err == nil && i < len(older)-f.keep; i++ {
		_ = os.Remove(older[i]) // one that stays is no reason to lose a line; it is tried again
	}
	return err
}

// Rotated returns the files that a trail at a path was renamed to, oldest first.
func Rotated(path string) ([]string, error) {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries { // sorted by name
		if rest, ok := strings.CutPrefix(entry.Name(), name+"."); ok && len(rest) >= len(rotatedAt) {
			if _, err := time.Parse(rotatedAt, rest[:len(rotatedAt)]); err == nil {
				found = append(found, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return found, nil
}

// syncFolder makes the names in the folder of a file durable, where the system can.
func syncFolder(path string) {
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}

func (f *file) close() {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.closeFile()
}

// closeFile closes the file if it is open. The caller holds writing.
func (f *file) closeFile() {
	if f.opened != nil {
		_ = f.opened.Close()
		f.opened = nil
	}
}
