package install

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// System determines where files are. It is a parameter so that each system can
// be tested on any other.
type System struct {
	GOOS   string
	Getenv func(name string) string
	// Glob returns the files that match a pattern, as filepath.Glob does.
	Glob func(pattern string) []string
	// IsFolder reports whether a folder exists.
	IsFolder func(path string) bool
}

// Place is where a client keeps its configuration. Paths have slashes.
type Place struct {
	// Variable is the environment variable that sets the folder, and File the
	// path of the file in it.
	Variable, File string
	// Base and Path tell where the file is otherwise.
	Base Base
	Path string
	// Package is the pattern of the name under which Windows installs the
	// client as a package. Such a client has its own configuration folder.
	Package string
}

// Base is a folder of the user.
type Base int

// The folders. The configuration folder is the one that Electron and VS Code
// use: $XDG_CONFIG_HOME or ~/.config, ~/Library/Application Support, %APPDATA%
// (https://www.electronjs.org/docs/latest/api/app#appgetpathname).
const (
	Home Base = iota
	Config
)

// Path returns the path of a client's configuration for the user of a system.
func (s System) Path(place Place) (string, error) {
	if place.Variable != "" {
		if folder := s.Getenv(place.Variable); folder != "" {
			if !s.isAbsolute(folder) {
				return "", fmt.Errorf("%s is not an absolute path; set it to one, or name the configuration file with --file", place.Variable)
			}
			return s.join(folder, place.File), nil
		}
	}
	base, err := s.base(place)
	if err != nil {
		return "", err
	}
	return s.join(base, place.Path), nil
}

func (s System) base(place Place) (string, error) {
	home, folder, inHome := s.Getenv("HOME"), "", ""
	if s.GOOS == "windows" {
		home = s.Getenv("USERPROFILE")
	}
	switch {
	case place.Base == Home:
	case s.GOOS == "darwin":
		inHome = "Library/Application Support"
	case s.GOOS == "windows":
		packaged, err := s.packaged(place.Package)
		if err != nil {
			return "", err
		}
		folder, inHome = cmp.Or(packaged, s.Getenv("APPDATA")), "AppData/Roaming"
	default:
		// https://specifications.freedesktop.org/basedir-spec/latest/
		folder, inHome = s.Getenv("XDG_CONFIG_HOME"), ".config"
	}
	switch {
	case s.isAbsolute(folder): // a relative one is to be ignored
		return folder, nil
	case !s.isAbsolute(home):
		return "", errors.New("there is no home directory (HOME, on Windows USERPROFILE, is not set); set it, or name the configuration file with --file")
	case !s.IsFolder(home): // no client would look for its file there
		return "", fmt.Errorf("there is no home directory at %s; set HOME (on Windows USERPROFILE) to yours, or name the configuration file with --file", home)
	case inHome == "":
		return home, nil
	}
	return s.join(home, inHome), nil
}

// packaged returns the configuration folder of a packaged client, or "" if no
// such package is installed.
func (s System) packaged(pattern string) (string, error) {
	local := s.Getenv("LOCALAPPDATA")
	if pattern == "" || !s.isAbsolute(local) {
		return "", nil
	}
	folders := s.Glob(s.join(local, "Packages/"+pattern+"/LocalCache/Roaming"))
	switch len(folders) {
	case 0:
		return "", nil
	case 1:
		return folders[0], nil
	}
	return "", fmt.Errorf("the client is installed more than once (%s); name the configuration file with --file", strings.Join(folders, ", "))
}

// join appends a path with slashes to a folder, in the notation of the system.
func (s System) join(folder, path string) string {
	if s.GOOS == "windows" {
		return strings.TrimRight(folder, `\/`) + `\` + strings.ReplaceAll(path, "/", `\`)
	}
	return strings.TrimRight(folder, "/") + "/" + path
}

func (s System) isAbsolute(path string) bool {
	if s.GOOS == "windows" {
		return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && strings.ContainsRune(`\/`, rune(path[2]))
	}
	return strings.HasPrefix(path, "/")
}

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
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if target, err := filepath.EvalSymlinks(called); err == nil && target == path {
			return filepath.Abs(called)
		}
	}
	return path, nil
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
