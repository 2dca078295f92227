package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
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
				Type:    typeOf(field.Type).name,
				Default: field.Tag.Get("envDefault"),
				Doc:     field.Tag.Get("doc"),
				Secret:  field.Type == reflect.TypeFor[Secret]() || field.Type == reflect.TypeFor[Secrets](),
			})
		}
	}
	return settings
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
			warnings = append(warnings, Problem{Setting: name, Text: "unknown setting; did you mean " + nearest + "?"})
		}
	}
	return warnings
}
