package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/doctor"
	"outline-mcp/internal/install"
	"outline-mcp/internal/login"
	"outline-mcp/resources"
)

func installCommand(p process, demo *bool) *cobra.Command {
	var request install.Request
	file, unchecked, skill := "", false, false
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Add this server to the configuration of an AI client, and check that it works",
		Long: "Add an entry for this server to the configuration file of an AI client, for the current user, and check that it works.\n\n" +
			"Clients: " + clientNames() + ".\n\n" +
			"Everything else in the file stays as it is, and a backup is kept next to it. The address of Outline comes from the flags, from " +
			"OUTLINE_API_URL, from the only login on this computer, or from your answer on a terminal; you can paste the URL of any page of your Outline. The entry needs no key " +
			"if you log in with your browser, as the command offers on a terminal (see outline-mcp login). An API key comes from " +
			"OUTLINE_API_KEY (or OUTLINE_API_KEY_FILE), or from your answer. There is no flag for the key itself, because other users of " +
			"the machine can see command lines. With --key-file, the entry contains only the path of the file.\n\n" +
			"If the entry exists, the settings that you added to it are kept. Other settings of this shell do not become part of the " +
			"entry. The check is that of outline-mcp doctor CLIENT; if it fails, the entry stays and the exit code is 1.",
		Example: "  outline-mcp install claude-desktop\n" +
			"  outline-mcp install cursor --outline-url https://wiki.example.com --key-file ~/.outline-key\n" +
			"  outline-mcp install vscode --url https://mcp.example.com/mcp\n" +
			"  outline-mcp install claude-code --url https://mcp.example.com/mcp --login\n" +
			"  outline-mcp --demo install claude-code --print",
		Args:              oneClient,
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := findClient(args[0])
			if err != nil {
				return err
			}
			request.Client, request.Demo = client, *demo
			environ := login.WithAddress(runtime.GOOS, p.environ, config.Lookup)
			request.Getenv = func(name string) string { return config.Lookup(environ, name) }
			if terminal := cli.OpenTerminal(p.stdin, p.stderr); terminal != nil {
				request.Ask = terminal.Ask
			}
			request.LoggedIn = func(address string) bool {
				o, store, _, err := loginAt(p, address)
				if err != nil {
					return false
				}
				account, err := store.Account(o.BaseURL)
				return err == nil && !account.Ended
			}
			if !unchecked {
				request.Locate = func(ctx context.Context, address string) (string, error) {
					return doctor.Locate(ctx, p.environ, version(), address)
				}
				request.LogIn = func(ctx context.Context, address string) error {
					_, err := logIn(ctx, p, address, loginFlags{timeout: loginTimeout})
					return err
				}
			}
			if skill && client.Skills == (install.Place{}) {
				return usage(fmt.Errorf("%s reads no skills from files; leave out --skill, which is for Claude Code", client.Title))
			}
			if skill && !request.Print {
				if err := installSkill(p, client); err != nil {
					return failure(err)
				}
			}
			return runInstall(cmd.Context(), p, request, file, !unchecked)
		},
	}
	entryFlags(cmd, &request.Name, &file)
	cmd.Flags().BoolVar(&request.Print, "print", false, "print the entry, without a key, and change nothing")
	cmd.Flags().BoolVar(&unchecked, "no-check", false, "do not connect to anything: use the address as given, and do not check the entry")
	cmd.Flags().StringVar(&request.Outline, "outline-url", "", "address of Outline, or URL of one of its pages (default OUTLINE_API_URL, else "+config.DefaultOutline+")")
	cmd.Flags().StringVar(&request.KeyFile, "key-file", "", "file that contains the API key; the server reads it each time it starts")
	cmd.Flags().StringVar(&request.URL, "url", "", "URL of your team's server; the entry sends your key in a header")
	cmd.Flags().StringVar(&request.TokenFile, "token-file", "", "with --url: file that contains the token of a server with MCP_AUTH_TOKENS; the entry sends it in a header")
	cmd.Flags().BoolVar(&request.Login, "login", false, "with --url: the client logs in to Outline, and the entry has no key")
	cmd.Flags().BoolVar(&request.AlwaysLoad, "always-load", false, "with claude-code: keep all tools loaded, so that Claude Code does not have to search for them")
	cmd.Flags().BoolVar(&request.AllowWrites, "allow-writes", false, "with codex: let models change and delete documents without asking you; codex exec needs this")
	cmd.Flags().BoolVar(&request.LongAnswers, "long-answers", false, "with codex: show long answers to the model in full (tool_output_token_limit, for all its tools)")
	cmd.Flags().BoolVar(&skill, "skill", false, "with claude-code: also write the skill that teaches it to work with a wiki")
	cmd.Flags().StringVar(&request.Command, "command", "", "program that the entry starts (default: this one)")
	return cmd
}

