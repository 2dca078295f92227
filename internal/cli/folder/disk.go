package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

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

// staged is where content is written before it is placed.
const staged = stateFolder + "/writing"

// stage writes content to a file of its own, and returns its hash.
func (f *Folder) stage(content io.Reader) (hash string, err error) {
	if err := f.root.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	file, err := f.root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
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
	return f.root.Rename(staged, filepath.FromSlash(name))
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

// absolutePath returns the path of a file of the folder outside of it.
func (f *Folder) absolutePath(name string) (string, error) {
	return filepath.Abs(filepath.Join(f.dir, filepath.FromSlash(name)))
}
