package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/toolclient"
	"outline-mcp/internal/typings"
)

func toolsCommand(p process, demo *bool) *cobra.Command {
	asJSON, exclusive := false, []string{"json"}
	languages := []struct {
		flag, prints string
		write        func([]typings.Tool) ([]byte, error)
		chosen       bool
	}{
		{"typescript", "print types for the arguments and results of the tools in TypeScript", typings.TypeScript, false},
		{"python", "the same in Python", typings.Python, false},
		{"go", "the same in Go", typings.Go, false},
	}
	cmd := &cobra.Command{
		Use:   "tools [TOOL]",
		Short: "List the tools, or show the arguments of one",
		Long: "List the tools: as a table, with their complete definitions as JSON, or as types for programs. With the name of a tool,\n" +
			"show what it does, its arguments, and an example.\n\n" +
			"If OUTLINE_TOOLS is empty, every tool is listed, and call can use it. The server itself then offers AI clients only those with\n" +
			"yes under DEFAULT; OUTLINE_TOOLS=all makes it offer every tool. Otherwise only the tools that the settings offer are listed. The names of types do not depend on the settings.",
		Example: "  outline-mcp tools\n" +
			"  outline-mcp tools read_document\n" +
			"  outline-mcp tools --typescript > outline.ts",
		Args: func(cmd *cobra.Command, args []string) error {
			chosen := 0
			for _, flag := range exclusive {
				if cmd.Flags().Changed(flag) {
					chosen++
				}
			}
			if chosen > 1 || chosen == 1 && len(args) > 0 || len(args) > 1 {
				return errors.New("give one of TOOL, --json, --typescript, --python and --go; without any, outline-mcp tools lists the tools")
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
				return failure(writeToolHelp(p.stdout, tool))
			}
			if asJSON {
				return printDefinitions(p, server)
			}
			for _, language := range languages {
				if language.chosen {
					everything, err := newApp(p, unrestricted(forCommands(loaded)), *demo)
					if err != nil {
						return err
					}
					return printTypes(p, everything, server, language.write)
				}
			}
			table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "TOOL\tGROUP\tEFFECT\tDEFAULT\tOUTLINE ENDPOINTS\tTITLE")
			for _, tool := range server.Tools() {
				separator, byDefault := ", ", "yes"
				if tool.AnyEndpoint {
					separator = " or "
				}
				if tool.Optional {
					byDefault = "no"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", tool.Name, tool.Group, tool.Effect, byDefault, strings.Join(tool.Endpoints, separator), tool.Title)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print name, title, description, hints and both schemas of each tool")
	for i := range languages {
		language := &languages[i]
		cmd.Flags().BoolVar(&language.chosen, language.flag, false, language.prints)
		exclusive = append(exclusive, language.flag)
	}
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
	TellsFalse   []string           `json:"-"`                  // see [mcptool.Bound.TellsFalse]
}

func printDefinitions(p process, server *app.App) error {
	definitions, err := definitionsOf(server)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(definitions)
	if err != nil {
		return exitError{exitFailure, fmt.Sprintf("encode the tools: %s", err)}
	}
	return toolclient.WriteJSON(p.stdout, raw)
}

func definitionsOf(server *app.App) ([]definition, error) {
	definitions := []definition{}
	for _, t := range server.Tools() {
		input, output, err := t.DocumentedSchemas()
		if err != nil {
			return nil, exitError{exitFailure, fmt.Sprintf("tool %s: %s", t.Name, err)}
		}
		listed := t.Definition()
		definitions = append(definitions, definition{t.Name, t.Title, listed.Description, listed.Annotations, input, output, t.Optional, t.TellsFalse()})
	}
	return definitions, nil
}

// unrestricted returns settings that offer all tools. They have no warnings,
// which the original settings have logged already.
func unrestricted(loaded config.Config) config.Config {
	loaded.ReadOnly, loaded.DisableDelete, loaded.DisableAITools = false, false, false
	loaded.Tools, loaded.ExcludeTools, loaded.Warnings = config.Names{mcptool.AllTools}, nil, nil
	return loaded
}

// printTypes prints types for the tools of server. They are generated from
// everything, a server with all tools, so that names do not depend on the
// settings.
func printTypes(p process, everything, server *app.App, write func([]typings.Tool) ([]byte, error)) error {
	definitions, err := definitionsOf(everything)
	if err != nil {
		return err
	}
	left := map[string]bool{}
	for _, t := range server.Tools() {
		left[t.Name] = true
	}
	var tools []typings.Tool
	for _, d := range definitions {
		tools = append(tools, typings.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema, TellsFalse: d.TellsFalse, Omit: !left[d.Name]})
	}
	types, err := write(tools)
	if err != nil {
		return exitError{exitFailure, fmt.Sprintf("write the types of the tools: %s", err)}
	}
	if _, err := p.stdout.Write(types); err != nil {
		return exitError{exitFailure, fmt.Sprintf("print the types of the tools: %s", err)}
	}
	return nil
}
