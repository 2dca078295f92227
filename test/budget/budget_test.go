// Package budget_test limits what the program costs: how much of a model's context it
// takes, the size of its binary, the allocations of the usual calls, the memory that a
// server keeps, and the round trips of batches. The limits are in budgets.txt. The tests
// measure these numbers and fail if one exceeds its limit, or is so far below it that the
// limit is useless. There is no limit for time, which depends on the machine: benchmarks
// measure it.
package budget_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const file = "budgets.txt"

var update = flag.Bool("update", false, "write the budgets that do not fit what is measured")

// rewriting keeps tests that run side by side from writing the file at once.
var rewriting sync.Mutex

// A budget is a line of the file: "NUMBER WHAT", with " (promised)" at its end
// where the number may only go down.
type budget struct {
	number   int
	what     string
	promised bool
}

// parse reads a line. One that is empty or a comment is no budget.
func parse(line string) (b budget, ok bool) {
	first, what, _ := strings.Cut(strings.TrimSpace(line), " ")
	number, err := strconv.Atoi(first)
	b = budget{number: number}
	b.what, b.promised = strings.CutSuffix(what, " (promised)")
	return b, err == nil
}

// check holds what was measured against its budget.
func check(t *testing.T, what string, measured int) {
	t.Helper()
	rewriting.Lock()
	defer rewriting.Unlock()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { b, ok := parse(line); return ok && b.what == what })
	b := budget{what: what}
	if at >= 0 {
		b, _ = parse(lines[at])
	}
	complaint := b.judge(measured)
	if complaint == "" {
		t.Logf("%d %s, the budget is %d", measured, what, b.number)
		return
	}
	if !*update || b.promised {
		t.Error(complaint)
		return
	}
	line := fmt.Sprintf("%d %s", withMargin(measured), what)
	if at < 0 {
		lines = append(lines, line)
	} else {
		lines[at] = line
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// judge says what is wrong with a budget, and "" if it fits. A number of 0 is
// none.
func (b budget) judge(measured int) string {
	const written = "test/budget/" + file + " (go generate ./... does)"
	over := measured - b.number
	switch {
	case b.number == 0:
		return fmt.Sprintf("there is no budget of the %s: %d are measured; add it to %s", b.what, measured, written)
	case over > 0 && b.promised:
		return fmt.Sprintf("%d %s are %d over the %d that are promised: save them elsewhere", measured, b.what, over, b.number)
	case over > 0:
		return fmt.Sprintf("%d %s are %d (%.1f %%) over the budget of %d; if that is worth it, raise it in %s, and say in the commit what was bought", measured, b.what, over, 100*float64(over)/float64(b.number), b.number, written)
	case !b.promised && measured < b.number*4/5:
		return fmt.Sprintf("%d %s are so much less than the budget of %d that it guards nothing: lower it in %s", measured, b.what, b.number, written)
	}
	return ""
}

// withMargin is the budget of what was measured: 3 % more, in four digits.
func withMargin(measured int) int {
	budget := measured + measured*3/100
	unit := 1
	for budget/unit >= 10_000 {
		unit *= 10
	}
	return (budget + unit - 1) / unit * unit
}

func TestABudgetThatIsExceededOrGuardsNothingIsToldWithWhatToDo(t *testing.T) {
	const written = "test/budget/budgets.txt (go generate ./... does)"
	for _, test := range []struct {
		line     string
		measured int
		want     string
	}{
		{"1000 things", 1000, ""}, {"1000 things", 800, ""}, {"1000 things (promised)", 7, ""},
		{"1000 things", 1001, "1001 things are 1 (0.1 %) over the budget of 1000; if that is worth it, raise it in " + written + ", and say in the commit what was bought"},
		{"1000 things (promised)", 1001, "1001 things are 1 over the 1000 that are promised: save them elsewhere"},
		{"1000 things", 799, "799 things are so much less than the budget of 1000 that it guards nothing: lower it in " + written},
		{"0 things", 5, "there is no budget of the things: 5 are measured; add it to " + written},
	} {
		b, ok := parse(test.line)
		if got := b.judge(test.measured); !ok || got != test.want {
			t.Errorf("%s, %d measured: %s", test.line, test.measured, got)
		}
	}
	for _, line := range []string{"", "# 1000 things", "things"} {
		if _, ok := parse(line); ok {
			t.Errorf("%q is a budget", line)
		}
	}
	for measured, want := range map[int]int{0: 0, 10: 10, 1000: 1030, 123_456: 127_200, 16_789_666: 17_300_000} {
		if got := withMargin(measured); got != want {
			t.Errorf("the budget of %d is %d, not %d", measured, got, want)
		}
	}
}
