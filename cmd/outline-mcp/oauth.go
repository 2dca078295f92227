package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/doctor"
	"outline-mcp/internal/login"
	"outline-mcp/internal/oauth"
	"outline-mcp/outline"
)

func oauthCommand(p process, demo *bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "oauth",
		Short: "Set up login with Outline for an HTTP server",
		Long: "Set up login with Outline for an HTTP server: users add its URL to their AI client, log in to Outline, and need no API key. " +
			"docs/team/login.md has the details.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknown("command", args[0], []string{"setup", "status"}, "outline-mcp oauth --help lists the commands")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(oauthSetupCommand(p, demo), oauthStatusCommand(p, demo))
	return cmd
}

func oauthSetupCommand(p process, demo *bool) *cobra.Command {
	setup, publicURL := oauth.Setup{}, ""
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Create the application in Outline and the secrets, and print the settings",
		Long: "Create the application in Outline that users log in with, and the secrets of the server, and print the settings to add.\n\n" +
			"It needs the key of an admin of the workspace in OUTLINE_API_KEY (or OUTLINE_API_KEY_FILE), only for this command. The " +
			"secrets are written to files that only you can read, and are not printed.",
		Example: "  outline-mcp oauth setup --public-url https://mcp.example.com",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, client, err := oauthClient(p, *demo, publicURL)
			if err != nil {
				return err
			}
			if loaded.PublicURL == "" {
				return usage(errors.New("name the address that users add to their AI client with --public-url, such as https://mcp.example.com"))
			}
			setup.Outline, setup.PublicURL, setup.Endpoint = client, loaded.PublicURL, loaded.Path
			if !*demo {
				setup.Address = login.Address(loaded.APIURL)
			}
			created, err := setup.Run(cmd.Context())
			if err != nil {
				return failure(err)
			}
			return failure(created.WriteText(p.stdout))
		},
	}
	clientSecret := cmp.Or(p.getenv("MCP_OAUTH_CLIENT_SECRET_FILE"), "outline-mcp-oauth-client-secret")
	secret := cmp.Or(p.getenv("MCP_OAUTH_SECRET_FILE"), "outline-mcp-oauth-secret")
	cmd.Flags().StringVar(&publicURL, "public-url", "", "address that users add to their AI client, without "+defaultPath+" (default MCP_PUBLIC_URL)")
	cmd.Flags().StringVar(&setup.ClientSecretFile, "client-secret-file", clientSecret, "file for the client secret, as in MCP_OAUTH_CLIENT_SECRET_FILE")
	cmd.Flags().StringVar(&setup.SecretFile, "secret-file", secret, "file for the secret that encrypts tokens, as in MCP_OAUTH_SECRET_FILE")
	cmd.Flags().StringVar(&setup.Name, "name", oauth.DefaultName, "name of the application, which Outline shows to users who log in")
	cmd.Flags().BoolVar(&setup.Force, "force", false, "replace files that exist")
	return cmd
}

const defaultPath = "/mcp"

func oauthStatusCommand(p process, demo *bool) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Check the settings of the login, the application in Outline, and the public URL",
		Long: "Check the settings of the login, the application in Outline and its redirect URI, and whether the public URL leads to this " +
			"server. These are the login checks of outline-mcp doctor. With OUTLINE_API_KEY, the key of any user of " +
			"the workspace, it also asks Outline for the application. Exit code 1 means that a check failed.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := examine(cmd.Context(), doctor.Request{Environ: p.environ, Demo: *demo, Transport: string(config.HTTP), Version: version(), Login: true})
			return printReport(p, report, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	return cmd
}

// oauthClient returns the settings and a client of Outline that acts with the key in
// them. The public URL replaces MCP_PUBLIC_URL unless it is "". Secrets of the login do
// not matter, because they are about to be written.
func oauthClient(p process, demo bool, publicURL string) (config.Config, *outline.Client, error) {
	environ := slices.DeleteFunc(slices.Clone(p.environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "MCP_OAUTH_") && name != "MCP_OAUTH_CLIENT_ID"
	})
	if demo {
		environ = config.WithoutOutline(environ)
	}
	if publicURL != "" {
		environ = append(environ, "MCP_PUBLIC_URL="+publicURL)
	}
	loaded, err := config.Load(environ)
	if err != nil {
		return config.Config{}, nil, usage(err)
	}
	connection := loaded
	connection.PublicURL = "" // with it, the sample workspace would have the application already
	reached, err := app.Reach(app.Options{Config: connection, Demo: demo, Version: version()})
	if err != nil {
		return config.Config{}, nil, usage(err)
	}
	client, err := outline.New(outline.Options{
		BaseURL: reached.BaseURL, Credentials: outline.StaticKey(reached.Key.Reveal()), UserAgent: reached.UserAgent, Transport: reached.Transport,
		RequestTimeout: loaded.RequestTimeout, MaxRetries: loaded.MaxRetries, MaxRetryWait: loaded.MaxRetryWait,
	})
	if err != nil {
		return config.Config{}, nil, usage(fmt.Errorf("cannot reach Outline: %w", err))
	}
	return loaded, client, nil
}
