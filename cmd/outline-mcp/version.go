package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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
