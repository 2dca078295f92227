package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestARowMovesByMoreThanAShareAndTheNoise(t *testing.T) {
	for _, test := range []struct {
		name        string
		before, now entry
		want        bool
	}{
		{"by 4 %", entry{figure: 100}, entry{figure: 104}, false},
		{"by 6 %", entry{figure: 100}, entry{figure: 106}, true},
		{"down by 6 %", entry{figure: 100}, entry{figure: 94}, true},
		{"by less than the noise of both", entry{figure: 100, noise: 0.06}, entry{figure: 112, noise: 0.07}, false},
		{"by more than the noise of both", entry{figure: 100, noise: 0.06}, entry{figure: 114, noise: 0.07}, true},
		{"from nothing", entry{}, entry{figure: 1}, true},
		{"nothing to nothing", entry{}, entry{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.before.row, test.now.row = "start: a row", "start: a row"
			history := []entry{{row: "start: a row", figure: 1}, test.before, {row: "start: another", figure: 7}}
			if moved := moves(history, []entry{test.now, {row: "start: new", figure: 9}}); len(moved) == 1 != test.want {
				t.Errorf("moved: %v", moved)
			}
		})
	}
}

func TestTheHistoryKeepsTheNewestEntriesOfEachRow(t *testing.T) {
	file := filepath.Join(t.TempDir(), historyFile)
	if history, err := readHistory(file); err != nil || history != nil {
		t.Fatal("no file:", history, err)
	}
	var history []entry
	for n := range kept + 2 {
		history = append(history, entry{"c0ffee", `load: calls, "a" second`, float64(n), 0.125}, entry{"c0ffee", "start: x", 1.5, 0})
	}
	if err := writeHistory(file, history); err != nil {
		t.Fatal(err)
	}
	got, err := readHistory(file)
	if err != nil || !slices.Equal(got, history[4:]) {
		t.Error(err, got)
	}
	for name, content := range map[string]string{"a figure": "commit,row,figure,noise\nc,r,x,0\n", "a column": "commit,row,figure,noise\nc,r,1\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readHistory(file); err == nil {
			t.Errorf("a history with damage to %s is read", name)
		}
	}
}

