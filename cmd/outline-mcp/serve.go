package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func serveCommand(p process, demo *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve one MCP client on standard input and output (the default)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := loadConfig(p, *demo)
			if err != nil {
				return err
			}
			server, err := newApp(p, loaded, *demo)
			if err != nil {
				return err
			}
			if isTerminal(p.stdin) {
				fmt.Fprintln(p.stderr, "outline-mcp waits for an MCP client on standard input. It is started by an AI client, not by hand:")
				fmt.Fprintln(p.stderr, "try outline-mcp demo for a tour, outline-mcp --help for the commands, Ctrl-C to end.")
			}
			if err := server.ServeStdio(cmd.Context(), p.stdin, p.stdout); err != nil {
				return exitError{exitFailure, fmt.Sprintf("serve standard input: %s", err)}
			}
			return nil
		},
	}
}

// isTerminal tells whether a person is typing.
func isTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too
	return err != nil || !os.SameFile(info, null)
}
