package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
)

// moving is the share by which a row moves at least, if that is to be told.
const moving = 0.05

// An entry of the history is what a full run measured for a row.
type entry struct {
	commit string // that the program was built from
	row    string // part and row
	figure float64
	noise  float64 // share of the figure that other runs may differ by
}

// entries returns those of the rows of a part.
func (c chapter) entries(commit string) []entry {
	found := []entry{{commit, c.timeRow(), c.took.Seconds(), 1}}
	for _, r := range c.rows {
		found = append(found, entry{commit, c.name + ": " + r.what, r.value(), r.noise})
	}
	return found
}

// timeRow is the row of the time that a part takes itself.
func (p part) timeRow() string { return p.name + ": seconds that the part takes" }

// value returns the number that a row is about.
func (r row) value() float64 {
	switch {
	case r.goal.set || r.added:
		return r.judged
	case r.ratio != 0:
		return r.ratio
	}
	return r.ours.median
}

// readHistory reads a history, which is empty if there is no file.
func readHistory(file string) ([]entry, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.FieldsPerRecord = 4
	records, err := lines.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var history []entry
	for n, record := range records[min(1, len(records)):] {
		figure, err := strconv.ParseFloat(record[2], 64)
		noise, err2 := strconv.ParseFloat(record[3], 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("read line %d of the history: %w", n+2, err)
		}
		history = append(history, entry{record[0], record[1], figure, noise})
	}
	return history, nil
}

// kept is how many entries of a row the history keeps.
const kept = 20

// writeHistory writes a history, the newest entries of each row.
func writeHistory(file string, history []entry) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	_ = w.Write([]string{"commit", "row", "figure", "noise"}) // Error has what fails
	for n, e := range history {
		later := 0
		for _, other := range history[n+1:] {
			if other.row == e.row {
				later++
			}
		}
		if later < kept {
			_ = w.Write([]string{e.commit, e.row, strconv.FormatFloat(e.figure, 'g', 4, 64), strconv.FormatFloat(e.noise, 'f', 3, 64)})
		}
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}

// lastOf returns the newest entry of a row.
func lastOf(history []entry, row string) (entry, bool) {
	for _, e := range slices.Backward(history) {
		if e.row == row {
			return e, true
		}
	}
	return entry{}, false
}

// A move is a row that is not what it was.
type move struct{ before, now entry }

// moves returns the rows that moved by more than a share of 0.05 and the noise of both
// runs. A figure of 0 moves if the other is not 0.
func moves(history, now []entry) []move {
	var found []move
	for _, e := range now {
		before, ok := lastOf(history, e.row)
		if ok && e.differs(before) {
			found = append(found, move{before, e})
		}
	}
	return found
}

func (e entry) differs(before entry) bool {
	if before.figure == 0 {
		return e.figure != 0
	}
	return math.Abs(e.figure/before.figure-1) > max(moving, before.noise+e.noise)
}

func (m move) String() string {
	return fmt.Sprintf("%s: %.4g → %.4g (%+.0f %%, noise %.0f %%)", m.now.row, m.before.figure, m.now.figure, 100*(m.now.figure/m.before.figure-1), 100*(m.before.noise+m.now.noise))
}
