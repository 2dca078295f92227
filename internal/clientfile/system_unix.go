//go:build unix

package clientfile

import (
	"io/fs"
	"os"
	"syscall"
)

// hasModes tells whether the modes of files and folders say who may do what.
const hasModes = true

// foreign tells whether a file belongs to another user.
func foreign(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) != os.Geteuid()
}

// keepGroup gives a file the group of another one, and returns the mode of that
// one: without the rights of its group where the group cannot be given.
func keepGroup(file *os.File, like fs.FileInfo) fs.FileMode {
	mode := like.Mode().Perm()
	status, ok := like.Sys().(*syscall.Stat_t)
	if !ok || file.Chown(-1, int(status.Gid)) != nil {
		return mode &^ 0o070
	}
	return mode
}

// otherNames tells whether a file has hard links.
func otherNames(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && status.Nlink > 1
}

// syncFolder writes a folder to the disk, so that a renamed file outlasts a
// crash. A file system that cannot do so has done all it can.
func syncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	defer folder.Close()
	_ = folder.Sync()
}
