package main

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"outline-mcp/internal/app"
)

// titlesWithin is how long a person who pressed Tab waits for Outline.
const titlesWithin = 1500 * time.Millisecond

// An argument is one whose value is being typed.
type argument struct {
	tool, name string
	schema     *jsonschema.Schema // nil if the tool has no such argument
	reached    bool               // whether Outline can be asked
}

// completeValue offers values of an argument, as key=value: its choices, or
// for an ID the titles of the workspace. Where it knows none it tells what the
// argument takes.
func completeValue(ctx context.Context, server *app.App, a argument, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.schema == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var values []cobra.Completion
	for _, choice := range choicesOf(a.schema) {
		values = append(values, a.name+"="+choice)
	}
	if kind := kindOf(a.tool, a.name); kind != "" && a.reached {
		ctx, cancel := context.WithTimeout(ctx, titlesWithin)
		defer cancel()
		titles, _ := server.Titles(ctx, kind, typed) // without them there is nothing to offer
		for _, title := range titles {
			if id := idToType(title, typed); id != "" {
				values = append(values, cobra.CompletionWithDesc(a.name+"="+id, printable(title.Name)))
			}
		}
	}
	if len(values) == 0 && a.schema.Description != "" {
		values = cobra.AppendActiveHelp(values, a.name+": "+a.schema.Description)
	}
	return values, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// idToType returns the form of an ID that what is typed begins: the slug, which
// begins with the title and can so be typed, or the UUID. Of what is neither it
// returns "", and of what a shell would have to quote, too: no ID is like that.
func idToType(title app.Title, typed string) string {
	for _, id := range []string{title.Slug, title.ID} {
		if id != "" && strings.HasPrefix(id, typed) && !strings.ContainsFunc(id, quoted) {
			return id
		}
	}
	return ""
}

func quoted(r rune) bool {
	return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// kindOf returns what an argument names, "" for anything that has no title.
func kindOf(tool, argument string) app.Kind {
	switch {
	case argument == "document_id" && tool == "unarchive_document":
		return app.Archived
	case argument == "document_id" && tool == "restore_document":
		return app.Trashed
	case strings.HasSuffix(argument, "document_id"), strings.HasSuffix(argument, "document_ids"):
		return app.Documents
	case strings.HasSuffix(argument, "collection_id"), strings.HasSuffix(argument, "collection_ids"):
		return app.Collection
	}
	return ""
}

// printable returns a title without what would move the cursor of a terminal
// or write on its next line.
func printable(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, title)
	return strings.Join(strings.Fields(title), " ")
}
