package main

import (
	"context"
	"fmt"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/outline"
)

// serveUnusable serves standard input and output although the settings cannot be
// used: it lists the tools and answers each call with what is wrong, because
// clients show people nothing of a server that ends. It sends nothing to Outline.
func serveUnusable(ctx context.Context, p process, demo bool, report config.Report, unusable *config.Error) error {
	fmt.Fprintln(cli.ForReader(p.stderr, p.environ), "outline-mcp:", outline.Redact(unusable.Error()))
	c := report.Config
	c.APIKey, c.AuditLog, c.FilesDir, c.PromptsCollection = "", "", "", ""
	options := optionsOf(p, c, demo)
	options.Unusable = whyUnusable(report.Settings, unusable.Problems)
	server, err := app.New(options)
	if err != nil { // because of a file that another setting names
		options.Config = config.Examine(nil).Config
		server, err = app.New(options)
	}
	if err != nil {
		return usage(err)
	}
	if err := serveStdio(ctx, p, server); err != nil {
		return err
	}
	return exitError{code: exitUsage}
}

// whyUnusable returns what is wrong with the settings as the answer to a call. It
// names at most three of them: the rest are on standard error.
func whyUnusable(settings []config.Reported, problems []config.Problem) string {
	values := map[string]string{}
	for _, setting := range settings {
		if setting.Source == config.FromEnvironment && !strings.Contains(setting.Value, "****") {
			values[setting.Name] = outline.Redact(setting.Value)
		}
	}
	var wrong []string
	for _, problem := range problems[:min(len(problems), 3)] {
		name := problem.Setting
		if value := values[name]; value != "" && !strings.Contains(problem.Text, value) {
			name += fmt.Sprintf(" (now %q)", value)
		}
		wrong = append(wrong, name+": "+problem.Text)
	}
	if more := len(problems) - len(wrong); more > 0 {
		wrong = append(wrong, fmt.Sprintf("and %d more", more))
	}
	return "the settings of this server cannot be used: " + outline.Redact(strings.Join(wrong, "; ")) +
		". Correct this in the env block of the MCP client's entry and restart the client; outline-mcp doctor checks it."
}
