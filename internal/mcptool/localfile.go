package mcptool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A Folder is the part of the machine that callers may use. They name paths, and are
// often AI models that follow what they read: it reads and creates ordinary files only,
// in folders that the operator or the client names, and none whose path has a name that
// begins with a dot.
type Folder struct {
	// Path is the folder of the settings, "" for none.
	Path string
	// Roots are the folders in which the client works. A relative path is looked for in
	// each, after Path.
	Roots []string
	// Root returns the folder of a command, which takes the place of both; nil if there is
	// none.
	Root func() *os.Root
	// Typed says that the user has typed the path: all are allowed unless there is a
	// folder, and relative ones start at the working directory.
	Typed bool
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
	folders := f.folders()
	typed := len(folders) == 0 && f.Typed
	if typed {
		// The folder of the file: whatever is in it may be a link to elsewhere.
		absolute, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) {
			absolute, err = path, nil
		}
		if err != nil {
			return nil, nil, "", reason(err)
		}
		folders, path = []string{filepath.Dir(absolute)}, filepath.Base(absolute)
	}
	err = errOutside
	if len(folders) == 0 {
		err = errNoFolder
	}
	for _, folder := range folders {
		if name = relative(folder, path); !filepath.IsLocal(name) {
			continue
		}
		if isHidden(name) && !typed {
			return nil, nil, "", errHidden
		}
		if root, err = f.root(folder); err == nil {
			if file, err = root.OpenFile(name, flag, 0o600); err == nil {
				if typed || isShown(file, folder, name) {
					return file, root, name, nil
				}
				file.Close()
				if err = errHidden; flag&os.O_CREATE != 0 {
					_ = root.Remove(name)
				}
			}
			root.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return nil, nil, "", reason(err)
}

// folders returns the folders that f names.
func (f Folder) folders() []string {
	if f.Root != nil {
		return []string{f.Root().Name()}
	}
	return slices.DeleteFunc(append([]string{f.Path}, f.Roots...), func(folder string) bool { return folder == "" })
}

// root opens a folder.
func (f Folder) root(folder string) (*os.Root, error) {
	if f.Root != nil {
		return f.Root().OpenRoot(".")
	}
	return os.OpenRoot(folder)
}

// isHidden reports whether a path has a name that begins with a dot.
func isHidden(name string) bool {
	return strings.Contains("/"+filepath.ToSlash(filepath.Clean(name)), "/.")
}

// isShown reports whether an open file is the one to which its path leads, and no name on
// the way begins with a dot.
func isShown(file *os.File, folder, name string) bool {
	within, err1 := filepath.EvalSymlinks(folder)
	led, err2 := filepath.EvalSymlinks(filepath.Join(folder, name))
	real, err3 := filepath.Rel(within, led)
	there, err4 := os.Lstat(led)
	opened, err5 := file.Stat()
	return errors.Join(err1, err2, err3, err4, err5) == nil && !isHidden(real) && os.SameFile(opened, there)
}

// relative returns an absolute path as one in a folder, which may be named by a link. What
// is elsewhere stays absolute.
func relative(folder, path string) string {
	folder, err := filepath.Abs(folder)
	real, err2 := filepath.EvalSymlinks(folder)
	if !filepath.IsAbs(path) || errors.Join(err, err2) != nil {
		return path
	}
	for _, folder := range []string{folder, real} {
		if name, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(name) {
			return name
		}
	}
	return path
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
