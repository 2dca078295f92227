package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/workspace"
)

func workspaceCommand(p process) *cobra.Command {
	listen, latency := "", time.Duration(0)
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "Serve the embedded sample workspace alone, as an Outline API",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sample, err := workspace.New(workspace.Options{Latency: latency, Answers: true})
			if err != nil {
				return failure(err)
			}
			var config net.ListenConfig
			listener, err := config.Listen(cmd.Context(), "tcp", listen)
			if err != nil {
				return exitError{exitFailure, fmt.Sprintf("listen on %s: %s", listen, err)}
			}
			fmt.Fprintf(p.stdout, "OUTLINE_API_URL=http://%s/api\nOUTLINE_API_KEY=%s\n", listener.Addr(), workspace.AdminKey)
			return serveUntilDone(cmd.Context(), listener, sample)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:3010", "address and port; port 0 takes a free one")
	cmd.Flags().DurationVar(&latency, "latency", 0, "how much later each answer comes, such as 50ms")
	return cmd
}

// serveUntilDone serves handler until ctx is done.
func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return exitError{exitFailure, fmt.Sprintf("serve the workspace: %s", err)}
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return exitError{exitFailure, fmt.Sprintf("end the workspace: %s", err)}
	}
	return nil
}
