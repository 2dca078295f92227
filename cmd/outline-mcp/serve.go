package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
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
			if options.Telemetry, err = app.StartTelemetry(options); err != nil {
				return usage(err)
			}
			defer options.Telemetry.Shutdown()
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