// defaultEntry is the name of an entry if no other is given.
const defaultEntry = "outline"

// entryFlags declares the flags that install and uninstall have in common.
func entryFlags(cmd *cobra.Command, name, file *string) {
	cmd.Flags().StringVar(name, "name", defaultEntry, "name of the entry")
	cmd.Flags().StringVar(file, "file", "", "configuration file (default: the client's own)")
}

// runInstall installs or prints the entry. File is the configuration file, ""
// for the client's own. An installed entry is checked if check is set.
func runInstall(ctx context.Context, p process, request install.Request, file string, check bool) error {
	server, err := request.Check()
	if err != nil {
		return usage(err)
	}
	// Report what is wrong with an entry before asking for anything.
	if _, err := install.NewEntry(request.Client, server); err != nil {
		return usage(err)
	}
	path, err := configurationFile(p, request.Client, file)
	if err != nil && !request.Print {
		return failure(err)
	}
	if server, err = request.Complete(ctx, server); err != nil {
		if errors.As(err, &cli.TerminalError{}) || errors.As(err, &exitError{}) {
			return failure(err)
		}
		return usage(err)
	}
	if server, err = request.Decide(ctx, server); err != nil {
		return failure(err)
	}
	entry, err := install.NewEntry(request.Client, server)
	if err != nil {
		return usage(err)
	}
	if names := request.Ignored(); len(names) > 0 {
		fmt.Fprintf(p.stderr, "outline-mcp: set in this shell, but not part of the entry: %s; add them to the entry if the server needs them\n", strings.Join(names, ", "))
	}
	if request.Print {
		return printEntry(p, entry, path)
	}
	result, err := install.Install(path, entry)
	if err != nil {
		return failure(err)
	}
	result.WriteInstalled(p.shown(), entry)
	if origins := request.Origins(); len(origins) > 0 && !request.Demo {
		from := "Taken from this shell: " + strings.Join(origins, ", ") + "."
		if p.getenv("OUTLINE_API_URL") == "" {
			from = strings.Replace(from, "this shell: OUTLINE_API_URL", "the only login on this computer: the address", 1)
		}
		fmt.Fprintln(p.shown(), from)
	}
	works := true
	if check {
		if works, err = checkInstalled(ctx, p, request, path); err != nil {
			return failure(err)
		}
	}
	if result.Outcome != install.Unchanged {
		fmt.Fprintln(p.shown(), request.Client.Restart)
	}
	if !works {
		return exitError{exitFailure, fmt.Sprintf("the entry is installed, but it does not work yet; fix what is marked ✗, then run outline-mcp doctor %[1]s; outline-mcp install %[1]s replaces the entry", entryName(request.Client, request.Name))}
	}
	return nil
}

// installSkill writes the skill of this program to where a client looks for skills.
func installSkill(p process, client install.Client) error {
	path, err := configurationFile(p, install.Client{Place: client.Skills}, "")
	if err != nil {
		return err
	}
	return install.InstallSkill(p.stdout, filepath.Join(path, resources.SkillName, "SKILL.md"), resources.SkillFile)
}

