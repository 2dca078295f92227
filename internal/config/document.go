package config

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Setting is one environment variable, as documentation shows it.
type Setting struct {
	Name    string
	Type    string // boolean, whole number, duration, size, list, level, format, transport or text
	Default string // "" where there is none
	Doc     string
	Secret  bool
}

// Settings returns all environment variables, in the order of Config.
func Settings() []Setting {
	var settings []Setting
	for field := range reflect.TypeFor[Config]().Fields() {
		if name := field.Tag.Get("env"); name != "-" {
			settings = append(settings, Setting{
				Name:    name,
				Type:    typeName(field.Type),
				Default: field.Tag.Get("envDefault"),
				Doc:     field.Tag.Get("doc"),
				Secret:  field.Type == reflect.TypeFor[Secret]() || field.Type == reflect.TypeFor[Secrets](),
			})
		}
	}
	return settings
}

func typeName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[bool]():
		return "boolean"
	case reflect.TypeFor[int]():
		return "whole number"
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[Bytes]():
		return "size"
	case reflect.TypeFor[Names](), reflect.TypeFor[Secrets]():
		return "list"
	case reflect.TypeFor[slog.Level]():
		return "level"
	case reflect.TypeFor[Format]():
		return "format"
	case reflect.TypeFor[Transport]():
		return "transport"
	}
	return "text"
}

// WriteMarkdown writes docs/configuration.md.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Configuration\n\n" +
		"<!-- Made from internal/config/config.go; go test ./internal/config -update rewrites it. -->\n\n" +
		"All settings are environment variables. An empty variable counts as unset. All complaints about them come at once, and\n" +
		"end the program with exit code 2.\n\n" +
		"| variable | default | what it does |\n|---|---|---|\n")
	for _, s := range Settings() {
		shown := "–"
		if s.Default != "" {
			shown = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, shown, s.Doc)
	}
	b.WriteString("\n## How values are written\n\n" +
		"- Booleans: `true`, `1`, `yes`, `on` and `false`, `0`, `no`, `off`, in any case.\n" +
		"- Durations: with a unit (`30s`, `2m`), or in seconds (`30`).\n" +
		"- Sizes: `32MiB`, `32MB`, or in bytes.\n" +
		"- Quotes and spaces around a value are dropped.\n" +
		"- Proxies come from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as everywhere.\n\n" +
		"## Example\n\n" +
		"An Outline of one's own, behind a private certificate authority, with the key in a file:\n\n" +
		"```sh\nOUTLINE_API_URL=https://wiki.example.com\nOUTLINE_API_KEY_FILE=/run/secrets/outline-key\nOUTLINE_CA_FILE=/etc/ssl/example-ca.pem\n```\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteEnvExample writes .env.example.
func WriteEnvExample(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Settings of outline-mcp, each with its default. Made from internal/config/config.go.\n")
	for _, s := range Settings() {
		fmt.Fprintf(&b, "\n# %s\n# %s=%s\n", s.Doc, s.Name, s.Default)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// misspelled returns a warning for each variable that is probably the
// misspelled name of a setting.
func misspelled(given map[string]string) []Problem {
	var known []string
	for _, s := range Settings() {
		known = append(known, s.Name)
	}
	var warnings []Problem
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) || !strings.HasPrefix(name, "OUTLINE_") && !strings.HasPrefix(name, "MCP_") {
			continue
		}
		if nearest := Nearest(name, known); nearest != "" {
			warnings = append(warnings, Problem{Setting: name, Text: "is no setting; did you mean " + nearest + "?"})
		}
	}
	return warnings
}
