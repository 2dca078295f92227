package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// A block is a fenced block with commands.
//
// A block of sh, bash or shell is what a reader types: it is run as a script
// and has to succeed. One of console is a session: lines that begin with "$ "
// are typed, the others were printed. A block that cannot be run here has a
// comment on the line above it:
//
//	<!-- not run: needs Docker -->
//	<!-- run by test/deploy -->
//
// or, where other tests run all of a page, the page has one:
//
//	<!-- all run by test/scripting -->
type block struct {
	page     string
	line     int
	language string
	text     string
	// notRun is why the block is not run here; "" if it is.
	notRun string
}

// blocks finds the blocks with commands in a page, and problems with how they
// are marked. exists reports whether the repository has a path.
func blocks(p page, exists func(path string) bool) (found []block, wrong []string) {
	mark := regexp.MustCompile(`^<!-- (not run: |run by )(.+) -->\s*$`)
	marks := map[ast.Node]bool{}
	all := ""
	if match := regexp.MustCompile(`(?m)^<!-- all (run by (.+)) -->$`).FindSubmatch(p.source); match != nil {
		all = string(match[1])
		if !exists(string(match[2])) {
			wrong = append(wrong, fmt.Sprintf("%s: there is no %s that could run it", p.path, match[2]))
		}
	}
	_ = ast.Walk(p.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		fenced, isFenced := node.(*ast.FencedCodeBlock)
		if !entering || !isFenced || fenced.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		block := block{
			page: p.path, line: p.line(fenced.Lines().At(0).Start) - 1,
			language: string(fenced.Language(p.source)), text: string(fenced.Lines().Value(p.source)), notRun: all,
		}
		switch block.language {
		case "sh", "bash", "shell", "console", "shell-session", "zsh", "powershell", "pwsh", "bat", "cmd":
		default:
			if strings.HasPrefix(block.text, "$ ") || strings.Contains(block.text, "\n$ ") {
				wrong = append(wrong, fmt.Sprintf("%s:%d: a block with a prompt is of the language console", p.path, block.line))
			}
			return ast.WalkContinue, nil
		}
		if match := mark.FindSubmatch(markup(fenced.PreviousSibling(), p.source)); match != nil {
			marks[fenced.PreviousSibling()] = true
			block.notRun = string(match[1]) + string(match[2])
			if string(match[1]) == "run by " && !exists(string(match[2])) {
				wrong = append(wrong, fmt.Sprintf("%s:%d: there is no %s that could run it", p.path, block.line, match[2]))
			}
		}
		switch block.language {
		case "sh", "bash", "shell", "console":
		default:
			if block.notRun == "" {
				wrong = append(wrong, fmt.Sprintf("%s:%d: %s is not run here, and the block does not say so", p.path, block.line, block.language))
			}
		}
		found = append(found, block)
		return ast.WalkContinue, nil
	})
	_ = ast.Walk(p.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && node.Kind() == ast.KindHTMLBlock && !marks[node] && mark.Match(markup(node, p.source)) {
			line := p.line(node.Lines().At(0).Start)
			wrong = append(wrong, fmt.Sprintf("%s:%d: no block with commands follows this mark", p.path, line))
		}
		return ast.WalkContinue, nil
	})
	return found, wrong
}

// allBlocks finds the blocks of all pages, by page, and problems with them.
func allBlocks(t *testing.T) (all map[string][]block, wrong []string) {
	t.Helper()
	top := root(t)
	all = map[string][]block{}
	for path, page := range pages(t) {
		found, complaints := blocks(page, func(path string) bool {
			_, err := os.Stat(filepath.Join(top, filepath.FromSlash(path)))
			return err == nil
		})
		all[path], wrong = found, append(wrong, complaints...)
	}
	return all, wrong
}

func TestBlocksThatAreNotRunSaySo(t *testing.T) {
	all, wrong := allBlocks(t)
	for _, complaint := range wrong {
		t.Error(complaint)
	}
	count, run := 0, 0
	for _, blocks := range all {
		for _, block := range blocks {
			count++
			if block.notRun == "" {
				run++
			}
		}
	}
	if run == 0 {
		t.Error("no block is run at all")
	}
	t.Logf("%d blocks with commands on %d pages, %d of them run here", count, len(all), run)
}

func TestMarksAreReadAndChecked(t *testing.T) {
	const fence = "```"
	tests := []struct {
		name, source string
		runs, wrong  int
	}{
		{"a block that is run", fence + "sh\ntrue\n" + fence, 1, 0},
		{"a session that is run", fence + "console\n$ true\n" + fence, 1, 0},
		{"a block that is not run", "<!-- not run: needs Docker -->\n" + fence + "sh\ndocker ps\n" + fence, 0, 0},
		{"a block in a list", "- so:\n\n  <!-- not run: needs Docker -->\n  " + fence + "sh\n  docker ps\n  " + fence, 0, 0},
		{"a block that another test runs", "<!-- run by test/deploy -->\n" + fence + "sh\ntrue\n" + fence, 0, 0},
		{"a page that another test runs", "<!-- all run by test/deploy -->\n\n" + fence + "sh\ntrue\n" + fence + "\n\n" + fence + "console\n$ true\n" + fence, 0, 0},
		{"a page for a test that there is not", "<!-- all run by test/nothing -->\n\n" + fence + "sh\ntrue\n" + fence, 0, 1},
		{"a test that there is not", "<!-- run by test/nothing -->\n" + fence + "sh\ntrue\n" + fence, 0, 1},
		{"a mark without a reason", "<!-- not run: -->\n" + fence + "sh\ntrue\n" + fence, 1, 0},
		{"a mark above text", "<!-- not run: needs Docker -->\n\nText.\n\n" + fence + "sh\ntrue\n" + fence, 1, 1},
		{"a language that is not run", fence + "powershell\ndir\n" + fence, 1, 1},
		{"a prompt in another language", fence + "text\n$ true\n" + fence, 0, 1},
		{"no commands", fence + "json\n{}\n" + fence, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, wrong := blocks(parsePage("page.md", []byte(test.source)), func(path string) bool { return path == "test/deploy" })
			runs := 0
			for _, block := range found {
				if block.notRun == "" {
					runs++
				}
			}
			if runs != test.runs || len(wrong) != test.wrong {
				t.Errorf("%d blocks to run, %q", runs, wrong)
			}
		})
	}
}
