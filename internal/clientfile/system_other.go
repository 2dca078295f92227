//go:build !unix

package clientfile

import (
	"io/fs"
	"os"
)

// hasModes tells whether the modes of files and folders say who may do what.
// On Windows they only say that a file is read-only.
const hasModes = false

// foreign tells whether a file belongs to another user. The system itself
// refuses what this one may not do.
func foreign(fs.FileInfo) bool { return false }

// keepGroup returns the mode alone: there are no groups.
func keepGroup(_ *os.File, like fs.FileInfo) fs.FileMode { return like.Mode().Perm() }

// otherNames tells nothing: the number of hard links is not known.
func otherNames(fs.FileInfo) bool { return false }

// syncFolder does nothing: a folder cannot be opened.
func syncFolder(string) {}
