package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/cli/folder"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// push brings changed files into Outline.
func (o *folderOptions) push(ctx context.Context, f *folder.Folder, server *app.App, connection *client.Client, files []string) error {
	var taken []folder.Line
	if o.collection != "" {
		err := read(ctx, server, "push", func(ctx context.Context, c *outline.Client) error {
			s, err := o.scope(ctx, c)
			if err != nil {
				return err
			}
			taken, err = f.PrepareInto(ctx, c, s.Collection)
			return err
		})
		if err != nil {
			return err
		}
	}
	if isConflict := func(line folder.Line) bool { return line.What == folder.Conflict }; slices.ContainsFunc(taken, isConflict) {
		return cmp.Or(o.print(taken, ""), error(exitError{exitCode(output.Conflict), "nothing was pushed: these files differ from their documents in Outline. " +
			"Merge NAME.outline.md into each file, delete it, and push again. " +
			"In CI, do this on your computer, then commit the files with [skip ci] in the message"}))
	}
	if err := f.Belongs(server.Outline().AbsoluteURL("/")); err != nil {
		return err
	}
	if err := f.Resume(server.AsOperator(ctx), server.Outline()); err != nil {
		return err
	}
	if err := f.LeaveOthers(server.AsOperator(ctx), server.Outline()); err != nil {
		return err
	}
	changes, skipped, err := o.changes(ctx, f, server)
	if err != nil {
		return err
	}
	var left error
	if skipped = chosenLines(skipped, files); len(skipped) > 0 {
		left = folder.ErrIncomplete
	}
	if changes = chosenChanges(changes, files); len(changes) == 0 && len(files) > 0 && left == nil {
		return fmt.Errorf("no change in %s", strings.Join(files, ", "))
	}
	push := folder.Push{Call: callerOf(connection), Outline: server.Outline(), NewID: uuid.NewString, Next: f.Next, Delete: o.remove, AllowShrink: o.shrink, Tries: o.dryRun || o.check || !o.yes}
	plan, expected, err := push.Plan(server.AsOperator(ctx), f, changes)
	if err != nil {
		return err
	}
	none := "Nothing has changed."
	if left != nil {
		none = "Nothing else has changed."
	}
	shown := plan
	if o.asJSON {
		shown = slices.Concat(skipped, plan)
	}
	if o.dryRun || o.check {
		if err := cmp.Or(o.print(shown, none), pushed(expected), left); err != nil || !o.check || len(plan) == 0 {
			return err
		}
		return exitError{code: exitChanges}
	}
	if len(plan) == 0 {
		return cmp.Or(o.print(shown, none), left)
	}
	if err := o.agree(ctx, plan); err != nil {
		return err
	}
	done := skipped // for JSON; text has them on standard error
	push.Done = func(line folder.Line) {
		if done = append(done, line); !o.asJSON {
			line.Write(cli.Shown(o.stdout))
		}
	}
	err = push.Run(server.AsOperator(ctx), f, changes)
	if o.asJSON {
		err = cmp.Or(err, o.print(done, ""))
	}
	return cmp.Or(pushed(err), left)
}

// pushed returns what a push ends with.
func pushed(err error) error {
	if errors.Is(err, folder.ErrConflict) {
		return exitError{exitCode(output.Conflict), err.Error()}
	}
	return err
}

// agree shows a plan and asks whether to carry it out.
func (o *folderOptions) agree(ctx context.Context, plan []folder.Line) error {
	if o.yes {
		return nil
	}
	terminal := cli.OpenTerminal(o.stdin, o.stderr)
	if terminal == nil {
		return usage(errors.New("there is no terminal to ask on; check the plan with --dry-run, then run push with --yes"))
	}
	for _, line := range plan {
		line.Write(cli.Shown(o.stderr))
	}
	agreed, err := terminal.Confirm(ctx, "Push these changes to Outline? [y/N] ")
	if err == nil && !agreed {
		err = exitError{exitFailure, "nothing was changed"}
	}
	return err
}

// sentences returns the text of a failed tool without its last line, which is for programs.
func sentences(text string) string {
	if i := strings.LastIndex(text, "\n(code "); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// callerOf returns what calls the tools of a server.
func callerOf(connection *client.Client) folder.Caller {
	return func(ctx context.Context, tool string, arguments map[string]any, result any) error {
		answer, err := cli.Call(ctx, connection, tool, arguments)
		if err != nil {
			return &folder.ToolError{Code: output.Forbidden, Text: "the server's settings do not offer " + tool}
		}
		if answer.Code != "" {
			return &folder.ToolError{Code: answer.Code, Text: sentences(answer.Text)}
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Structured, result)
	}
}
