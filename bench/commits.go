package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A repository is a folder of a git working tree.
type repository string

// git runs a command of git and returns its output.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", string(r)}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C") // bisect reads what git says
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w: %.300s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// head returns the commit of the working tree, and whether files differ from it, other
// than the documentation, which a run writes.
func (r repository) head(ctx context.Context) (commit string, changed bool, err error) {
	if commit, err = r.git(ctx, "rev-parse", "--short=12", "HEAD"); err != nil {
		return "", false, err
	}
	status, err := r.git(ctx, "status", "--porcelain", "--", ":/", ":(top,exclude)docs")
	return commit, status != "", err
}

// between returns the commits after one up to another that changed the program or the
// benchmark, the newest first, one line each.
func (r repository) between(ctx context.Context, before, now string) ([]string, error) {
	out, err := r.git(ctx, "log", "--no-merges", "--format=%h %s", before+".."+now, "--", ":(top)*.go", ":(top)*go.mod", ":(top)views/dist", ":(top,exclude)*_test.go")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// listed is how many commits are told for a row that moved.
const listed = 10

// tell writes which rows moved, and which commits may have moved each.
func (r repository) tell(ctx context.Context, w io.Writer, moved []move) {
	for _, m := range moved {
		fmt.Fprintf(w, "\nmoved: %s\n", m)
		commits, err := r.between(ctx, m.before.commit, m.now.commit)
		switch {
		case err != nil:
			fmt.Fprintf(w, "  since %s, which this repository does not have\n", m.before.commit)
		case len(commits) == 0:
			fmt.Fprintf(w, "  no commit since %s changed the program: the machine differs\n", m.before.commit)
		case len(commits) == 1:
			fmt.Fprintf(w, "  by %s\n", commits[0])
		default:
			fmt.Fprintf(w, "  by one of %d commits since %s (-bisect %q finds it):\n", len(commits), m.before.commit, m.now.row)
			for _, commit := range commits[:min(listed, len(commits))] {
				fmt.Fprintf(w, "    %s\n", commit)
			}
		}
	}
}
