// Package budget_test limits what the program costs: how much of a model's context it
// takes, the size of its binary, the allocations of the usual calls, the memory that a
// server keeps, and the round trips of batches. The limits are in budgets.txt. The tests
// measure these numbers and fail if one exceeds its limit, or is so far below it that the
// limit is useless. There is no limit for time, which depends on the machine: benchmarks
// measure it.
package budget_test

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"outline-mcp/test/fixtures"
)

const file = "budgets.txt"

var update = flag.Bool("update", false, "write the budgets that do not fit what is measured")

// rewriting keeps tests that run side by side from writing the file at once.
var rewriting sync.Mutex

// A budget is a line of the file: "NUMBER WHAT", with " (promised)" at its end
// where the number may only go down.
type budget struct {
	number   int
	what     string
	promised bool
}

// parse reads a line. One that is empty or a comment is no budget.
func parse(line string) (b budget, ok bool) {
	first, what, _ := strings.Cut(strings.TrimSpace(line), " ")
	number, err := strconv.Atoi(first)
	b = budget{number: number}
	b.what, b.promised = strings.CutSuffix(what, " (promised)")
	return b, err == nil
}

// check holds what was measured against its budget.
func check(t *testing.T, what string, measured int) {
	t.Helper()
	rewriting.Lock()
	defer rewriting.Unlock()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { b, ok := parse(line); return ok && b.what == what })
	b := budget{what: what}
	if at >= 0 {
		b, _ = parse(lines[at])
	}
	complaint := b.judge(measured)
	if complaint == "" {
		t.Logf("%d %s, the budget is %d", measured, what, b.number)
		return
	}
	if !*update || b.promised {
		t.Error(complaint)
		return
	}
	line := fmt.Sprintf("%d %s", b.withMargin(measured), what)
	if at < 0 {
		lines = append(lines, line)
	} else {
		lines[at] = line
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// judge says what is wrong with a budget, and "" if it fits. A number of 0 is
// none.
func (b budget) judge(measured int) string {
	const written = "test/budget/" + file + " (go generate ./... does)"
	over := measured - b.number
	switch {
	case b.number == 0:
		return fmt.Sprintf("there is no budget of the %s: %d are measured; add it to %s", b.what, measured, written)
	case over > 0 && b.promised:
		return fmt.Sprintf("%d %s are %d over the %d that are promised: save them elsewhere", measured, b.what, over, b.number)
	case over > 0:
		return fmt.Sprintf("%d %s are %d (%.1f %%) over the budget of %d; if that is worth it, raise it in %s, and say in the commit what was bought", measured, b.what, over, 100*float64(over)/float64(b.number), b.number, written)
	case !b.promised && measured < b.number*4/5:
		return fmt.Sprintf("%d %s are so much less than the budget of %d that it guards nothing: lower it in %s", measured, b.what, b.number, written)
	}
	return ""
}

// withMargin is the budget of what was measured: 3 % more, in four digits, or 200 lines of
// code more.
func (b budget) withMargin(measured int) int {
	if strings.HasPrefix(b.what, "lines of code") {
		return measured + 200
	}
	budget := measured + measured*3/100
	unit := 1
	for budget/unit >= 10_000 {
		unit *= 10
	}
	return (budget + unit - 1) / unit * unit
}

func TestABudgetThatIsExceededOrGuardsNothingIsToldWithWhatToDo(t *testing.T) {
	const written = "test/budget/budgets.txt (go generate ./... does)"
	for _, test := range []struct {
		line     string
		measured int
		want     string
	}{
		{"1000 things", 1000, ""}, {"1000 things", 800, ""}, {"1000 things (promised)", 7, ""},
		{"1000 things", 1001, "1001 things are 1 (0.1 %) over the budget of 1000; if that is worth it, raise it in " + written + ", and say in the commit what was bought"},
		{"1000 things (promised)", 1001, "1001 things are 1 over the 1000 that are promised: save them elsewhere"},
		{"1000 things", 799, "799 things are so much less than the budget of 1000 that it guards nothing: lower it in " + written},
		{"0 things", 5, "there is no budget of the things: 5 are measured; add it to " + written},
	} {
		b, ok := parse(test.line)
		if got := b.judge(test.measured); !ok || got != test.want {
			t.Errorf("%s, %d measured: %s", test.line, test.measured, got)
		}
	}
	for _, line := range []string{"", "# 1000 things", "things"} {
		if _, ok := parse(line); ok {
			t.Errorf("%q is a budget", line)
		}
	}
	for measured, want := range map[int]int{0: 0, 10: 10, 1000: 1030, 123_456: 127_200, 16_789_666: 17_300_000} {
		if got := (budget{what: "things"}).withMargin(measured); got != want {
			t.Errorf("the budget of %d is %d, not %d", measured, got, want)
		}
	}
}

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
	case !fixtures.Thorough():
		t.Skip("builds the program: set OUTLINE_MCP_TESTS=all")
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
