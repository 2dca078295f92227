package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/cli/folder"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// What status, diff and pull --check exit with, as diff(1) does.
const (
	exitChanges = 1 // something has changed
	exitTrouble = 2 // they have failed
)

// folderOptions are the flags of pull, status, diff and push.
type folderOptions struct {
	process
	demo                *bool
	collection, below   string
	drafts, files       bool
	check, fetch        bool
	dryRun, yes, remove bool
	shrink              bool
	asJSON, quiet       bool
	imports             bool // the folder may be an export of another program
	compares            bool // the command exits with exitChanges or exitTrouble
}

// comparesWith says in help how status and diff exit.
const comparesWith = "Exit codes: 0 nothing has changed; 1 something has changed; 2 the command has failed; 5 a file is in conflict."

// folderCommands returns the commands that keep part of a wiki as files.
func folderCommands(p process, demo *bool) []*cobra.Command {
	return []*cobra.Command{pullCommand(p, demo), statusCommand(p, demo), diffCommand(p, demo), pushCommand(p, demo)}
}

func pullCommand(p process, demo *bool) *cobra.Command {
	o := &folderOptions{process: p, demo: demo}
	cmd := &cobra.Command{
		Use:   "pull [DIR]",
		Short: "Download documents, and later changes to them, to a folder of Markdown files",
		Long: "Download the documents of your wiki to a folder of Markdown files: one folder for each collection, one file for each document. " +
			"Run the command again to download changes. If a document and its file have both changed, pull merges changes to different " +
			"blocks; otherwise it leaves the file alone and writes Outline's version beside it.",
		Example: "  outline-mcp pull wiki\n  outline-mcp pull handbook --collection Handbook\n  outline-mcp pull wiki --check && echo up to date",
		Args:    atMostOneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.compares = o.check
			return o.open(cmd.Context(), args, !o.check, func(ctx context.Context, f *folder.Folder, server *app.App, _ *client.Client) error {
				return o.pull(ctx, f, server)
			})
		},
	}
	cmd.Flags().StringVar(&o.collection, "collection", "", "only this collection: its name, ID or URL")
	cmd.Flags().StringVar(&o.below, "below", "", "only this document and those below it: its ID or URL")
	cmd.Flags().BoolVar(&o.drafts, "drafts", false, "also your own drafts, now and in later pulls")
	cmd.Flags().BoolVar(&o.files, "files", false, "also the pictures and files that documents show, now and in later pulls")
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing; exit with 1 if there is something to pull, and with 2 if the check fails")
	o.output(cmd)
	return cmd
}

func statusCommand(p process, demo *bool) *cobra.Command {
	o := &folderOptions{process: p, demo: demo, compares: true}
	cmd := &cobra.Command{
		Use:   "status [DIR]",
		Short: "Show which files have changed since they were pulled",
		Long: "Show which files have changed since the last pull or push. It asks Outline only with --fetch.\n\n" +
			comparesWith,
		Args: atMostOneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.open(cmd.Context(), args, false, func(ctx context.Context, f *folder.Folder, server *app.App, _ *client.Client) error {
				changes, skipped, err := o.changes(ctx, f, server)
				if err != nil {
					return err
				}
				return o.showStatus(changes, skipped)
			})
		},
	}
	cmd.Flags().BoolVar(&o.fetch, "fetch", false, "also ask Outline what has changed there")
	o.output(cmd)
	return cmd
}

func diffCommand(p process, demo *bool) *cobra.Command {
	o := &folderOptions{process: p, demo: demo, compares: true}
	cmd := &cobra.Command{
		Use:   "diff [DIR] [FILE]",
		Short: "Show how files differ from what was pulled",
		Long: "Show how files differ from what was pulled or pushed last. For a file in conflict, it shows both sides.\n\n" +
			comparesWith,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.open(cmd.Context(), args[:min(1, len(args))], false, func(ctx context.Context, f *folder.Folder, server *app.App, _ *client.Client) error {
				changes, skipped, err := o.changes(ctx, f, server)
				if err != nil {
					return err
				}
				return o.showDiffs(f, changes, skipped, args[min(1, len(args)):])
			})
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON like that of status, with the diff of each file")
	return cmd
}

func pushCommand(p process, demo *bool) *cobra.Command {
	o := &folderOptions{process: p, demo: demo}
	cmd := &cobra.Command{
		Use:   "push [DIR] [FILE ...]",
		Short: "Push changed files to Outline",
		Long: "Upload changed, new, renamed and moved files to Outline, after showing the plan. Push leaves documents alone that have changed " +
			"in Outline since the last pull: pull first. With --collection, a folder that was never pulled becomes documents of that collection.",
		Example: "  outline-mcp push wiki --dry-run\n  outline-mcp push wiki\n  outline-mcp push docs --collection Handbook",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.imports, o.compares = o.collection != "", o.check
			return o.open(cmd.Context(), args[:min(1, len(args))], o.imports, func(ctx context.Context, f *folder.Folder, server *app.App, connection *client.Client) error {
				return o.push(ctx, f, server, connection, args[min(1, len(args)):])
			})
		},
	}
	cmd.Flags().StringVar(&o.collection, "collection", "", "turn a folder that was never pulled into documents of this collection: its name, ID or URL")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&o.check, "check", false, "like --dry-run, but exit with 1 if there is something to push, and with 2 if the check fails")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.shrink, "allow-shrink", false, "push files that lack much of the text of their documents")
	cmd.Flags().BoolVar(&o.remove, "delete", false, "archive the documents whose files are gone")
	o.output(cmd)
	return cmd
}

func (o *folderOptions) output(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "show no progress on standard error")
}

func atMostOneFolder(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s takes one folder; see %s --help", cmd.Name(), cmd.CommandPath())
	}
	return nil
}

// open opens the folder and a server in this process, and calls do with both.
func (o *folderOptions) open(ctx context.Context, args []string, create bool, do func(context.Context, *folder.Folder, *app.App, *client.Client) error) error {
	setGCPercent(gcPercentFolder)
	failed := exitFailure
	if o.compares {
		failed = exitTrouble
	}
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	stopped := func(err error) error {
		switch {
		case ctx.Err() == nil:
			return exitError{failed, fmt.Sprintf("%s: %v", dir, err)}
		case o.dryRun || o.check:
			return exitError{failed, dir + ": interrupted"}
		}
		return exitError{failed, dir + ": interrupted; run the command again, and it continues where it stopped"}
	}
	work := dir
	if o.dryRun || o.check {
		unlock, err := folder.Lock(dir)
		if err == nil {
			work, err = cli.CopyFolder(ctx, dir)
			unlock()
		}
		if err != nil {
			return stopped(err)
		}
		defer os.RemoveAll(work)
	}
	if o.imports {
		pages, others, err := cli.ConvertConfluence(work)
		if err != nil {
			return exitError{failed, err.Error()}
		}
		if len(pages) > 0 {
			fmt.Fprintf(o.stderr, "This is an export of Confluence: %d pages become Markdown files beside it.\n", len(pages))
		}
		if len(others) > 0 {
			fmt.Fprintf(o.stderr, "A push takes only Markdown files. To import %s, run outline-mcp call import_document path=FILE collection_id=ID for each.\n", strings.Join(others, ", "))
		}
	}
	loaded, err := loadConfig(o.process, *o.demo)
	if err != nil {
		return err
	}
	loaded.StructuredOutput = true
	options := optionsOf(o.process, forCommands(loaded), *o.demo)
	next := ""
	options.PlannedID = func() string { return next }
	options.DryRun = new(bool)
	var f *folder.Folder
	options.Files.Root = func() *os.Root { return f.Root() }
	server, err := build(options)
	if err != nil {
		return err
	}
	connection, err := server.ConnectAsking(ctx, callOptions{environment: o.process, given: func(string) bool { return false }}.person())
	if err != nil {
		return stopped(err)
	}
	defer connection.Close()
	f, err = folder.Open(work, create)
	if err != nil {
		return exitError{failed, fmt.Sprintf("%s: %v", dir, err)}
	}
	defer f.Close()
	f.Next, f.DryRun = func(id string) { next = id }, options.DryRun
	err = do(ctx, f, server, connection)
	var exit exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return stopped(err)
}

// read lets a command read documents. An error that is not from Outline, but from the
// folder, is returned as it is.
func read(ctx context.Context, server *app.App, command string, do func(context.Context, *outline.Client) error) error {
	var own error
	err := server.Read(ctx, command, func(ctx context.Context, c *outline.Client) error {
		own = do(ctx, c)
		return own
	})
	var problem output.Problem
	if errors.As(err, &problem) && problem.FailureCode() == output.Internal && own != nil {
		return own
	}
	return err
}

// scope finds the documents that the flags name.
func (o *folderOptions) scope(ctx context.Context, c *outline.Client) (folder.Scope, error) {
	var s folder.Scope
	if o.below != "" {
		id, err := c.ParseDocumentID(o.below)
		if err != nil {
			return s, err
		}
		document, err := c.Document(ctx, id)
		if err != nil {
			return s, err
		}
		return folder.Scope{Collection: document.CollectionID, Below: document.ID}, nil
	}
	if o.collection == "" {
		return s, nil
	}
	all, err := outline.Collect(outline.All(ctx, c.Collections, outline.Paging{}))
	if err != nil {
		return s, err
	}
	id, _ := c.ParseCollectionID(o.collection)
	var found []string
	for _, one := range all {
		if one.ID == id || one.URLID == id || strings.EqualFold(one.Name, o.collection) {
			found = append(found, one.ID)
		}
	}
	if len(found) == 0 {
		return s, fmt.Errorf("no collection has the name %q; give its ID (outline-mcp call list_collections)", o.collection)
	}
	if len(found) > 1 {
		return s, fmt.Errorf("%d collections have the name %q; give the ID of one (outline-mcp call list_collections)", len(found), o.collection)
	}
	s.Collection = found[0]
	return s, nil
}

func (o *folderOptions) pull(ctx context.Context, f *folder.Folder, server *app.App) error {
	var lines []folder.Line
	bar := o.bar("pull:")
	err := read(ctx, server, "pull", func(ctx context.Context, c *outline.Client) error {
		s, err := o.scope(ctx, c)
		if err != nil {
			return err
		}
		f.Include(o.drafts, o.files)
		f.Check = o.check
		if err := f.Prepare(c.AbsoluteURL("/"), s); err != nil {
			return err
		}
		lines, err = f.Pull(ctx, c, bar.Items)
		return err
	})
	bar.Clear()
	if err != nil && len(lines) == 0 {
		return err
	}
	if printErr := o.print(lines, "Nothing has changed."); err == nil {
		err = printErr
	}
	switch {
	case err == nil && o.check && len(lines) > 0:
		err = exitError{code: exitChanges}
	case err == nil && slices.ContainsFunc(lines, func(line folder.Line) bool { return line.What == folder.Conflict }):
		err = exitError{code: exitCode(output.Conflict)}
	}
	return err
}

func (o *folderOptions) bar(label string) *cli.Bar {
	return callOptions{environment: o.process, quiet: o.quiet}.bar(label)
}
