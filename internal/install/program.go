package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programPath returns the program that an entry starts: the named one, or the
// running one for "". A path is made absolute, because clients start programs
// in other folders. A name without a path is left to the client to find.
func programPath(named string) (string, error) {
	if named != "" {
		if !strings.ContainsAny(named, `/\`) {
			return named, nil
		}
		return filepath.Abs(named)
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is unknown (%w); give it with --command PATH", err)
	}
	if isTemporary(path) {
		return "", errors.New("go run deletes this program when it ends; install it with go install ./cmd/outline-mcp and run outline-mcp install again, or give --command PATH")
	}
	// Prefer the path it was called by: a link may outlast an update.
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return path, nil
	}
	if called, err = filepath.Abs(called); err != nil || !sameFile(called, path) {
		return path, nil
	}
	return called, nil
}

// isTemporary reports whether the Go tool built a program only to run it: in
// the folder of one build, or in its cache, which it cleans.
func isTemporary(path string) bool {
	for folder := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.TrimRight(folder, "0123456789") == "go-build" {
			return true
		}
	}
	return false
}

// inClone returns the folder of the repository's copy that a program is in, or "".
func inClone(path string) string {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		module, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(module), "module outline-mcp\n") {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
