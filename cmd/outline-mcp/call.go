package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/output"
)

func callCommand(p process, demo *bool) *cobra.Command {
	asJSON, arguments := false, ""
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value ...]",
		Short: "Call one tool and print its answer",
		Long: "Call one tool and print its answer: text, or with --json the structured content.\n\n" +
			"Arguments are key=value pairs, read as the tool's schema says; repeat a key, or write JSON, for a list. A failure's message goes to standard error.\n\n" +
			"Exit codes: 0 done; 1 the tool failed; 2 wrong use; 3 unauthorized, forbidden or no key; 4 not found;\n" +
			"5 conflict; 6 rate limited; 7 outcome unknown.",
		Example: "  outline-mcp call search_documents query=onboarding limit=5 --demo\n" +
			"  outline-mcp call read_document --args '{\"document_id\": \"...\"}' --json",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := callArguments(args[1:], arguments)
			if err != nil {
				return exitError{exitUsage, err.Error()}
			}
			loaded, err := loadConfig(p, *demo)
			if err != nil {
				return err
			}
			loaded.StructuredOutput = true // the exit code and --json come from it
			server, err := newApp(p, quiet(loaded), *demo)
			if err != nil {
				return err
			}
			names := toolNames(server)
			if !slices.Contains(names, args[0]) {
				return exitError{exitUsage, fmt.Sprintf("there is no tool %q; the tools are %s", args[0], strings.Join(names, ", "))}
			}
			client, err := server.Connect(cmd.Context())
			if err != nil {
				return exitError{exitFailure, err.Error()}
			}
			defer client.Close()
			answer, err := app.Call(cmd.Context(), client, args[0], given)
			if err != nil {
				return exitError{exitFailure, err.Error()}
			}
			return printAnswer(p, answer, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the structured content")
	cmd.Flags().StringVar(&arguments, "args", "", "the arguments as a JSON object")
	return cmd
}

func printAnswer(p process, answer app.Answer, asJSON bool) error {
	if asJSON {
		if err := app.WriteJSON(p.stdout, answer.Structured); err != nil {
			return exitError{exitFailure, err.Error()}
		}
	}
	if answer.Code != "" {
		fmt.Fprintln(p.stderr, answer.Text)
		return exitError{code: exitCode(answer.Code)}
	}
	if !asJSON {
		fmt.Fprintln(p.stdout, answer.Text)
	}
	return nil
}

// exitCode returns how the program ends after a failure.
func exitCode(code output.Code) int {
	switch code {
	case output.InvalidArguments:
		return exitUsage
	case output.Unauthorized, output.Forbidden, output.NoKey:
		return 3
	case output.NotFound:
		return 4
	case output.Conflict:
		return 5
	case output.RateLimited:
		return 6
	case output.OutcomeUnknown:
		return 7
	}
	return exitFailure
}

// callArguments joins --args and the pairs after the tool's name. Values stay
// text: the tool reads numbers, booleans and lists out of it.
func callArguments(pairs []string, object string) (map[string]any, error) {
	arguments := map[string]any{}
	if object != "" {
		decoder := json.NewDecoder(strings.NewReader(object))
		decoder.UseNumber()
		err := decoder.Decode(&arguments)
		if _, after := decoder.Token(); err != nil || arguments == nil || after != io.EOF {
			return nil, fmt.Errorf("--args must be a JSON object, such as '{\"query\": \"onboarding\"}'")
		}
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value", pair)
		}
		switch before := arguments[key].(type) {
		case nil:
			arguments[key] = value
		case []any:
			arguments[key] = append(before, value)
		default:
			arguments[key] = []any{before, value}
		}
	}
	return arguments, nil
}

func toolNames(server *app.App) []string {
	var names []string
	for _, tool := range server.Tools() {
		names = append(names, tool.Name)
	}
	return names
}
