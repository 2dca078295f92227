package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A chapter is a part and its result.
type chapter struct {
	part
	result
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

// writeReport writes docs/performance.md and its charts.
func writeReport(dir string, chapters []chapter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Performance\n\n<!-- Written by go -C bench run . with its charts. -->\n\n"+
		"Measured with `go -C bench run .` on %s, %d processors that it shares with other programs (%s/%s, %s). "+
		"Such a machine is noisy: the ratio to the floor, measured alternately in the same run, says more than a time.\n\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	b.WriteString("Figures are medians. A ratio is the median of the ratios of at least five pairs measured side by side, which is usually not the ratio of the medians. " +
		"The programs run as separate processes, stripped and static, not pinned to a processor, and their logs are discarded. Structured output is off unless stated otherwise. " +
		fmt.Sprintf("The floors use the same libraries (mcp-go %s) in [bench](../bench).\n\n", version("github.com/mark3labs/mcp-go")))
	b.WriteString("![What is used of each limit](performance-goals.svg)\n")
	var all []row
	for _, c := range chapters {
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
	if err := drawGoals(all, dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "performance.md"), []byte(b.String()), 0o644); err != nil {
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
