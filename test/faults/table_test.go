package faults

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reliability.md")

const document = "../../docs/reliability.md"

// A table collects what the calls came to.
type table struct {
	mu     sync.Mutex
	runs   int
	writes int // that were tried in full
	cells  map[cell]map[outcome]bool
	counts map[outcome]int
}

type cell struct{ position, fault, group string }

// add notes the outcomes of a run: of a batch, that of the item whose requests
// were broken.
func (t *table) add(at position, f *fault, w write, results []outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs++
	if t.cells == nil {
		t.cells, t.counts = map[cell]map[outcome]bool{}, map[outcome]int{}
	}
	in := cell{at.name, f.name, w.group}
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

// write writes the tables: positions with the same table together, and in it
// faults with the same outcomes in one row.
func (t *table) write(b *bytes.Buffer) {
	var bodies []string
	titles, texts := map[string][]string{}, map[string][]string{}
	for _, at := range positions() {
		body := t.body(at)
		if titles[body] == nil {
			bodies = append(bodies, body)
		}
		titles[body], texts[body] = append(titles[body], at.title), append(texts[body], at.text)
	}
	for _, body := range bodies {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n%s", titles[body][0], strings.Join(texts[body], " "), body)
	}
}

// body is the table of a position. It has the groups that the position can
// befall.
func (t *table) body(at position) string {
	var b strings.Builder
	var columns []string
	for _, group := range groups() {
		if slices.ContainsFunc(faults(), func(f *fault) bool { return t.words(at, f, group) != "" }) {
			columns = append(columns, group)
		}
	}
	fmt.Fprintf(&b, "| fault | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	var rows []string
	names := map[string][]string{}
	for _, f := range faults() {
		var words []string
		for _, group := range columns {
			words = append(words, t.words(at, f, group))
		}
		row := strings.Join(words, " | ")
		if strings.Trim(row, " |") == "" {
			continue
		}
		if names[row] == nil {
			rows = append(rows, row)
		}
		names[row] = append(names[row], f.name)
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names[row], "; "), row)
	}
	return b.String()
}

// words are the outcomes of a fault.
func (t *table) words(at position, f *fault, group string) string {
	var words []string
	for _, o := range outcomes {
		if t.cells[cell{at.name, f.name, group}][o] {
			words = append(words, string(o))
		}
	}
	return strings.Join(words, " or ")
}

// compare holds what was seen against the documentation, or writes it.
func (t *table) compare(test *testing.T) {
	old, err := os.ReadFile(document)
	if err != nil && !*update {
		test.Fatal(err)
	}
	const mark = "<!-- Below this line the test writes: go -C test/faults test -run NoFault -update -->\n"
	head, _, found := strings.Cut(string(old), mark)
	if !found {
		test.Fatalf("%s lacks the line %s", document, mark)
	}
	var b bytes.Buffer
	b.WriteString(head + mark)
	fmt.Fprintf(&b, "\n%d faults on %d writes, %d runs:", len(faults()), len(writes()), t.runs)
	separator := " "
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%s%d %s", separator, t.counts[o], o)
		separator = ", "
	}
	b.WriteString(".\n")
	t.write(&b)
	if bytes.Equal(b.Bytes(), old) {
		return
	}
	if !*update {
		test.Errorf("%s is not up to date: go -C test/faults test -run NoFault -update", document)
		return
	}
	if err := os.WriteFile(document, b.Bytes(), 0o644); err != nil {
		test.Fatal(err)
	}
}
