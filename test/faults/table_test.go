package faults

import (
	"encoding/csv"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var update = flag.Bool("update", false, "write the tables of docs/project/reliability.md and docs/project/reliability.csv")

// A table collects the outcomes of the calls.
type table struct {
	mu     sync.Mutex
	runs   int
	writes int // that were tested in full, on all versions
	cells  map[cell]map[outcome]bool
	counts map[outcome]int
}

type cell struct{ version, position, fault, group string }

// add records the outcomes of a run; for a batch, that of the item whose requests
// were broken.
func (t *table) add(v version, at position, f *fault, w write, results []outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs++
	if t.cells == nil {
		t.cells, t.counts = map[cell]map[outcome]bool{}, map[outcome]int{}
	}
	in := cell{v.name(), at.name, f.name, w.group}
	if t.cells[in] == nil {
		t.cells[in] = map[outcome]bool{}
	}
	of := results[min(1, len(results)-1)]
	t.cells[in][of] = true
	t.counts[of]++
}

// groups are the columns.
func groups() []string {
	var list []string
	for _, w := range writes() {
		if !slices.Contains(list, w.group) {
			list = append(list, w.group)
		}
	}
	return list
}

// overlapping is in the names of faults in which two requests overlap. If they end
// at the same instant, either may be the last: their outcomes differ between runs,
// so they are judged but not compared with the documentation.
const overlapping = "at the same time"

var counted = regexp.MustCompile(`[\d,]+ (done|overwrote|in part|not done|unknown)`)

// comparable returns results without what differs between runs.
func comparable(tables string) string {
	var lines []string
	for line := range strings.Lines(tables) {
		if !strings.Contains(line, overlapping) {
			lines = append(lines, counted.ReplaceAllString(line, "$1"))
		}
	}
	return strings.Join(lines, "")
}

// write writes the table: a row for each position, fault and outcome.
func (t *table) write(b *strings.Builder) {
	out := csv.NewWriter(b)
	_ = out.Write([]string{"broken", "fault", "Outline", "outcome"})
	for _, at := range positions() {
		if at.title == "" {
			continue // counted, not shown
		}
		// The groups that have this position.
		columns := slices.DeleteFunc(groups(), func(group string) bool {
			return !slices.ContainsFunc(faults(), func(f *fault) bool { return t.words(versions()[0], at, f, group) != "" })
		})
		for _, f := range faults() {
			var different []string // outcomes of this fault
			on := map[string][]string{}
			for _, v := range versions() {
				outcome := t.outcome(v, at, f, columns)
				if outcome == "" {
					continue
				}
				if on[outcome] == nil {
					different = append(different, outcome)
				}
				on[outcome] = append(on[outcome], v.name())
			}
			for _, outcome := range different {
				with := "all"
				if len(different) > 1 {
					with = strings.Join(on[outcome], ", ")
				}
				_ = out.Write([]string{at.title, f.name, with, outcome})
			}
		}
	}
	out.Flush()
}

// outcome sums up a row: the most common outcome, and which groups have another one.
func (t *table) outcome(v version, at position, f *fault, groups []string) string {
	var different []string
	with := map[string][]string{}
	common := ""
	for _, group := range groups {
		words := t.words(v, at, f, group)
		if words == "" {
			continue
		}
		if with[words] == nil {
			different = append(different, words)
		}
		with[words] = append(with[words], strings.ReplaceAll(group, ", ", "/"))
		if len(with[words]) > len(with[common]) {
			common = words
		}
	}
	text := common
	for _, words := range different {
		if words != common {
			text += "; " + strings.Join(with[words], ", ") + ": " + words
		}
	}
	return text
}

// words describes the outcomes of a fault.
func (t *table) words(v version, at position, f *fault, group string) string {
	var words []string
	for _, o := range outcomes {
		if t.cells[cell{v.name(), at.name, f.name, group}][o] {
			words = append(words, string(o))
		}
	}
	if newest := versions()[0]; len(words) == 0 && v != newest {
		return t.words(newest, at, f, group) // not tested on it
	}
	return strings.Join(words, " or ")
}

// The markers between which the test writes the number of outcomes.
const (
	beginFaults = "<!-- The test writes this line and reliability.csv: go -C test/faults test -run NoFault -update -->"
	endFaults   = "<!-- End of the outcomes -->"
)

// compare compares the results with the documentation, or writes them.
func (t *table) compare(test *testing.T) {
	old, replace := section(test, promises, beginFaults, endFaults)
	var line, rows strings.Builder
	english := message.NewPrinter(language.English)
	_, _ = english.Fprintf(&line, "\n%d faults on %d writes and %d versions of Outline, %d runs:", len(faults()), len(writes()), len(versions()), t.runs)
	separator := " "
	for _, o := range outcomes {
		_, _ = english.Fprintf(&line, "%s%d %s", separator, t.counts[o], o)
		separator = ", "
	}
	line.WriteString(".\n\n")
	t.write(&rows)
	oldRows, err := os.ReadFile(results)
	if err != nil && !*update {
		test.Fatal(err)
	}
	switch {
	case *update:
		replace(line.String())
		if err := os.WriteFile(results, []byte(rows.String()), 0o644); err != nil {
			test.Fatal(err)
		}
	case comparable(line.String()) != comparable(old) || comparable(rows.String()) != comparable(string(oldRows)):
		test.Errorf("%s and %s are not up to date: go -C test/faults test -run NoFault -update", promises, results)
	}
}
