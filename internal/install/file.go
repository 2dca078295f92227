package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

	// hasModes reports whether file modes define permissions. On Windows they only
	// mark a file as read-only.
	hasModes = runtime.GOOS != "windows"
)

var (
	errChanged = errors.New("is being changed by another program; close that program and try again")
	errLocked  = errors.New("another outline-mcp is changing files in the same folder; try again when it has finished")
)

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
	link := isLink(path)
	target, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && link:
		return nil, fmt.Errorf("%s is a link to a file that does not exist; create that file, or remove the link", path)
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil && link:
		return nil, fmt.Errorf("%s is a broken link (%w); remove the link", path, err)
	case err != nil:
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
	f.target, f.info = target, info
	f.content = bytes.TrimPrefix(f.original, []byte(byteOrderMark))
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

func (f *file) exists() bool { return f.info != nil }

// othersMayRead reports whether the mode of the file lets its group or all users
// read it.
func (f *file) othersMayRead() bool { return f.exists() && hasModes && f.info.Mode()&0o044 != 0 }

// updateFile replaces the content of a file with what change returns, unless that
// is the same. It creates a file that does not exist, and its folders.
//
// The new content is written to a file beside the old one, which then takes its
// place, so that the file is never incomplete. A link stays a link; mode and
// group are kept. The old content is saved in a backup whose path is returned. If
// another program changes the file in the meantime, change is called again, so it
// must derive its result from its argument alone.
func updateFile(path string, change func(*file) ([]byte, error)) (backup string, err error) {
	for range maxAttempts {
		var f *file
		if f, err = open(path); err != nil {
			return "", err
		}
		content, err := change(f)
		if err != nil || bytes.Equal(content, f.content) {
			return "", err
		}
		if bytes.HasPrefix(f.original, []byte(byteOrderMark)) {
			content = append([]byte(byteOrderMark), content...)
		}
		if backup, err = f.replace(content); !errors.Is(err, errChanged) {
			return backup, err
		}
	}
	return "", fmt.Errorf("%s %w", path, errChanged)
}

// replace writes new content to the file and keeps a backup of the old one.
func (f *file) replace(content []byte) (backup string, err error) {
	if err := f.writable(); err != nil {
		return "", err
	}
	folder := filepath.Dir(f.target)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("cannot create the folder of %s: %w", f.path, err)
	}
	unlock, err := lock(folder)
	if err != nil {
		return "", fmt.Errorf("%s was not changed: %w", f.path, err)
	}
	defer unlock()
	temp, err := writeTemp(f.target, content, f.info)
	if err != nil {
		return "", fmt.Errorf("%s was not changed: cannot write the new file next to it (%w); free some space, or make the folder writable, and try again", f.path, err)
	}
	defer os.Remove(temp) // gone after a success
	if !f.unchanged() {
		return "", errChanged
	}
	if f.exists() {
		if backup, err = f.backUp(); err != nil {
			return "", fmt.Errorf("no backup of %s can be made: %w", f.path, err)
		}
	}
	if !f.unchanged() {
		return "", errChanged
	}
	if err := os.Rename(temp, f.target); err != nil {
		return "", fmt.Errorf("%s cannot be replaced: %w", f.path, err)
	}
	return backup, nil
}

// unchanged reports whether the file has the content that it had when it was opened.
func (f *file) unchanged() bool {
	if !f.exists() {
		_, err := os.Lstat(f.target)
		return errors.Is(err, fs.ErrNotExist)
	}
	now, err := readFile(f.target)
	return err == nil && bytes.Equal(now, f.original)
}

// writable returns an error if the mode or the owner of the file says that it is
// not to be changed, even if this user could.
func (f *file) writable() error {
	switch {
	case f.exists() && ofAnother(f.info):
		return fmt.Errorf("%s belongs to another user; run this as that user, or name a file of yours with --file", f.path)
	case f.exists() && f.info.Mode()&0o200 == 0:
		return fmt.Errorf("%s is read-only; make it writable (chmod u+w) if it may be changed", f.target)
	case f.exists():
		return nil
	}
	for folder := filepath.Dir(f.target); ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isLink(folder):
			return fmt.Errorf("%s cannot be made: %s is a link to a folder that is not there; make that folder, or remove the link", f.path, folder)
		case errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder):
			continue
		case err != nil:
			return fmt.Errorf("%s cannot be made: %w", f.path, err)
		case os.Geteuid() == 0 && ofAnother(info):
			return fmt.Errorf("%s would be in the folder of another user, who could not change it; run this as that user, without sudo", f.path)
		}
		return nil
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
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			free = number
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if before, err := readFile(path); err == nil && bytes.Equal(before, f.original) && os.Chmod(path, 0o600) == nil {
			return path, nil
		}
	}
	temp, err := writeTemp(f.path, f.original, nil)
	if err != nil {
		return "", err
	}
	defer os.Remove(temp) // gone after a success
	if free == 0 {
		for number := 2; number < maxBackups; number++ {
			if err := os.Rename(backupPath(f.path, number+1), backupPath(f.path, number)); err != nil {
				return "", err
			}
		}
		free = maxBackups
	}
	path = backupPath(f.path, free)
	return path, os.Rename(temp, path)
}

// firstBackup returns the content of the file before this program changed it, or
// nil.
func (f *file) firstBackup() []byte {
	content, err := readFile(backupPath(f.path, 1))
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(content, []byte(byteOrderMark))
}

// backups returns the paths of the backups of a file, oldest first.
func backups(path string) []string {
	var all []string
	for number := 1; number <= maxBackups; number++ {
		if info, err := os.Lstat(backupPath(path, number)); err == nil && info.Mode().IsRegular() {
			all = append(all, backupPath(path, number))
		}
	}
	return all
}

// writeTemp writes a new file in the folder of target and returns its path. It has
// the mode and group of like; if that is nil, only the user can read it.
func writeTemp(target string, content []byte, like fs.FileInfo) (path string, err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".outline-mcp-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err == nil && like != nil && hasModes {
		err = file.Chmod(keepGroup(file, like))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}
