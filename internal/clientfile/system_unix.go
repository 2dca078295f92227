//go:build unix

package clientfile

import (
	"io/fs"
	"os"
	"syscall"
)

// hasModes reports whether file modes define permissions.
const hasModes = true

// foreign reports whether a file belongs to another user.
func foreign(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) != os.Geteuid()
}

// keepGroup gives a file the group of another one and returns that one's mode,
// without the rights of the group if the group cannot be set.
func keepGroup(file *os.File, like fs.FileInfo) fs.FileMode {
	mode := like.Mode().Perm()
	status, ok := like.Sys().(*syscall.Stat_t)
	if !ok || file.Chown(-1, int(status.Gid)) != nil {
		return mode &^ 0o070
	}
	return mode
}

// otherNames reports whether a file has more than one hard link.
func otherNames(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && status.Nlink > 1
}

// syncFolder flushes a folder to disk, so that a renamed file survives a crash.
// It ignores errors of file systems that cannot do that.
func syncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	defer folder.Close()
	_ = folder.Sync()
}
