package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// CopyFolder makes a temporary copy of a folder for a command that changes nothing in it.
// Files that no command reads, such as pictures, are empty in the copy.
func CopyFolder(ctx context.Context, dir string) (copied string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if copied, err = os.MkdirTemp("", "outline-mcp-"); err != nil {
		return "", err
	}
	own, err := os.Stat(copied)
	if err != nil {
		return "", err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(copied, filepath.FromSlash(name))
		switch {
		case err != nil || name == ".":
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() && (entry.Name() == ".git" || isCopy(entry, own)):
			return fs.SkipDir
		case entry.IsDir():
			return os.Mkdir(to, 0o700)
		case entry.Type()&fs.ModeSymlink != 0: // to be skipped like the original
			target, _ := root.Readlink(name)
			_ = os.Symlink(target, to) // not on every system
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		var content []byte
		mode := fs.FileMode(0o600)
		if extension := strings.ToLower(path.Ext(name)); extension == ".md" || extension == ".html" || extension == ".doc" || strings.HasPrefix(name, ".outline/") {
			if content, err = root.ReadFile(name); err != nil {
				mode = 0 // the copy cannot be read either
			}
		}
		return os.WriteFile(to, content, mode)
	})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(copied))
	}
	return copied, nil
}

// isCopy reports whether a folder is the copy itself: temporary files may be in the folder.
func isCopy(entry fs.DirEntry, copied fs.FileInfo) bool {
	info, err := entry.Info()
	return err == nil && os.SameFile(info, copied)
}
