package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

// checkSettings says of each setting what it is and where that comes from. Left
// out are defaults, other than where Outline is and how clients come, and what
// is for HTTP when clients come over standard input.
func checkSettings(_ context.Context, e *examination) {
	warnings, complaints := e.warnings(), e.complaints()
	for _, s := range e.Settings.Settings {
		warning, complaint := warnings[s.Name], complaints[s.Name]
		delete(warnings, s.Name)
		delete(complaints, s.Name)
		if complaint == "" && warning == "" && e.needless(s) {
			continue
		}
		details := map[string]any{"value": s.Value, "source": s.Source}
		what := fmt.Sprintf("%s (%s)", s.Value, s.Source)
		if s.Value == "" {
			what = "not set"
		}
		switch {
		case complaint != "":
			finding, advice := cutAdvice(complaint)
			e.add(Failure, s.Name, what+": "+finding, advice, details)
		case warning != "":
			finding, advice := cutAdvice(warning)
			e.add(Warning, s.Name, what+": "+finding, advice, details)
		default:
			e.add(OK, s.Name, what, "", details)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(warnings)) {
		finding, advice := cutAdvice(warnings[name])
		e.add(Warning, name, finding, advice)
	}
	for _, name := range slices.Sorted(maps.Keys(complaints)) {
		finding, advice := cutAdvice(complaints[name])
		e.add(Failure, name, finding, advice)
	}
	for _, complaint := range e.Settings.Other {
		e.add(Failure, "settings", complaint, "")
	}
}

// complaints are what is wrong with variables, by their names: as Examine says,
// and what shows only when they are used.
func (e *examination) complaints() map[string]string {
	found := map[string]string{}
	for _, s := range e.Settings.Settings {
		if s.Complaint != "" {
			found[s.Name] = s.Complaint
		}
	}
	if e.Err != nil && e.Settings.Complaint("OUTLINE_API_URL", "OUTLINE_CA_FILE") == "" {
		name, complaint, _ := strings.Cut(e.Err.Error(), ": ")
		found[name] = complaint
	}
	if _, err := e.Access.Choose(tools.All()); err != nil {
		name, complaint := "OUTLINE_TOOLS", err.Error()
		if _, alone := (mcptool.Access{Except: e.Access.Except}).Choose(tools.All()); alone != nil || len(e.Access.Only) == 0 {
			name = "OUTLINE_EXCLUDE_TOOLS"
		}
		if unknown, _, is := strings.Cut(strings.TrimPrefix(complaint, "OUTLINE_TOOLS, OUTLINE_EXCLUDE_TOOLS: "), "; tools are"); is {
			complaint = unknown + "; outline-mcp tools lists the tools"
		} else {
			complaint += "; look at what OUTLINE_READ_ONLY, OUTLINE_DISABLE_DELETE and OUTLINE_DISABLE_AI_TOOLS leave out as well"
		}
		found[name] = complaint
	}
	return found
}

// needless tells whether a setting says nothing to who reads the report.
func (e *examination) needless(s config.Reported) bool {
	if strings.HasPrefix(s.Name, "MCP_") && s.Name != "MCP_TRANSPORT" && e.settings.Transport != config.HTTP {
		return true
	}
	if s.Source != config.FromDefault {
		return false
	}
	switch s.Name {
	case "OUTLINE_API_URL":
		return e.Demo
	case "MCP_TRANSPORT":
		return false
	}
	return true
}

// warnings are what is odd about variables, by their names.
func (e *examination) warnings() map[string]string {
	found := map[string]string{}
	for _, warning := range e.settings.Warnings {
		name, what, _ := strings.Cut(warning, " ")
		found[name] = what
	}
	return found
}

// cutAdvice parts a complaint from what to do about it.
func cutAdvice(complaint string) (finding, advice string) {
	finding, advice, _ = strings.Cut(complaint, "; ")
	return finding, advice
}
