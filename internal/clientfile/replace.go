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

// attempts is how often a file is read again because another program has
// written it meanwhile.
const attempts = 5

// errChanged tells that another program wrote a file after it was read.
var errChanged = errors.New("is being changed by another program; close that, and try again")

// Update replaces a file with what change makes of it, unless that is what the
// file holds already. One that is not there is made, and its folders with it.
//
// The new file is written beside the old one and then takes its place, so that
// it is never half there. A link stays a link; mode and group stay as they are.
// What was there before is kept in the backup whose path is returned; a new
// file has none. Where another program writes the file meanwhile, it is read
// again and change is called again, so change must start from what it is given.
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
		target = path // not there yet; what else is wrong open tells
	}
	unlock, locked, err := lock(filepath.Dir(target))
	if err != nil {
		return "", fmt.Errorf("%s was left as it is: %w", path, err)
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

// replace writes the file anew, with a backup of what was there.
func (f *File) replace(content []byte) (backup string, err error) {
	if bytes.HasPrefix(f.original, []byte(byteOrderMark)) {
		content = append([]byte(byteOrderMark), content...)
	}
	if err := f.writable(); err != nil {
		return "", err
	}
	folder := filepath.Dir(f.target)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("the folder of %s cannot be made: %w", f.Path, err)
	}
	if !f.locked { // the folder was not there to be locked
		unlock, locked, err := lock(folder)
		if err != nil {
			return "", fmt.Errorf("%s was left as it is: %w", f.Path, err)
		}
		defer unlock()
		f.locked = locked
	}
	if f.locked {
		removeLeftOver(f.target)
		removeLeftOver(f.Path)
	}
	beside, err := writeBeside(f.target, content, f.info)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written beside: %w", f.Path, err)
	}
	defer os.Remove(beside) // which is gone if all went well
	made := false
	if f.Exists {
		if backup, made, err = f.backUp(); err != nil {
			return "", fmt.Errorf("no backup of %s can be made: %w", f.Path, err)
		}
	}
	if err := f.moveIn(beside); err != nil {
		if made {
			os.Remove(backup)
		}
		return "", err
	}
	syncFolder(folder)
	return backup, nil
}

// moveIn puts the new file in its place. Nothing slow is done between the last
// look at the old one and that.
func (f *File) moveIn(beside string) error {
	if !f.Exists {
		switch err := os.Link(beside, f.target); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s %w", f.Path, errChanged)
		} // else the file system has no hard links
	}
	if !f.unchanged() {
		return fmt.Errorf("%s %w", f.Path, errChanged)
	}
	if err := os.Rename(beside, f.target); err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", f.Path, err)
	}
	return nil
}

// unchanged tells whether the file is what it was when it was opened, and is
// not written to while that is found out.
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

// The name of a file that is written beside another is that of the other
// between these two.
const (
	besideStart = ".outline-mcp-"
	besideEnd   = ".tmp"
)

// writeBeside writes a new file to the disk, beside another and with the mode
// and the group given, and returns its path. Without any, only the user may
// read it.
func writeBeside(target string, content []byte, like fs.FileInfo) (path string, err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+besideStart+"*"+besideEnd)
	if err != nil {
		return "", err
	}
	if err := fill(file, content, like); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// fill writes a file that was just made for the user alone, and closes it.
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

// removeLeftOver removes what a process of this program left beside a file when
// it was killed.
func removeLeftOver(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "."+filepath.Base(target)+besideStart) && strings.HasSuffix(entry.Name(), besideEnd) && entry.Type().IsRegular() {
			os.Remove(filepath.Join(filepath.Dir(target), entry.Name()))
		}
	}
}
