//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package install

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// lock keeps other processes of this program from changing files in a folder. It
// locks the folder itself, so that no lock file is left in it; the system releases
// the lock when the process ends. Where such a lock does not work, a concurrent
// change is detected anyway.
func lock(folder string) (unlock func(), err error) {
	opened, err := os.Open(folder)
	if err != nil {
		return func() {}, nil
	}
	for late := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Flock(int(opened.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return func() { opened.Close() }, nil
		}
		if time.Now().After(late) {
			opened.Close()
			return nil, errLocked
		}
	}
}

// ofAnother reports whether a file belongs to another user.
func ofAnother(info fs.FileInfo) bool {
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
