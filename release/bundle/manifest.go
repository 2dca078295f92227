package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// template is the manifest without what is known only of a built program.
//
//go:embed manifest.json
var template []byte

// manifest is manifest.json of a bundle, version 0.3 of the format.
// https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
type manifest struct {
	ManifestVersion string          `json:"manifest_version"`
	Name            string          `json:"name"`
	DisplayName     string          `json:"display_name"`
	Version         string          `json:"version"`
	Description     string          `json:"description"`
	LongDescription string          `json:"long_description"`
	Author          json.RawMessage `json:"author"`
	License         string          `json:"license"`
	Keywords        []string        `json:"keywords"`
	Compatibility   compatibility   `json:"compatibility"`
	UserConfig      json.RawMessage `json:"user_config"`
	Server          server          `json:"server"`
	Tools           []tool          `json:"tools"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

type server struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     config `json:"mcp_config"`
}

// config is how a client starts the server.
type config struct {
	Command   string              `json:"command"`
	Args      []string            `json:"args"`
	Env       map[string]string   `json:"env"`
	Overrides map[string]override `json:"platform_overrides"`
}

// override is what differs on one platform.
type override struct {
	Command string `json:"command"`
}

// describe fills in the manifest.
func describe(programs binaries, said answers) ([]byte, error) {
	var m manifest
	decoder := json.NewDecoder(bytes.NewReader(template))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("read the template of the manifest: %w", err)
	}
	m.Version = said.version
	m.Tools = said.tools
	m.Compatibility.Platforms = programs.platforms()
	m.Server.Config.Overrides = map[string]override{}
	for _, platform := range programs.platforms() {
		path := inside(platform, programs.paths[platform])
		if m.Server.EntryPoint == "" {
			m.Server.EntryPoint = path
			m.Server.Config.Command = "${__dirname}/" + path
		}
		m.Server.Config.Overrides[platform] = override{"${__dirname}/" + path}
	}
	return encode(m)
}

// inside returns the path of a platform's program in the bundle.
func inside(platform, path string) string {
	return "server/" + platform + "/" + filepath.Base(path)
}

// encode writes readable JSON, with <, > and & unescaped.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return text.Bytes(), err
}
