package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A chapter is a part and its result.
type chapter struct {
	part
	result
	took time.Duration
}

// writeTable writes rows as a Markdown table.
func writeTable(w io.Writer, rows []row) {
	fmt.Fprintln(w, "| what | outline-mcp | floor | ratio | goal | |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range rows {
		ratio := "–"
		switch {
		case r.added:
			ratio = "+ " + inSeconds.format(r.judged)
		case r.goal.unit == slopes:
			ratio = "slope " + slopes.format(r.ratio)
		case r.ratio != 0:
			ratio = ratios.format(r.ratio)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", r.what, r.ours, r.floor, ratio, r.goal, r.verdict())
	}
}

// writeReasons writes why goals are missed.
func writeReasons(w io.Writer, rows []row) {
	for _, r := range rows {
		if r.goal.set && !r.met() && r.why != "" {
			fmt.Fprintf(w, "\n**%s, %s.** %s\n", r.what, r.verdict(), r.why)
		}
	}
}

// write writes the table of a chapter, why goals are missed, and the notes.
func (c chapter) write(w io.Writer) {
	writeTable(w, c.rows)
	writeReasons(w, c.rows)
	for _, note := range c.notes {
		fmt.Fprintf(w, "\n%s\n", note)
	}
}

// sections returns those of a report by their titles, with their headings.
func sections(report string) map[string]string {
	found := map[string]string{}
	for _, section := range strings.Split(report, "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		found[title] = "\n## " + strings.TrimRight(section, "\n") + "\n"
	}
	return found
}

// writeReport writes docs/performance.md and its charts. A part that was not run or
// failed keeps its section.
func writeReport(dir string, chapters []chapter, runs int) error {
	file := filepath.Join(dir, "performance.md")
	last, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the last report: %w", err)
	}
	earlier := sections(string(last))
	var b strings.Builder
	fmt.Fprintf(&b, "# Performance\n\n<!-- Written by go -C bench run . with its charts. -->\n\n"+
		"Measured with `go -C bench run .` on %s, %d processors that it shares with other programs (%s/%s, %s). "+
		"Such a machine is noisy: the ratio to the floor, measured alternately in the same run, says more than a time.\n\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if runs > 1 {
		fmt.Fprintf(&b, "Each figure is that of the run of %d in which the ratio or the figure that is judged was the median. ", runs)
	}
	b.WriteString("Figures are medians. A ratio is the median of the ratios of at least five pairs measured side by side, which is usually not the ratio of the medians. " +
		"The programs run as separate processes, stripped and static, not pinned to a processor, and their logs are discarded. Structured output is off unless stated otherwise. " +
		fmt.Sprintf("The floors use the same libraries (mcp-go %s) in [bench](../bench).\n\n", version("github.com/mark3labs/mcp-go")))
	fmt.Fprintf(&b, "[%s](%s) has the figures of earlier runs. A run tells which rows differ from their last entry by more than 5 %% and more than the noise of both runs, with the commits since then; `-bisect ROW` finds the one. "+
		"The noise is about the 95 %% interval of a median, or half of what several runs differ by, if that is more; rows with neither have none.\n\n", historyFile, historyFile)
	b.WriteString("![What is used of each limit](performance-goals.svg)\n")
	if intro, _, found := strings.Cut(string(last), "\n## "); found && len(chapters) == 1 {
		b.Reset() // most of the report is of the machine that it names already
		b.WriteString(intro)
	}
	var all []row
	for _, p := range parts() {
		n := slices.IndexFunc(chapters, func(c chapter) bool { return c.name == p.name })
		if n < 0 {
			b.WriteString(earlier[p.title])
			continue
		}
		c := chapters[n]
		fmt.Fprintf(&b, "\n## %s\n\n%s `-only %s`\n\n", c.title, c.about, c.name)
		c.write(&b)
		for _, chart := range c.charts {
			if err := chart.draw(dir); err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n![%s](%s.svg)\n", chart.title, chart.file)
		}
		all = append(all, c.rows...)
	}
	for _, title := range []string{"Budgets"} { // which no run writes
		b.WriteString(earlier[title])
	}
	if len(chapters) > 1 { // one part keeps the chart of all
		if err := drawGoals(all, dir); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// processor returns the name of the machine's processor, as Linux reports it.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // elsewhere it is unknown
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}

// version returns that of a module that this program is built with.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return ""
}
