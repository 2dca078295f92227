package app

import (
	"fmt"
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// Check returns an error that says why the server offers no tool with this name,
// or nil if it does.
func (a *App) Check(tool string) error {
	if slices.ContainsFunc(a.bound, func(b mcptool.Bound) bool { return b.Name == tool }) {
		return nil
	}
	for _, known := range tools.All() {
		if info := known.Info(); info.Name == tool {
			return fmt.Errorf("%s leaves the tool %s out", AccessOf(a.config).ExcludedBy(info), tool)
		}
	}
	return fmt.Errorf("there is no tool %s", output.Excerpt(tool, 60))
}
