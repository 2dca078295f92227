package faults

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reliability.md")

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

var counted = regexp.MustCompile(`\d+ (done|overwrote|in part|not done|unknown)`)

// comparable returns a section of tables without what differs between runs.
func comparable(tables string) string {
	var lines []string
	for line := range strings.Lines(tables) {
		if !strings.Contains(line, overlapping) {
			lines = append(lines, counted.ReplaceAllString(line, "$1"))
		}
	}
	return strings.Join(lines, "")
}

// write writes the tables: positions with the same table together, and in it
// faults with the same outcomes in one row.
func (t *table) write(b *strings.Builder) {
	var bodies []string
	titles, texts, fulls := map[string][]string{}, map[string][]string{}, map[string]string{}
	for _, at := range positions() {
		full := t.body(at)
		body := comparable(full)
		if titles[body] == nil {
			bodies, fulls[body] = append(bodies, body), full
		}
		titles[body], texts[body] = append(titles[body], at.title), append(texts[body], at.text)
	}
	for _, body := range bodies {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n%s", titles[body][0], strings.Join(texts[body], " "), fulls[body])
	}
}

// body is the table of a position. It has the groups that have this position.
func (t *table) body(at position) string {
	var b strings.Builder
	columns := slices.DeleteFunc(groups(), func(group string) bool {
		return !slices.ContainsFunc(faults(), func(f *fault) bool { return t.words(versions()[0], at, f, group) != "" })
	})
	fmt.Fprintf(&b, "| fault | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	var rows []string
	names := map[string][]string{}
	for _, f := range faults() {
		var own []string // rows of this fault
		of := map[string][]string{}
		for _, v := range versions() {
			var words []string
			for _, group := range columns {
				words = append(words, t.words(v, at, f, group))
			}
			row := strings.Join(words, " | ")
			if strings.Trim(row, " |") == "" {
				continue
			}
			if of[row] == nil {
				own = append(own, row)
			}
			of[row] = append(of[row], v.name())
		}
		for _, row := range own {
			name := f.name
			if len(own) > 1 {
				name += " (" + strings.Join(of[row], ", ") + ")"
			}
			if strings.Contains(f.name, overlapping) {
				rows, names[row+f.name] = append(rows, row+f.name), []string{name}
				continue
			}
			if names[row] == nil {
				rows = append(rows, row)
			}
			names[row] = append(names[row], name)
		}
	}
	for _, key := range rows {
		row, _, _ := strings.Cut(key, "somebody else's")
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names[key], "; "), row)
	}
	return b.String()
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

// The markers between which the test writes the fault tables.
const (
	beginFaults = "<!-- The test writes these tables: go -C test/faults test -run NoFault -update -->"
	endFaults   = "<!-- End of the tables of faults -->"
)

// compare compares the results with the documentation, or writes them.
func (t *table) compare(test *testing.T) {
	old, replace := section(test, beginFaults, endFaults)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d faults on %d writes and %d versions of Outline, %d runs:", len(faults()), len(writes()), len(versions()), t.runs)
	separator := " "
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%s%d %s", separator, t.counts[o], o)
		separator = ", "
	}
	b.WriteString(".\n")
	t.write(&b)
	b.WriteString("\n")
	switch {
	case !*update && comparable(b.String()) == comparable(old):
	case *update:
		replace(b.String())
	default:
		test.Errorf("%s is not up to date: go -C test/faults test -run NoFault -update", document)
	}
}
