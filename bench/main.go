// Command bench measures outline-mcp side by side with the floor of what it is
// made of, writes a table, and tells which rows differ from the last entry of the
// history, and since which commits. Without -quick and -only it also writes the report
// docs/performance.md, its charts, and the history.
//
//	go -C bench run . [-quick] [-only PART] [-runs N] [-for DURATION] [-docs FOLDER] [-profiles FOLDER]
//	go -C bench run . -bisect ROW
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "fewer and shorter measurements")
	flag.StringVar(&o.only, "only", "", "run the part of this name alone")
	flag.IntVar(&o.runs, "runs", 1, "measure each part this often, but abuse and soak once, and report the medians")
	flag.DurationVar(&o.length, "for", 10*time.Minute, "length of each of the parts abuse and soak; 0 leaves them out, and their sections as they are")
	flag.StringVar(&o.profiles, "profiles", "", "keep the CPU profiles of the HTTP servers in this folder, for go tool pprof")
	flag.StringVar(&o.docs, "docs", "", "folder to write the report into (default ../docs, and none with -quick or -only)")
	flag.StringVar(&o.figures, "figures", "", "file to write the figures into, as the history has them")
	flag.StringVar(&o.bisect, "bisect", "", "find the commit that moved this row since its last entry in the history")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	quick                 bool
	only, profiles        string
	runs                  int
	length                time.Duration
	docs, figures, bisect string
}

// historyFile is beside the report.
const historyFile = "performance-history.csv"

// run measures. A missed goal is not a failure, a failed call is.
func run(ctx context.Context, o options) error {
	source := repository("..")
	history, err := readHistory(filepath.Join("../docs", historyFile))
	if err != nil {
		return err
	}
	if o.bisect != "" {
		commit, err := source.bisect(ctx, os.Stderr, history, o.bisect, o.quick)
		if err == nil {
			fmt.Println(commit)
		}
		return err
	}
	chosen := slices.DeleteFunc(parts(), func(p part) bool { return o.only != "" && p.name != o.only || p.once && o.length == 0 })
	if len(chosen) == 0 {
		return fmt.Errorf("there is no part %q", o.only)
	}
	plan(os.Stderr, chosen, history, o.runs)
	begin := time.Now()
	l, err := newLab(ctx, o.quick, os.Stderr)
	if err != nil {
		return err
	}
	defer l.close()
	l.length = o.length
	if l.profiles = l.dir; o.profiles != "" {
		l.profiles = o.profiles
	}
	fmt.Fprintf(l.log, "built in %s\n", time.Since(begin).Round(time.Second))
	chapters, failures := runAll(ctx, l, chosen, max(1, o.runs))
	for _, c := range chapters {
		fmt.Printf("\n%s\n\n", c.title)
		c.write(os.Stdout)
	}
	return errors.Join(append(failures, o.record(ctx, source, history, chapters))...)
}

// record writes the report and the history, and tells what moved.
func (o options) record(ctx context.Context, source repository, history []entry, chapters []chapter) error {
	commit, changed, err := source.head(ctx)
	if err != nil {
		return fmt.Errorf("compare with the history: %w", err)
	}
	var now []entry
	for _, c := range chapters {
		now = append(now, c.entries(commit)...)
	}
	source.tell(ctx, os.Stdout, moves(history, now))
	if o.figures != "" {
		if err := writeHistory(o.figures, now); err != nil {
			return err
		}
	}
	if o.docs == "" {
		if o.quick || o.only != "" {
			return nil
		}
		o.docs = "../docs"
	}
	if err := writeReport(o.docs, chapters, max(1, o.runs)); err != nil {
		return err
	}
	if changed {
		fmt.Println("\nThe history is as it was: the working tree has changes that are not committed.")
		return nil
	}
	return writeHistory(filepath.Join(o.docs, historyFile), append(history, now...))
}
