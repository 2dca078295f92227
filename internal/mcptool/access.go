package mcptool

import (
	"fmt"
	"slices"
	"strings"
)

// Access is the operator's choice of tools. The zero value offers all.
type Access struct {
	ReadOnly bool // only tools that read
	NoDelete bool // no tools that delete
	NoAI     bool // no tools of the group AI
	// Only and Except hold names of tools or groups: those to offer, where
	// any are named, and those to leave out. Except wins.
	Only, Except []string
}

// Choose returns the tools to offer, in their order. A name that is neither a
// tool nor a group is an error, and so is a choice that leaves nothing.
func (a Access) Choose(list []Tool) ([]Tool, error) {
	if err := a.checkNames(list); err != nil {
		return nil, err
	}
	var chosen []Tool
	for _, tool := range list {
		if a.allows(tool.Info()) {
			chosen = append(chosen, tool)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("the settings leave no tool to offer: check OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS")
	}
	return chosen, nil
}

func (a Access) allows(tool Info) bool {
	named := func(names []string) bool {
		return slices.Contains(names, tool.Name) || slices.Contains(names, string(tool.Group))
	}
	switch {
	case a.ReadOnly && tool.Effect != Reads,
		a.NoDelete && tool.Effect == Deletes,
		a.NoAI && tool.Group == AI,
		len(a.Only) > 0 && !named(a.Only),
		named(a.Except):
		return false
	}
	return true
}

// checkNames refuses a name that is misspelled: it would leave out nothing, or
// everything.
func (a Access) checkNames(list []Tool) error {
	var names, groups, unknown []string
	for _, tool := range list {
		info := tool.Info()
		names = append(names, info.Name)
		if !slices.Contains(groups, string(info.Group)) {
			groups = append(groups, string(info.Group))
		}
	}
	for _, name := range slices.Concat(a.Only, a.Except) {
		if !slices.Contains(names, name) && !slices.Contains(groups, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("OUTLINE_TOOLS, OUTLINE_EXCLUDE_TOOLS: no tool or group is called %s; groups are %s; tools are %s",
			strings.Join(unknown, ", "), strings.Join(groups, ", "), strings.Join(names, ", "))
	}
	return nil
}
