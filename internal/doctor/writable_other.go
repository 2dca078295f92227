//go:build !unix

package doctor

import "os"

// mayCreateIn returns an error if a folder does not exist. Whether this program may
// create files in it is not known before it does.
func mayCreateIn(folder string) error {
	_, err := os.Stat(folder)
	return err
}
