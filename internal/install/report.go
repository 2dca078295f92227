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

// WriteInstalled writes what Install did with an entry. [Entry.WriteNext] writes
// what to do next.
func (r Result) WriteInstalled(w io.Writer, entry Entry) {
	title, server := entry.Client.Title, entry.server
	if r.Outcome == Unchanged {
		fmt.Fprintf(w, "%s already has the entry %q; nothing was changed.\n", title, entry.Name)
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
		taken := ""
		if server.Taken {
			taken = " (taken from the address that you gave)"
		}
		fmt.Fprintf(w, "  Outline %s%s\n", cmp.Or(server.Outline, config.DefaultOutline), taken)
	}
	if place := entry.KeyPlace(r.Path); place != "" {
		fmt.Fprintf(w, "  key     %s\n", place)
	}
	for _, note := range append(r.Notes, warnings(server)...) {
		fmt.Fprintln(w, note)
	}
}

// KeyPlace says where the key is kept if the entry is in the file with this path,
// or returns "" if it needs none.
func (e Entry) KeyPlace(path string) string {
	switch {
	case len(e.Input) > 0:
		return e.Client.Title + " asks for it and stores it; it is not in a file"
	case e.server.KeyFile != "":
		return "in " + e.server.KeyFile + ", which the server reads when it starts"
	case e.HoldsKey:
		return "in this entry, in " + path
	}
	return ""
}

// warnings returns what may be wrong with a server though its entry can be
// written, a sentence each.
func warnings(server Server) []string {
	var warnings []string
	if u, err := url.Parse(server.URL); server.URL != "" && err == nil && (u.Path == "" || u.Path == "/") {
		warnings = append(warnings, "The URL has no path; that of an MCP server usually ends in /mcp.")
	}
	if filepath.IsAbs(server.Command) {
		if info, err := os.Stat(server.Command); err != nil || info.IsDir() {
			warnings = append(warnings, "There is no program at "+server.Command+" yet.")
		} else if clone := inClone(server.Command); clone != "" {
			warnings = append(warnings, "The program is in a copy of the repository ("+clone+"), and the entry breaks if that is moved or deleted. Better run go install ./cmd/outline-mcp there and install the entry with that program.")
		}
	}
	if server.Outline != "" && config.TravelsInClear(server.Outline) {
		warnings = append(warnings, "With http://, others on the network can read the key; use https:// if this Outline has it.")
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
		fmt.Fprintln(w, "A backup contains the file as it was, with any key in it; delete the backups that you do not need.")
	}
	if r.Outcome != Unchanged {
		fmt.Fprintln(w, client.Restart)
	}
}
