package faults

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

var update = flag.Bool("update", false, "write the tables of docs/project/reliability.md and docs/project/reliability-tables.md")

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
		if at.title == "" {
			continue // counted, not shown
		}
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
	columns := slices.DeleteFunc(groups(), func(group string) bool {
		return !slices.ContainsFunc(faults(), func(f *fault) bool { return t.words(versions()[0], at, f, group) != "" })
	})
	type row struct{ versions, outcome, fault string }
	var rows []row
	names := map[row][]string{}
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
			in := row{"all", outcome, ""}
			if len(different) > 1 {
				in.versions = strings.Join(on[outcome], ", ")
			}
			if strings.Contains(f.name, overlapping) {
				in.fault = f.name // in its own row
			}
			if names[in] == nil {
				rows = append(rows, in)
			}
			names[in] = append(names[in], f.name)
		}
	}
	var b strings.Builder
	b.WriteString("| fault | Outline | outcome |\n|---|---|---|\n")
	for _, in := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names[in], "; "), in.versions, in.outcome)
	}
	return b.String()
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

// The markers between which the test writes the fault tables.
const (
	beginFaults = "<!-- The test writes these tables: go -C test/faults test -run NoFault -update -->"
	endFaults   = "<!-- End of the tables of faults -->"
)

// compare compares the results with the documentation, or writes them.
func (t *table) compare(test *testing.T) {
	old, replace := section(test, results, beginFaults, endFaults)
	var b strings.Builder
	english := message.NewPrinter(language.English)
	_, _ = english.Fprintf(&b, "\n%d faults on %d writes and %d versions of Outline, %d runs:", len(faults()), len(writes()), len(versions()), t.runs)
	separator := " "
	for _, o := range outcomes {
		_, _ = english.Fprintf(&b, "%s%d %s", separator, t.counts[o], o)
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
		test.Errorf("%s is not up to date: go -C test/faults test -run NoFault -update", results)
	}
}
