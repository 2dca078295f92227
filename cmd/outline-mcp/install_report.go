package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"outline-mcp/internal/config"
	"outline-mcp/internal/install"
)

// reportInstalled tells a person what was written, and what to do next.
func reportInstalled(w io.Writer, entry install.Entry, server install.Server, result install.Result) {
	title := entry.Client.Title
	switch result.Outcome {
	case install.Unchanged:
		fmt.Fprintf(w, "%s has the entry %q already; nothing was changed.\n", title, entry.Name)
	case install.Replaced:
		fmt.Fprintf(w, "%s: the entry %q was replaced.\n", title, entry.Name)
	default:
		fmt.Fprintf(w, "%s: the entry %q was added.\n", title, entry.Name)
	}
	reportFile(w, result)
	switch {
	case server.URL != "":
		fmt.Fprintf(w, "  server  %s\n", server.URL)
	case server.Demo:
		fmt.Fprintf(w, "  starts  %s --demo\n", server.Command)
	default:
		fmt.Fprintf(w, "  starts  %s\n", server.Command)
		outline := server.Outline
		if outline == "" {
			outline = config.DefaultOutline
		}
		fmt.Fprintf(w, "  Outline %s\n", outline)
	}
	switch {
	case len(entry.Input) > 0:
		fmt.Fprintf(w, "  key     %s asks for it when it starts the server, and keeps it\n", title)
	case server.KeyFile != "":
		fmt.Fprintf(w, "  key     in %s\n", server.KeyFile)
	}
	for _, note := range append(result.Notes, doubts(server)...) {
		fmt.Fprintln(w, note)
	}
	if result.Outcome != install.Unchanged {
		fmt.Fprintln(w, entry.Client.Restart)
	}
	if !server.Demo && server.URL == "" {
		fmt.Fprintln(w, "To check the address and the key: outline-mcp doctor")
	}
}

// doubts says what may be wrong with a server, though its entry can be written.
func doubts(server install.Server) []string {
	var doubts []string
	if u, err := url.Parse(server.URL); server.URL != "" && err == nil && (u.Path == "" || u.Path == "/") {
		doubts = append(doubts, "The address has no path; that of such a server usually ends in /mcp.")
	}
	if filepath.IsAbs(server.Command) {
		if info, err := os.Stat(server.Command); err != nil || info.IsDir() {
			doubts = append(doubts, "There is no program at "+server.Command+" yet.")
		}
	}
	if server.Outline != "" && config.TravelsInClear(server.Outline) {
		doubts = append(doubts, "The key travels to Outline where others can read it; an address that begins with https:// prevents that.")
	}
	return doubts
}

// reportUninstalled tells a person what was taken out, and where the key may
// still be.
func reportUninstalled(w io.Writer, client install.Client, name string, result install.Result) {
	if result.Outcome == install.Unchanged {
		fmt.Fprintf(w, "%s has no entry %q; nothing was changed.\n", client.Title, name)
	} else {
		fmt.Fprintf(w, "%s: the entry %q was removed.\n", client.Title, name)
	}
	fmt.Fprintf(w, "  file    %s\n", result.Path)
	for _, backup := range result.Backups {
		fmt.Fprintf(w, "  backup  %s\n", backup)
	}
	for _, note := range result.Notes {
		fmt.Fprintln(w, note)
	}
	if len(result.Backups) > 0 {
		fmt.Fprintln(w, "A backup holds the file as it was, and a key that was in it; remove what you do not need.")
	}
	if result.Outcome != install.Unchanged {
		fmt.Fprintln(w, client.Restart)
	}
}

func reportFile(w io.Writer, result install.Result) {
	fmt.Fprintf(w, "  file    %s\n", result.Path)
	if result.Backup != "" {
		fmt.Fprintf(w, "  backup  %s\n", result.Backup)
	}
}
