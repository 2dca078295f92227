package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/httpd"
)

func workspaceCommand(p process) *cobra.Command {
	listen, like := "", ""
	options := fakeoutline.Options{Answers: true}
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "Serve the built-in sample workspace as an Outline API, for tests and examples",
		Long: "Serve the built-in sample workspace as an Outline API, for tests and examples.\n\n" +
			"Its clock starts at " + fakeoutline.SampleDay().Format("15:04 UTC on January 2, 2006") + ", so that the age of its documents does not depend on the day. " +
			"It behaves like the newest source of Outline. With --like it behaves like a release (" + releaseNames() + "): it ignores " +
			"request fields that the release does not have, such as lastRevision, and does not lock documents while it updates them. " +
			"With --update-time, updates that arrive at the same time overwrite each other, as they can on a release.\n\n" +
			"It is also an OAuth server. With --oauth-redirect, it has an application with that redirect URI, and prints the application's " +
			"ID and secret. The login page asks which sample user to log in as.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if like != "" {
				release, err := fakeoutline.ParseRelease(like)
				if err != nil {
					return exitError{exitUsage, fmt.Sprintf("--like: %s", err)}
				}
				options.Release = release
			}
			if len(options.OAuth.Redirects) > 0 {
				options.OAuth.ClientID, options.OAuth.Secret = fakeoutline.ClientID, fakeoutline.ClientSecret
			}
			sample, err := fakeoutline.New(options)
			if err != nil {
				return failure(err)
			}
			listener, err := app.Listen(cmd.Context(), listen, "--listen")
			if err != nil {
				return failure(err)
			}
			settings := fmt.Sprintf("OUTLINE_API_URL=http://%s/api\nOUTLINE_API_KEY=%s\n", listener.Addr(), fakeoutline.AdminKey)
			if app := options.OAuth; app.ClientID != "" {
				settings += fmt.Sprintf("MCP_OAUTH_CLIENT_ID=%s\nMCP_OAUTH_CLIENT_SECRET=%s\n", app.ClientID, app.Secret)
			}
			fmt.Fprint(p.stdout, settings)
			return serveUntilDone(cmd.Context(), listener, sample)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:3010", "address and port to listen on; port 0 picks a free one")
	cmd.Flags().StringVar(&like, "like", "", "release of Outline to behave like, such as 1.9.2 (default: the newest source)")
	cmd.Flags().DurationVar(&options.Latency, "latency", 0, "delay of each answer, such as 50ms")
	cmd.Flags().IntVar(&options.RateLimit.Requests, "rate-limit", 0, "requests that each key and each address may send to an endpoint in a minute (default: no limit)")
	cmd.Flags().DurationVar(&options.UpdateTime, "update-time", 0, "time between reading a document that is updated and saving it, such as 20ms")
	cmd.Flags().DurationVar(&options.RevisionTime, "revision-time", 0, "time until a revision is written, such as 500ms")
	cmd.Flags().StringArrayVar(&options.OAuth.Redirects, "oauth-redirect", nil, "redirect URI of an OAuth application, such as http://127.0.0.1:8000/oauth/callback (repeatable)")
	cmd.Flags().DurationVar(&options.TokenLifetime, "token-lifetime", time.Hour, "time that OAuth access tokens are valid, in whole seconds, such as 60s")
	return cmd
}

// releaseNames returns the releases that a workspace can behave like.
func releaseNames() string {
	var names []string
	for _, release := range fakeoutline.Releases() {
		names = append(names, string(release))
	}
	return strings.Join(names, ", ")
}

// workspaceConnections is how many connections a workspace may have.
const workspaceConnections = 256

// serveUntilDone serves handler until ctx is done.
func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := httpd.NewServer(handler, workspaceConnections, slog.New(slog.DiscardHandler))
	server.BaseContext = func(net.Listener) context.Context { return ctx }
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

func demoCommand(p process) *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:   "demo",
		Short: "Show a conversation: an assistant searches, reads and edits a sample workspace",
		Long: "Show a conversation between a user and an AI assistant that searches, reads and edits the built-in sample workspace. " +
			"It needs no key and no network, and ignores all settings.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return failure(cli.RunJSON(cmd.Context(), p.stdout, version()))
			}
			return failure(cli.Demo(cmd.Context(), p.shown(cli.DemoColors()...), version()))
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print the conversation as JSON, with the structured content of each result")
	return command
}
