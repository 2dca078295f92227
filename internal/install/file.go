package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

const (
	// maxFile is the maximum size of a configuration file, in bytes. Claude Code
	// keeps its history in its file, which can reach megabytes.
	maxFile = 16 << 20
	// maxBackups is the maximum number of backups of a file.
	maxBackups = 3
	// maxAttempts is how many times a change is tried, because another program may
	// change the file in the meantime.
	maxAttempts = 20
	// lockWait is how long to wait for another process of this program.
	lockWait = 5 * time.Second

	// byteOrderMark begins files written by some editors on Windows.
	byteOrderMark = "\xef\xbb\xbf"
)

var errChanged = errors.New("is being changed by another program; close that program and try again")

// file is a configuration file of a client, which may not exist yet.
type file struct {
	path     string // as given
	target   string // the file that path leads to, if it is a link
	original []byte
	content  []byte      // original without a byte order mark
	info     fs.FileInfo // nil for a new file
}

// open reads a file. A file that does not exist is empty. Anything but a regular
// file, or a link to one, is an error.
func open(path string) (*file, error) {
	f := &file{path: path, target: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link to a file that does not exist; create that file, or remove the link", path)
		}
		return f, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be reached: %w", path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a file; move it away, or name the file with --file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; name the file with --file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s cannot be read: it is larger than %d MiB, too large for a configuration file", path, maxFile>>20)
	}
	if f.target, err = filepath.EvalSymlinks(path); err == nil {
		f.original, err = os.ReadFile(f.target)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("you may not read %s (mode %04o); run chmod u+rw on it", path, info.Mode().Perm())
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	f.info, f.content = info, bytes.TrimPrefix(f.original, []byte(byteOrderMark))
	return f, nil
}

func (f *file) exists() bool { return f.info != nil }

// isMarked reports whether the file begins with a byte order mark.
func (f *file) isMarked() bool { return len(f.content) < len(f.original) }

// othersMayRead reports whether the mode of a file lets its group or all users read it.
// On Windows, modes do not say so.
func othersMayRead(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode()&0o044 != 0
}

// updateFile replaces the content of a file with what change returns, unless that
// is the same. It creates a file that does not exist, and its folders.
//
// The new content is written to a file beside the old one, which then takes its
// place, so that the file is never incomplete. A link stays a link, and the mode is
// kept. A byte order mark, which some clients cannot read, is left out. The old content is
// saved in a backup whose path is returned. If another program changes the file in the
// meantime, change is called again, so it must derive its result from its argument alone.
func updateFile(path string, change func(*file) ([]byte, error)) (backup string, err error) {
	for range maxAttempts {
		var f *file
		if f, err = open(path); err != nil {
			return "", err
		}
		content, err := change(f)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s was not changed: %w; correct the file, or add the entry by hand (--print shows it)", path, err)
		case bytes.Equal(content, f.original):
			return "", nil
		}
		if backup, err = f.replace(content); !errors.Is(err, errChanged) {
			return backup, err
		}
	}
	return "", fmt.Errorf("%s %w", path, errChanged)
}

// replace writes new content to the file and keeps a backup of the old one.
func (f *file) replace(content []byte) (backup string, err error) {
	mode := fs.FileMode(0o600)
	if f.exists() {
		if mode = f.info.Mode().Perm(); mode&0o200 == 0 {
			return "", fmt.Errorf("%s is read-only; make it writable (chmod u+w) if it may be changed", f.target)
		}
	}
	if f.ofAnother() {
		return "", fmt.Errorf("%s belongs to another user; run this as that user, without sudo, or name a file of yours with --file", f.path)
	}
	if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
		return "", fmt.Errorf("cannot create the folder of %s: %w", f.path, err)
	}
	temp, err := f.writeBeside(content, mode)
	if err != nil {
		return "", fmt.Errorf("%s was not changed: %w", f.path, err)
	}
	if f.exists() && f.unchanged() {
		if backup, err = f.backUp(); err != nil {
			err = fmt.Errorf("no backup of %s can be made: %w", f.path, err)
		}
	}
	switch {
	case err != nil:
	case !f.unchanged():
		err = errChanged
	default:
		if err = os.Rename(temp, f.target); err == nil {
			return backup, nil
		}
		err = fmt.Errorf("%s cannot be replaced: %w", f.path, err)
	}
	return "", errors.Join(err, os.Remove(temp))
}

// writeBeside writes the new file beside the old one and returns its path. Other
// processes of this program wait while it is there.
func (f *file) writeBeside(content []byte, mode fs.FileMode) (path string, err error) {
	path = f.target + ".outline-mcp.new"
	for late := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		switch err := create(path, content, mode); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("cannot write the new file next to it (%w); free some space, or make the folder writable, and try again", err)
		case time.Now().After(late):
			return "", fmt.Errorf("another outline-mcp is changing it; try again when it has finished, or delete %s if none is running", path)
		}
	}
}

// create writes a file that does not exist yet.
func create(path string, content []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close(), os.Chmod(path, mode)); err != nil {
		os.Remove(path)
	}
	return err
}

// unchanged reports whether the file has the content that it had when it was opened.
func (f *file) unchanged() bool {
	now, err := os.ReadFile(f.target)
	if !f.exists() {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(now, f.original)
}

// ofAnother reports whether the file belongs to another user or, for root, would be
// in the folder of another user, who could not change it.
func (f *file) ofAnother() bool {
	for path := f.target; ; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil {
			return ofAnother(info) && (f.exists() || os.Geteuid() == 0)
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// backupPath returns the path of a backup: the first one is file.outline-mcp.bak,
// the next file.outline-mcp.bak.2.
func backupPath(path string, number int) string {
	path += ".outline-mcp.bak"
	if number > 1 {
		path += fmt.Sprintf(".%d", number)
	}
	return path
}

// backUp saves the content that the file had when it was opened, unless a backup
// has it. The first backup stays for ever: it is the file before this program
// changed it. Of the others the oldest makes room. Only the user can read a
// backup, because it may contain keys.
func (f *file) backUp() (path string, err error) {
	free := 0
	for number := maxBackups; number >= 1; number-- {
		path := backupPath(f.path, number)
		before, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			free = number
		} else if err == nil && bytes.Equal(before, f.original) {
			return path, nil
		}
	}
	if free == 0 {
		free = maxBackups
		for number := 2; number < maxBackups; number++ {
			if err := os.Rename(backupPath(f.path, number+1), backupPath(f.path, number)); err != nil {
				return "", err
			}
		}
	}
	path = backupPath(f.path, free)
	return path, create(path, f.original, 0o600)
}

// backups returns the paths of the backups of a file, oldest first.
func backups(path string) []string {
	var all []string
	for number := 1; number <= maxBackups; number++ {
		if _, err := os.Stat(backupPath(path, number)); err == nil {
			all = append(all, backupPath(path, number))
		}
	}
	return all
}
