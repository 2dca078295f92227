package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// callOptions are the flags of call.
type callOptions struct {
	args, jq           string
	path               string // of a file, which the user has typed
	asJSON, raw, quiet bool
	environment        process
	demo               *bool
	given              func(flag string) bool
}

func callCommand(p process, demo *bool) *cobra.Command {
	o := callOptions{environment: p, demo: demo}
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value ...]",
		Short: "Call one tool and print its answer",
		Long: "Call one tool and print its answer as text. With --json, print the structured content; with --jq, the result of an expression on that content.\n\n" +
			"outline-mcp tools lists the tools; outline-mcp call TOOL --help shows the arguments of a tool, with an example.\n\n" +
			"Write arguments as key=value. For a list, repeat the key or write JSON. key@=FILE reads the value from a file. " +
			"--args takes all arguments as a JSON object; key=value pairs override it. Error messages go to standard error.\n\n" +
			"Exit codes: 0 success; 1 the tool failed; 2 wrong usage; 3 unauthorized, forbidden or no key; 4 not found; " +
			"5 conflict; 6 rate limited; 7 outcome unknown.",
		Example: "  outline-mcp call search_documents query=onboarding limit=5 --demo\n" +
			"  outline-mcp call read_document --args '{\"document_id\": \"...\"}' --json\n" +
			"  outline-mcp call update_document document_id=... text@=page.md\n" +
			"  outline-mcp call list_collections --jq '.collections[].name' --raw --demo",
		Args: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			if len(args) == 0 {
				return noTool(p, *demo)
			}
			return nil
		},
		ValidArgsFunction: completeCall(p, demo),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return usage(err)
			}
			return o.call(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.args, "args", "", "arguments as a JSON object; @FILE reads it from a file, - from standard input")
	flags.BoolVar(&o.asJSON, "json", false, "print the structured content")
	flags.StringVar(&o.jq, "jq", "", "print the result of a jq expression on the structured content")
	flags.BoolVarP(&o.raw, "raw", "r", false, "with --jq, print strings without quotes")
	flags.BoolVar(&o.quiet, "quiet", false, "show no progress on standard error")
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if server, err := listing(p, *demo); err == nil {
			for _, arg := range args {
				if tool, err := findTool(server, arg); err == nil {
					_ = writeToolHelp(p.shown(), tool) // help reports no errors
					return
				}
			}
		}
		cmd.Parent().HelpFunc()(cmd, args)
	})
	return cmd
}

