package budget_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTheTreeKeepsItsSize counts Go packages and files, and lines of code: those on which a
// token other than a comment stands.
func TestTheTreeKeepsItsSize(t *testing.T) {
	packages := map[string]bool{}
	var files, product, code, tests int
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || name != "." && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files++
		lines := codeLines(source)
		if strings.HasSuffix(name, "_test.go") {
			tests += lines
			return nil
		}
		packages[path.Dir(name)] = true
		code += lines
		first, below, _ := strings.Cut(name, "/")
		switch first {
		case "cmd", "internal", "outline", "output", "prompts", "resources", "tools", "views":
			if !strings.HasPrefix(below, "fakeoutline/") && !strings.HasPrefix(below, "recorded/") {
				product += lines
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Go packages with code that is no test", len(packages))
	check(t, "Go files", files)
	check(t, "lines of code of the program, without the embedded workspace", product)
	check(t, "lines of code without tests", code)
	check(t, "lines of code of tests", tests)
}

func codeLines(source []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return len(lines)
		case kind == token.SEMICOLON && text == "\n": // inserted at the end of a line
			continue
		}
		for i := range strings.Count(text, "\n") + 1 {
			lines[file.Line(at)+i] = true
		}
	}
}

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
