package install

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"outline-mcp/internal/config"
)

// Outcome is what Install or Uninstall did with an entry.
type Outcome string

// The outcomes.
const (
	Added     Outcome = "added"     // there was no entry with its name
	Replaced  Outcome = "replaced"  // there was another one
	Unchanged Outcome = "unchanged" // the same entry exists, or there is none to remove
	Removed   Outcome = "removed"
)

// Result is the result of Install or Uninstall.
type Result struct {
	Outcome Outcome
	Path    string
	Backup  string   // of the file before the change; "" for a new file or no change
	Notes   []string // what the user should know, a sentence each
}

// Print returns the entry as it appears in a file that contains nothing else.
func (e Entry) Print() (string, error) {
	e.Server.LongAnswers = false // which is not part of the entry
	text, err := e.into(nil, &Result{})
	return string(text), err
}

// Install adds an entry to a file, which it creates if needed. If an entry with
// that name exists, it is replaced, and its other settings are kept where they
// fit.
func Install(path string, entry Entry) (Result, error) {
	return update(path, func(file *file, result *Result) ([]byte, error) {
		result.Notes = notes(file, entry)
		text, err := entry.into(file.content, result)
		if file.isMarked() && err == nil {
			result.Notes = append(result.Notes, "The byte order mark at the beginning of the file, which some clients cannot read, was removed.")
			if result.Outcome == Unchanged {
				result.Outcome = Replaced
			}
		}
		return text, err
	})
}

// update changes a file as edit does, which sets the outcome.
func update(path string, edit func(*file, *Result) ([]byte, error)) (result Result, err error) {
	backup, err := updateFile(path, func(file *file) ([]byte, error) {
		result = Result{Outcome: Unchanged, Path: path}
		return edit(file, &result)
	})
	if err != nil {
		return Result{}, err
	}
	result.Backup = backup
	return result, nil
}

// into returns the text of a file with the entry in it.
func (e Entry) into(src []byte, result *Result) ([]byte, error) {
	at := e.Client.server(e.Server.Name)
	there, found, err := e.Client.get(src, at)
	if err != nil {
		return nil, err
	}
	value, kept, dropped := e.over(there)
	text := src
	if !found || !same(there, value) {
		text, err = e.Client.change(src, at, value)
	}
	if err == nil {
		text, err = e.putInput(text)
	}
	if err == nil && e.Server.LongAnswers {
		text, err = e.putLimit(text, result)
	}
	if err == nil { // the new entry may use the input of the previous one
		text, err = e.Client.takeInput(text, e.Client.inputOf(there))
	}
	note := func(applies bool, text string) {
		if applies {
			result.Notes = append(result.Notes, text)
		}
	}
	note(len(kept) > 0, "Kept from the previous entry: "+strings.Join(kept, ", ")+".")
	note(len(dropped) > 0, "Removed, because it does not fit this entry: "+strings.Join(dropped, ", ")+".")
	switch key := e.Client.keyIn(there); {
	case !found:
		result.Outcome = Added
	case !bytes.Equal(text, src):
		result.Outcome = Replaced
		note(key != "" && !strings.HasPrefix(key, "${"), "The backup contains the previous entry with its key; delete it when you no longer need it.")
	}
	return text, err
}

// longAnswers is the limit for answers, in tokens, with which those of this server arrive whole.
const longAnswers = 30_000

// putLimit returns the text of a file with the limit for long answers at its top. A higher
// or lower one that the user has set stays.
func (e Entry) putLimit(text []byte, result *Result) ([]byte, error) {
	root, err := e.Client.decode(text, e.Client.server(e.Server.Name))
	if err != nil {
		return nil, err
	}
	if limit := root.Field(e.Client.Limit); limit != nil {
		result.Notes = append(result.Notes, fmt.Sprintf("%s = %v stays as it is in the file.", e.Client.Limit, limit))
		return text, nil
	}
	return fmt.Appendf(nil, "%s = %d%s%s", e.Client.Limit, longAnswers, lineEnd(text), text), nil
}

