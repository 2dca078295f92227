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

// A chapter is a part and what it found.
type chapter struct {
	part
	result
}

// writeTable writes rows as a table of Markdown.
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

// writeReasons says why goals are missed.
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
	fmt.Fprintf(&b, "# Performance\n\n<!-- Made by go -C bench run . ; a run rewrites it and its charts. -->\n\n"+
		"Measured with `go -C bench run .` on %s, %d processors that it shares with others (%s/%s, %s). "+
		"Such a machine is noisy: the ratio to the floor, measured in turns in the same run, says more than a time.\n\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	b.WriteString("Figures are medians. A ratio is the median of the ratios of what was measured side by side, of at least five pairs; it is that of the medians only by chance. " +
		"What is measured are processes of their own, stripped and static, nothing pinned to a processor; what they log is thrown away. Structured output is off where nothing else is said. " +
		fmt.Sprintf("The floors are made of the same libraries (mcp-go %s) in [bench](../bench).\n\n", version("github.com/mark3labs/mcp-go")))
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

// processor names the machine's, as Linux does.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // elsewhere it is unknown
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}

// version is that of a module that this program is built with.
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
