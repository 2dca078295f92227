// Package scripting runs the scripts of docs/examples as a user would who has just
// copied them, and compares the pages in docs/scripting with them. It is a module of its
// own as it needs python3, node and what docs/examples/typescript installs.
package scripting

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// update rewrites the scripts and outputs on the pages in docs/scripting.
var update = flag.Bool("update", false, "rewrite the scripts and outputs in docs/scripting")

// built is where the programs are: outline-mcp, and example, that of docs/examples/go.
var built string

const examples = "../../docs/examples"

func TestMain(m *testing.M) {
	flag.Parse()
	folder, err := os.MkdirTemp("", "scripting")
	if err == nil {
		built = folder
		err = build()
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

func build() error {
	typescript := filepath.Join(examples, "typescript")
	if _, err := os.Stat(filepath.Join(typescript, "node_modules")); err != nil {
		return fmt.Errorf("install what the scripts in TypeScript need first: npm ci --prefix docs/examples/typescript")
	}
	for _, command := range [][]string{
		{"go", "build", "-C", "../..", "-o", filepath.Join(built, "outline-mcp"), "./cmd/outline-mcp"},
		{"go", "build", "-C", filepath.Join(examples, "go"), "-o", filepath.Join(built, "example"), "."},
		{"npm", "run", "build", "--prefix", typescript},
	} {
		var printed bytes.Buffer
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr = &printed, &printed
		cmd.Env = append(os.Environ(), "PATH="+built+string(filepath.ListSeparator)+os.Getenv("PATH"))
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%q: %w\n%s", command, err, &printed)
		}
	}
	return nil
}
