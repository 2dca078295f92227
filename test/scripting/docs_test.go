package scripting

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the pages on scripting.
const documents = "../../docs/scripting/*.md"

// A block is a fenced block of code on a page.
type block struct {
	before string // the line before it
	lines  []string
}

// rewrite returns a page with each of its blocks of code replaced by what made
// returns for it.
func rewrite(text string, made func(b block) []string) string {
	var all []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		all = append(all, lines[i])
		if !strings.HasPrefix(lines[i], "```") {
			continue
		}
		b := block{}
		if i > 0 {
			b.before = lines[i-1]
		}
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.lines = append(b.lines, lines[i])
		}
		all = append(append(all, made(b)...), "```")
	}
	return strings.Join(all, "\n")
}

func TestTheDocumentationShowsTheScriptsAndWhatTheyPrint(t *testing.T) {
	pages, err := filepath.Glob(documents)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			compare(t, page, shown)
		})
	}
	for _, l := range languages() {
		for _, job := range []string{"read", "stale", "archive", "create", "watch"} {
			path := map[string]string{"python": "python/" + job + ".py", "typescript": "typescript/" + job + ".ts", "go": "go/" + job + ".go", "shell": "shell/" + job + ".sh"}[l.name]
			if !shown[path] {
				t.Errorf("no page shows or links %s", path)
			}
		}
	}
}

// compare runs the commands of a page in its own workspace, and compares
// the page with the scripts and with what the commands print. It adds to shown
// the scripts that are on the page or linked from it.
func compare(t *testing.T, page string, shown map[string]bool) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range regexp.MustCompile(`\(\.\./examples/([^)]+)\)`).FindAllStringSubmatch(string(raw), -1) {
		shown[link[1]] = true
	}
	w := demoWiki(t)
	made := rewrite(string(raw), func(b block) []string {
		if path, ok := strings.CutPrefix(b.before, "<!-- file: "); ok {
			path = strings.TrimSuffix(path, " -->")
			shown[path] = true
			content, err := os.ReadFile(filepath.Join(examples, path))
			if err != nil {
				t.Error(err)
			}
			return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		}
		if len(b.lines) == 0 || !strings.HasPrefix(b.lines[0], "$ ") || strings.HasPrefix(b.before, "<!-- not run") {
			return b.lines
		}
		var printed []string
		for _, line := range b.lines {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				printed = append(append(printed, line), w.print(t, command)...)
			}
		}
		if masked(printed) == masked(b.lines) {
			return b.lines
		}
		return printed
	})
	if made == string(raw) {
		return
	}
	if *update {
		if err := os.WriteFile(page, []byte(made), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, is := strings.Split(string(raw), "\n"), strings.Split(made, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			t.Fatalf("line %d is\n%s\nand should be\n%s\ngo -C test/scripting test -run Documentation -update . rewrites it", i+1, was[i], is[i])
		}
	}
	t.Fatal("the page ends too early")
}

// print runs a command in the folder of the examples and returns what it
// prints.
func (w wiki) print(t *testing.T, command string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = examples
	cmd.Env = append(os.Environ(), "PATH="+built+":"+os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	for _, setting := range w.settings {
		if setting != limits {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	printed, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n")
}

// masked returns lines without what differs between runs: the IDs of new
// documents.
func masked(lines []string) string {
	return regexp.MustCompile(`created [0-9a-f-]{36}`).ReplaceAllString(strings.Join(lines, "\n"), "created ID")
}
