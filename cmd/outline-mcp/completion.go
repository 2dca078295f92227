package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
)

func completionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands, tools, arguments and titles in your shell",
		Long: "Print a script that completes command lines in your shell: commands, flags, tools, arguments and their values and, " +
			"with an API key (or --demo), the titles of documents and collections in place of IDs. Nothing is written to Outline.\n\n" +
			"Load it in each new shell:\n\n" +
			"  bash        source <(outline-mcp completion bash)              in ~/.bashrc\n" +
			"  zsh         source <(outline-mcp completion zsh)               in ~/.zshrc, after compinit\n" +
			"  fish        outline-mcp completion fish | source               in ~/.config/fish/config.fish\n" +
			"  PowerShell  outline-mcp completion powershell | Out-String | Invoke-Expression   in $PROFILE",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name your shell: bash, zsh, fish or powershell, as in outline-mcp completion bash")
			}
			return nil
		},
		ValidArgs:             cli.Shells(),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			shell := args[0]
			if !slices.Contains(cli.Shells(), shell) {
				return exitError{exitUsage, fmt.Sprintf("no completion for the shell %q; the shells are bash, zsh, fish and powershell", shell)}
			}
			if err := cli.WriteScript(p.stdout, cmd.Root(), shell); err != nil {
				return exitError{exitFailure, fmt.Sprintf("write the completion for %s: %s", shell, err)}
			}
			return nil
		},
	}
}

// completeCall completes command lines of call.
func completeCall(p process, demo *bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if cmd.Flags().Changed("stream") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, completer := cmd.Context(), cli.Completer{}
		if loaded, err := loadConfig(p, *demo); err == nil {
			server, err := app.New(app.Options{Config: forCommands(loaded), Demo: *demo, Version: version()})
			if err == nil {
				completer.Tools = server.Tools()
				if *demo || loaded.APIKey != "" {
					ctx, completer.Source = server.AsOperator(ctx), server.Suggestions()
				}
			}
		}
		if completer.Tools == nil { // the settings are wrong; offer the tools of the default ones
			if loaded, err := config.Load(nil); err == nil {
				if server, err := app.New(app.Options{Config: forCommands(loaded), Version: version()}); err == nil {
					completer.Tools = server.Tools()
				}
			}
		}
		return completer.Call(ctx, args, typed)
	}
}
