//go:build unix

package doctor

import (
	"os"
	"syscall"
)

// mayCreateIn returns an error if this program may not create files in a folder.
func mayCreateIn(folder string) error {
	const writable, searchable = 2, 1 // W_OK and X_OK of access(2)
	if err := syscall.Access(folder, writable|searchable); err != nil {
		return &os.PathError{Op: "access", Path: folder, Err: err}
	}
	return nil
}
