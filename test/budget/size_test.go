package budget_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
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
