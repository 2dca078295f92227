// Command bundle packs the server for Claude Desktop, as a bundle in the MCPB
// format, and fills in server.json for the MCP registry. Run it in the folder
// release:
//
//	go run ./bundle                       # for this platform, to try it
//	go run ./bundle -binaries ../dist     # of a release, for all platforms
//
// The version and the list of tools are those that the packed program itself
// reports. The same binaries give the same bundle, byte for byte.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bundle", flag.ContinueOnError)
	project := flags.String("project", "..", "the `folder` of the project")
	binaries := flags.String("binaries", "", "the `folder` that goreleaser built into; without it one binary is built, for this platform")
	out := flags.String("out", "../dist", "the `folder` to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	programs, err := find(*binaries)
	if *binaries == "" {
		programs, err = build(ctx, *project, *out)
	}
	if err != nil {
		return err
	}
	answers, err := ask(ctx, programs.here)
	if err != nil {
		return err
	}
	if err := released(*project, answers.version); err != nil {
		return err
	}
	manifest, err := describe(programs, answers)
	if err != nil {
		return err
	}
	bundle := filepath.Join(*out, "outline-mcp_"+answers.version+".mcpb")
	sum, err := pack(bundle, manifest, programs, filepath.Join(*project, "LICENSE"))
	if err != nil {
		return fmt.Errorf("pack %s: %w", bundle, err)
	}
	if err := register(filepath.Join(*project, "server.json"), filepath.Join(*out, "server.json"), answers.version, sum); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d tools, for %v\n", bundle, len(answers.tools), programs.platforms())
	return nil
}