// printEntry prints an entry, and says where its key belongs.
func printEntry(p process, entry install.Entry, path string) error {
	text, err := entry.Print()
	if err != nil {
		return failure(err)
	}
	fmt.Fprint(p.stdout, text)
	if path == "" {
		path = "the client's configuration file"
	}
	if entry.HoldsKey() {
		fmt.Fprintf(p.stderr, "outline-mcp: no key is printed; replace %s with yours. It is kept in this entry, in %s\n", install.Placeholder, path)
	} else if place := entry.KeyPlace(path); place != "" {
		fmt.Fprintf(p.stderr, "outline-mcp: where the key is kept: %s\n", place)
	}
	return nil
}

// checkInstalled checks the entry as doctor does, and reports whether it works.
func checkInstalled(ctx context.Context, p process, request install.Request, path string) (bool, error) {
	report := examineEntry(ctx, p, request.Client, request.Name, path)
	fmt.Fprintf(p.shown(), "Checking the entry (full report: outline-mcp doctor %s):\n", entryName(request.Client, request.Name))
	return report.OK, report.Brief().WriteText(p.shown(cli.CheckColors()...))
}

// entryName returns the arguments that name an entry of a client in a command.
func entryName(client install.Client, name string) string {
	if name == defaultEntry {
		return client.Name
	}
	return client.Name + " --name " + name
}

// oneClient accepts the name of one client.
func oneClient(_ *cobra.Command, args []string) error {
	if names := strings.Split(clientNames(), ", "); len(args) == 2 && slices.Contains(names, strings.ToLower(args[0]+"-"+args[1])) {
		return fmt.Errorf("name one client; did you mean %s?", strings.ToLower(args[0]+"-"+args[1]))
	}
	if len(args) != 1 {
		return fmt.Errorf("name one client; the clients are %s", clientNames())
	}
	return nil
}

// configurationFile returns the path of a client's configuration file.
func configurationFile(p process, client install.Client, file string) (string, error) {
	if file != "" {
		return filepath.Abs(file)
	}
	system := install.System{GOOS: runtime.GOOS, Getenv: p.getenv, Glob: func(pattern string) []string {
		found, _ := filepath.Glob(pattern)
		return found
	}, IsFolder: func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}}
	return system.Path(client.Place)
}

// getenv returns a variable of the environment, "" if it is not set.
func (p process) getenv(name string) string { return config.Lookup(p.environ, name) }

func findClient(name string) (install.Client, error) {
	client, found := install.Find(strings.ToLower(name))
	if title := hosted(name); title != "" {
		return client, usage(fmt.Errorf("%s has no configuration file on this machine: it connects to a server on the internet, where users log in with Outline; docs/team/login.md has the steps for the server and for %[1]s", title))
	}
	if !found {
		return client, usage(unknown("client", name, strings.Split(clientNames(), ", "), "the clients are "+clientNames()))
	}
	return client, nil
}

// hosted returns the title of a client that runs on its maker's servers, or "".
func hosted(name string) string {
	switch strings.ToLower(name) {
	case "chatgpt", "chatgpt.com", "openai":
		return "ChatGPT"
	case "claude.ai", "claude-ai", "claude-web":
		return "claude.ai"
	}
	return ""
}

func clientNames() string {
	var names []string
	for _, client := range install.Clients() {
		names = append(names, client.Name)
	}
	return strings.Join(names, ", ")
}

func completeClients(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if len(args) == 0 {
		for _, client := range install.Clients() {
			names = append(names, cobra.CompletionWithDesc(client.Name, client.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func uninstallCommand(p process) *cobra.Command {
	name, file := "", ""
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Remove this server from the configuration of an AI client",
		Long: "Remove the entry for this server from the configuration file of an AI client, for the current user.\n\n" +
			"Clients: " + clientNames() + ".\n\n" +
			"Everything else in the file stays as it is, and a backup is kept next to it.",
		Example:           "  outline-mcp uninstall claude-desktop",
		Args:              oneClient,
		ValidArgsFunction: completeClients,
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := findClient(args[0])
			if err != nil {
				return err
			}
			path, err := configurationFile(p, client, file)
			if err != nil {
				return failure(err)
			}
			result, err := install.Uninstall(path, client, name)
			if err != nil {
				return failure(err)
			}
			result.WriteUninstalled(p.shown(), client, name)
			return nil
		},
	}
	entryFlags(cmd, &name, &file)
	return cmd
}
