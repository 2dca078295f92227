package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// attempts is how many times a change is tried, because another program may
// change the file in the meantime.
const attempts = 5

// errChanged reports that another program changed a file after it was read.
var errChanged = errors.New("is being changed by another program; close that program and try again")

// Update replaces the content of a file with what change returns, unless that
// is the same. It creates a file that does not exist, and its folders.
//
// The new content is written to a file beside the old one, which then takes its
// place, so that the file is never incomplete. A link stays a link; mode and
// group are kept. The old content is saved in a backup whose path is returned;
// a new file has no backup. If another program changes the file in the meantime,
// Update reads it again and calls change again, so change must derive its
// result from its argument alone.
func Update(path string, change func(*File) ([]byte, error)) (backup string, err error) {
	for range attempts {
		backup, err = update(path, change)
		if !errors.Is(err, errChanged) {
			return backup, err
		}
	}
	return "", err
}

func update(path string, change func(*File) ([]byte, error)) (backup string, err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = path // new; open reports any other problem
	}
	unlock, locked, err := lock(filepath.Dir(target))
	if err != nil {
		return "", fmt.Errorf("%s was not changed: %w", path, err)
	}
	defer unlock()
	file, err := open(path)
	if err != nil {
		return "", err
	}
	file.locked = locked
	content, err := change(file)
	if err != nil || bytes.Equal(content, file.Content) {
		return "", err
	}
	return file.replace(content)
}

// replace writes new content to the file and keeps a backup of the old one.
func (f *File) replace(content []byte) (backup string, err error) {
	if bytes.HasPrefix(f.original, []byte(byteOrderMark)) {
		content = append([]byte(byteOrderMark), content...)
	}
	if err := f.writable(); err != nil {
		return "", err
	}
	folder := filepath.Dir(f.target)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("cannot create the folder of %s: %w", f.Path, err)
	}
	if !f.locked { // because the folder did not exist
		unlock, locked, err := lock(folder)
		if err != nil {
			return "", fmt.Errorf("%s was not changed: %w", f.Path, err)
		}
		defer unlock()
		f.locked = locked
	}
	if f.locked {
		removeLeftOver(f.target)
		removeLeftOver(f.Path)
	}
	temp, err := writeTemp(f.target, content, f.info)
	if err != nil {
		return "", fmt.Errorf("%s was not changed: cannot write the new file next to it (%w); free some space, or make the folder writable, and try again", f.Path, err)
	}
	defer os.Remove(temp) // gone after a success
	made := false
	if f.Exists {
		if backup, made, err = f.backUp(); err != nil {
			return "", fmt.Errorf("no backup of %s can be made: %w", f.Path, err)
		}
	}
	if err := f.moveIn(temp); err != nil {
		if made {
			os.Remove(backup)
		}
		return "", err
	}
	syncFolder(folder)
	return backup, nil
}

// moveIn renames the new file to the old one, right after checking that no other
// program has changed that.
func (f *File) moveIn(temp string) error {
	if !f.Exists {
		switch err := os.Link(temp, f.target); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s %w", f.Path, errChanged)
		} // else the file system has no hard links
	}
	if !f.unchanged() {
		return fmt.Errorf("%s %w", f.Path, errChanged)
	}
	if err := os.Rename(temp, f.target); err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", f.Path, err)
	}
	return nil
}

// unchanged reports whether the file is the same as when it was opened, and is
// not being written.
func (f *File) unchanged() bool {
	if !f.Exists {
		_, err := os.Lstat(f.target)
		return errors.Is(err, fs.ErrNotExist)
	}
	before, err := os.Stat(f.target)
	if err != nil {
		return false
	}
	now, err := readFile(f.target)
	if err != nil || !bytes.Equal(now, f.original) {
		return false
	}
	after, err := os.Stat(f.target)
	return err == nil && os.SameFile(before, after) && before.ModTime().Equal(after.ModTime()) && before.Size() == after.Size()
}

// The name of a temporary file is a dot, that of the file it is for, tempInfix,
// random digits and tempSuffix.
const (
	tempInfix  = ".outline-mcp-"
	tempSuffix = ".tmp"
)

// writeTemp writes a new file in the folder of target and returns its path.
// It has the mode and group of like; if that is nil, only the user can read it.
func writeTemp(target string, content []byte, like fs.FileInfo) (path string, err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+tempInfix+"*"+tempSuffix)
	if err != nil {
		return "", err
	}
	if err := fill(file, content, like); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// fill writes and closes a new file. It is readable by the user alone unless
// like has another mode.
func fill(file *os.File, content []byte, like fs.FileInfo) error {
	_, err := file.Write(content)
	if err == nil && like != nil && hasModes {
		err = file.Chmod(keepGroup(file, like))
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// removeLeftOver removes the files that a killed process of this program left
// beside a file.
func removeLeftOver(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "."+filepath.Base(target)+tempInfix) && strings.HasSuffix(entry.Name(), tempSuffix) && entry.Type().IsRegular() {
			os.Remove(filepath.Join(filepath.Dir(target), entry.Name()))
		}
	}
}
