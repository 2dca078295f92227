package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/bounds"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// AccessOf returns which tools the settings let the server offer.
func AccessOf(c config.Config) mcptool.Access {
	a := mcptool.Access{ReadOnly: c.ReadOnly, NoDelete: c.DisableDelete, NoAI: c.DisableAITools, Only: c.Tools, Except: c.ExcludeTools}
	if RulesOf(c).Hide() {
		a.Withheld = bounds.WholeWorkspace()
	}
	if len(a.Only) == 0 {
		a.Only = []string{mcptool.DefaultTools}
	}
	return a
}

// CheckTools is the [config.Check] of the choice of tools: each name must be
// that of a tool or a group, and at least one tool must be left.
func CheckTools(c config.Config) []config.Problem {
	if len(c.Tools)+len(c.ExcludeTools) == 0 {
		return nil // the other settings always leave some
	}
	all := tools.All()
	var names, groups []string
	for _, tool := range all {
		info := tool.Info()
		if info.HasOwnName() {
			names = append(names, info.Name)
		}
		if group := string(info.Group); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	unknown := func(setting string, given []string, words ...string) (problems []config.Problem) {
		known := slices.Concat(groups, words, names)
		for _, name := range given {
			if slices.Contains(known, name) {
				continue
			}
			advice := fmt.Sprintf("groups are %s; outline-mcp tools lists the tools if %s is not set", strings.Join(slices.Concat(groups, words), ", "), setting)
			if nearest := config.Nearest(name, known); nearest != "" {
				advice = "did you mean " + nearest + "?"
			}
			shown := text.Truncate(outline.Redact(name), 60)
			problems = append(problems, config.Problem{Setting: setting, Text: fmt.Sprintf("no tool or group is called %s; %s", shown, advice)})
		}
		return problems
	}
	const only, except = "OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS"
	problems := unknown(only, c.Tools, mcptool.DefaultTools, mcptool.AllTools)
	misspelled := len(problems) > 0 // what the other names leave says nothing then
	problems = append(problems, unknown(except, c.ExcludeTools)...)
	access := AccessOf(c)
	if _, err := access.Choose(all); err == nil || misspelled {
		return problems
	}
	problem := config.Problem{Setting: only, Also: except, Text: "the settings leave no tool to offer: check OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS; " +
		"look at what OUTLINE_READ_ONLY, OUTLINE_DISABLE_DELETE and OUTLINE_DISABLE_AI_TOOLS leave out as well"}
	access.Only = []string{mcptool.AllTools}
	if _, err := access.Choose(all); err != nil {
		problem.Setting, problem.Also = except, only
	}
	return append(problems, problem)
}

// RulesOf returns which collections the settings let callers see and change.
func RulesOf(c config.Config) bounds.Rules {
	return bounds.Rules{Only: c.Collections, Except: c.ExcludeCollections, Write: c.WriteCollections, Drafts: c.AllowDrafts}
}

// CheckCollections is the [config.Check] of the choice of collections: settings must not
// contradict each other.
func CheckCollections(c config.Config) []config.Problem {
	var problems []config.Problem
	for _, found := range RulesOf(c).Contradictions() {
		problems = append(problems, config.Problem{Setting: found.Setting, Text: found.Text})
	}
	return problems
}

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
	var offered []string
	for _, b := range a.bound {
		offered = append(offered, b.Name)
	}
	unknown := fmt.Sprintf("there is no tool %s", output.Excerpt(tool, 60))
	if question := config.DidYouMean(tool, offered); question != "" {
		return errors.New(unknown + "; " + question)
	}
	return errors.New(unknown)
}
