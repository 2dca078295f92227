package install

import (
	"errors"
	"fmt"
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

// errNoHome reports that the home directory is unknown.
var errNoHome = errors.New("there is no home directory (HOME, on Windows USERPROFILE, is not set); set it, or name the configuration file with --file")

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
	home := s.Getenv("HOME")
	if s.GOOS == "windows" {
		home = s.Getenv("USERPROFILE")
	}
	if place.Base == Config {
		folder, inHome, err := s.config(place.Package)
		if s.isAbsolute(folder) || err != nil { // a relative one is to be ignored
			return folder, err
		}
		if s.isAbsolute(home) {
			return s.join(home, inHome), s.mustExist(home)
		}
	}
	if !s.isAbsolute(home) {
		return "", errNoHome
	}
	return home, s.mustExist(home)
}

// mustExist returns an error if there is no home directory at a path. No client
// would look for its file there.
func (s System) mustExist(home string) error {
	if s.IsFolder(home) {
		return nil
	}
	return fmt.Errorf("there is no home directory at %s; set HOME (on Windows USERPROFILE) to yours, or name the configuration file with --file", home)
}

// config returns the configuration folder that the environment names, or "",
// and its usual place in the home directory. That a relative path in
// XDG_CONFIG_HOME is ignored is a rule of
// https://specifications.freedesktop.org/basedir-spec/latest/.
func (s System) config(pattern string) (folder, inHome string, err error) {
	switch s.GOOS {
	case "darwin":
		return "", "Library/Application Support", nil
	case "windows":
		if folder, err = s.packaged(pattern); folder == "" {
			folder = s.Getenv("APPDATA")
		}
		return folder, "AppData/Roaming", err
	}
	return s.Getenv("XDG_CONFIG_HOME"), ".config", nil
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
