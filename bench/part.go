package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A part of the benchmark measures one thing.
type part struct {
	name  string // for -only
	title string // in the report
	about string // what is measured and how, a paragraph or more
	run   func(context.Context, *lab) (result, error)
	once  bool // in the first of several runs only, as it takes long
}

// A result is what a part measured.
type result struct {
	rows   []row
	charts []chart
	notes  []string // paragraphs below the table
}

// A row of the report compares the program with its floor.
type row struct {
	what   string
	ours   figure
	floor  figure  // the zero figure: there is none
	ratio  float64 // of ours to floor; 0: none
	goal   goal    // the zero goal: the row is for information
	judged float64 // what the goal speaks of
	why    string  // the goal is missed, where it is
	added  bool    // what is judged is the difference, which is shown in place of the ratio
	noise  float64 // share of what is judged that another run may differ by
}

// compared returns the row of a pair whose ratio has a goal.
func compared(what string, p pair, unit unit, goal goal) row {
	return row{what: what, ours: p.ours.figure(unit), floor: p.floor.figure(unit), ratio: p.ratio(), goal: goal, judged: p.ratio(), noise: p.ratios().noise()}
}

// because adds the reason why the goal is missed, if it is.
func (r row) because(why string) row {
	r.why = why
	return r
}

// A goal is what a ratio or a figure should be. The zero goal is none.
type goal struct {
	set   bool
	limit float64
	least bool // it is the least that is good, not the most
	unit  unit // of the limit
}

func ratioAtMost(limit float64) goal       { return goal{true, limit, false, ratios} }
func ratioAtLeast(limit float64) goal      { return goal{true, limit, true, ratios} }
func atMost(limit float64, unit unit) goal { return goal{true, limit, false, unit} }

func (g goal) String() string {
	if !g.set {
		return ""
	}
	if g.least {
		return "≥ " + g.unit.format(g.limit)
	}
	return "≤ " + g.unit.format(g.limit)
}

// verdict says whether the row's goal is met, and if not, by how much.
func (r row) verdict() string {
	switch {
	case !r.goal.set:
		return ""
	case r.met():
		return "met"
	case r.goal.limit == 0:
		return "missed by " + r.goal.unit.format(r.judged)
	}
	return fmt.Sprintf("missed by %.0f %%", math.Ceil(100*math.Abs(r.judged-r.goal.limit)/r.goal.limit-1e-6))
}

func (r row) met() bool {
	if r.goal.least {
		return r.judged >= r.goal.limit
	}
	return r.judged <= r.goal.limit
}

// A figure summarizes a sample.
type figure struct {
	median, p99 float64
	count       int // of measurements; with fewer than 100 the p99 says nothing and is not shown
	unit        unit
}

func (f figure) String() string {
	switch {
	case f.count == 0:
		return "–"
	case f.count < 100:
		return f.unit.format(f.median)
	}
	return fmt.Sprintf("%s (p99 %s)", f.unit.format(f.median), f.unit.format(f.p99))
}

// single returns the figure of something that was counted, not sampled.
func single(value float64, unit unit) figure { return figure{median: value, count: 1, unit: unit} }

// A unit is what a number counts. Times are in seconds.
type unit string

const (
	inSeconds unit = "s"
	inBytes   unit = "bytes"
	inTokens  unit = "tokens"

	inCharacters unit = "characters"
	inMiB        unit = "MiB"
	perSecond    unit = "/s"
	slopes       unit = "slope"
	ratios       unit = "×"
	plain        unit = ""
)

// format writes a value as people read it.
func (u unit) format(v float64) string {
	switch u {
	case inSeconds:
		switch {
		case math.Abs(v) < 1e-3:
			return fmt.Sprintf("%.0f µs", v*1e6)
		case math.Abs(v) < 1:
			return significant(v*1e3) + " ms"
		}
		return significant(v) + " s"
	case inBytes, inTokens, inCharacters, plain:
		return strings.TrimSpace(grouped(int(math.Round(v))) + " " + string(u))
	case inMiB:
		return fmt.Sprintf("%.1f MiB", v)
	case slopes:
		return fmt.Sprintf("%.2f", v)
	case perSecond:
		return grouped(int(math.Round(v))) + " /s"
	}
	return fmt.Sprintf("%.2f%s", v, string(u))
}

// significant writes a value with three digits.
func significant(v float64) string {
	switch {
	case math.Abs(v) < 10:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// grouped writes a number with separators for thousands.
func grouped(n int) string { return message.NewPrinter(language.English).Sprint(n) }
