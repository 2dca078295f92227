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

	"outline-mcp/outline"
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
		"go": goVersion, "tools": toolCounts, "reliability": reliability, "comparison": comparison, "versions": supportedVersions,
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

// goVersion names the version of Go that builds the program.
func goVersion(t *testing.T) string {
	t.Helper()
	return "You need Go " + find(t, "go.mod", `(?m)^go (\d+\.\d+)`)[1] + " or later. Replace ADDRESS with the address of this repository.\n"
}

// supportedVersions names the versions of Outline that the client supports.
func supportedVersions(*testing.T) string {
	return "**Supported versions of Outline**: " + outline.SupportedVersions + ".\n"
}

// toolCounts counts the tools that the program lists, by what they do.
func toolCounts(t *testing.T) string {
	t.Helper()
	var tools []struct {
		Name     string
		Optional bool
	}
	if err := json.Unmarshal([]byte(run(t, "tools", "--json")), &tools); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "tools", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	effects := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile("(?ms)^## `(\\w+)`.*?^Effect: (\\w+)\\.").FindAllStringSubmatch(string(text), -1) {
			effects[found[1]] = found[2]
		}
	}
	count := map[string]int{}
	for _, tool := range tools {
		count[effects[tool.Name]]++
		if tool.Optional {
			count["optional"]++
		}
	}
	return fmt.Sprintf("There are [%d tools](docs/tools.md): %d read, %d write (%d of those delete). By default, %d are offered.\n",
		len(tools), count["reads"], len(tools)-count["reads"], count["deletes"], len(tools)-count["optional"])
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

// reliability counts the outcomes that docs/project/reliability.md reports.
func reliability(t *testing.T) string {
	t.Helper()
	match := find(t, "docs/project/reliability.md",
		`(\d+) faults on (\d+) writes and (\d+) versions of Outline, ([\d,]+) runs: ([\d,]+) done, ([\d,]+) overwrote, ([\d,]+) in part, ([\d,]+) not done, ([\d,]+) unknown\.`)
	plain := func(count string) string { return strings.ReplaceAll(count, ",", "") }
	sum := 0
	for _, count := range match[5:] {
		number, err := strconv.Atoi(plain(count))
		if err != nil {
			t.Fatal(err)
		}
		sum += number
	}
	if strconv.Itoa(sum) != plain(match[4]) {
		t.Errorf("docs/project/reliability.md: the outcomes of %s runs are %d", match[4], sum)
	}
	return fmt.Sprintf(`- **Writes are tested under failure.** In %s runs covering %s network, proxy and rate-limit faults, nothing
  was written twice, and no answer reported a change that Outline had not stored.
`, match[4], match[1])
}

// comparison repeats six rows of the table in docs/comparison.md, for this server and
// the two that are best known.
func comparison(t *testing.T) string {
	t.Helper()
	const page = "docs/comparison.md"
	date := find(t, page, `as of (20\d\d-\d\d-\d\d)`)[1]
	var table strings.Builder
	for _, name := range []string{"", "installation", "login", "attachments", "reading part of a long document", "editing a passage", "history"} {
		cells := find(t, page, `(?m)^\| ?`+regexp.QuoteMeta(name)+` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|`)
		row := strings.Join(cells[1:], " | ") + "\n"
		if name == "" {
			fmt.Fprintf(&table, "as of %s | %s-|-|-|-\n", date, row)
		} else {
			table.WriteString(name + " | " + row)
		}
	}
	fmt.Fprintf(&table, "\n[Full comparison](%s), from public sources.\n", page)
	return table.String()
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