// completeCall completes the name of a tool, then the names of its arguments.
func completeCall(p process, demo *bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		server, err := listing(p, *demo)
		switch {
		case err != nil:
			return nil, cobra.ShellCompDirectiveError
		case len(args) == 0:
			for _, tool := range server.Tools() {
				names = append(names, cobra.CompletionWithDesc(tool.Name, tool.Title))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		case strings.Contains(typed, "="):
			return nil, cobra.ShellCompDirectiveDefault // the name of a file
		}
		tool, err := findTool(server, args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		schema, err := tool.InputSchema()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		for _, name := range schema.PropertyOrder {
			names = append(names, cobra.CompletionWithDesc(name+"=", schema.Properties[name].Description))
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
	}
}

// check returns an error for flags that do not go together.
func (o callOptions) check() error {
	switch {
	case o.given("args") && o.args == "":
		return errors.New("--args is empty; give a JSON object, @FILE, or - for standard input")
	case o.given("jq") && strings.TrimSpace(o.jq) == "":
		return errors.New("--jq is empty; give an expression, such as . for the whole answer")
	case o.raw && !o.given("jq"):
		return errors.New("--raw needs --jq")
	case o.asJSON && o.given("jq"):
		return errors.New("leave out --json; --jq prints JSON anyway")
	}
	return nil
}

// call calls one tool.
func (o callOptions) call(ctx context.Context, args []string) error {
	filter, err := o.filter()
	if err != nil {
		return usage(err)
	}
	source := cli.Source{Stdin: o.environment.stdin}
	arguments, err := source.Arguments(o.args, args[1:])
	if err != nil {
		if server, listErr := listing(o.environment, *o.demo); listErr == nil {
			tool, unknown := findTool(server, args[0])
			if unknown != nil {
				return usage(unknown)
			}
			if schema, schemaErr := tool.InputSchema(); schemaErr == nil && len(schema.Required) > 0 && errors.Is(err, cli.ErrNoPair) {
				const command = 4 // outline-mcp --demo call TOOL
				err = fmt.Errorf("%w, such as %s", err, shellWords(exampleOf(tool, schema))[command])
			}
		}
		return usage(fmt.Errorf("%w; outline-mcp tools %s shows the arguments", err, args[0]))
	}
	if path, ok := arguments["path"].(string); ok && path != "" {
		real, _ := filepath.EvalSymlinks(path) // "" for a file that is to be created
		if o.path, err = filepath.Abs(cmp.Or(real, path)); err != nil {
			return failure(err)
		}
		arguments["path"] = o.path
	}
	return o.connected(ctx, func(server *app.App, connection *client.Client) error {
		if _, err := findTool(server, args[0]); err != nil {
			return usage(err)
		}
		return o.callTool(ctx, connection, args[0], arguments, filter)
	})
}

// filter compiles --jq. It returns nil if there is none.
func (o callOptions) filter() (*cli.Filter, error) {
	if o.jq == "" {
		return nil, nil
	}
	filter, err := cli.ParseFilter(o.jq)
	if err != nil {
		return nil, err
	}
	filter.Raw = o.raw
	return filter, nil
}

// connected calls do with a client of a server in this process.
func (o callOptions) connected(ctx context.Context, do func(*app.App, *client.Client) error) error {
	loaded, err := loadConfig(o.environment, *o.demo)
	if err != nil {
		return err
	}
	loaded.StructuredOutput = true // the exit code and --json come from it
	options := optionsOf(o.environment, forCommands(loaded), *o.demo)
	if o.path != "" {
		options.Files.Roots = []string{filepath.Dir(o.path)}
	}
	server, err := build(options)
	if err != nil {
		return usage(err)
	}
	connection, err := server.ConnectAsking(ctx, o.person())
	if err != nil {
		return failure(err)
	}
	defer connection.Close()
	return do(server, connection)
}

// bar returns a progress bar on standard error, or nil to show no progress.
func (o callOptions) bar(label string) *cli.Bar {
	if o.quiet || slices.Contains(o.environment.environ, "TERM=dumb") {
		return nil
	}
	return cli.TerminalBar(o.environment.stderr, label)
}

// callTool calls one tool and prints its answer. Only a success is filtered.
func (o callOptions) callTool(ctx context.Context, connection *client.Client, tool string, arguments map[string]any, filter *cli.Filter) error {
	bar := o.bar(tool)
	answer, err := cli.CallWithProgress(ctx, connection, tool, arguments, bar.Items)
	bar.Clear()
	if err != nil {
		return failure(err)
	}
	stdout, failed := cli.Shown(o.environment.stdout), answer.Code != ""
	switch {
	case o.asJSON:
		err = cli.WriteJSON(stdout, answer.Structured)
	case failed:
	case filter != nil:
		err = filter.Write(ctx, stdout, answer.Structured)
		if next := continued(answer.Structured); next != "" {
			fmt.Fprintf(cli.Shown(o.environment.stderr), "The answer is cut. To read on, call %s again with %s.\n", tool, next)
		}
	default:
		_, err = fmt.Fprintln(stdout, answer.Text)
	}
	switch {
	case failed:
		stderr := cli.Shown(o.environment.stderr)
		if strings.Contains(answer.Text, "no Outline API key is set") {
			answer.Text = noKeyInShell(tool)
		}
		fmt.Fprintln(stderr, answer.Text)
		if answer.Code == output.InvalidArguments {
			fmt.Fprintf(stderr, "outline-mcp tools %s shows the arguments, with an example.\n", tool)
		}
		return exitError{code: exitCode(answer.Code)}
	case err != nil: // nobody may take this for a failed call and repeat a write
		return exitError{exitFailure, fmt.Sprintf("the call succeeded, but its answer could not be printed completely: %s", err)}
	}
	return nil
}

// continued returns the arguments with which an answer that is cut continues, "" if it is whole.
func continued(structured json.RawMessage) (next string) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(structured, &fields) // it has printed
	for _, name := range []string{"start_line", "start_char", "cursor"} {
		if value, ok := fields["next_"+name]; ok {
			next += " " + name + "=" + strings.Trim(string(value), `"`)
		}
	}
	return strings.TrimSpace(next)
}

// noKeyInShell says how to set a key for a command. The server's own sentence is
// about the entry of a client.
func noKeyInShell(tool string) string {
	return tool + ": no Outline API key is set. Create one in Outline under " + outline.KeysPage + ", then run: export OUTLINE_API_KEY=ol_api_... " +
		"(PowerShell: $env:OUTLINE_API_KEY = 'ol_api_...'), or set OUTLINE_API_KEY_FILE to a file that contains it; outline-mcp doctor checks it. " +
		"Without a key, add --demo for the sample workspace."
}

// exitCode returns the exit code for the failure of a tool.
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

// person returns what lets the user at the terminal confirm a call, nil if there is no
// terminal.
func (o callOptions) person() client.ElicitationHandler {
	terminal := cli.OpenTerminal(o.environment.stdin, o.environment.stderr)
	if terminal == nil || !cli.IsTerminal(o.environment.stderr) {
		return nil
	}
	return terminalPerson{terminal, o.environment}
}

// terminalPerson asks the user at a terminal.
type terminalPerson struct {
	terminal *cli.Terminal
	process
}

// Elicit implements client.ElicitationHandler. Choices are declined, because scripts
// that are started at a terminal expect a list.
func (p terminalPerson) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	result := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}
	if !elicit.IsConfirmation(request.Params) {
		return result, nil
	}
	fmt.Fprintln(p.stderr, request.Params.Message)
	agreed, err := p.terminal.Confirm(ctx, "Do it? [y/N] ")
	switch {
	case err != nil:
		result.Action = mcp.ElicitationResponseActionCancel
	case agreed:
		result.ElicitationResponse = elicit.Agreement()
	}
	return result, nil
}
