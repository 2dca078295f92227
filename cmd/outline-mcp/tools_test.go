package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/tools"
)

var update = flag.Bool("update", false, "rewrite the files in docs/types")

// declaredTypes returns the names that a file of types declares.
func declaredTypes(types string) []string {
	var names []string
	for _, found := range regexp.MustCompile(`(?m)^(?:export type|export interface|type|class|\t)? ?([A-Z]\w*)(?: = | struct| string$|\(TypedDict| \{| +[A-Z]\w* += ")`).FindAllStringSubmatch(types, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestTheTypesInTheDocumentationAreThoseThatAreToldToday(t *testing.T) {
	for flag, file := range map[string]string{
		"--typescript": "outline.ts",
		"--python":     "outline.py",
		"--go":         "outline/outline.go",
	} {
		t.Run(flag, func(t *testing.T) {
			code, stdout, stderr := command(t, nil, "tools", flag)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			path := filepath.Join("..", "..", "docs", "types", file)
			want, err := os.ReadFile(path)
			if err != nil && !*update {
				t.Fatalf("%s (go generate ./... writes it)", err)
			}
			names := declaredTypes(stdout)
			if len(names) < 100 || !slices.Contains(names, "ReadDocumentResult") || !slices.Contains(names, "DocumentStatus") {
				t.Fatalf("this does not find the names: %q", names)
			}
			gone := slices.DeleteFunc(declaredTypes(string(want)), func(name string) bool { return slices.Contains(names, name) })
			if *update {
				if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
					t.Fatal(err)
				}
				if len(gone) > 0 {
					t.Logf("%s: programs with these names break; announce it in CHANGELOG.md: %q", path, gone)
				}
				return
			}
			if len(gone) > 0 {
				t.Errorf("%s: programs with these names break, so they stay or are announced in CHANGELOG.md as a breaking change: %q", path, gone)
			}
			if diff := cmp.Diff(string(want), stdout); diff != "" {
				t.Errorf("%s differs (-file +now); go generate ./... rewrites it:\n%s", path, diff)
			}
		})
	}
}

func TestCommandsReachToolsThatAreNotOfferedByDefault(t *testing.T) {
	offered := func(environ ...string) map[string]string {
		_, table, _ := command(t, environ, "tools")
		byDefault := map[string]string{}
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			byDefault[fields[0]] = fields[3]
		}
		delete(byDefault, "TOOL") // the heading
		return byDefault
	}
	everything, byDefault := offered(), offered("OUTLINE_TOOLS=default")
	for _, tool := range tools.All() {
		info := tool.Info()
		want := "yes"
		if info.Optional {
			want = "no"
		}
		if everything[info.Name] != want {
			t.Errorf("%s: offered by default: %q, want %s", info.Name, everything[info.Name], want)
		}
		if _, listed := byDefault[info.Name]; listed == info.Optional {
			t.Errorf("OUTLINE_TOOLS=default: %s is listed: %t", info.Name, listed)
		}
		code, _, stderr := command(t, nil, "--demo", "call", info.Name, "no_such_argument=1")
		if code != exitUsage || strings.Contains(stderr, "there is no tool") || strings.Contains(stderr, "leaves the tool") {
			t.Errorf("call %s: exit code %d: %s", info.Name, code, stderr)
		}
	}
}

func TestOneKindOfListingAtATime(t *testing.T) {
	flags := []string{"--json", "--typescript", "--python", "--go"}
	for i, one := range flags {
		for _, other := range flags[i+1:] {
			if code, stdout, stderr := command(t, nil, "tools", one, other); code != exitUsage || stdout != "" || !strings.Contains(stderr, strings.TrimPrefix(other, "--")) {
				t.Errorf("%s %s: exit code %d, standard output %q, standard error %q", one, other, code, stdout, stderr)
			}
		}
	}
}

func TestToolsThatAreSwitchedOffHaveNoTypes(t *testing.T) {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	_, everything, _ := command(t, nil, "tools")
	for _, setting := range []string{"OUTLINE_READ_ONLY=true", "OUTLINE_DISABLE_AI_TOOLS=true", "OUTLINE_TOOLS=read_document,list_trash"} {
		_, table, _ := command(t, []string{setting}, "tools")
		kept := map[string]bool{}
		for line := range strings.Lines(table) {
			kept[strings.Fields(line)[0]] = true
		}
		if len(kept) == strings.Count(everything, "\n") {
			t.Fatalf("%s leaves out nothing", setting)
		}
		for _, flag := range []string{"--typescript", "--python", "--go"} {
			code, types, stderr := command(t, []string{setting}, "tools", flag)
			if code != 0 {
				t.Fatalf("%s %s: %s", setting, flag, stderr)
			}
			types = strings.ToLower(types)
			for line := range strings.Lines(everything) {
				tool := strings.Fields(line)[0]
				if tool == "TOOL" {
					continue // the heading
				}
				name := fold(tool) + "arguments"
				declared := strings.Contains(types, " "+name) || strings.Contains(types, "\n"+name+" = ") // with a key that is a word of Python
				if declared != kept[tool] {
					t.Errorf("%s %s: arguments of %s declared: %t, the tool is there: %t", setting, flag, tool, declared, kept[tool])
				}
			}
		}
	}
}

func TestToolsThatAreSwitchedOffChangeNothingInTheTypesOfTheOthers(t *testing.T) {
	settings := []string{"OUTLINE_READ_ONLY=true", "OUTLINE_DISABLE_DELETE=true", "OUTLINE_DISABLE_AI_TOOLS=true", "OUTLINE_EXCLUDE_TOOLS=read_document,batch"}
	_, everything, _ := command(t, nil, "tools")
	for line := range strings.Lines(everything) {
		if tool := strings.Fields(line)[0]; tool != "TOOL" { // the heading
			settings = append(settings, "OUTLINE_TOOLS="+tool)
		}
	}
	for _, flag := range []string{"--typescript", "--python", "--go"} {
		_, all, _ := command(t, nil, "tools", flag)
		known := map[string]bool{}
		for block := range strings.SplitSeq(all, "\n\n") {
			known[strings.TrimSpace(block)] = true
		}
		for _, setting := range settings {
			code, types, stderr := command(t, []string{setting}, "tools", flag)
			if code != 0 || stderr != "" {
				t.Fatalf("%s %s: exit code %d: %s", setting, flag, code, stderr)
			}
			if len(types) >= len(all) {
				t.Errorf("%s %s: nothing is left out", setting, flag)
			}
			for block := range strings.SplitSeq(types, "\n\n") {
				block = strings.TrimSpace(block)
				if !known[block] && !strings.Contains(block, "export interface Tools {") && !strings.HasPrefix(block, "from typing import") {
					t.Errorf("%s %s: this is not among the types of all tools:\n%s", setting, flag, block)
				}
			}
		}
	}
}

func TestTheGoTypesNeedNothingElseAndTheExampleCompiles(t *testing.T) {
	_, types, _ := command(t, nil, "tools", "--go")
	readme, err := os.ReadFile(filepath.Join("..", "..", "docs", "types", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```go\n")
	example, _, ended := strings.Cut(example, "```\n")
	if !ended {
		t.Fatal("docs/types/README.md has no example in Go")
	}
	folder := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":             "module example\n\ngo 1.24\n",
		"outline/outline.go": types,
		"main.go":            example,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "./...")
	vet.Dir, vet.Env = folder, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%s\n%s", err, out)
	}
}
