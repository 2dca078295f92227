package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestEverythingThatTestsCanWriteIsGenerated(t *testing.T) {
	source, err := os.ReadFile("generate_test.go")
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
				return fs.SkipDir // a module of its own
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
			t.Errorf("generate_test.go does not run %s with -update", path.Dir(name))
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
