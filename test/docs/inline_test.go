//go:build unix

package docs_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

func TestCommandsInTextNameWhatThereIs(t *testing.T) {
	printed := map[string]string{}
	// helpOf returns the help of a command, or "" if there is none.
	helpOf := func(command ...string) string {
		name := strings.Join(command, " ")
		if _, asked := printed[name]; !asked {
			help, err := exec.CommandContext(t.Context(), filepath.Join(program(t), "outline-mcp"), append(slices.Clone(command), "--help")...).CombinedOutput()
			if err == nil && strings.Contains(string(help), strings.TrimSpace("outline-mcp "+name)) {
				printed[name] = string(help)
			}
		}
		return printed[name]
	}
	check := func(line string) error {
		var command, flags []string
		for _, word := range strings.Fields(line)[1:] {
			switch {
			case strings.HasPrefix(word, "--"):
				flag, _, _ := strings.Cut(word, "=")
				flags = append(flags, strings.Trim(flag, ".,;…"))
			case len(flags) == 0 && strings.ToLower(word) == word && !strings.ContainsAny(word, "=.…<>|&"):
				command = append(command, word)
			}
		}
		help := helpOf(command[:min(len(command), 1)]...)
		if help == "" {
			return fmt.Errorf("there is no command %s", command[0])
		}
		if len(command) > 1 { // the second word may be a command, or an argument
			help += helpOf(command[:2]...)
		}
		for _, flag := range flags {
			if !strings.Contains(help+" ", flag+" ") {
				return fmt.Errorf("%s: there is no %s", command, flag)
			}
		}
		return nil
	}
	count := 0
	for path, page := range pages(t) {
		_ = ast.Walk(page.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			span, isCode := node.(*ast.CodeSpan)
			if !entering || !isCode {
				return ast.WalkContinue, nil
			}
			if line := plain(span, page.source); strings.HasPrefix(line, "outline-mcp ") {
				count++
				if err := check(line); err != nil {
					t.Errorf("%s: `%s`: %v", path, line, err)
				}
			}
			return ast.WalkContinue, nil
		})
	}
	if count == 0 {
		t.Error("no page names a command")
	}
	for _, wrong := range []string{"outline-mcp fly", "outline-mcp call --fly", "outline-mcp --fly"} {
		if check(wrong) == nil {
			t.Errorf("%s goes through", wrong)
		}
	}
}
