package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// binaries are the programs of a release.
type binaries struct {
	// paths has the program of each platform, under the name that MCPB has for
	// the platform: darwin, linux or win32.
	paths map[string]string
	// here is the program that runs on this machine.
	here string
}

func (b binaries) platforms() []string {
	return slices.Sorted(maps.Keys(b.paths))
}

// find returns the programs in the folder that goreleaser built into.
func find(folder string) (binaries, error) {
	if folder == "" {
		return binaries{}, nil
	}
	found := binaries{paths: map[string]string{}}
	// MCPB distinguishes platforms, but not their processors. So macOS gets a
	// universal program; Windows also runs amd64 on arm64; Linux gets amd64.
	for platform, target := range map[string]string{
		"darwin": "universal_darwin_all",
		"linux":  "outline-mcp_linux_amd64*",
		"win32":  "outline-mcp_windows_amd64*",
	} {
		path, err := one(folder, target)
		if err != nil {
			return binaries{}, err
		}
		found.paths[platform] = path
	}
	var err error
	found.here, err = one(folder, "outline-mcp_"+runtime.GOOS+"_"+runtime.GOARCH+"*")
	return found, err
}

// one returns the only program that was built for a target. Goreleaser names
// the folder of a target after the id of its build, the system and the
// processor.
func one(folder, target string) (string, error) {
	pattern := filepath.Join(folder, target, "outline-mcp*")
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	if len(matches) != 1 {
		return "", fmt.Errorf("%d programs are at %s, one is needed; run goreleaser first", len(matches), pattern)
	}
	return matches[0], nil
}

// build builds the program for this platform into a folder.
func build(ctx context.Context, project, out string) (binaries, error) {
	platform, known := map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}[runtime.GOOS]
	if !known {
		return binaries{}, fmt.Errorf("MCPB has no name for %s", runtime.GOOS)
	}
	name := "outline-mcp"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path, err := filepath.Abs(filepath.Join(out, "bundle_"+runtime.GOOS+"_"+runtime.GOARCH, name))
	if err != nil {
		return binaries{}, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/outline-mcp")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return binaries{}, fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return binaries{map[string]string{platform: path}, path}, nil
}

// answers is what a program reports about itself.
type answers struct {
	version string
	tools   []tool
}

// tool is a tool as in `outline-mcp tools --json` and in the manifest.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// ask asks a program for its version and the tools that it offers by default. It
// gets no settings of this machine, so that none hides tools.
func ask(ctx context.Context, program string) (answers, error) {
	version, err := output(ctx, program, "version")
	if err != nil {
		return answers{}, err
	}
	fields := strings.Fields(string(version))
	if len(fields) < 2 {
		return answers{}, fmt.Errorf("%s version says %q", program, version)
	}
	listed, err := output(ctx, program, "tools", "--json")
	if err != nil {
		return answers{}, err
	}
	said := answers{version: fields[1]}
	if said.version == "devel" {
		said.version = "0.0.0-devel" // MCPB asks for a semantic version
	}
	if err := json.Unmarshal(listed, &said.tools); err != nil {
		return answers{}, fmt.Errorf("%s tools --json: %w", program, err)
	}
	if len(said.tools) == 0 {
		return answers{}, fmt.Errorf("%s has no tools", program)
	}
	return said, nil
}

func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"OUTLINE_TOOLS=default", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} // Windows starts nothing without it
	printed, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, failed.Stderr)
	}
	return printed, err
}
