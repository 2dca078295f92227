package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile bounds a configuration file, in bytes: what is larger is another
// file. Claude Code keeps its history in its file, which may take megabytes.
const maxFile = 64 << 20

// byteOrderMark begins files that some editors on Windows write.
const byteOrderMark = "\xef\xbb\xbf"

// File is a configuration file that may be there or not.
type File struct {
	Path    string // as it was named
	Exists  bool
	Content []byte // without a byte order mark

	target   string // the file itself, where the path is a link
	original []byte
	info     fs.FileInfo // of a file that exists
	locked   bool        // no other process of this program changes the file now
}

// open reads a file. One that is not there is empty. Anything but a file, or a
// link to one, is refused.
func open(path string) (*File, error) {
	f := &File{Path: path, target: path}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if isLink(path) {
			return nil, fmt.Errorf("%s is a link to a file that is not there; make that file, or remove the link", path)
		}
		return f, nil
	}
	if err != nil {
		if isLink(path) {
			return nil, fmt.Errorf("%s is a link that leads nowhere (%w); remove the link", path, err)
		}
		return nil, fmt.Errorf("%s cannot be reached: %w", path, err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder where the file should be; move it away, or name the file with --file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no ordinary file; name the file with --file", path)
	}
	if f.original, err = readFile(target); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	f.Exists, f.target, f.info = true, target, info
	f.Content = bytes.TrimPrefix(f.original, []byte(byteOrderMark))
	return f, nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("it is larger than %d MiB, which no configuration is", maxFile>>20)
	}
	return content, err
}

// OthersMayRead tells whether the mode of the file lets its group or every user
// read it.
func (f *File) OthersMayRead() bool { return f.Exists && hasModes && f.info.Mode()&0o044 != 0 }

// HasOtherNames tells whether the file has hard links, which will go on naming
// what it held before.
func (f *File) HasOtherNames() bool { return f.Exists && otherNames(f.info) }

// HasFolder tells whether the folder of the file is there.
func (f *File) HasFolder() bool {
	_, err := os.Stat(filepath.Dir(f.Path))
	return err == nil
}
