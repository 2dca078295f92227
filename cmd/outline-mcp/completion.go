package main

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// wordsForBash lets the script for bash work where the package bash-completion
// is not installed, as on a new Mac.
//
//go:embed completion.bash
var wordsForBash string

func completionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands, tools, arguments and titles in a shell",
		Long: "Print a script that completes command lines in a shell: commands, flags, tools, arguments and their choices and, " +
			"with an API key (or --demo), the titles of documents and collections where an ID is wanted. Nothing is written to Outline.\n\n" +
			"Load it in each new shell:\n\n" +
			"  bash        source <(outline-mcp completion bash)              in ~/.bashrc\n" +
			"  zsh         source <(outline-mcp completion zsh)               in ~/.zshrc, after compinit\n" +
			"  fish        outline-mcp completion fish | source               in ~/.config/fish/config.fish\n" +
			"  PowerShell  outline-mcp completion powershell | Out-String | Invoke-Expression   in $PROFILE",
		Args:                  cobra.ExactArgs(1),
		ValidArgs:             []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writeCompletion(p.stdout, cmd.Root(), args[0]); err != nil {
				return err
			}
			return nil
		},
	}
}

func writeCompletion(w io.Writer, root *cobra.Command, shell string) error {
	var err error
	switch shell {
	case "bash":
		if _, err = io.WriteString(w, wordsForBash); err == nil {
			err = root.GenBashCompletionV2(w, true)
		}
	case "zsh":
		err = root.GenZshCompletion(w)
	case "fish":
		err = root.GenFishCompletion(w, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(w)
	default:
		return exitError{exitUsage, fmt.Sprintf("there is no completion for %q; the shells are bash, zsh, fish and powershell", shell)}
	}
	if err != nil {
		return exitError{exitFailure, fmt.Sprintf("write the completion for %s: %s", shell, err)}
	}
	return nil
}
