package budget_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
