// Command outline-mcp serves an Outline knowledge base to AI clients over the
// Model Context Protocol.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/login"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/observe"
	"outline-mcp/outline"
	"outline-mcp/tools/pdftext"
)

// Exit codes of the program. See exitCode for those of a failed tool call.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the program stops in order, after the second at once.
	context.AfterFunc(ctx, stop)
	// Standard output belongs to the protocol: anything else that prints in this
	// process must go to standard error.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	code := run(ctx, os.Args[1:], process{os.Stdin, stdout, os.Stderr, os.Environ()})
	stop()
	os.Exit(code)
}

// process is the environment that the program runs in.
type process struct {
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string
}

// shown returns standard output for texts that people read.
func (p process) shown(colors ...cli.Color) io.Writer {
	return cli.ForReader(p.stdout, p.environ, colors...)
}

// exitError ends the program with an exit code and prints its message, if there
// is one, with API keys redacted.
type exitError struct {
	code    int
	message string
}

func (e exitError) Error() string { return e.message }

// usage returns the error that ends the program because of wrong use.
func usage(err error) error { return exitError{exitUsage, err.Error()} }

// failure returns the error that ends the program because something failed, nil
// if err is nil.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return exitError{exitFailure, err.Error()}
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, p process) int {
	root := rootCommand(p)
	root.SetArgs(append([]string{}, args...)) // of nil, cobra would take those of the process
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	exit := exitError{exitUsage, err.Error()} // errors of other types are about usage
	errors.As(err, &exit)
	if exit.message != "" {
		fmt.Fprintln(cli.ForReader(p.stderr, p.environ), "outline-mcp:", outline.Redact(exit.message))
	}
	return exit.code
}

func rootCommand(p process) *cobra.Command {
	demo := false
	root := &cobra.Command{
		Use:   "outline-mcp",
		Short: "Connect AI assistants and scripts to your Outline wiki",
		Long: "outline-mcp connects AI assistants and scripts to your Outline wiki, over the Model Context Protocol (MCP). " +
			"Without a command, it serves one MCP client on standard input and output.\n\n" +
			"To set it up for an AI assistant, run outline-mcp install. To try it without an Outline, run outline-mcp demo. " +
			"The server reads its settings from environment variables; it acts with your " +
			"login (outline-mcp login) or with the key in OUTLINE_API_KEY.",
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&demo, "demo", false, "use the built-in sample workspace; URL, key and certificate settings are ignored")
	serve := serveCommand(p, &demo)
	// The flag that cobra makes of a Version is printed by text/template, with
	// which the linker keeps every exported method: 3 MB of the program.
	showVersion := false
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if showVersion {
			fmt.Fprint(p.stdout, versionLine())
			return nil
		}
		return serve.RunE(cmd, args)
	}
	root.AddCommand(serve, demoCommand(p), toolsCommand(p, &demo), callCommand(p, &demo), workspaceCommand(p), healthcheckCommand(p), versionCommand(p), extractCommand(p))
	root.AddCommand(doctorCommand(p, &demo), auditCommand(p))
	root.AddCommand(folderCommands(p, &demo)...)
	root.AddCommand(installCommand(p, &demo), uninstallCommand(p), oauthCommand(p, &demo))
	root.AddCommand(loginCommand(p), logoutCommand(p), whoamiCommand(p))
	root.SetHelpCommand(helpCommand())
	root.SetHelpFunc(showHelp(p, root.HelpFunc()))
	root.SetFlagErrorFunc(flagError)
	return root
}

// readSettings reads the settings, and continues where one cannot be used.
func readSettings(p process, demo bool) config.Report {
	environ := login.WithAddress(runtime.GOOS, p.environ, config.Lookup)
	if demo {
		environ = config.WithoutOutline(p.environ)
	}
	return config.Examine(environ, app.Checks(demo)...)
}

