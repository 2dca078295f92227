//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package clientfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the folder itself, so that no lock file is left in it.
func tryLock(folder string) (unlock func(), busy bool) {
	opened, err := os.Open(folder)
	if err != nil {
		return nil, false
	}
	err = syscall.Flock(int(opened.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		opened.Close()
		return nil, errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
	}
	return func() { opened.Close() }, false
}
