package main

import (
	"github.com/spf13/cobra"

	"outline-mcp/internal/install"
)

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
