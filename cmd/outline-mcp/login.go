package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/doctor"
	"outline-mcp/internal/login"
	"outline-mcp/output"
)

// loginFlags are the flags of login.
type loginFlags struct {
	readOnly, noKeyring bool
	timeout             time.Duration
}

func loginCommand(p process) *cobra.Command {
	flags := loginFlags{}
	cmd := &cobra.Command{
		Use:   "login [URL]",
		Short: "Log in to Outline with your browser, without an API key",
		Long: "Log in to Outline with your browser. The server then acts with your account on standard input and output, unless an API key " +
			"is set. All AI clients on this computer share the login; you don't need to restart them.\n\n" +
			"URL is the address of your Outline, or of any of its pages (default OUTLINE_API_URL, or your answer on a terminal). Log in " +
			"once for each Outline. The tokens are kept in the system's keyring or, if there is none, in a file that only you can read. " +
			"If Outline does not let programs register, set OUTLINE_OAUTH_CLIENT_ID, or use an API key.",
		Example: "  outline-mcp login https://wiki.example.com\n" +
			"  outline-mcp login https://wiki.example.com --read-only",
		Args: oneAddress,
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := askAddress(cmd.Context(), p, args)
			if err != nil {
				return err
			}
			if _, err = logIn(cmd.Context(), p, address, flags); err == nil {
				fmt.Fprintln(p.stderr, "Next, run outline-mcp install CLIENT for your AI client, or outline-mcp call list_collections.")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&flags.readOnly, "read-only", false, "ask Outline only for the right to read")
	cmd.Flags().BoolVar(&flags.noKeyring, "no-keyring", false, "keep the tokens in a file that only you can read")
	cmd.Flags().DurationVar(&flags.timeout, "timeout", loginTimeout, "how long to wait for the browser")
	return cmd
}

// loginTimeout is how long a person has to log in to Outline and to agree.
const loginTimeout = 5 * time.Minute

func logoutCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "logout [URL]",
		Short: "Revoke this computer's login in Outline, and delete it",
		Long: "Revoke this computer's login in Outline, and delete it. URL is the address of your Outline (default OUTLINE_API_URL, or " +
			"the only one that you are logged in to).",
		Args: oneAddress,
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, err := sourcesOf(p, args)
			switch {
			case err != nil:
				return err
			case len(sources) > 1:
				return usage(errors.New("you are logged in to several Outline servers; name one of those that outline-mcp whoami lists"))
			}
			account, told, err := sources[0].Logout(cmd.Context())
			if err != nil {
				return failure(err)
			}
			fmt.Fprintf(p.stdout, "Logged out of %s (%s).\n", output.OneLine(account.Workspace), login.Address(account.Outline))
			if !told {
				return exitError{exitFailure, "the login is forgotten here, but Outline could not be told: remove outline-mcp in Outline under Settings → Apps if the tokens may be in other hands"}
			}
			return nil
		},
	}
}

func whoamiCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "whoami [URL]",
		Short: "Show who is logged in to Outline on this computer",
		Long: "Show who is logged in to Outline on this computer, and ask Outline whether it accepts the login. URL is the address of one " +
			"Outline (default OUTLINE_API_URL, else all). The exit code is 1 if a login does not work, or there is none.",
		Args: oneAddress,
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, err := sourcesOf(p, args)
			if err != nil {
				return err
			}
			var problems []error
			for _, source := range sources {
				account, err := source.Check(cmd.Context())
				if err != nil {
					problems = append(problems, err)
				} else {
					fmt.Fprintln(p.stdout, strings.Join(describe(account), "\n"))
				}
			}
			if p.getenv("OUTLINE_API_KEY") != "" || p.getenv("OUTLINE_API_KEY_FILE") != "" {
				fmt.Fprintln(p.stderr, "outline-mcp: an API key is set in this shell, and is used instead of a login")
			}
			return failure(errors.Join(problems...))
		},
	}
}

// oneAddress accepts at most one argument.
func oneAddress(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("name one address, such as https://wiki.example.com; see %s --help", cmd.CommandPath())
	}
	return nil
}

// describe returns lines about a login.
func describe(a login.Account) []string {
	return []string{
		fmt.Sprintf("%s (%s) in %s, %s", cmp.Or(output.OneLine(a.User), "a user without a name"), cmp.Or(output.OneLine(a.Role), "unknown role"), cmp.Or(output.OneLine(a.Workspace), "a workspace without a name"), login.Address(a.Outline)),
		"  scopes: " + a.Scope,
		"  since " + a.Since.Local().Format("2006-01-02 15:04") + ", kept in " + place(a),
	}
}

func place(a login.Account) string {
	if a.Keyring {
		return "the keyring of this system"
	}
	return "a file that only you can read"
}

// askAddress returns the address of Outline to log in to.
func askAddress(ctx context.Context, p process, args []string) (string, error) {
	locate := func(pasted string) (string, error) {
		address, err := config.OutlineAddress(pasted)
		if err == nil {
			address, err = doctor.Locate(ctx, p.environ, version(), address)
		}
		return address, err
	}
	given := p.getenv("OUTLINE_API_URL")
	if len(args) == 1 {
		given = args[0]
	}
	if given == "" {
		terminal := cli.OpenTerminal(p.stdin, p.stderr)
		if terminal == nil {
			return "", usage(errors.New("name the address of your Outline, such as outline-mcp login https://wiki.example.com"))
		}
		address, err := terminal.Ask(ctx, "Address of your Outline, as in the browser: ", false, locate)
		return address, failure(err)
	}
	address, err := locate(given)
	if err != nil {
		return "", usage(fmt.Errorf("the address of Outline: %w", err))
	}
	return address, nil
}

