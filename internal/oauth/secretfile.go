package oauth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A secretFile is a file for a secret that is going to be written. It is made in
// advance, so that nothing has happened in Outline if it cannot be.
type secretFile struct {
	path string
	like fs.FileInfo // of the file that it replaces; nil if there is none
	temp *os.File
}

// newSecretFile prepares a file for a secret. Only its owner may read it. It has the owner,
// the group and the mode of the file that it replaces.
func newSecretFile(path string, replace bool) (*secretFile, error) {
	like, err := os.Stat(path)
	switch {
	case err == nil && !replace:
		return nil, fmt.Errorf("%s exists already; name another file, or replace it with --force", path)
	case err == nil && !like.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file; name a file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	case err != nil:
		like = nil
	}
	if like != nil { // a link stays a link
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, fmt.Errorf("cannot replace the file: %w", err)
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("cannot write a file next to %s: %w; make its folder, or make it writable", path, err)
	}
	file := &secretFile{path, like, temp}
	if like != nil {
		if err := keepOwner(temp, like); err != nil {
			file.discard()
			return nil, fmt.Errorf("%s belongs to another user (%w); run this as that user, or as root", path, err)
		}
	}
	return file, nil
}

// write writes the secret, all of it or nothing.
func (f *secretFile) write(secret string) error {
	defer f.discard()
	_, err := f.temp.WriteString(secret + "\n")
	err = errors.Join(err, f.temp.Sync(), f.temp.Close())
	if err == nil {
		err = f.moveIn()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	return nil
}

// moveIn gives the file its name. A file that another process has made in the meantime
// stays.
func (f *secretFile) moveIn() error {
	if f.like != nil {
		return os.Rename(f.temp.Name(), f.path)
	}
	err := os.Link(f.temp.Name(), f.path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(f.path); err == nil { // the file system has no hard links
		return fs.ErrExist
	}
	return os.Rename(f.temp.Name(), f.path)
}

// discard removes what was prepared. It does nothing after a write.
func (f *secretFile) discard() {
	_ = f.temp.Close()
	_ = os.Remove(f.temp.Name())
}
