package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// CopyFolder makes a temporary copy of a folder for a command that changes nothing in it.
// Files that no command reads, such as pictures, have their sizes in the copy, but no content.
func CopyFolder(dir string) (copied string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if copied, err = os.MkdirTemp("", "outline-mcp-"); err != nil {
		return "", err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(copied, filepath.FromSlash(name))
		switch {
		case err != nil || name == ".":
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return os.Mkdir(to, 0o700)
		case entry.Type()&fs.ModeSymlink != 0:
			if target, err := root.Readlink(name); err == nil {
				_ = os.Symlink(target, to) // not on every system; a link is skipped anyway
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		return copyFile(root, name, to)
	})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(copied))
	}
	return copied, nil
}

func copyFile(root *os.Root, name, to string) error {
	from, err := root.Open(name)
	if err != nil { // the copy cannot be read either
		return os.WriteFile(to, nil, 0)
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	switch extension := strings.ToLower(path.Ext(name)); {
	case extension == ".md", extension == ".html", strings.HasPrefix(name, ".outline/"):
		_, err = io.Copy(file, from)
	default:
		err = file.Truncate(info.Size())
	}
	return errors.Join(err, file.Close())
}
