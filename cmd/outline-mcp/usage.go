package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/outline"
)

// noArguments accepts no arguments. An argument of the root is an unknown command.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasParent():
		return unknownCommand(cmd, args[0])
	}
	return fmt.Errorf("%s takes no argument such as %q; see %s --help", cmd.Name(), outline.Redact(args[0]), cmd.CommandPath())
}

// unknownCommand returns the error for a command that does not exist.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, known := range root.Commands() {
		if known.IsAvailableCommand() {
			names = append(names, known.Name())
		}
	}
	return unknown("command", name, names, "outline-mcp --help lists the commands")
}

// unknown returns the error for a name that is not among the known ones. Otherwise
// is what to do if no known name is like it.
func unknown(what, name string, known []string, otherwise string) error {
	next := config.DidYouMean(name, known)
	if next == "" {
		next = otherwise
	}
	return fmt.Errorf("unknown %s %q; %s", what, outline.Redact(name), next)
}

// flagError returns the error for flags that cannot be parsed. Cobra's own errors
// do not say what to do.
func flagError(cmd *cobra.Command, err error) error {
	var (
		missing *pflag.NotExistError
		noValue *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &missing):
		if short := missing.GetSpecifiedShortnames(); short != "" {
			return fmt.Errorf("unknown flag %q; see %s --help", "-"+outline.Redact(short), cmd.CommandPath())
		}
		return unknownFlag(cmd, missing.GetSpecifiedName())
	case errors.As(err, &noValue):
		return fmt.Errorf("--%s needs a value; see %s --help", noValue.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s must be %s, not %q", invalid.GetFlag().Name, valueOf(invalid.GetFlag()), outline.Redact(invalid.GetValue()))
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// unknownFlag returns the error for a flag that does not exist, which may be
// meant for a setting.
func unknownFlag(cmd *cobra.Command, name string) error {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	otherwise := cmd.CommandPath() + " --help lists the flags"
	if cmd.Name() == "call" {
		otherwise = "write arguments of the tool as key=value, without --"
	}
	for _, setting := range config.Settings() {
		if _, rest, _ := strings.Cut(setting.Name, "_"); rest == strings.ToUpper(strings.ReplaceAll(name, "-", "_")) {
			otherwise = "set " + setting.Name + " in the environment"
			break
		}
	}
	return unknown("flag", "--"+name, names, otherwise)
}

// valueOf says what a flag takes.
func valueOf(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "duration":
		return "a duration such as 50ms or 2s"
	}
	return "a " + flag.Value.Type()
}

// helpCommand returns the command help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == cmd.Root() && len(rest) > 0 {
				return usage(unknownCommand(cmd.Root(), strings.Join(args, " ")))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, known := range cmd.Root().Commands() {
				if len(args) == 0 && known.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(known.Name(), known.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// showHelp returns a function that shows the help of a command, with lines that fit a
// terminal, or elsewhere a page.
func showHelp(p process, help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if flag := cmd.InheritedFlags().Lookup("demo"); flag != nil && slices.Contains([]string{"audit", "completion", "demo", "healthcheck", "login", "logout", "uninstall", "version", "whoami", "workspace"}, cmd.Name()) {
			flag.Hidden = true // it does nothing here
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(p.stdout)
		shown := text.String()
		if !cli.IsTerminal(p.stdout) {
			const pageWidth = 100
			shown = cli.Wrap(shown, pageWidth)
		}
		fmt.Fprint(p.shown(), shown)
	}
}

// stamped is set by the linker: -ldflags "-X main.stamped=1.2.3".
var stamped string

// version returns the version of this program: the stamped one, else the one
// recorded by the Go tool, else "devel".
func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return "devel"
	}
	return cmp.Or(info.Main.Version, "devel")
}

func versionCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		Run: func(*cobra.Command, []string) {
			fmt.Fprint(p.stdout, versionLine())
		},
	}
}

// versionLine returns what the command version and the flag --version print.
func versionLine() string {
	return fmt.Sprintf("outline-mcp %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
