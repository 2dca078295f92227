package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// longest is the time after which a part is given up, without that of -for.
const longest = 15 * time.Minute

// plan writes what is going to run, with the time that each part took last.
func plan(w io.Writer, chosen []part, history []entry, runs int) {
	var total time.Duration
	for _, p := range chosen {
		times, took := runs, "not known"
		if p.once {
			times = 1
		}
		if last, ok := lastOf(history, p.timeRow()); ok {
			length := time.Duration(last.figure * float64(time.Second)).Round(time.Second)
			total, took = total+time.Duration(times)*length, length.String()
		}
		fmt.Fprintf(w, "plan: %s, %d × %s\n", p.name, times, took)
	}
	fmt.Fprintf(w, "plan: %s in all\n", total)
}

// runAll measures each part, as often as runs says, in turn. A part that fails keeps
// its other runs.
func runAll(ctx context.Context, l *lab, chosen []part, runs int) (chapters []chapter, failures []error) {
	found := make([][]chapter, len(chosen))
	for run := range runs {
		for i, p := range chosen {
			if p.once && run > 0 {
				continue
			}
			begin := time.Now()
			r, err := l.runPart(ctx, p)
			took := time.Since(begin)
			fmt.Fprintf(l.log, "%s in %s\n", p.name, took.Round(time.Second))
			if err != nil {
				fmt.Fprintf(l.log, "%s fails: %v\n", p.name, err)
				failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
			}
			if err == nil || len(r.rows) > 0 { // a part may fail because of what it measured
				found[i] = append(found[i], chapter{p, r, took})
			}
		}
	}
	for _, all := range found {
		if len(all) > 0 {
			chapters = append(chapters, middle(all))
		}
	}
	return chapters, failures
}

// runPart runs a part, which may panic.
func (l *lab) runPart(ctx context.Context, p part) (r result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, longest+l.length)
	defer cancel()
	return p.run(ctx, l)
}

// middle returns one chapter of several runs: the last one, with each row from the run
// in which it was the median. Its noise is at least half of what the runs differ by.
func middle(all []chapter) chapter {
	c := all[len(all)-1]
	c.rows = slices.Clone(c.rows)
	for i, r := range c.rows {
		var same []row
		for _, run := range all {
			if n := slices.IndexFunc(run.rows, func(other row) bool { return other.what == r.what }); n >= 0 {
				same = append(same, run.rows[n])
			}
		}
		slices.SortStableFunc(same, func(a, b row) int { return cmp.Compare(a.value(), b.value()) })
		median := same[(len(same)-1)/2]
		if value := median.value(); value != 0 {
			median.noise = max(median.noise, (same[len(same)-1].value()-same[0].value())/2/math.Abs(value))
		}
		c.rows[i] = median
	}
	return c
}