// made is a repository with a commit for each figure that its benchmark has, which does
// not build without a figure, and one that changes a document.
func made(t *testing.T, figures ...string) (r repository, commits []string) {
	t.Helper()
	r = repository(t.TempDir())
	git := func(args ...string) string {
		t.Helper()
		out, err := r.git(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(string(r), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("config", "user.name", "Ada")
	git("config", "user.email", "ada@lights.example")
	const program = `package main

import (
	"flag"
	"os"
)

func main() {
	only := flag.String("only", "", "")
	figures := flag.String("figures", "", "")
	flag.Bool("quick", false, "")
	flag.Parse()
	if err := os.WriteFile(*figures, []byte("commit,row,figure,noise\nhere,"+*only+": a call,"+figure+",0.01\n"), 0o600); err != nil {
		panic(err)
	}
}
`
	write("bench/go.mod", "module bench\n\ngo 1.26\n")
	write("bench/main.go", program)
	commit := func() {
		t.Helper()
		git("add", "-A")
		git("commit", "-q", "-m", fmt.Sprintf("Commit %d", len(commits)+1))
		commits = append(commits, git("rev-parse", "--short=12", "HEAD"))
	}
	for _, figure := range figures {
		write("bench/figure.go", fmt.Sprintf("package main\n\nconst figure = %s\n", figure))
		commit()
	}
	write("docs/page.md", "A page.\n")
	commit()
	return r, commits
}

func TestTheCommitThatMovedARowIsFound(t *testing.T) {
	const broken = ""
	for _, test := range []struct {
		name    string
		figures []string
		row     string
		want    int    // the commit, counted from 1
		err     string // or why there is none
	}{
		{"among others", []string{`"10"`, `"10.1"`, `"12"`, broken, `"12.1"`}, "call: a call", 3, ""},
		{"behind one that does not build", []string{`"10"`, broken, `"12"`}, "call: a call", 0, "There are only 'skip'ped commits left"},
		{"but not if both ends are the same", []string{`"10"`, `"10.1"`}, "call: a call", 0, "is 10 at "},
		{"but not of a row that the history lacks", []string{`"10"`, `"12"`}, "call: another", 0, "the history has no row"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, commits := made(t, test.figures...)
			history := []entry{{commits[0], "call: a call", 99, 0}} // by another machine
			commit, err := r.bisect(t.Context(), io.Discard, history, test.row, false)
			switch {
			case test.want == 0:
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("found %q, error %v", commit, err)
				}
			case err != nil || commit != fmt.Sprintf("%s Commit %d", commits[test.want-1][:7], test.want):
				t.Errorf("found %q, error %v", commit, err)
			}
			if out, err := r.git(t.Context(), "worktree", "list"); err != nil || strings.Contains(out, "\n") {
				t.Error("working trees are left:", out, err)
			}
		})
	}
}

func TestWhatMovedIsToldWithTheCommitsBetween(t *testing.T) {
	r, commits := made(t, `"10"`, `"10.1"`, `"10.2"`, `"12"`)
	head, changed, err := r.head(t.Context())
	if err != nil || changed || head != commits[4] {
		t.Fatal(head, changed, err)
	}
	for _, test := range []struct{ since, want string }{ // the last commit changes a document
		{commits[0], `by one of 3 commits since ` + commits[0] + ` (-bisect "call: a call" finds it):`},
		{commits[2], "by " + commits[3][:7]},
		{commits[3], "no commit since " + commits[3] + " changed the program: the machine differs"},
		{"feedc0ffee00", "since feedc0ffee00, which this repository does not have"},
	} {
		var out strings.Builder
		r.tell(t.Context(), &out, []move{{entry{test.since, "call: a call", 10, 0.01}, entry{head, "call: a call", 12, 0.01}}})
		if !strings.Contains(out.String(), "moved: call: a call: 10 → 12 (+20 %, noise 2 %)") || !strings.Contains(out.String(), test.want) {
			t.Errorf("since %s: %s", test.since, out.String())
		}
	}
	if err := os.WriteFile(filepath.Join(string(r), "bench", "more.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, changed, err := r.head(t.Context()); err != nil || !changed {
		t.Error("a new file is no change", err)
	}
}

func TestOfSeveralRunsTheMedianCountsAndAFailureCostsNoOtherPart(t *testing.T) {
	figures, turn := []float64{3, 1, 2}, 0
	chosen := []part{
		{name: "steady", run: func(context.Context, *lab) (result, error) {
			turn++
			return result{rows: []row{{what: "a row", ours: single(figures[turn-1], plain)}}}, nil
		}},
		{name: "broken", run: func(context.Context, *lab) (result, error) { panic("out of luck") }},
		{name: "long", once: true, run: func(context.Context, *lab) (result, error) {
			return result{rows: []row{{what: "once", ours: single(5, plain)}}}, nil
		}},
	}
	chapters, failures := runAll(t.Context(), &lab{log: io.Discard}, chosen, 3)
	if len(failures) != 3 || !strings.Contains(failures[0].Error(), "broken: panic: out of luck") {
		t.Error("failures:", failures)
	}
	if len(chapters) != 2 || chapters[0].name != "steady" || chapters[1].name != "long" {
		t.Fatal("chapters:", chapters)
	}
	if r := chapters[0].rows[0]; r.value() != 2 || r.noise != 0.5 {
		t.Errorf("of 3, 1 and 2 the report has %v, noise %v", r.value(), r.noise)
	}
}

func TestThePlanHasTheTimesOfTheLastRun(t *testing.T) {
	var out strings.Builder
	chosen := []part{{name: "start"}, {name: "soak", once: true}, {name: "new"}}
	history := []entry{{"c0ffee", chosen[0].timeRow(), 20.3, 1}, {"c0ffee", chosen[1].timeRow(), 600, 1}}
	plan(&out, chosen, history, 3)
	if want := "plan: start, 3 × 20s\nplan: soak, 1 × 10m0s\nplan: new, 3 × not known\nplan: 11m0s in all\n"; out.String() != want {
		t.Errorf("the plan is %s", out.String())
	}
}

func TestAPartThatWasNotRunKeepsItsSection(t *testing.T) {
	dir := t.TempDir()
	begin := []part{{name: "start", title: "Start"}, {name: "memory", title: "Memory"}}
	chapters := func(what string) (all []chapter) {
		for _, p := range begin {
			all = append(all, chapter{p, result{rows: []row{{what: what, ours: single(2, plain), goal: atMost(3, plain), judged: 2}}}, time.Second})
		}
		return all
	}
	if err := writeReport(dir, chapters("as it was"), 1); err != nil {
		t.Fatal(err)
	}
	if err := writeReport(dir, chapters("as it is")[:1], 3); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	start, memory, _ := strings.Cut(string(report), "\n## Memory\n")
	if !strings.Contains(start, "| as it is |") || strings.Contains(start, "as it was") || !strings.Contains(memory, "| as it was |") {
		t.Errorf("the report is %s", report)
	}
}
