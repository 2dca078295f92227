package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
