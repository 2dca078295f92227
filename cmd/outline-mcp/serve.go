package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/doctor"
	"outline-mcp/outline"
)

func serveCommand(p process, demo *bool) *cobra.Command {
	transport := ""
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve one MCP client on standard input and output (the default), or many over HTTP",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			setGCPercent(gcPercentStart)
			if transport != "" {
				p.environ = append(slices.Clone(p.environ), "MCP_TRANSPORT="+transport)
			}
			report := readSettings(p, *demo)
			refuse := func(problems ...config.Problem) error {
				unusable := &config.Error{Problems: problems}
				mistyped := transport != "" && report.Unusable("MCP_TRANSPORT")
				if report.Config.Transport == config.HTTP || mistyped || cli.IsTerminal(p.stdin) {
					return usage(unusable)
				}
				return serveUnusable(cmd.Context(), p, *demo, report, unusable)
			}
			if len(report.Problems) > 0 {
				return refuse(report.Problems...)
			}
			options := optionsOf(p, report.Config, *demo)
			var err error
			if options.Traces, err = app.StartTraces(options); err != nil {
				return usage(err)
			}
			defer options.Traces.Shutdown()
			server, err := build(options)
			if err == nil {
				err = server.OpenAudit()
			}
			if problems := config.ProblemsOf(err); len(problems) > 0 {
				return refuse(problems...)
			}
			if err != nil {
				return usage(err)
			}
			if report.Config.Transport == config.HTTP {
				return serveHTTP(cmd.Context(), p, server)
			}
			return serveStdio(cmd.Context(), p, server)
		},
	}
	cmd.Flags().StringVar(&transport, "transport", "", "stdio or http; overrides MCP_TRANSPORT")
	return cmd
}

func serveStdio(ctx context.Context, p process, server *app.App) error {
	if cli.IsTerminal(p.stdin) {
		fmt.Fprintln(p.stderr, "outline-mcp is waiting for an MCP client on standard input. AI clients start it themselves; to set one up, run outline-mcp install.")
		fmt.Fprintln(p.stderr, "For a tour, run outline-mcp demo; for all commands, outline-mcp --help. Press Ctrl-C to end.")
	}
	defer setGCPercentAfterStart(gcPercentStdio)()
	if err := server.ServeStdio(ctx, p.stdin, p.stdout); err != nil {
		return exitError{exitFailure, fmt.Sprintf("serve standard input: %s", err)}
	}
	return nil
}

func serveHTTP(ctx context.Context, p process, server *app.App) error {
	setGCPercent(gcPercentHTTP)
	setMemoryLimit(server.MemoryLimit())
	defer onHangup(server.Reload)()
	listener, err := server.ListenHTTP(ctx)
	if err != nil {
		return failure(err)
	}
	return failure(server.ServeHTTP(ctx, listener))
}

// healthTimeout is how long the server may take to answer.
const healthTimeout = 3 * time.Second

func healthcheckCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck",
		Short: "Check that the server is running; for containers without a shell",
		Long: "Check that the HTTP server with these settings answers /health. The exit code is 0 if it does, otherwise 1. With the transport " +
			"stdio, there is nothing to check, and the exit code is 0. In a container, set MCP_TRANSPORT=http instead of using serve " +
			"--transport http, so that healthcheck sees the same settings.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Only the settings that locate the server: it reports problems with
			// the others itself.
			p.environ = slices.DeleteFunc(slices.Clone(p.environ), func(variable string) bool {
				name, _, _ := strings.Cut(variable, "=")
				return !slices.Contains([]string{"MCP_TRANSPORT", "MCP_HOST", "MCP_PORT", "MCP_TLS_CERT", "MCP_TLS_KEY"}, name)
			})
			loaded, err := loadConfig(p, false)
			if err != nil {
				return err
			}
			if loaded.Transport != config.HTTP {
				return nil
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			_, err = doctor.AskHealth(ctx, loaded)
			return failure(err)
		},
	}
}

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
