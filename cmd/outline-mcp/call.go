package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

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
	args, jq, stream   string
	asJSON, raw, quiet bool
	failFast           bool
	concurrency        int
	environment        process
	demo               *bool
	given              func(flag string) bool
}

func callCommand(p process, demo *bool) *cobra.Command {
	o := callOptions{environment: p, demo: demo}
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value ...]",
		Short: "Call one tool, or a stream of calls, and print the answers",
		Long: "Call one tool and print its answer: its text, with --json its structured content, or with --jq the result of an expression on that content.\n\n" +
			"outline-mcp tools lists the tools; outline-mcp call TOOL --help shows the arguments of a tool, with an example.\n\n" +
			"Write arguments as key=value. For a list, repeat the key or write JSON. key@=FILE reads the value from a file. " +
			"--args takes all arguments as a JSON object; key=value pairs override it. Error messages go to standard error.\n\n" +
			"--stream makes many calls, each a line of JSON: {\"tool\": ..., \"arguments\": {...}, \"id\": ...}. Each call is answered with one line, in the same order and as early as possible: " +
			"{\"line\": 1, \"id\": ..., \"tool\": ..., \"ok\": true, \"result\": {...}}, or a failure with \"ok\": false. A line that is not a valid call is also answered with a failure.\n\n" +
			"Exit codes: 0 success; 1 the tool failed; 2 wrong usage; 3 unauthorized, forbidden or no key; 4 not found; " +
			"5 conflict; 6 rate limited; 7 outcome unknown. A stream exits with the code of its first failure.",
		Example: "  outline-mcp call search_documents query=onboarding limit=5 --demo\n" +
			"  outline-mcp call read_document --args '{\"document_id\": \"...\"}' --json\n" +
			"  outline-mcp call update_document document_id=... text@=page.md\n" +
			"  outline-mcp call list_collections --jq '.collections[].name' --raw --demo\n" +
			"  outline-mcp call --stream calls.jsonl --concurrency 4",
		Args: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			if len(args) == 0 && !o.given("stream") {
				return noTool(p, *demo)
			}
			return nil
		},
		ValidArgsFunction: completeCall(p, demo),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
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
	flags.StringVar(&o.stream, "stream", "", "make the calls in a file (- for standard input), one JSON object per line")
	flags.IntVar(&o.concurrency, "concurrency", 1, fmt.Sprintf("with --stream, number of concurrent calls, up to %d; with more than 1, calls can take effect in any order", cli.MaxConcurrency))
	flags.BoolVar(&o.failFast, "fail-fast", false, "with --stream, start no more calls after a failure")
	flags.BoolVar(&o.quiet, "quiet", false, "show no progress and no summary on standard error")
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

// check returns an error for flags that do not go together.
func (o callOptions) check(args []string) error {
	streaming := o.given("stream")
	switch {
	case streaming && (len(args) > 0 || o.given("args")):
		return errors.New("--stream takes tools and arguments from the stream; leave out TOOL, key=value and --args")
	case streaming && o.stream == "":
		return errors.New("--stream needs the name of a file, or - for standard input")
	case !streaming && (o.failFast || o.given("concurrency")):
		return errors.New("--fail-fast and --concurrency need --stream")
	case o.concurrency < 1 || o.concurrency > cli.MaxConcurrency:
		return fmt.Errorf("--concurrency must be from 1 to %d", cli.MaxConcurrency)
	case o.given("args") && o.args == "":
		return errors.New("--args is empty; give a JSON object, @FILE, or - for standard input")
	case o.given("jq") && strings.TrimSpace(o.jq) == "":
		return errors.New("--jq is empty; give an expression, such as . for the whole answer")
	case o.raw && !o.given("jq"):
		return errors.New("--raw needs --jq")
	case o.asJSON && (o.given("jq") || streaming):
		return errors.New("leave out --json; --jq and --stream print JSON anyway")
	}
	return nil
}

