package install

import (
	"fmt"
	"strings"

	"outline-mcp/internal/clientfile"
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
	Backups []string // all backups of the file; set by Uninstall
	Notes   []string // what the user should know, a sentence each
}

// Print returns the entry as it appears in a file that contains nothing else.
func (e Entry) Print() (string, error) {
	text, err := e.put(nil)
	return string(text), err
}

// Install adds an entry to a file, which it creates if needed. If an entry with
// that name exists, it is replaced, and its other settings are kept where they
// fit.
func Install(path string, entry Entry) (Result, error) {
	var result Result
	backup, err := clientfile.Update(path, func(file *clientfile.File) ([]byte, error) {
		result = Result{Outcome: Added, Path: path}
		text, err := entry.into(file, &result)
		if err != nil {
			return nil, malformed(path, err)
		}
		result.noteOtherNames(file)
		return text, nil
	})
	if err != nil {
		return Result{}, err
	}
	result.Backup = backup
	return result, nil
}

// noteOtherNames adds a note about hard links.
func (r *Result) noteOtherNames(file *clientfile.File) {
	if r.Outcome != Unchanged && file.HasOtherNames() {
		r.Notes = append(r.Notes, "The file has other names (hard links), which keep its previous content.")
	}
}

// into returns the text of a file with the entry in it.
func (e Entry) into(file *clientfile.File, result *Result) ([]byte, error) {
	there, found, err := e.Client.Format.Member(file.Content, e.Client.Container, e.Name)
	if err != nil {
		return nil, err
	}
	if e, err = e.withInput(file.Content, there); err != nil {
		return nil, err
	}
	result.Notes = notes(file, e)
	if !found {
		return e.put(file.Content)
	}
	merged := e.over(there)
	e.Value = merged.value
	if len(merged.kept) > 0 {
		result.Notes = append(result.Notes, "Kept from the previous entry: "+strings.Join(merged.kept, ", ")+".")
	}
	if clientfile.Same(there, e.Value) {
		result.Outcome = Unchanged
		text, err := e.putInput(file.Content)
		if string(text) != string(file.Content) {
			result.Outcome = Replaced
		}
		return text, err
	}
	result.Outcome = Replaced
	if len(merged.dropped) > 0 {
		result.Notes = append(result.Notes, "Removed, because it does not fit this entry: "+strings.Join(merged.dropped, ", ")+".")
	}
	if key := e.Client.keyIn(there); key != "" && !strings.HasPrefix(key, "${") {
		result.Notes = append(result.Notes, "The backup contains the previous entry with its key; delete it when you no longer need it.")
	}
	return e.put(file.Content)
}

// Uninstall removes the entry with a name from a file. A file without one, or
// no file, is left as it is.
func Uninstall(path string, client Client, name string) (Result, error) {
	if err := checkName(name); err != nil {
		return Result{}, err
	}
	var result Result
	backup, err := clientfile.Update(path, func(file *clientfile.File) ([]byte, error) {
		result = Result{Outcome: Unchanged, Path: path}
		there, found, err := client.Format.Member(file.Content, client.Container, name)
		if err != nil {
			return nil, malformed(path, err)
		}
		if !found {
			return file.Content, nil
		}
		result.Outcome = Removed
		text, err := client.take(file, name, client.inputOf(there))
		if err != nil {
			return nil, malformed(path, err)
		}
		result.noteOtherNames(file)
		return text, nil
	})
	if err != nil {
		return Result{}, err
	}
	result.Backup, result.Backups = backup, clientfile.Backups(path)
	return result, nil
}

// put returns the text of a file with the entry in it, which replaces one with
// its name.
func (e Entry) put(src []byte) ([]byte, error) {
	text, err := e.Client.Format.SetMember(src, e.Client.Container, e.Name, e.Value)
	if err != nil {
		return nil, err
	}
	return e.putInput(text)
}

// take returns the text of a file without an entry and its input. Containers
// that are left empty are removed too, unless the first backup has them.
func (c Client) take(file *clientfile.File, name, input string) ([]byte, error) {
	before := file.FirstBackup()
	text, err := c.Format.RemoveMember(file.Content, c.Container, name, c.Format.HasContainer(before, c.Container))
	if err != nil {
		return nil, err
	}
	return c.takeInput(text, input, c.Inputs != "" && c.Format.HasContainer(before, c.Inputs))
}

// malformed says which file cannot be edited, and what to do.
func malformed(path string, err error) error {
	return fmt.Errorf("%s was not changed: %w; correct the file, or add the entry by hand (--print shows it)", path, err)
}

// notes returns what may be wrong though the entry can be written, a sentence
// each.
func notes(file *clientfile.File, entry Entry) []string {
	var notes []string
	if entry.Client.Strict && !(clientfile.JSON{}).IsStandard(file.Content) {
		notes = append(notes, fmt.Sprintf("The file has comments or trailing commas, which plain JSON does not allow; %s may not read it.", entry.Client.Title))
	}
	if entry.HoldsKey && file.OthersMayRead() {
		notes = append(notes, "Other users of this machine can read the file and the key in it: run chmod 600 on it, or keep the key in another file with --key-file.")
	}
	if !file.HasFolder() {
		notes = append(notes, fmt.Sprintf("The folder of the file did not exist: is %s installed for this user?", entry.Client.Title))
	}
	return notes
}
