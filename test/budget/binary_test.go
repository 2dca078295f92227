package budget_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTheBinaryKeepsItsBudget(t *testing.T) {
	switch {
	case testing.Short():
		t.Skip("builds the program")
	case runtime.GOOS != "linux" || runtime.GOARCH != "amd64":
		t.Skip("the budget is that of linux on amd64")
	}
	dependOnSources(t)
	path := filepath.Join(t.TempDir(), "outline-mcp")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "outline-mcp/cmd/outline-mcp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "bytes of the program, stripped, linux/amd64", int(info.Size()))
	ours, all := initialized(t, path)
	check(t, "bytes allocated before main, by all packages", all)
	check(t, "bytes allocated before main, by packages of this module", ours)
}

// initialized returns what the initialization of packages allocates, in bytes. The first
// collection of garbage begins at about 4 MB, and takes a tenth of the start.
func initialized(t *testing.T, program string) (ours, all int) {
	t.Helper()
	run := exec.CommandContext(t.Context(), program, "version")
	run.Env = []string{"GODEBUG=inittrace=1"}
	var trace strings.Builder
	run.Stderr = &trace
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(trace.String()) {
		var name string
		var at, took float64
		var size int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes", &name, &at, &took, &size); err != nil {
			t.Fatalf("%q: %s", line, err)
		}
		all += size
		if strings.HasPrefix(name, "outline-mcp/") {
			ours += size
		}
	}
	return ours, all
}

// dependOnSources looks at the sources, as go test keeps a result as long as
// what the test itself looked at is as it was.
func dependOnSources(t *testing.T) {
	t.Helper()
	for _, name := range []string{"go.mod", "go.sum", "cmd", "internal", "outline", "output", "tools"} {
		err := filepath.WalkDir(filepath.Join("..", "..", name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
