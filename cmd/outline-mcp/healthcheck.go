package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/config"
	"outline-mcp/internal/doctor"
)

// healthTimeout is how long the server may take to answer.
const healthTimeout = 3 * time.Second

func healthcheckCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck",
		Short: "Check that the server is running; for containers without a shell",
		Long: "Ask /health of the server that the same settings start over HTTP. The exit code is 0 if it answers, else 1. " +
			"With the transport stdio there is nothing to check, and the exit code is 0. In a container, set MCP_TRANSPORT=http instead " +
			"of serve --transport http, so that healthcheck has the same settings.",
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
