//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package install

import (
	"io/fs"
	"os"
)

// lock does nothing; a concurrent change is detected anyway.
func lock(string) (unlock func(), err error) { return func() {}, nil }

// ofAnother reports whether a file belongs to another user. The system itself
// refuses what this user may not do.
func ofAnother(fs.FileInfo) bool { return false }

// keepGroup returns only the mode: there are no groups.
func keepGroup(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }
