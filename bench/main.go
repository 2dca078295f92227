// Command bench measures outline-mcp side by side with the floor of what it is
// made of, and writes a table. Without flags it also writes the report
// docs/performance.md and its charts.
//
//	go -C bench run . [-quick] [-only PART] [-for DURATION] [-docs FOLDER] [-profiles FOLDER]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "fewer and shorter measurements")
	flag.StringVar(&o.only, "only", "", "run the part of this name alone")
	flag.DurationVar(&o.length, "for", 10*time.Minute, "length of each of the parts abuse and soak")
	flag.StringVar(&o.profiles, "profiles", "", "keep the CPU profiles of the HTTP servers in this folder, for go tool pprof")
	flag.StringVar(&o.docs, "docs", "", "folder to write the report into (default ../docs, and none with -quick or -only)")
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
	quick          bool
	only, profiles string
	length         time.Duration
	docs           string
}

// run measures. A missed goal is not a failure, a failed call is.
func run(ctx context.Context, o options) error {
	chosen := parts()
	if o.only != "" {
		chosen = slices.DeleteFunc(chosen, func(p part) bool { return p.name != o.only })
	}
	if len(chosen) == 0 {
		return fmt.Errorf("there is no part %q", o.only)
	}
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
	var chapters []chapter
	var failures []error
	for _, p := range chosen {
		begin := time.Now()
		found, err := p.run(ctx, l)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
		}
		chapters = append(chapters, chapter{p, found})
		fmt.Fprintf(l.log, "%s in %s\n", p.name, time.Since(begin).Round(time.Second))
	}
	for _, c := range chapters {
		fmt.Printf("\n%s\n\n", c.title)
		c.write(os.Stdout)
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if o.docs == "" {
		if o.quick || o.only != "" {
			return nil
		}
		o.docs = "../docs"
	}
	return writeReport(o.docs, chapters)
}
