package main

import (
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
		if lines == nil {
			lines = []folder.Line{}
		}
		return writeJSON(stdout, lines)
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

// changes returns what has changed, and prints what does not count.
func (o *folderOptions) changes(ctx context.Context, f *folder.Folder, server *app.App) ([]folder.Change, error) {
	var changes []folder.Change
	var skipped []folder.Line
	var err error
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
	return changes, err
}

func (o *folderOptions) showStatus(changes []folder.Change) error {
	stdout, code := cli.Shown(o.stdout), exitOK
	if len(changes) > 0 {
		code = exitChanges
	}
	if o.asJSON {
		if changes == nil {
			changes = []folder.Change{}
		}
		if err := writeJSON(stdout, changes); err != nil {
			return err
		}
	} else if len(changes) == 0 {
		fmt.Fprintln(stdout, "Nothing has changed.")
	}
	for _, c := range changes {
		if c.Conflict {
			code = exitCode(output.Conflict)
		}
		if !o.asJSON {
			c.Write(stdout)
		}
	}
	if code == exitOK {
		return nil
	}
	return exitError{code: code}
}

// chosen returns the changes of the files that are named, or all.
func (o *folderOptions) chosen(changes []folder.Change, files []string) []folder.Change {
	if len(files) == 0 {
		return changes
	}
	return slices.DeleteFunc(changes, func(c folder.Change) bool {
		return !slices.ContainsFunc(files, func(name string) bool {
			name = filepath.ToSlash(filepath.Clean(name))
			return name == "." || c.Path == name || strings.HasPrefix(c.Path, name+"/") || strings.HasSuffix(name, "/"+c.Path)
		})
	})
}

func (o *folderOptions) showDiffs(f *folder.Folder, changes []folder.Change) error {
	stdout := o.shown(cli.DiffColors()...)
	for _, c := range changes {
		earlier, here, there, err := f.Sides(c)
		if err != nil {
			return err
		}
		if !c.Conflict && earlier == here { // it was renamed or moved, or has another icon
			c.Write(stdout)
			continue
		}
		fmt.Fprint(stdout, edit.Unified(earlier, here, "pulled/"+c.Path, "here/"+c.Path).Text)
		if c.Conflict {
			fmt.Fprint(stdout, edit.Unified(earlier, there, "pulled/"+c.Path, "outline/"+c.Path).Text)
		}
	}
	if len(changes) > 0 {
		return exitError{code: exitChanges}
	}
	return nil
}
