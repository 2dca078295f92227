package install

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"outline-mcp/internal/config"
)

// WriteInstalled writes what Install did with an entry, and what to do next.
func (r Result) WriteInstalled(w io.Writer, entry Entry) {
	title, server := entry.Client.Title, entry.server
	if r.Outcome == Unchanged {
		fmt.Fprintf(w, "%s has the entry %q already; nothing was changed.\n", title, entry.Name)
	} else {
		fmt.Fprintf(w, "%s: the entry %q was %s.\n", title, entry.Name, r.Outcome)
	}
	fmt.Fprintf(w, "  file    %s\n", r.Path)
	if r.Backup != "" {
		fmt.Fprintf(w, "  backup  %s\n", r.Backup)
	}
	switch {
	case server.URL != "":
		fmt.Fprintf(w, "  server  %s\n", server.URL)
	case server.Demo:
		fmt.Fprintf(w, "  starts  %s --demo\n", server.Command)
	default:
		fmt.Fprintf(w, "  starts  %s\n", server.Command)
		fmt.Fprintf(w, "  Outline %s\n", cmp.Or(server.Outline, config.DefaultOutline))
	}
	switch {
	case len(entry.Input) > 0:
		fmt.Fprintf(w, "  key     %s asks for it when it starts the server, and keeps it\n", title)
	case server.KeyFile != "":
		fmt.Fprintf(w, "  key     in %s\n", server.KeyFile)
	}
	for _, note := range append(r.Notes, warnings(server)...) {
		fmt.Fprintln(w, note)
	}
	if r.Outcome != Unchanged {
		fmt.Fprintln(w, entry.Client.Restart)
	}
	if !server.Demo && server.URL == "" {
		fmt.Fprintln(w, "To check the address and the key: outline-mcp doctor")
	}
}

// warnings returns what may be wrong with a server though its entry can be
// written, a sentence each.
func warnings(server Server) []string {
	var warnings []string
	if u, err := url.Parse(server.URL); server.URL != "" && err == nil && (u.Path == "" || u.Path == "/") {
		warnings = append(warnings, "The address has no path; that of such a server usually ends in /mcp.")
	}
	if filepath.IsAbs(server.Command) {
		if info, err := os.Stat(server.Command); err != nil || info.IsDir() {
			warnings = append(warnings, "There is no program at "+server.Command+" yet.")
		}
	}
	if server.Outline != "" && config.TravelsInClear(server.Outline) {
		warnings = append(warnings, "The key travels to Outline where others can read it; an address that begins with https:// prevents that.")
	}
	return warnings
}

// WriteUninstalled writes what Uninstall did with the entry of that name, and
// where its key may still be.
func (r Result) WriteUninstalled(w io.Writer, client Client, name string) {
	if r.Outcome == Unchanged {
		fmt.Fprintf(w, "%s has no entry %q; nothing was changed.\n", client.Title, name)
	} else {
		fmt.Fprintf(w, "%s: the entry %q was removed.\n", client.Title, name)
	}
	fmt.Fprintf(w, "  file    %s\n", r.Path)
	for _, backup := range r.Backups {
		fmt.Fprintf(w, "  backup  %s\n", backup)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	if len(r.Backups) > 0 {
		fmt.Fprintln(w, "A backup holds the file as it was, and a key that was in it; remove what you do not need.")
	}
	if r.Outcome != Unchanged {
		fmt.Fprintln(w, client.Restart)
	}
}
