//go:build unix

package docs_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

func TestCommandsInTextNameWhatThereIs(t *testing.T) {
	help := map[string]string{}
	check := func(line string) error {
		command := ""
		var flags []string
		for _, word := range strings.Fields(line)[1:] {
			switch {
			case strings.HasPrefix(word, "--"):
				flag, _, _ := strings.Cut(word, "=")
				flags = append(flags, strings.Trim(flag, ".,;…"))
			case command == "" && strings.ToLower(word) == word && !strings.ContainsAny(word, "=.…<>|&"):
				command = word
			}
		}
		if _, asked := help[command]; !asked {
			arguments := []string{"--help"}
			if command != "" {
				arguments = []string{command, "--help"}
			}
			printed, err := exec.CommandContext(t.Context(), filepath.Join(program(t), "outline-mcp"), arguments...).CombinedOutput()
			if err != nil || !strings.Contains(string(printed), "outline-mcp "+command) {
				return fmt.Errorf("there is no command %s", command)
			}
			help[command] = string(printed)
		}
		for _, flag := range flags {
			if !strings.Contains(help[command]+" ", flag+" ") {
				return fmt.Errorf("outline-mcp %s has no %s", command, flag)
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
