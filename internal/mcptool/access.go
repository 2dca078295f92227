package mcptool

import (
	"errors"
	"slices"

	"outline-mcp/output"
)

// Words that stand for several tools in [Access].Only.
const (
	AllTools     = "all"
	DefaultTools = "default" // all but the optional ones
)

// Access is the operator's choice of tools. The zero value offers all.
type Access struct {
	ReadOnly bool // only tools that read
	NoDelete bool // no tools that delete
	NoAI     bool // no tools of the group AI
	// Withheld are endpoints of Outline that cannot be called because the server shows
	// only some collections: no tools that need one of them.
	Withheld []string
	// Only and Except hold names of tools or groups: those to offer, if any are
	// named, and those to leave out. Only may also hold AllTools and DefaultTools.
	// Except wins.
	Only, Except []string
}

// Choose returns the tools to offer, in their order. A choice that leaves
// nothing is an error.
func (a Access) Choose(list []Tool) ([]Tool, error) {
	var chosen []Tool
	for _, tool := range list {
		if a.Allows(tool.Info()) {
			chosen = append(chosen, tool)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no tool is left to offer")
	}
	return chosen, nil
}

// Offers returns the tools of a list that texts may name.
func (a Access) Offers(list []Tool) output.Offers {
	withheld := map[string]bool{}
	for _, tool := range list {
		if info := tool.Info(); !a.Allows(info) {
			withheld[info.Name] = true
		}
	}
	if len(withheld) == 0 {
		return nil
	}
	return func(word string) bool { return !withheld[word] }
}

// Allows reports whether the choice leaves a tool in, by its name, group and
// effect.
func (a Access) Allows(tool Info) bool { return a.ExcludedBy(tool) == "" }

// HasOwnName reports whether operators can choose the tool by its name. The name of the
// tool search is that of a group, too, and means the group.
func (i Info) HasOwnName() bool { return i.Name != "search" }

// ExcludedBy names the settings that leave a tool out. It returns "" if none
// does.
func (a Access) ExcludedBy(tool Info) string {
	named := func(names []string) bool {
		return tool.HasOwnName() && slices.Contains(names, tool.Name) || slices.Contains(names, string(tool.Group))
	}
	only := len(a.Only) == 0 || named(a.Only) || slices.Contains(a.Only, AllTools) || !tool.Optional && slices.Contains(a.Only, DefaultTools)
	switch {
	case a.ReadOnly && tool.Effect != Reads:
		return "the setting OUTLINE_READ_ONLY"
	case a.NoDelete && tool.Effect == Deletes:
		return "the setting OUTLINE_DISABLE_DELETE"
	case a.NoAI && tool.Group == AI:
		return "the setting OUTLINE_DISABLE_AI_TOOLS"
	case slices.ContainsFunc(tool.Endpoints, func(endpoint string) bool { return slices.Contains(a.Withheld, endpoint) }):
		return "a setting that limits the server to some collections"
	case !only, named(a.Except):
		return "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS"
	}
	return ""
}
