package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programPath returns the program that an entry starts: the one that is named,
// else this one. It is absolute, because clients start programs in folders and
// with paths of their own.
func programPath(named string) (string, error) {
	if named != "" {
		if !strings.ContainsAny(named, `/\`) {
			return named, nil // to be found by the client
		}
		return filepath.Abs(named)
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is not known (%w); give it with --command PATH", err)
	}
	if isTemporary(path) {
		return "", errors.New("this program was built by go run and will be gone; build it (go build ./cmd/outline-mcp) and run that, or give --command PATH")
	}
	// The path by which it was called may be a link that outlasts an update.
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return path, nil
	}
	if called, err = filepath.Abs(called); err != nil || !sameFile(called, path) {
		return path, nil
	}
	return called, nil
}

// isTemporary tells whether the Go tool made a program only to run it: in a
// folder for one build, or in its cache, which it cleans.
func isTemporary(path string) bool {
	for folder := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.TrimRight(folder, "0123456789") == "go-build" {
			return true
		}
	}
	return false
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
