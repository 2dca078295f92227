package config

import (
	"cmp"
	_ "embed" // the documentation
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Setting is one environment variable, as documentation shows it.
type Setting struct {
	Name    string
	Type    string // boolean, whole number, duration, size, list, level, format, choice, transport or text
	Default string // "" where there is none
	Doc     string
	Secret  bool
}

// settingsText documents the variables: each name on a line of its own, and below it
// indented lines of text.
//
//go:embed settings.txt
var settingsText string

// documentation returns the documentation of the variables, by their names.
func documentation() map[string]string {
	docs, name := map[string]string{}, ""
	for line := range strings.Lines(settingsText) {
		text, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		switch {
		case !indented:
			name = text
		case docs[name] == "":
			docs[name] = text
		default:
			docs[name] += " " + text
		}
	}
	return docs
}

// Settings returns all environment variables, in the order of Config.
func Settings() []Setting {
	var settings []Setting
	docs := documentation()
	for field := range reflect.TypeFor[Config]().Fields() {
		if name := field.Tag.Get("env"); name != "-" {
			settings = append(settings, Setting{
				Name:    name,
				Type:    typeOf(field.Type).name,
				Default: field.Tag.Get("envDefault"),
				Doc:     docs[name],
				Secret:  field.Type == reflect.TypeFor[Secret]() || field.Type == reflect.TypeFor[Secrets](),
			})
		}
	}
	return settings
}

// OtherNames returns the names by which other programs for Outline know a
// setting. This program does not read them.
func OtherNames(setting string) []string {
	switch setting {
	case "OUTLINE_API_KEY":
		return []string{"OUTLINE_API_TOKEN", "OUTLINE_TOKEN", "OUTLINE_KEY"}
	case "OUTLINE_API_URL":
		return []string{"OUTLINE_URL", "OUTLINE_BASE_URL", "OUTLINE_HOST"}
	}
	return nil
}

// misspelled returns a warning for each variable that is probably another name
// of one of the settings, or a misspelled one.
func misspelled(given map[string]string, settings []Setting) []Problem {
	var known []string
	meant := map[string]string{}
	for _, s := range settings {
		known = append(known, s.Name)
		for _, other := range OtherNames(s.Name) {
			meant[other] = s.Name
		}
	}
	var warnings []Problem
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) || !strings.HasPrefix(name, "OUTLINE_") && !strings.HasPrefix(name, "MCP_") {
			continue
		}
		if nearest := cmp.Or(meant[name], Nearest(name, known), similar(name, known)); nearest != "" {
			warnings = append(warnings, Problem{Setting: name, Text: "unknown setting; did you mean " + nearest + "?"})
		}
	}
	return warnings
}

// similar returns the known setting that a name begins with, or that differs only in what
// stands before its first _, such as OUTLINE_READ_ONLY for OUTLINE_READ_ONLY_MODE and
// MCP_READ_ONLY. It returns "" if there is none.
func similar(name string, known []string) string {
	_, tail, _ := strings.Cut(name, "_")
	for _, one := range known {
		_, rest, _ := strings.Cut(one, "_")
		if strings.HasPrefix(name, one+"_") || strings.Contains(tail, "_") && tail == rest {
			return one
		}
	}
	return ""
}
