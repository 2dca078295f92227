package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
)

func toolsCommand(p process, demo *bool) *cobra.Command {
	asJSON, endpoints := false, false
	cmd := &cobra.Command{
		Use:   "tools [TOOL]",
		Short: "List the tools, or show the arguments of one",
		Long: "List the tools and what they do, or with --json their complete definitions. With the name of a tool, show what it does, " +
			"its arguments, and an example.\n\n" +
			"If OUTLINE_TOOLS is empty, every tool is listed, and outline-mcp call can use it. AI clients are then offered only the tools " +
			"without an asterisk; OUTLINE_TOOLS=all offers every tool. Otherwise, only the tools that the settings offer are listed.",
		Example: "  outline-mcp tools\n" +
			"  outline-mcp tools read_document\n" +
			"  outline-mcp tools --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && cmd.Flags().Changed("json") {
				return errors.New("give TOOL or --json; without either, outline-mcp tools lists the tools")
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeCall(p, demo)(cmd, args, typed)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			loaded, err := loadConfig(p, *demo)
			if err != nil {
				return err
			}
			server, err := newApp(p, forCommands(loaded), *demo)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				tool, err := findTool(server, args[0])
				if err != nil {
					return usage(err)
				}
				return failure(writeToolHelp(p.shown(), tool))
			}
			if asJSON {
				return printDefinitions(p, server)
			}
			return failure(writeToolList(p.shown(), server.Tools(), endpoints))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print name, title, description, hints and both schemas of each tool")
	cmd.Flags().BoolVar(&endpoints, "endpoints", false, "list the Outline endpoints that each tool uses, instead of what it does")
	return cmd
}

// definition is a tool in the output of `tools --json`.
type definition struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	Annotations  mcp.ToolAnnotation `json:"annotations"`
	InputSchema  json.RawMessage    `json:"inputSchema"`
	OutputSchema json.RawMessage    `json:"outputSchema"`
	Optional     bool               `json:"optional,omitempty"` // not offered by default
}

func printDefinitions(p process, server *app.App) error {
	definitions := []definition{}
	for _, t := range server.Tools() {
		input, output, err := t.DocumentedSchemas()
		if err != nil {
			return exitError{exitFailure, fmt.Sprintf("tool %s: %s", t.Name, err)}
		}
		listed := t.Definition()
		definitions = append(definitions, definition{
			Name: t.Name, Title: t.Title, Description: listed.Description, Annotations: listed.Annotations,
			InputSchema: input, OutputSchema: output, Optional: t.Optional,
		})
	}
	raw, err := json.Marshal(definitions)
	if err != nil {
		return exitError{exitFailure, fmt.Sprintf("encode the tools: %s", err)}
	}
	return cli.WriteJSON(p.stdout, raw)
}
