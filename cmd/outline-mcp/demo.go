package main

import (
	"github.com/spf13/cobra"

	"outline-mcp/internal/tour"
)

func demoCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Take a tour: an MCP client searches and reads the embedded sample workspace",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := loadConfig(p, true)
			if err != nil {
				return err
			}
			return failure(tour.Run(cmd.Context(), p.stdout, loaded, version()))
		},
	}
}
