package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func auditCommand(p process) *cobra.Command {
	since, until, document, asJSON := "", "", "", false
	var filter audit.Filter
	cmd := &cobra.Command{
		Use:   "audit FILE",
		Short: "Show who read and changed what, from an audit trail",
		Long: "Show the calls in an audit trail: the file that MCP_AUDIT_LOG names and its renamed predecessors, or standard input (-). " +
			"Each line is one call. A call without a line for its end is unfinished: it is still running, or the server stopped first.\n\n" +
			"Standard error says how many lines are missing or cannot be read.",
		Example: "  outline-mcp audit audit.jsonl --since 7d --subject 'Isla Renwick'\n" +
			"  outline-mcp audit audit.jsonl --document c3d023a2-1ce4-4d72-8d74-d9f3534ab196 --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one audit trail, such as the file in MCP_AUDIT_LOG; see outline-mcp audit --help")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, one := range []struct {
				flag, given string
				into        *time.Time
			}{{"--since", since, &filter.Since}, {"--until", until, &filter.Until}} {
				if one.given == "" {
					continue
				}
				at, err := output.ParseDate(one.given, time.Now())
				if err != nil {
					return usage(fmt.Errorf("%s: %q %w", one.flag, one.given, err))
				}
				*one.into = at
			}
			if document != "" {
				id, err := outline.ParseDocumentID(document)
				if err != nil {
					return usage(fmt.Errorf("--document: %w", err))
				}
				if !outline.IsUUID(id) {
					return usage(fmt.Errorf("--document: the trail has UUIDs, not the URL id %s; outline-mcp call read_document --json document_id=%s shows the UUID", id, id))
				}
				filter.ID = id
			}
			return printTrail(p, args[0], filter, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "only calls that ended at this time or later: 2026-05-31, 2026-05-31T09:00Z, or back from now, such as 12h or 7d")
	flags.StringVar(&until, "until", "", "only calls that ended before this time")
	flags.StringVar(&filter.Subject, "subject", "", "only calls of a user, by name or UUID, or with a credential, by its ID")
	flags.StringVar(&document, "document", "", "only calls that read or wrote a document, by its UUID")
	flags.StringVar(&filter.Name, "tool", "", "only calls of a tool, a prompt or a kind of resource")
	flags.BoolVar(&asJSON, "json", false, "print the lines of the trail as they are")
	return cmd
}

// printTrail prints the calls of the trail at a path that a filter accepts.
func printTrail(p process, path string, filter audit.Filter, asJSON bool) error {
	out := bufio.NewWriter(cli.Shown(p.stdout))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	reader := audit.Reader{Filter: filter, Found: func(r audit.Record, line []byte) error {
		if asJSON {
			_, err := fmt.Fprintf(out, "%s\n", line)
			return err
		}
		_, err := fmt.Fprintln(table, strings.Join([]string{
			r.Time.UTC().Format("2006-01-02T15:04:05Z"), whoOf(r), clientOf(r), printable(r.Name), printable(r.Outcome), objectsOf(r, filter.ID),
		}, "\t"))
		return err
	}}
	if !asJSON {
		fmt.Fprintln(table, "TIME\tUSER\tCLIENT\tNAME\tOUTCOME\tOBJECTS")
	}
	read := func() error { return reader.ReadFile(path) }
	if path == "-" {
		read = func() error { return reader.Read(p.stdin) }
	}
	if err := read(); err != nil {
		return exitError{exitFailure, fmt.Sprintf("read the audit trail: %s", err)}
	}
	damage, err := reader.End()
	if err := cmp.Or(err, table.Flush(), out.Flush()); err != nil {
		return failure(err)
	}
	if damage.Missing > 0 {
		fmt.Fprintf(p.stderr, "outline-mcp: %d lines are missing: they could not be written, or were removed\n", damage.Missing)
	}
	if damage.Unreadable > 0 {
		fmt.Fprintf(p.stderr, "outline-mcp: %d lines are not lines of an audit trail\n", damage.Unreadable)
	}
	return nil
}

// printable returns text of a trail, which anybody can have changed, without anything
// that could look like another column.
func printable(text string) string {
	quoted := strconv.Quote(text)
	if quoted == `"`+text+`"` && text != "" && !strings.Contains(text, " ") {
		return text
	}
	return quoted
}

func whoOf(r audit.Record) string {
	switch {
	case r.User != nil:
		return printable(cmp.Or(r.User.Name, r.User.ID))
	case r.Credential != nil:
		return printable(r.Credential.Kind) + " " + printable(r.Credential.ID)
	}
	return "-"
}

func clientOf(r audit.Record) string {
	if r.Client == nil {
		return "-"
	}
	return printable(r.Client.Name)
}

// objectsOf sums up what a call was about: one document with its revisions, or the
// number of objects.
func objectsOf(r audit.Record, id string) string {
	written, documents := 0, r.IDs[:0:0]
	for _, o := range r.IDs {
		if o.Write {
			written++
		}
		if o.Kind == "document" && (o.ID == id || id == "" && o.Write) {
			documents = append(documents, o)
		}
	}
	if len(documents) == 1 {
		o := documents[0]
		did := "read"
		if o.Write {
			did = "written"
		}
		revisions := ""
		switch {
		case o.Before > 0 && o.After > 0:
			revisions = fmt.Sprintf(", revision %d to %d", o.Before, o.After)
		case o.Before+o.After > 0:
			revisions = fmt.Sprintf(", revision %d", o.Before+o.After)
		}
		return fmt.Sprintf("document %s %s%s", printable(o.ID), did, revisions)
	}
	if len(r.IDs) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d written, %d read", written, len(r.IDs)-written)
}