// call calls one tool, or the tools of a stream.
func (o callOptions) call(ctx context.Context, args []string) error {
	filter, err := o.filter()
	if err != nil {
		return usage(err)
	}
	source := cli.Source{Stdin: o.environment.stdin}
	if o.given("stream") {
		in, err := source.Open(o.stream)
		if err != nil {
			return usage(err)
		}
		defer in.Close()
		return o.connected(ctx, func(server *app.App, connection *client.Client) error {
			return o.callStream(ctx, server, connection, in, filter)
		})
	}
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
	filter.Raw, filter.Indent = o.raw, !o.given("stream")
	return filter, nil
}

// connected calls do with a client of a server in this process.
func (o callOptions) connected(ctx context.Context, do func(*app.App, *client.Client) error) error {
	loaded, err := loadConfig(o.environment, *o.demo)
	if err != nil {
		return err
	}
	loaded.StructuredOutput = true // the exit code and --json come from it
	server, err := newApp(o.environment, forCommands(loaded), *o.demo)
	if err != nil {
		return err
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

// noKeyInShell says how to set a key for a command. The server's own sentence is
// about the entry of a client.
func noKeyInShell(tool string) string {
	return tool + ": no Outline API key is set. Create one in Outline under " + outline.KeysPage + ", then run: export OUTLINE_API_KEY=ol_api_... " +
		"(PowerShell: $env:OUTLINE_API_KEY = 'ol_api_...'), or set OUTLINE_API_KEY_FILE to a file that contains it; outline-mcp doctor checks it. " +
		"Without a key, add --demo for the sample workspace."
}

// callStream makes the calls of --stream and prints their outcomes.
func (o callOptions) callStream(ctx context.Context, server *app.App, connection *client.Client, in io.Reader, filter *cli.Filter) error {
	// A reader that is gone must not kill the program: it waits for the calls
	// that are running, and reports them.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	printer := cli.Printer{W: cli.Shown(o.environment.stdout), Filter: filter, Warn: func(line int, err error) {
		fmt.Fprintf(cli.Shown(o.environment.stderr), "outline-mcp: line %d: %s\n", line, outline.Redact(err.Error()))
	}}
	if !cli.IsTerminal(o.environment.stdout) { // where the outcomes show the progress
		printer.Bar = o.bar("calls:")
	}
	stream := cli.Stream{
		Call: func(ctx context.Context, tool string, arguments json.RawMessage) (cli.Answer, error) {
			if len(arguments) == 0 {
				return cli.Call(ctx, connection, tool, nil)
			}
			return cli.Call(ctx, connection, tool, arguments)
		},
		Check:       server.Check,
		Concurrency: o.concurrency,
		FailFast:    o.failFast,
		Write:       func(outcome cli.Outcome) error { return printer.Print(ctx, outcome) },
	}
	sum, err := stream.Run(ctx, in)
	printer.Bar.Clear()
	if err != nil {
		return exitError{exitFailure, outline.Redact(err.Error()) + ": " + sum.Progress()}
	}
	exit := exitError{code: exitOK}
	switch {
	case sum.Failed > 0:
		exit = exitError{exitCode(sum.First.Code), sum.Failures()}
	case printer.Unfiltered > 0:
		exit = exitError{exitFailure, fmt.Sprintf("all %d calls are done; --jq failed on %d outcomes", sum.Done, printer.Unfiltered)}
	}
	if o.quiet {
		exit.message = ""
	}
	if sum.Stopped != "" {
		exit = exitError{max(exit.code, exitFailure), string(sum.Stopped) + ": " + sum.Progress()}
	}
	if exit.code == exitOK {
		return nil
	}
	return exit
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

// person returns what lets the user at the terminal confirm a call. It is nil if
// there is no terminal, and for a stream, which nobody attends.
func (o callOptions) person() client.ElicitationHandler {
	terminal := cli.OpenTerminal(o.environment.stdin, o.environment.stderr)
	if terminal == nil || o.given("stream") || !cli.IsTerminal(o.environment.stderr) {
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
	line, err := p.terminal.Ask(ctx, "Do it? [y/N] ", false, func(line string) (string, error) { return line, nil })
	switch {
	case err != nil:
		result.Action = mcp.ElicitationResponseActionCancel
	case slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line))):
		result.ElicitationResponse = elicit.Agreement()
	}
	return result, nil
}
