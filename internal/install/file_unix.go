//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// ofAnother reports whether a file belongs to another user.
func ofAnother(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) != os.Geteuid()
}