// loadConfig reads the settings. Problems with them are one usage error that
// lists them all.
func loadConfig(p process, demo bool) (config.Config, error) {
	report := readSettings(p, demo)
	if len(report.Problems) > 0 {
		return config.Config{}, usage(&config.Error{Problems: report.Problems})
	}
	return report.Config, nil
}

// quiet raises the log level for commands whose standard error is read by
// people and scripts: no line for each call.
func quiet(loaded config.Config) config.Config {
	loaded.LogLevel = max(loaded.LogLevel, slog.LevelWarn)
	return loaded
}

// forCommands returns settings for commands that use the tools themselves: quiet
// ones that offer optional tools, too, unless the user chooses tools. Only an AI
// client pays for a long list.
func forCommands(loaded config.Config) config.Config {
	if len(loaded.Tools) == 0 {
		loaded.Tools = config.Names{mcptool.AllTools}
	}
	return quiet(loaded)
}

// newApp builds the server and logs the warnings about its settings.
func newApp(p process, loaded config.Config, demo bool) (*app.App, error) {
	built, err := build(optionsOf(p, loaded, demo))
	if err != nil {
		return nil, usage(err)
	}
	return built, nil
}

// extractPDF is the command that the server runs to read a PDF.
const extractPDF = "extract-pdf"

func extractCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use: extractPDF, Hidden: true, Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if code := pdftext.Extract(p.stdin, p.stdout); code != exitOK {
				return exitError{code: code}
			}
			return nil
		},
	}
}

func optionsOf(p process, loaded config.Config, demo bool) app.Options {
	lines := observe.NewLines(p.stderr)
	o := app.Options{Config: loaded, Demo: demo, Version: version(), Log: app.NewLogger(lines, loaded), Stderr: lines}
	if self, err := os.Executable(); err == nil {
		if runtime.GOOS == "linux" {
			self = "/proc/self/exe" // which is this program even after an update replaced its file
		}
		o.PDFText = pdftext.Process{Path: self, Args: []string{extractPDF}}.Text
	}
	if !demo && loaded.APIKey == "" && loaded.Transport != config.HTTP {
		if outline, store, err := reachLogin(p, o); err == nil {
			o.Person = login.NewSource(outline, store, o.Log)
			o.LoginPage = &login.Offer{Log: o.Log, Flow: login.Flow{
				Outline: outline, Store: store, ClientID: loaded.LoginClientID, Timeout: loginTimeout,
				Scope: app.Scope(loaded.ReadOnly), ReadOnly: loaded.ReadOnly,
			}}
		}
	}
	return o
}

func build(o app.Options) (*app.App, error) {
	for _, warning := range o.Config.Warnings {
		o.Log.Warn(warning.Error())
	}
	return app.New(o)
}

// How much the heap may grow before garbage is collected, as a percentage of what was
// live after the previous collection. The variable GOGC takes precedence.
const (
	// A start allocates some 4 MB, nearly all of which stays. The runtime would
	// collect it just before initialize is answered, which takes 1.5 of 12 ms.
	gcPercentStart = 400
	// A server for one person idles most of the time, so memory matters more.
	gcPercentStdio = 100
	// For the server of a team, memory is cheaper than processor time. With 1,000 callers
	// it uses 49 MiB, and would use 100 MiB at 400 percent for only 5 percent more calls.
	gcPercentHTTP = 200
	// A wiki of 10,000 pages leaves much to collect, and the time goes into requests.
	gcPercentFolder = 20
)

// setGCPercent sets when garbage is collected, unless the variable GOGC does.
func setGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// setGCPercentAfterStart calls setGCPercent once initialize has usually been answered,
// but before the first call needs much memory, unless stop is called first.
func setGCPercentAfterStart(percent int) (stop func() bool) {
	return time.AfterFunc(100*time.Millisecond, func() { setGCPercent(percent) }).Stop
}

// setMemoryLimit sets the memory use, in bytes, above which garbage is collected more
// often, unless the variable GOMEMLIMIT does.
func setMemoryLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}
