//go:build unix

package docs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
)

var update = flag.Bool("update", false, "rewrite what the README repeats of other pages")

// Between <!-- NAME: begin --> and <!-- NAME: end --> the README repeats what
// the program and the generated pages say.
func TestTheReadmeRepeatsWhatIsSaidElsewhere(t *testing.T) {
	file := filepath.Join(root(t), "README.md")
	readme, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(readme)
	for name, part := range map[string]func(*testing.T) string{
		"conversation": conversation, "tools": toolTable, "reliability": reliability, "performance": performance,
	} {
		begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->"
		before, rest, found := strings.Cut(text, begin)
		said, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("the README has no part %s%s", begin, end)
		}
		want := part(t)
		if *update {
			text = before + begin + want + end + after
		} else if difference := cmp.Diff(want, said); difference != "" {
			t.Errorf("the %s in the README; go generate ./... rewrites them:\n%s", name, difference)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Numbers become outdated, so those in the README are in the parts above, or
// are dates.
func TestTheReadmeHasNoNumbersOfItsOwn(t *testing.T) {
	page := pages(t)["README.md"]
	generated := regexp.MustCompile(`(?s)<!-- (\w+): begin -->.*?<!-- \w+: end -->`).FindAllIndex(page.source, -1)
	number := regexp.MustCompile(`\d[\d.,-]*`)
	date := regexp.MustCompile(`^20\d\d-\d\d-\d\d[.,]?$`)
	_ = ast.Walk(page.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		text, isText := node.(*ast.Text)
		if !entering || !isText || node.Parent().Kind() == ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		for _, part := range generated {
			if text.Segment.Start >= part[0] && text.Segment.Stop <= part[1] {
				return ast.WalkContinue, nil
			}
		}
		for _, found := range number.FindAllString(string(text.Value(page.source)), -1) {
			if !date.MatchString(found) {
				t.Errorf("README.md:%d: %s is in no generated part", page.line(text.Segment.Start), found)
			}
		}
		return ast.WalkContinue, nil
	})
}

// conversation returns the conversation of the demo without its calls. An edit
// that is only shown has its diff.
func conversation(t *testing.T) string {
	t.Helper()
	var turns []struct {
		Question, Answer, Source string
		Calls                    []struct {
			Arguments map[string]string
			Result    struct{ Diff string }
		}
	}
	if err := json.Unmarshal([]byte(run(t, "demo", "--json")), &turns); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i, turn := range turns {
		if i > 0 {
			text.WriteString(">\n")
		}
		fmt.Fprintf(&text, "> **You:** %s\n>\n> **Assistant:** %s\n", turn.Question, turn.Answer)
		if turn.Source != "" {
			fmt.Fprintf(&text, "> *Source: %s*\n", turn.Source)
		}
		for _, call := range turn.Calls {
			if call.Arguments["dry_run"] == "" {
				continue
			}
			text.WriteString(">\n> ```diff\n")
			for _, line := range regexp.MustCompile(`(?m)^(-[^-]|\+[^+]).*$`).FindAllString(call.Result.Diff, -1) {
				text.WriteString("> " + line + "\n")
			}
			text.WriteString("> ```\n")
		}
	}
	return text.String()
}

// toolTable has a row for each tool that the program lists.
func toolTable(t *testing.T) string {
	t.Helper()
	var tools []struct {
		Name, Description string
		Optional          bool
	}
	if err := json.Unmarshal([]byte(run(t, "tools", "--json")), &tools); err != nil {
		t.Fatal(err)
	}
	effects := map[string]string{}
	for line := range strings.Lines(run(t, "tools")) {
		if fields := strings.Fields(line); len(fields) > 2 {
			effects[fields[0]] = fields[2]
		}
	}
	count := map[string]int{}
	for _, tool := range tools {
		count[effects[tool.Name]]++
		if tool.Optional {
			count["optional"]++
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d tools: %d only read, %d write, %d of these delete.", len(tools), count["reads"], len(tools)-count["reads"], count["deletes"])
	if count["optional"] > 0 {
		fmt.Fprintf(&table, " %d are offered by default, all with `OUTLINE_TOOLS=all`.", len(tools)-count["optional"])
	}
	table.WriteString("\n\n<details>\n<summary>All of them</summary>\n\n")
	table.WriteString("| tool | | effect |\n|---|---|---|\n")
	for _, tool := range tools {
		does, _, _ := strings.Cut(tool.Description, ". ")
		does, _, _ = strings.Cut(does, "; ")
		if does = strings.TrimSuffix(does, "."); tool.Optional {
			does += " (not offered by default)"
		}
		fmt.Fprintf(&table, "| [`%s`](docs/tools.md#%[1]s) | %s | %s |\n", tool.Name, does, effects[tool.Name])
	}
	table.WriteString("\n</details>\n")
	return table.String()
}

func run(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(program(t), "outline-mcp"), arguments...)
	command.Env = []string{"HOME=" + t.TempDir()}
	printed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(printed)
}

// reliability counts the outcomes that docs/reliability.md reports.
func reliability(t *testing.T) string {
	t.Helper()
	match := find(t, "docs/reliability.md",
		`(\d+) faults on (\d+) writes and (\d+) versions of Outline, (\d+) runs: (\d+) done, (\d+) overwrote, (\d+) in part, (\d+) not done, (\d+) unknown\.`)
	sum := 0
	for _, count := range match[5:] {
		number, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		sum += number
	}
	if strconv.Itoa(sum) != match[4] {
		t.Errorf("docs/reliability.md: the outcomes of %s runs are %d", match[4], sum)
	}
	return fmt.Sprintf(`| %s faults on %s writes and %s versions of Outline | the tool says | Outline holds | runs |
|---|---|---|---|
| done | a success | the change, once | %s |
| overwrote | a success that was not guarded | the change, once; an edit that somebody else made at the same moment is gone | %s |
| not done | a failure | nothing of the change | %s |
| in part | a failure that names the part that is done | that part | %s |
| unknown | that it cannot know, and how to find out | the change, once, a part of it, or nothing | %s |
| anything else | | | 0 of %s |
`, match[1], match[2], match[3], match[5], match[6], match[8], match[7], match[9], match[4])
}

// performance quotes three rows of docs/performance.md.
func performance(t *testing.T) string {
	t.Helper()
	start := find(t, "docs/performance.md", `(?m)^\| start to the answer of initialize \| ([\d.]+ \S+) `)
	memory := find(t, "docs/performance.md", `(?m)^\| (memory after [\d,]+ calls) \| ([\d.]+ \S+) `)
	size := find(t, "docs/performance.md", `(?m)^\| size of the binary \| ([\d.]+ \S+) `)
	return fmt.Sprintf("It is small: the first answer comes %s after the start, %s is %s, and the size of the\n"+
		"binary is %s ([performance](docs/performance.md)).\n", start[1], memory[1], memory[2], size[1])
}

// find matches an expression with a page.
func find(t *testing.T, page, expression string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(expression).FindStringSubmatch(string(source))
	if match == nil {
		t.Fatalf("%s has nothing that matches %s", page, expression)
	}
	return match
}
