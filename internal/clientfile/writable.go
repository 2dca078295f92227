package clientfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writable returns an error if the mode or the owner of the file says that it is
// not to be changed, even if this user could.
func (f *File) writable() error {
	folder := filepath.Dir(f.target)
	if !f.Exists {
		return f.makeable(folder)
	}
	info, err := os.Stat(f.target)
	if err != nil {
		return fmt.Errorf("%s cannot be read any more: %w", f.Path, err)
	}
	parent, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("the folder of %s cannot be read: %w", f.Path, err)
	case foreign(info):
		return fmt.Errorf("%s belongs to another user; run this as that user, or name a file of yours with --file", f.Path)
	case info.Mode()&0o200 == 0:
		return fmt.Errorf("%s is read-only; make it writable (chmod u+w) if it may be changed", f.target)
	case hasModes && parent.Mode()&0o200 == 0 && !foreign(parent):
		return fmt.Errorf("%s is in a read-only folder, where no new file can take its place; make that writable (chmod u+w)", f.target)
	}
	return nil
}

// makeable returns an error for a new file whose folder cannot hold it or
// cannot be created.
func (f *File) makeable(folder string) error {
	for {
		info, err := os.Stat(folder)
		parent := filepath.Dir(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isLink(folder):
			return fmt.Errorf("%s cannot be made: %s is a link to a folder that is not there; make that folder, or remove the link", f.Path, folder)
		case errors.Is(err, fs.ErrNotExist) && parent != folder:
			folder = parent
			continue
		case err != nil:
			return fmt.Errorf("%s cannot be made: %w", f.Path, err)
		case !info.IsDir():
			return fmt.Errorf("%s cannot be made: %s is a file, not a folder", f.Path, info.Name())
		case hasModes && info.Mode()&0o200 == 0 && !foreign(info):
			return fmt.Errorf("%s cannot be made: its folder is read-only; make that writable (chmod u+w)", f.Path)
		case os.Geteuid() == 0 && foreign(info):
			return fmt.Errorf("%s would be in the folder of another user, who could not change it; run this as that user, without sudo", f.Path)
		}
		return nil
	}
}
