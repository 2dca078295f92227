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

// maxFile is the maximum size of a configuration file, in bytes. Claude Code
// keeps its history in its file, which can reach megabytes. To edit a file takes
// about thirteen times its size.
const maxFile = 16 << 20

// byteOrderMark begins files written by some editors on Windows.
const byteOrderMark = "\xef\xbb\xbf"

// File is a configuration file, which may not exist yet.
type File struct {
	Path    string // as given
	Exists  bool
	Content []byte // without a byte order mark

	target   string // the file that Path leads to, if it is a link
	original []byte
	info     fs.FileInfo // nil for a new file
	locked   bool        // other processes of this program are locked out
}

// Read reads a file. A file that does not exist is empty.
func Read(path string) (*File, error) { return open(path) }

// open reads a file. A file that does not exist is empty. Anything but a
// regular file, or a link to one, is an error.
func open(path string) (*File, error) {
	f := &File{Path: path, target: path}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if isLink(path) {
			return nil, fmt.Errorf("%s is a link to a file that does not exist; create that file, or remove the link", path)
		}
		return f, nil
	}
	if err != nil {
		if isLink(path) {
			return nil, fmt.Errorf("%s is a broken link (%w); remove the link", path, err)
		}
		return nil, fmt.Errorf("%s cannot be reached: %w", path, err)
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a file; move it away, or name the file with --file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; name the file with --file", path)
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
	tooLarge := fmt.Errorf("it is larger than %d MiB, too large for a configuration file", maxFile>>20)
	if info, err := file.Stat(); err == nil && info.Size() > maxFile {
		return nil, tooLarge // before it is read
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = tooLarge
	}
	return content, err
}

// OthersMayRead reports whether the mode of the file lets its group or all
// users read it.
func (f *File) OthersMayRead() bool { return f.Exists && hasModes && f.info.Mode()&0o044 != 0 }

// HasOtherNames reports whether the file has other hard links, which will keep
// its old content.
func (f *File) HasOtherNames() bool { return f.Exists && otherNames(f.info) }

// HasFolder reports whether the folder of the file exists.
func (f *File) HasFolder() bool {
	_, err := os.Stat(filepath.Dir(f.Path))
	return err == nil
}
