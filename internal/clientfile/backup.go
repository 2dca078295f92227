package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxBackups is the largest number of backups of one file.
const maxBackups = 1000

// backupSuffix is appended to the name of a file for its backup.
const backupSuffix = ".outline-mcp.bak"

// backupPath returns the path of a backup: the first one is file.outline-mcp.bak,
// the next file.outline-mcp.bak.2.
func backupPath(path string, number int) string {
	path += backupSuffix
	if number > 1 {
		path += fmt.Sprintf(".%d", number)
	}
	return path
}

// backUp saves the content that the file had when it was opened. Only the user
// can read the backup, because it may contain keys. It reuses a backup with the same content, and
// never overwrites another one. Made reports whether the backup is new.
func (f *File) backUp() (path string, made bool, err error) {
	temp, err := writeTemp(f.Path, f.original, nil)
	if err != nil {
		return "", false, err
	}
	defer os.Remove(temp)
	for number := 1; number <= maxBackups; number++ {
		path = backupPath(f.Path, number)
		err := f.linkBackup(temp, path)
		if err == nil {
			return path, true, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", false, err
		}
		if f.isBackup(path) {
			return path, false, nil
		}
	}
	return "", false, fmt.Errorf("there are %d backups already; remove those you do not need", maxBackups)
}

// linkBackup gives a complete file the name of a backup, which must be free.
// Where hard links do not work it copies the file.
func (f *File) linkBackup(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := fill(file, f.original, nil); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// isBackup reports whether the file at path has the same content as f. If so, it
// makes that file readable by the user only.
func (f *File) isBackup(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	before, err := readFile(path)
	return err == nil && bytes.Equal(before, f.original) && (!hasModes || os.Chmod(path, 0o600) == nil)
}

// FirstBackup returns the content of the first backup: that of the file before
// this program first replaced it. It returns nil if there is none.
func (f *File) FirstBackup() []byte {
	content, err := readFile(backupPath(f.Path, 1))
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(content, []byte(byteOrderMark))
}

// Backups returns the paths of the backups of a file, oldest first.
func Backups(path string) []string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var numbers []int
	for _, entry := range entries {
		rest, found := strings.CutPrefix(entry.Name(), filepath.Base(path)+backupSuffix)
		if !found || !entry.Type().IsRegular() {
			continue
		}
		number, err := strconv.Atoi(strings.TrimPrefix(rest, "."))
		if rest == "" {
			number, err = 1, nil
		}
		if err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	var backups []string
	for _, number := range numbers {
		backups = append(backups, backupPath(path, number))
	}
	return backups
}
