package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"outline-mcp/internal/config"
	"outline-mcp/internal/install"
	"outline-mcp/outline"
)

func installCommand(p process, demo *bool) *cobra.Command {
	var request install.Request
	file := ""
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Put the entry for this server into an AI client's configuration",
		Long: "Put the entry for this server into the configuration file of an AI client, for the current user.\n\n" +
			"Clients: " + clientNames() + ".\n\n" +
			"Everything else in the file stays as it is, and a backup is kept beside it. The address of Outline and the API key come from\n" +
			"the flags, from OUTLINE_API_URL and OUTLINE_API_KEY (or OUTLINE_API_KEY_FILE), or are asked for on a terminal. There is no flag\n" +
			"for the key itself: other users see command lines. With --key-file only the file's path is in the entry.\n\n" +
			"Of an entry that is there already, settings of your own stay. Settings of the environment other than these are not taken over.",
		Example: "  outline-mcp install claude-desktop\n" +
			"  outline-mcp install cursor --outline-url https://wiki.example.com --key-file ~/.outline-key\n" +
			"  outline-mcp install vscode --url https://mcp.example.com/mcp\n" +
			"  outline-mcp --demo install claude-code --print",
		Args:              oneClient,
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := findClient(args[0])
			if err != nil {
				return err
			}
			request.Client, request.Demo = client, *demo
			request.Getenv, request.Terminal = p.getenv, install.OpenTerminal(p.stdin, p.stderr)
			return runInstall(cmd.Context(), p, request, file)
		},
	}
	entryFlags(cmd, &request.Name, &file)
	cmd.Flags().BoolVar(&request.Print, "print", false, "print the entry, without a key, and change nothing")
	cmd.Flags().StringVar(&request.Outline, "outline-url", "", "the address of Outline (default OUTLINE_API_URL, else "+config.DefaultOutline+")")
	cmd.Flags().StringVar(&request.KeyFile, "key-file", "", "file that holds the API key, read by the server each time it starts")
	cmd.Flags().StringVar(&request.URL, "url", "", "write the entry for a server of your team at this address, with your key in a header")
	cmd.Flags().StringVar(&request.Command, "command", "", "the program that the entry starts (default this one)")
	return cmd
}

// entryFlags declares the flags that install and uninstall have in common.
func entryFlags(cmd *cobra.Command, name, file *string) {
	cmd.Flags().StringVar(name, "name", "outline", "the name of the entry")
	cmd.Flags().StringVar(file, "file", "", "the configuration file (default the client's own)")
}

// runInstall installs or prints the entry. File is the configuration file, ""
// for the client's own.
func runInstall(ctx context.Context, p process, request install.Request, file string) error {
	server, err := request.Server()
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
		if errors.As(err, &install.TerminalError{}) {
			return failure(err)
		}
		return usage(err)
	}
	entry, err := install.NewEntry(request.Client, server)
	if err != nil {
		return usage(err)
	}
	if server.Key == install.Placeholder {
		fmt.Fprintln(p.stderr, "outline-mcp: no key is printed; put yours in the place of "+install.Placeholder)
	}
	if names := request.Ignored(); len(names) > 0 {
		fmt.Fprintf(p.stderr, "outline-mcp: set here, and not taken over into the entry: %s; a server uses them only where it is started with them\n", strings.Join(names, ", "))
	}
	if request.Print {
		text, err := entry.Print()
		if err != nil {
			return failure(err)
		}
		fmt.Fprint(p.stdout, text)
		return nil
	}
	result, err := install.Install(path, entry)
	if err != nil {
		return failure(err)
	}
	result.WriteInstalled(p.stdout, entry)
	return nil
}

// oneClient accepts the name of one client.
func oneClient(_ *cobra.Command, args []string) error {
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
func (p process) getenv(name string) string {
	value := ""
	for _, variable := range p.environ {
		if given, found := strings.CutPrefix(variable, name+"="); found {
			value = given // the last one counts
		}
	}
	return value
}

func findClient(name string) (install.Client, error) {
	client, found := install.Find(strings.ToLower(name))
	if !found {
		return client, exitError{exitUsage, fmt.Sprintf("there is no client %q; the clients are %s", outline.Redact(name), clientNames())}
	}
	return client, nil
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
