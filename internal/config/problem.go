package config

import (
	"fmt"
	"slices"
)

// A Problem is why a setting cannot be used.
type Problem struct {
	Setting string // name of the variable
	Also    string // another variable that cannot be used without it; "" if there is none
	Text    string // what is wrong and what to write; never holds the value of a key
}

// Error returns the variable's name and what is wrong with it.
func (p Problem) Error() string { return p.Setting + ": " + p.Text }

// concerns reports whether the variable called name cannot be used.
func (p Problem) concerns(name string) bool { return p.Setting == name || p.Also == name && name != "" }

// Error is every reason why the settings cannot be used.
type Error struct{ Problems []Problem }

// Error returns a line for each problem.
func (e *Error) Error() string {
	lines := "the settings cannot be used; correct them and check with outline-mcp doctor:"
	for _, problem := range e.Problems {
		lines += "\n  " + problem.Error()
	}
	return lines
}

// problems collects the problems of settings.
type problems []Problem

// add appends a problem with the setting called name.
func (p *problems) add(name, format string, args ...any) {
	*p = append(*p, Problem{Setting: name, Text: fmt.Sprintf(format, args...)})
}

// concern reports whether one of the named settings has a problem.
func (p problems) concern(names ...string) bool {
	return slices.ContainsFunc(p, func(one Problem) bool { return slices.ContainsFunc(names, one.concerns) })
}