// logIn logs in to the Outline of an address, and says so.
func logIn(ctx context.Context, p process, address string, flags loginFlags) (login.Account, error) {
	o, store, loaded, err := loginAt(p, address)
	if err != nil {
		return login.Account{}, err
	}
	flow := login.Flow{
		Outline: o, Store: store, ClientID: loaded.LoginClientID, Scope: app.Scope(flags.readOnly), ReadOnly: flags.readOnly,
		NoKeyring: flags.noKeyring, Timeout: flags.timeout, Visit: func(ctx context.Context, page string) error { return visit(ctx, p, page, flags.timeout) },
	}
	if terminal := cli.OpenTerminal(p.stdin, p.stderr); terminal != nil {
		flow.Agree = func(ctx context.Context, clause string) (bool, error) {
			fmt.Fprintln(p.stderr, clause+".")
			return terminal.Confirm(ctx, "Are all of these your Outline? [y/N] ")
		}
	}
	account, err := flow.Run(ctx)
	if err != nil {
		return login.Account{}, failure(err)
	}
	fmt.Fprintln(p.stdout, "Logged in: "+strings.Join(describe(account), "\n"))
	if !account.Keyring && !flags.noKeyring {
		fmt.Fprintf(p.stderr, "outline-mcp: this session has no keyring, so the tokens are in %s, with mode 0600\n", store.Folder())
	}
	return account, nil
}

// visit shows the address of the consent page, and opens it if there is a browser.
func visit(ctx context.Context, p process, page string, timeout time.Duration) error {
	fmt.Fprintf(p.stderr, "Log in to Outline and choose Authorize on this page:\n\n  %s\n\n", page)
	if err := login.OpenBrowser(ctx, runtime.GOOS, p.getenv, page); err != nil {
		fmt.Fprintln(p.stderr, "No browser could be opened here: open the page yourself.")
		if u, err := url.Parse(page); err == nil {
			if back, err := url.Parse(u.Query().Get("redirect_uri")); err == nil {
				fmt.Fprintf(p.stderr, "With a browser on another computer, first run there: ssh -N -L %[1]s:127.0.0.1:%[1]s THIS-COMPUTER\n", back.Port())
			}
		}
	}
	fmt.Fprintf(p.stderr, "Waiting for the browser, for up to %s. Ctrl-C stops.\n", timeout)
	return nil
}

// loginAt returns what a login at an address needs.
func loginAt(p process, address string) (login.Outline, *login.Store, config.Config, error) {
	environ := slices.DeleteFunc(slices.Clone(p.environ), func(variable string) bool { return strings.HasPrefix(variable, "OUTLINE_API_KEY") })
	p.environ = append(environ, "OUTLINE_API_URL="+address)
	loaded, err := loadConfig(p, false)
	if err != nil {
		return login.Outline{}, nil, config.Config{}, err
	}
	o, store, err := reachLogin(p, app.Options{Config: loaded, Version: version()})
	if err != nil {
		return login.Outline{}, nil, config.Config{}, failure(err)
	}
	return o, store, loaded, nil
}

// reachLogin returns the Outline of the settings, and where logins are kept.
func reachLogin(p process, o app.Options) (login.Outline, *login.Store, error) {
	store, err := login.Open(runtime.GOOS, p.getenv)
	if err != nil {
		return login.Outline{}, nil, err
	}
	reached, err := app.Reach(o)
	if err != nil {
		return login.Outline{}, nil, err
	}
	return login.Outline{BaseURL: reached.BaseURL, Transport: reached.Transport, UserAgent: reached.UserAgent}, store, nil
}

// sourcesOf returns the logins that a command is about: that of the address given, or of
// the settings, or all.
func sourcesOf(p process, args []string) ([]*login.Source, error) {
	var addresses []string
	if given := p.getenv("OUTLINE_API_URL"); len(args) == 1 || given != "" {
		if len(args) == 1 {
			given = args[0]
		}
		address, err := config.OutlineAddress(given)
		if err != nil {
			return nil, usage(fmt.Errorf("the address of Outline: %w", err))
		}
		addresses = []string{address}
	} else {
		store, err := login.Open(runtime.GOOS, p.getenv)
		if err != nil {
			return nil, failure(err)
		}
		accounts, err := store.Accounts()
		if err != nil && len(accounts) == 0 {
			return nil, failure(err)
		}
		for _, account := range accounts {
			addresses = append(addresses, account.Outline)
		}
	}
	if len(addresses) == 0 {
		return nil, failure(errors.New("nobody is logged in on this computer; run outline-mcp login with the address of your Outline"))
	}
	var sources []*login.Source
	for _, address := range addresses {
		o, store, loaded, err := loginAt(p, address)
		if err != nil {
			return nil, err
		}
		sources = append(sources, login.NewSource(o, store, app.NewLogger(p.stderr, loaded)))
	}
	return sources, nil
}
