package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/cli/folder"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// print prints lines as text or JSON.
func (o *folderOptions) print(lines []folder.Line, none string) error {
	stdout := cli.Shown(o.stdout)
	if o.asJSON {
		return writeEntries(stdout, lines, nil)
	}
	if len(lines) == 0 {
		fmt.Fprintln(stdout, none)
	}
	for _, line := range lines {
		line.Write(stdout)
	}
	return nil
}

func writeJSON(w io.Writer, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return cli.WriteJSON(w, raw)
}

// writeEntries writes changes and the files that were skipped as one list in JSON.
func writeEntries[Change any](w io.Writer, changes []Change, skipped []folder.Line) error {
	entries := make([]any, 0, len(changes)+len(skipped))
	for _, one := range changes {
		entries = append(entries, one)
	}
	for _, line := range skipped {
		entries = append(entries, line)
	}
	return writeJSON(w, entries)
}

// changes returns what has changed, and what does not count, which it prints.
func (o *folderOptions) changes(ctx context.Context, f *folder.Folder, server *app.App) (changes []folder.Change, skipped []folder.Line, err error) {
	if o.fetch {
		err = read(ctx, server, "status", func(ctx context.Context, c *outline.Client) error {
			changes, skipped, err = f.Status(ctx, c)
			return err
		})
	} else {
		changes, skipped, err = f.Status(ctx, nil)
	}
	for _, line := range skipped {
		line.Write(cli.Shown(o.stderr))
	}
	return changes, skipped, err
}

func (o *folderOptions) showStatus(changes []folder.Change, skipped []folder.Line) error {
	stdout := cli.Shown(o.stdout)
	if o.asJSON {
		return cmp.Or(writeEntries(stdout, changes, skipped), exitOf(changes))
	}
	if len(changes) == 0 {
		fmt.Fprintln(stdout, "Nothing has changed.")
	}
	for _, c := range changes {
		c.Write(stdout)
	}
	return exitOf(changes)
}

// exitOf returns what a command that shows changes ends with.
func exitOf(changes []folder.Change) error {
	switch {
	case len(changes) == 0:
		return nil
	case slices.ContainsFunc(changes, func(c folder.Change) bool { return c.Conflict }):
		return exitError{code: exitCode(output.Conflict)}
	}
	return exitError{code: exitChanges}
}

// chosenChanges returns the changes of the files that are named, or all.
func chosenChanges(changes []folder.Change, files []string) []folder.Change {
	return slices.DeleteFunc(changes, func(c folder.Change) bool { return !isChosen(c.Path, files) })
}

// chosenLines returns the lines of the files that are named, or all.
func chosenLines(lines []folder.Line, files []string) []folder.Line {
	return slices.DeleteFunc(lines, func(line folder.Line) bool { return !isChosen(line.Path, files) })
}

// isChosen reports whether a path is of one of the files or folders that are named, or none is.
func isChosen(at string, files []string) bool {
	return len(files) == 0 || slices.ContainsFunc(files, func(name string) bool {
		name = filepath.ToSlash(filepath.Clean(name))
		return name == "." || at == name || strings.HasPrefix(at, name+"/") || strings.HasSuffix(name, "/"+at)
	})
}

// fileDiff is a change with the texts that differ, as unified diffs from what was pulled.
type fileDiff struct {
	folder.Change
	Diff        string `json:"diff,omitempty"`
	OutlineDiff string `json:"outline_diff,omitempty"` // in a conflict
}

func (o *folderOptions) showDiffs(f *folder.Folder, changes []folder.Change, skipped []folder.Line, files []string) error {
	changes, skipped = chosenChanges(changes, files), chosenLines(skipped, files)
	diffs := make([]fileDiff, len(changes))
	for i, c := range changes {
		earlier, here, there, err := f.Sides(c)
		if err != nil {
			return err
		}
		diffs[i] = fileDiff{Change: c, Diff: edit.Unified(earlier, here, "pulled/"+c.Path, "here/"+c.Path).Text}
		if c.Conflict {
			diffs[i].OutlineDiff = edit.Unified(earlier, there, "pulled/"+c.Path, "outline/"+c.Path).Text
		}
	}
	if o.asJSON {
		return cmp.Or(writeEntries(cli.Shown(o.stdout), diffs, skipped), exitOf(changes))
	}
	stdout := o.shown(cli.DiffColors()...)
	for _, d := range diffs {
		if d.Diff+d.OutlineDiff == "" { // it was renamed or moved, or has another icon
			d.Write(stdout)
		}
		fmt.Fprint(stdout, d.Diff+d.OutlineDiff)
	}
	return exitOf(changes)
}
