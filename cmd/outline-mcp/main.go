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
	"syscall"

	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/outline"
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
	exit := exitError{exitUsage, err.Error()} // the errors of cobra are about usage
	errors.As(err, &exit)
	if exit.message != "" {
		fmt.Fprintln(p.stderr, "outline-mcp:", outline.Redact(exit.message))
	}
	return exit.code
}

func rootCommand(p process) *cobra.Command {
	demo := false
	root := &cobra.Command{
		Use:   "outline-mcp",
		Short: "MCP server for Outline knowledge bases",
		Long: "outline-mcp serves an Outline knowledge base to AI clients over the Model Context Protocol (MCP).\n" +
			"Without a command it serves one client on standard input and output.\n\n" +
			"It is configured by environment variables, of which OUTLINE_API_KEY is the one to set.",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&demo, "demo", false, "use the embedded sample workspace; what is set of URL, key and certificates is ignored")
	serve := serveCommand(p, &demo)
	root.RunE = serve.RunE
	root.AddCommand(serve, demoCommand(p), toolsCommand(p, &demo), callCommand(p, &demo), workspaceCommand(p), healthcheckCommand(p), completionCommand(p), versionCommand(p))
	root.AddCommand(doctorCommand(p, &demo))
	root.AddCommand(installCommand(p, &demo), uninstallCommand(p))
	return root
}

// loadConfig reads the settings. Problems with them are one usage error that
// lists them all.
func loadConfig(p process, demo bool) (config.Config, error) {
	environ := p.environ
	if demo {
		environ = config.WithoutOutline(environ)
	}
	loaded, err := config.Load(environ, app.CheckTools)
	if err != nil {
		return config.Config{}, usage(err)
	}
	return loaded, nil
}

// quiet raises the log level for commands whose standard error is read by
// people and scripts: no line for each call.
func quiet(loaded config.Config) config.Config {
	loaded.LogLevel = max(loaded.LogLevel, slog.LevelWarn)
	return loaded
}

// newApp builds the server and logs the warnings about its settings.
func newApp(p process, loaded config.Config, demo bool) (*app.App, error) {
	log := app.NewLogger(p.stderr, loaded)
	for _, warning := range loaded.Warnings {
		log.Warn(warning.Setting + " " + warning.Text)
	}
	built, err := app.New(app.Options{Config: loaded, Demo: demo, Version: version(), Log: log})
	if err != nil {
		return nil, usage(err)
	}
	return built, nil
}
