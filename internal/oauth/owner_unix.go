//go:build unix

package oauth

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner, the group and the mode of another one.
func keepOwner(file *os.File, like fs.FileInfo) error {
	if status, ok := like.Sys().(*syscall.Stat_t); ok {
		if err := file.Chown(int(status.Uid), int(status.Gid)); err != nil {
			return err
		}
	}
	return file.Chmod(like.Mode().Perm())
}
