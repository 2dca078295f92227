package main

import (
	"github.com/spf13/cobra"

	"outline-mcp/internal/cli"
)

func demoCommand(p process) *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:   "demo",
		Short: "Show a conversation: an assistant searches, reads and edits a sample workspace",
		Long: "Shows a conversation between a person and an AI assistant that searches, reads and edits the sample workspace in " +
			"this program. It needs no key and no network, and ignores all settings.",
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
