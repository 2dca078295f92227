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
// often AI models that follow what they read: it reads and creates ordinary files only,
// in folders that the operator or the client names, and none whose path has a name that
// begins with a dot.
type Folder struct {
	Path  string          // of the settings, "" for none; tried first for relative paths
	Roots []string        // in which the client or the user works; tried after Path, in this order
	Root  func() *os.Root // of a command, in place of the others; nil for none
}

// Check returns an error if the folder of the settings cannot be used.
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
	// A pipe that nobody writes to would block until a writer appears.
	file, root, _, err := f.open(path, os.O_RDONLY|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	defer root.Close()
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
		return &File{file, filepath.Base(path), info.Size(), info.ModTime()}, nil
	}
	file.Close()
	return nil, err
}

// Create creates a file that is not there yet, which only the owner can read. remove
// deletes it again. The errors are like those of Open.
func (f Folder) Create(path string) (file *os.File, remove func(), err error) {
	file, root, name, err := f.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	return file, func() { _ = root.Remove(name) }, err
}

// open opens a path in the first of the folders that has it, and returns that folder and
// the path there.
func (f Folder) open(path string, flag int) (file *os.File, root *os.Root, name string, err error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, nil, "", errors.New("it is not a path")
	}
	problem := errNoFolder
	folders := append([]string{f.Path}, f.Roots...)
	if f.Root != nil {
		folders = []string{f.Root().Name()}
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		if name = within(folder, path); !filepath.IsLocal(name) {
			if problem == errNoFolder {
				problem = errOutside
			}
			continue
		}
		if name != "." && strings.Contains("/"+filepath.ToSlash(name), "/.") {
			return nil, nil, "", errHidden
		}
		if f.Root == nil {
			root, err = os.OpenRoot(folder)
		} else {
			root, err = f.Root().OpenRoot(".")
		}
		if err == nil {
			if file, err = root.OpenFile(name, flag, 0o600); err == nil {
				return file, root, name, nil
			}
			root.Close()
		}
		if problem = reason(err); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return nil, nil, "", problem
}

// within returns a path as one in a folder, without the links on the way, as far as it
// leads somewhere. Only links that change meanwhile are left to the root that opens it.
func within(folder, path string) string {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	path = filepath.Clean(path) // what a missing folder and ".." leave would not be resolved
	led, err := filepath.EvalSymlinks(path)
	if err != nil { // a file that is to be created
		led, err = filepath.EvalSymlinks(filepath.Dir(path))
		led = filepath.Join(led, filepath.Base(path))
	}
	real, err2 := filepath.EvalSymlinks(folder)
	if errors.Join(err, err2) != nil {
		led, real = path, folder
	}
	name, _ := filepath.Rel(real, led) // "" on another drive
	return name
}

var (
	errOutside  = errors.New("it is outside the folders that this server may use: the roots of the client, and OUTLINE_FILES_DIR")
	errNoFolder = errors.New("this server may use no folder: set OUTLINE_FILES_DIR to the folder of such files")
	errHidden   = errors.New("a name in its path begins with a dot, and this server leaves such files alone")
)

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
