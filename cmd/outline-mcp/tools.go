package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
)

func toolsCommand(p process, demo *bool) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			loaded, err := loadConfig(p, *demo)
			if err != nil {
				return err
			}
			server, err := newApp(p, quiet(loaded), *demo)
			if err != nil {
				return err
			}
			if asJSON {
				return printDefinitions(p, server)
			}
			table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "TOOL\tGROUP\tEFFECT\tOUTLINE ENDPOINTS\tTITLE")
			for _, tool := range server.Tools() {
				separator := ", "
				if tool.AnyEndpoint {
					separator = " or "
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", tool.Name, tool.Group, tool.Effect, strings.Join(tool.Endpoints, separator), tool.Title)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print name, title, description, hints and both schemas of each tool")
	return cmd
}

// definition is a tool as `tools --json` prints it.
type definition struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	Annotations  mcp.ToolAnnotation `json:"annotations"`
	InputSchema  json.RawMessage    `json:"inputSchema"`
	OutputSchema json.RawMessage    `json:"outputSchema"`
}

func printDefinitions(p process, server *app.App) error {
	definitions := []definition{}
	for _, t := range server.Tools() {
		outputSchema, err := t.OutputSchema()
		if err != nil {
			return exitError{exitFailure, fmt.Sprintf("tool %s: %s", t.Name, err)}
		}
		definitions = append(definitions, definition{t.Name, t.Title, t.Description, t.Tool.Annotations, t.Tool.RawInputSchema, outputSchema})
	}
	raw, err := json.Marshal(definitions)
	if err != nil {
		return exitError{exitFailure, fmt.Sprintf("encode the tools: %s", err)}
	}
	return app.WriteJSON(p.stdout, raw)
}
