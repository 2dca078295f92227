//go:build !unix

package oauth

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: new files have the permissions of their folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
