package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/observe/audit"
)

// checkSettings reports the value and the source of each setting. It leaves out
// defaults, except the address of Outline and the transport, and settings for
// HTTP if the transport is stdio.
func checkSettings(_ context.Context, e *examination) {
	problems := e.Settings.Problems
	var unreachable config.Problem
	if errors.As(e.Err, &unreachable) {
		problems = append(slices.Clone(problems), unreachable)
	}
	known := map[string]bool{}
	for _, s := range e.Settings.Settings {
		known[s.Name] = true
		details := map[string]any{"value": s.Value, "source": s.Source}
		value := fmt.Sprintf("%s (%s)", s.Value, s.Source)
		if s.Value == "" {
			value = "not set"
		}
		if !e.addProblems(Failure, s.Name, value+": ", problems, details) && !e.addProblems(Warning, s.Name, value+": ", e.settings.Warnings, details) && !e.needless(s) {
			e.add(OK, s.Name, value, "", details)
		}
	}
	for _, warning := range e.settings.Warnings {
		if !known[warning.Setting] {
			e.addProblems(Warning, warning.Setting, "", []config.Problem{warning})
		}
	}
	if e.Err != nil && unreachable.Setting == "" {
		e.add(Failure, "settings", e.Err.Error(), "")
	}
}

// addProblems adds a check for each of the problems with a setting, and reports
// whether there are any. Value is the start of each finding.
func (e *examination) addProblems(status Status, setting, value string, problems []config.Problem, details ...map[string]any) bool {
	found := false
	for _, problem := range problems {
		if problem.Setting == setting {
			finding, advice, _ := strings.Cut(problem.Text, "; ")
			e.add(status, setting, value+finding, advice, details...)
			found = true
		}
	}
	return found
}

// onlyOverHTTP reports whether a setting is not used with stdio.
func onlyOverHTTP(setting string) bool {
	return strings.HasPrefix(setting, "MCP_") && setting != "MCP_TRANSPORT" && !strings.HasPrefix(setting, "MCP_AUDIT_")
}

// needless reports whether a setting can be left out of the report.
func (e *examination) needless(s config.Reported) bool {
	if onlyOverHTTP(s.Name) && e.settings.Transport != config.HTTP {
		return true
	}
	return s.Source == config.FromDefault && s.Name != "MCP_TRANSPORT" && (s.Name != "OUTLINE_API_URL" || e.Demo)
}

// checkAudit reports whether the audit trail can be written, if the settings name one,
// and whether others can read it. It leaves no file behind.
func checkAudit(_ context.Context, e *examination) {
	const check = "audit"
	path := e.settings.AuditLog
	if path == "" {
		return
	}
	if path == audit.Stderr {
		e.add(OK, check, "calls are recorded on standard error", "")
		return
	}
	info, err := os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew:
		var trial *os.File
		if trial, err = os.CreateTemp(filepath.Dir(path), ".outline-mcp-doctor-*"); err == nil {
			_ = trial.Close()
			_ = os.Remove(trial.Name())
		}
	case err == nil:
		if err = audit.CheckKind(info); err != nil {
			break
		}
		var opened *os.File
		if opened, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_ = opened.Close()
		}
	}
	switch {
	case err != nil:
		e.add(Failure, check, fmt.Sprintf("%s cannot be written (%s): the server does not start", path, cause(err)), "set MCP_AUDIT_LOG to a file that the server may create or add to, in a folder that exists, or to stderr")
	case isNew:
		e.add(OK, check, path+" will be created", "")
	case info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/':
		e.add(Warning, check, fmt.Sprintf("others on this machine can read %s (mode %04o)", path, info.Mode().Perm()), "chmod 600 "+path+", unless that is meant")
	default:
		e.add(OK, check, "calls are recorded in "+path, "")
	}
}
