package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
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
			loaded, err := loadConfig(p, *demo)
			if err != nil {
				return serveUnusable(cmd.Context(), p, *demo, err)
			}
			options := optionsOf(p, loaded, *demo)
			if options.Telemetry, err = app.StartTelemetry(options); err != nil {
				return usage(err)
			}
			defer options.Telemetry.Shutdown()
			server, err := build(options)
			if err != nil {
				return serveUnusable(cmd.Context(), p, *demo, err)
			}
			if err := server.OpenAudit(); err != nil {
				return usage(err)
			}
			if loaded.Transport == config.HTTP {
				return serveHTTP(cmd.Context(), p, server)
			}
			return serveStdio(cmd.Context(), p, server)
		},
	}
	cmd.Flags().StringVar(&transport, "transport", "", "stdio or http; overrides MCP_TRANSPORT")
	return cmd
}

// serveUnusable serves a client on standard input although settings cannot be used: it
// lists the tools and answers each call with what is wrong, which a client shows to its
// user, unlike a server that does not start. Operators of a server over HTTP, and people
// at a terminal, get the error.
func serveUnusable(ctx context.Context, p process, demo bool, err error) error {
	var unusable []config.Problem
	environ := p.environ
	for {
		var invalid *config.Error
		if !errors.As(err, &invalid) || cli.IsTerminal(p.stdin) {
			return err
		}
		unusable = append(unusable, invalid.Problems...)
		// Without a key, nothing can go to an address that was not meant.
		environ = config.Without(environ, unusable, "OUTLINE_API_KEY", "OUTLINE_API_KEY_FILE", "OUTLINE_HEADERS", "OUTLINE_HEADERS_FILE", "OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY")
		report := config.Examine(environ)
		if report.Config.Transport == config.HTTP || slices.ContainsFunc(unusable, func(one config.Problem) bool { return one.Setting == "MCP_TRANSPORT" }) {
			return err
		}
		options := optionsOf(p, report.Config, demo)
		options.Unusable = unusable
		var server *app.App
		if server, err = build(options); err == nil {
			fmt.Fprintln(cli.Shown(p.stderr), "outline-mcp:", outline.Redact((&config.Error{Problems: unusable}).Error()))
			if err := serveStdio(ctx, p, server); err != nil {
				return err
			}
			return exitError{code: exitUsage}
		}
	}
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