// Uninstall removes the entry with a name from a file. A file without one, or
// no file, is left as it is.
func Uninstall(path string, client Client, name string) (Result, error) {
	if err := checkName(name); err != nil {
		return Result{}, err
	}
	return update(path, func(file *file, result *Result) ([]byte, error) {
		there, found, err := client.get(file.content, client.server(name))
		if err != nil || !found {
			return file.original, err
		}
		result.Outcome = Removed
		text, err := client.change(file.content, client.server(name), nil)
		if err != nil {
			return nil, err
		}
		return client.takeInput(text, client.inputOf(there))
	})
}

// notes returns what may be wrong though the entry can be written, a sentence
// each.
func notes(file *file, entry Entry) []string {
	var notes []string
	if entry.HoldsKey() && othersMayRead(file.path) {
		note := "Other users of this machine can read the file and the key in it: run chmod 600 on it"
		if entry.Server.URL == "" { // an entry with an address holds the key, wherever it came from
			note += ", or keep the key in another file with --key-file"
		}
		notes = append(notes, note+".")
	}
	if secret := entry.Server.KeyFile; secret != "" && othersMayRead(secret) {
		notes = append(notes, "Other users of this machine can read "+secret+": run chmod 600 on it.")
	}
	if _, err := os.Stat(filepath.Dir(file.path)); err != nil {
		notes = append(notes, fmt.Sprintf("The folder of the file did not exist: is %s installed for this user?", entry.Client.Title))
	}
	return notes
}

// WriteInstalled writes what Install did with an entry.
func (r Result) WriteInstalled(w io.Writer, entry Entry) {
	r.writeOutcome(w, entry.Client, entry.Server.Name, "already has the entry")
	if r.Backup != "" {
		fmt.Fprintf(w, "  backup  %s\n", r.Backup)
	}
	switch server := entry.Server; {
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
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	if outline := entry.Server.Outline; outline != "" && config.TravelsInClear(outline) {
		fmt.Fprintln(w, "With http://, others on the network can read the key; use https:// if this Outline has it.")
	}
}

// writeOutcome writes what was done with the entry of that name in the file. Unchanged
// says why nothing was.
func (r Result) writeOutcome(w io.Writer, client Client, name, unchanged string) {
	if r.Outcome == Unchanged {
		fmt.Fprintf(w, "%s %s %q; nothing was changed.\n", client.Title, unchanged, name)
	} else {
		fmt.Fprintf(w, "%s: the entry %q was %s.\n", client.Title, name, r.Outcome)
	}
	fmt.Fprintf(w, "  file    %s\n", r.Path)
}

// KeyPlace says where the key is kept if the entry is in the file with this path,
// or returns "" if it needs none.
func (e Entry) KeyPlace(path string) string {
	switch {
	case len(e.Input) > 0:
		return e.Client.Title + " asks for it and stores it; it is not in a file"
	case e.Server.KeyFile != "":
		return "in " + e.Server.KeyFile + ", which the server reads when it starts"
	case e.Server.Login && e.Server.URL == "":
		return "none: the server acts with your login on this computer (outline-mcp whoami)"
	case e.HoldsKey():
		return "in this entry, in " + path
	}
	return ""
}

// WriteUninstalled writes what Uninstall did with the entry of that name, and
// where its key may still be.
func (r Result) WriteUninstalled(w io.Writer, client Client, name string) {
	r.writeOutcome(w, client, name, "has no entry")
	all := backups(r.Path)
	for _, backup := range all {
		fmt.Fprintf(w, "  backup  %s\n", backup)
	}
	if len(all) > 0 {
		fmt.Fprintln(w, "A backup contains the earlier file, including any key; delete the backups that you do not need.")
	}
	if r.Outcome != Unchanged {
		fmt.Fprintf(w, "%s keeps using the entry until you restart it.\n", client.Title)
	}
}

// InstallSkill writes a skill to the file of a client, and tells what it did. What the
// file had before is kept in a backup.
func InstallSkill(w io.Writer, path, content string) error {
	there := false
	backup, err := updateFile(path, func(f *file) ([]byte, error) {
		there = string(f.content) == content
		return []byte(content), nil
	})
	if err != nil {
		return err
	}
	did := "was written"
	if there {
		did = "is already there"
	}
	fmt.Fprintf(w, "The skill %s.\n  file    %s\n", did, path)
	if backup != "" {
		fmt.Fprintf(w, "  backup  %s\n", backup)
	}
	return nil
}
