// Package docs_test holds the pages to what the program does, and records what is generated from
// it: schemas, definitions and answers of the tools, documentation, budgets. To record all of
// it, run
//
//	go generate ./...
//
// and read what changed. Tests compare each file with the program and name
// those that are out of date; the same tests write them, given -update.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Recorded schemas are embedded in the program, so that they come first;
// budgets and pages that quote others come last.
//
//go:generate go test outline-mcp/tools -run ^TestTheRecordedSchemas -update
//go:generate go test outline-mcp/tools outline-mcp/internal/observe/audit outline-mcp/internal/config outline-mcp/internal/doctor outline-mcp/internal/install outline-mcp/prompts -update
//go:generate go test outline-mcp/test/budget -update
//go:generate go test outline-mcp/test/docs -update

func TestEverythingThatTestsCanWriteIsGenerated(t *testing.T) {
	source, err := os.ReadFile("generated_test.go")
	if err != nil {
		t.Fatal(err)
	}
	directives := strings.Join(regexp.MustCompile(`(?m)^//go:generate .*`).FindAllString(string(source), -1), "\n") + " "
	root := os.DirFS("../..")
	found := 0
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." || entry.Name() == "node_modules" || entry.Name() == ".git" {
				return fs.SkipDir // a separate module
			}
			return nil
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		test, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if !strings.Contains(string(test), "flag.Bool("+`"update"`) {
			return nil
		}
		found++
		if !strings.Contains(directives, " outline-mcp/"+path.Dir(name)+" ") {
			t.Errorf("generated_test.go does not run %s with -update", path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("%d packages have files to write", found)
	}
}
