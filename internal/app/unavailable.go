package app

import (
	"fmt"
	"slices"

	"outline-mcp/internal/config"
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
			return fmt.Errorf("%s leaves the tool %s out", excludedBy(a.config, info), tool)
		}
	}
	return fmt.Errorf("there is no tool %s", output.Excerpt(tool, 60))
}

// excludedBy names the setting that excludes a tool.
func excludedBy(c config.Config, tool mcptool.Info) string {
	switch {
	case c.ReadOnly && tool.Effect != mcptool.Reads:
		return "the setting OUTLINE_READ_ONLY"
	case c.DisableDelete && tool.Effect == mcptool.Deletes:
		return "the setting OUTLINE_DISABLE_DELETE"
	case c.DisableAITools && tool.Group == tools.AI:
		return "the setting OUTLINE_DISABLE_AI_TOOLS"
	}
	return "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS"
}
