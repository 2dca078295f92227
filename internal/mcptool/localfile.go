package mcptool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Folder is the part of the machine that callers may use. They name paths, and are
// often AI models: it reads and creates ordinary files only, and within one folder if
// the operator names one.
type Folder struct {
	// Path is the folder; relative paths start there. "" is the whole machine, and
	// relative paths start at the working directory.
	Path string
}

// Check returns an error if the folder cannot be used.
func (f Folder) Check() error {
	if f.Path == "" {
		return nil
	}
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return fmt.Errorf("the folder cannot be opened: %w", reason(err))
	}
	return root.Close()
}

// A File is an open file.
type File struct {
	*os.File
	Name     string    // without folders
	Size     int64     // in bytes, when it was opened
	Modified time.Time // the last time before that
}

// Open opens an ordinary file that is not empty for reading. Links are followed, but
// not out of the folder. The errors give the reason without the path, and do not tell
// what is outside of the folder.
func (f Folder) Open(path string) (*File, error) {
	root, name, err := f.within(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// A pipe that nobody writes to would block until a writer appears.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = reason(err)
	case info.IsDir():
		err = errors.New("it is a folder")
	case !info.Mode().IsRegular():
		err = errors.New("it is not an ordinary file")
	case info.Size() == 0:
		err = errors.New("it is empty")
	default:
		return &File{file, filepath.Base(name), info.Size(), info.ModTime()}, nil
	}
	file.Close()
	return nil, err
}

// Create creates a file that is not there yet, which only the owner can read. remove
// deletes it again. The errors are like those of Open.
func (f Folder) Create(path string) (file *os.File, remove func(), err error) {
	root, name, err := f.within(path)
	if err != nil {
		return nil, nil, err
	}
	file, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		root.Close()
		return nil, nil, reason(err)
	}
	return file, func() { _ = root.Remove(name) }, nil
}

// within returns the folder that a path is opened in, and the path there.
func (f Folder) within(path string) (*os.Root, string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, "", errors.New("it is not a path")
	}
	folder := f.Path
	if folder == "" {
		// The folder of the file: whatever is in it may be a link to elsewhere.
		absolute, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) {
			absolute, err = path, nil
		}
		if err != nil {
			return nil, "", reason(err)
		}
		folder, path = filepath.Dir(absolute), filepath.Base(absolute)
	} else if filepath.IsAbs(path) {
		relative, err := f.relative(path)
		if err != nil {
			return nil, "", err
		}
		path = relative
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", reason(err)
	}
	return root, path, nil
}

// relative returns an absolute path as one in the folder, which may be named by a link.
func (f Folder) relative(path string) (string, error) {
	absolute, err := filepath.Abs(f.Path)
	if err != nil {
		return "", reason(err)
	}
	folders := []string{absolute}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		folders = append(folders, real)
	}
	for _, folder := range folders {
		if relative, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(relative) {
			return relative, nil
		}
	}
	return "", errOutside
}

var errOutside = errors.New("it is outside the folder of OUTLINE_FILES_DIR")

// reason returns why a path cannot be opened, without the path.
func reason(err error) error {
	var failure *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.Is(err, fs.ErrExist):
		return errors.New("it already exists")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("the permissions do not allow it")
	case errors.As(err, &failure) && strings.Contains(failure.Err.Error(), "escapes"):
		return errOutside
	case errors.As(err, &failure):
		return failure.Err
	}
	return err
}
