package main

import (
	"io"
	"log"

	"github.com/spf13/cobra"

	"outline-mcp/internal/doctor"
)

func doctorCommand(p process, demo *bool) *cobra.Command {
	asJSON, transport := false, ""
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what keeps the server from working, and say what to do",
		Long: "doctor checks the settings, the way to Outline, the key, what it allows, the speed, the clocks and what this Outline can do.\n" +
			"Each check is a line: ✓ works, ! works but look at it, ✗ does not work, - could not be checked. It changes nothing,\n" +
			"and sends the key to the address of Outline alone. A proxy on the way to one with http:// can read it.\n\n" +
			"Exit codes: 0 nothing failed; 1 a check failed; 2 wrong use.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// net/http logs unexpected responses by itself, and the doctor meets
			// servers that send them.
			defer log.SetOutput(log.Writer())
			log.SetOutput(io.Discard)
			report := doctor.Examine(cmd.Context(), doctor.Request{Environ: p.environ, Demo: *demo, Transport: transport, Version: version()})
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(p.stdout); err != nil {
				return failure(err)
			}
			if !report.OK {
				return exitError{code: exitFailure}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	cmd.Flags().StringVar(&transport, "transport", "", "stdio or http, whatever MCP_TRANSPORT says")
	return cmd
}
