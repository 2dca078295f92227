//go:build !unix

package clientfile

import (
	"io/fs"
	"os"
)

// hasModes reports whether file modes define permissions. On Windows they only
// mark a file as read-only.
const hasModes = false

// foreign reports whether a file belongs to another user. The system itself
// refuses what this user may not do.
func foreign(fs.FileInfo) bool { return false }

// keepGroup returns only the mode: there are no groups.
func keepGroup(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }

// otherNames returns false: the number of hard links is unknown.
func otherNames(fs.FileInfo) bool { return false }

// syncFolder does nothing: a folder cannot be opened.
func syncFolder(string) {}
