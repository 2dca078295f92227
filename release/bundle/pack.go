package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pack writes a bundle and returns its SHA-256 in hexadecimal. The bundle is
// written completely or not at all.
func pack(path string, manifest []byte, programs binaries, license string) (string, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	if err := add(archive, "manifest.json", manifest, 0o644); err != nil {
		return "", err
	}
	if err := addFile(archive, "LICENSE", license, 0o644); err != nil {
		return "", err
	}
	for _, platform := range programs.platforms() {
		program := programs.paths[platform]
		if err := addFile(archive, inside(platform, program), program, 0o755); err != nil {
			return "", err
		}
	}
	if err := archive.Close(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())), write(path, packed.Bytes())
}

func addFile(archive *zip.Writer, name, path string, mode fs.FileMode) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return add(archive, name, content, mode)
}

// add adds a file. All files have the first time that ZIP can represent, so
// that the time of writing does not change the bundle.
func add(archive *zip.Writer, name string, content []byte, mode fs.FileMode) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(mode)
	file, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return err
}

// write writes a file next to its destination and then moves it there.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".part", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// unreleased is the placeholder for the version in server.json.
const unreleased = "0.0.0"

// entry is server.json, the server's entry in the MCP registry.
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
type entry struct {
	Schema      string         `json:"$schema"`
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Repository  map[string]any `json:"repository,omitempty"`
	WebsiteURL  string         `json:"websiteUrl,omitempty"`
	Version     string         `json:"version"`
	Packages    []packaged     `json:"packages"`
}

// packaged is one form in which the server is available.
type packaged struct {
	RegistryType string          `json:"registryType"`
	Identifier   string          `json:"identifier"`
	FileSHA256   string          `json:"fileSha256,omitempty"`
	Transport    json.RawMessage `json:"transport"`
	Variables    json.RawMessage `json:"environmentVariables,omitempty"`
}

// register writes server.json with the version of a release and the SHA-256 of
// its bundle.
func register(from, to, version, sum string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var e entry
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	e.Version = version
	for i := range e.Packages {
		p := &e.Packages[i]
		if !strings.Contains(p.Identifier, unreleased) {
			return fmt.Errorf("%s: the package %s does not say %s, where the version goes", from, p.Identifier, unreleased)
		}
		p.Identifier = strings.ReplaceAll(p.Identifier, unreleased, version)
		if p.RegistryType == "mcpb" {
			p.FileSHA256 = sum
		}
	}
	if content, err = encode(e); err != nil {
		return err
	}
	return write(to, content)
}

// released returns an error for a version without a section in CHANGELOG.md.
// Versions with a suffix, such as those of snapshots, need none.
func released(project, version string) error {
	if strings.Contains(version, "-") {
		return nil
	}
	changes, err := os.ReadFile(filepath.Join(project, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if !bytes.Contains(changes, []byte("\n## ["+version+"]")) {
		return fmt.Errorf("CHANGELOG.md says nothing of version %s; give it a section", version)
	}
	return nil
}
