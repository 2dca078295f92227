package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bisect returns the commit that moved a row since its last entry in the history, one
// line of it. Each commit is measured by its own benchmark in a working tree of its own,
// at first both ends: the machine may not be that of the history.
func (r repository) bisect(ctx context.Context, log io.Writer, history []entry, row string, quick bool) (commit string, err error) {
	name, _, _ := strings.Cut(row, ":")
	last, ok := lastOf(history, row)
	if !ok {
		return "", fmt.Errorf("the history has no row %q", row)
	}
	now, _, err := r.head(ctx)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "outline-mcp-bisect-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	tree := repository(filepath.Join(dir, "tree"))
	if _, err := r.git(ctx, "worktree", "add", "--detach", string(tree), now); err != nil {
		return "", err
	}
	defer func() {
		_, removeErr := r.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", string(tree))
		err = errors.Join(err, removeErr)
	}()
	measure := func() (entry, error) {
		at, _, err := tree.head(ctx)
		if err != nil {
			return entry{}, err
		}
		e, err := tree.measure(ctx, name, row, filepath.Join(dir, "figures.csv"), quick)
		if err == nil {
			fmt.Fprintf(log, "%s: %.4g\n", at, e.figure)
		}
		return e, err
	}
	bad, err := measure()
	if err != nil {
		return "", err
	}
	if _, err := tree.git(ctx, "checkout", "-q", last.commit); err != nil {
		return "", err
	}
	good, err := measure()
	if err != nil {
		return "", err
	}
	if !bad.differs(good) {
		return "", fmt.Errorf("%s is %.4g at %s and %.4g at %s on this machine: no commit moved it", row, good.figure, last.commit, bad.figure, now)
	}
	said, err := tree.git(ctx, "bisect", "start", now, last.commit)
	for err == nil && !strings.Contains(said, "is the first bad commit") {
		verdict := "skip" // it does not build, or lacks the row
		if e, err := measure(); err != nil {
			fmt.Fprintln(log, "skipped:", err)
		} else if verdict = "good"; math.Abs(e.figure-bad.figure) < math.Abs(e.figure-good.figure) {
			verdict = "bad"
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		said, err = tree.git(ctx, "bisect", verdict)
	}
	if err != nil {
		return "", err // also if only skipped commits are left, which git then names
	}
	first, _, _ := strings.Cut(said, " ")
	return tree.git(ctx, "log", "-1", "--format=%h %s", first)
}

// measure runs the benchmark of the working tree for a part, and returns a row.
func (r repository) measure(ctx context.Context, part, row, file string, quick bool) (entry, error) {
	cmd := exec.CommandContext(ctx, "go", "-C", filepath.Join(string(r), "bench"), "run", ".", "-only", part, "-figures", file, fmt.Sprintf("-quick=%t", quick))
	if out, err := cmd.CombinedOutput(); err != nil {
		return entry{}, fmt.Errorf("measure %s: %w: %.300s", part, err, out)
	}
	figures, err := readHistory(file)
	if err != nil {
		return entry{}, err
	}
	e, ok := lastOf(figures, row)
	if !ok {
		return entry{}, fmt.Errorf("the benchmark has no row %q", row)
	}
	return e, nil
}
