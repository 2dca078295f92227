package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/spf13/cobra"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/doctor"
	"outline-mcp/internal/install"
)

func doctorCommand(p process, demo *bool) *cobra.Command {
	asJSON, transport, name, file := false, "", "", ""
	cmd := &cobra.Command{
		Use:   "doctor [CLIENT]",
		Short: "Find out why the server does not work, and what to do",
		Long: "Check the settings, the connection to Outline, the key and what it allows, and what this Outline supports. " +
			"With the name of a client, check the entry in the configuration of that client: start the program as the client does, with the " +
			"address and the key in the entry. Without one, check the settings of this shell.\n\n" +
			"Clients: " + clientNames() + ".\n\n" +
			"Each check is a line: ✓ works, ! works but needs attention, ✗ does not work, - not there or not checked. Doctor changes nothing, " +
			"and sends the key only to the address of Outline. If that address begins with http://, a proxy on the way can read the key.\n\n" +
			"Exit codes: 0 no check failed; 1 a check failed; 2 wrong usage.",
		Example: "  outline-mcp doctor\n" +
			"  outline-mcp doctor claude-desktop",
		Args: func(cmd *cobra.Command, args []string) error {
			switch flags := cmd.Flags(); {
			case len(args) > 1:
				return oneClient(cmd, args)
			case len(args) == 1 && (*demo || flags.Changed("transport")):
				return fmt.Errorf("leave out --demo and --transport: doctor %s checks the entry as it is", args[0])
			case len(args) == 0 && (flags.Changed("name") || flags.Changed("file")):
				return fmt.Errorf("--name and --file need a client; the clients are %s", clientNames())
			}
			return nil
		},
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				report := examine(cmd.Context(), doctor.Request{Environ: p.environ, Demo: *demo, Transport: transport, Version: version()})
				return printReport(p, report, asJSON)
			}
			client, err := findClient(args[0])
			if err != nil {
				return err
			}
			path, err := configurationFile(p, client, file)
			if err != nil {
				finding, advice, _ := strings.Cut(err.Error(), "; ")
				return printReport(p, doctor.Report{Checks: []doctor.Check{{Name: "entry", Status: doctor.Failure, Finding: finding, Advice: advice}}}, asJSON)
			}
			return printReport(p, examineEntry(cmd.Context(), p, client, name, path), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	cmd.Flags().StringVar(&transport, "transport", "", "stdio or http; overrides MCP_TRANSPORT")
	entryFlags(cmd, &name, &file)
	return cmd
}

// examine makes all checks.
func examine(ctx context.Context, request doctor.Request) doctor.Report {
	// net/http logs unexpected responses by itself, and the doctor meets servers
	// that send them.
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	return doctor.Examine(ctx, request)
}

// examineEntry examines the entry with a name in a client's file.
func examineEntry(ctx context.Context, p process, client install.Client, name, path string) doctor.Report {
	return examine(ctx, doctor.Request{Environ: p.environ, Version: version(), Entry: &doctor.Entry{
		Written: install.Read(path, client, name, p.getenv), Repair: "outline-mcp install " + entryName(client, name),
	}})
}

func printReport(p process, report doctor.Report, asJSON bool) error {
	write := func() error { return report.WriteText(p.shown(cli.CheckColors()...)) }
	if asJSON {
		write = func() error { return report.WriteJSON(p.stdout) }
	}
	if err := write(); err != nil {
		return failure(err)
	}
	if !report.OK {
		return exitError{code: exitFailure}
	}
	return nil
}
