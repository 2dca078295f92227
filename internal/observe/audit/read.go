package audit

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"outline-mcp/internal/text"
	"outline-mcp/outline"
)

// Unfinished is the outcome of a call of which only lines before changes are there: it
// is still running, or the program ended before it, or its last line could not be
// stored.
const Unfinished = "unfinished"

// A Filter says which calls to read. Its zero value reads all.
type Filter struct {
	Since, Until time.Time // by when the line was written; Until itself is excluded
	Subject      string    // the UUID or the name of a user, or the ID of a credential
	ID           string    // of a document, or of anything else in ids
	Name         string    // of a tool, a prompt or a kind of resource
}

func (f Filter) accepts(r Record) bool {
	switch {
	case !f.Since.IsZero() && r.Time.Before(f.Since), !f.Until.IsZero() && !r.Time.Before(f.Until):
		return false
	case f.Name != "" && r.Name != f.Name:
		return false
	case f.Subject != "" && !(r.User != nil && (strings.EqualFold(r.User.ID, f.Subject) || strings.EqualFold(r.User.Name, f.Subject)) || r.Credential != nil && r.Credential.ID == f.Subject):
		return false
	}
	return f.ID == "" || slices.ContainsFunc(r.IDs, func(o outline.Object) bool { return o.ID == f.ID || strings.EqualFold(o.ID, f.ID) && len(f.ID) == 36 })
}

// Damage is what is wrong with a trail that was read.
type Damage struct {
	Unreadable int // lines that are not those of a trail
	Missing    int // lines between others of the same process
}

// A Reader reads trails.
type Reader struct {
	Filter Filter
	// Found is called with each call and its line, in the order of the lines.
	Found func(r Record, line []byte) error

	damage Damage
	last   map[string]uint64   // number of the last line of a process
	calls  int                 // lines before changes
	open   map[callOf]openCall // calls whose last line has not been read
}

type callOf struct {
	process string
	call    uint64
}

type openCall struct {
	record Record // of its last line
	line   []byte
	order  int // of its first line
}

// ReadFile reads the trail at a path, with the files that it was renamed to before it.
func (r *Reader) ReadFile(path string) error {
	older, err := Rotated(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, one := range append(older, path) {
		file, err := os.Open(one)
		if errors.Is(err, fs.ErrNotExist) && len(older) > 0 {
			continue // it was deleted or renamed meanwhile, or has not been begun
		}
		if err != nil {
			return err
		}
		err = r.Read(file)
		_ = file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// longestLine limits the length of a line that is read, in bytes. The longest that is
// written has about 120 KB.
const longestLine = 1 << 20

// Read reads a part of a trail.
func (r *Reader) Read(from io.Reader) error {
	for lines := text.NewLineReader(from, longestLine); ; {
		line, err := lines.Next()
		switch {
		case errors.Is(err, text.ErrTooLong):
			r.damage.Unreadable++
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			if err := r.line(line); err != nil {
				return err
			}
		}
	}
}

func (r *Reader) line(line []byte) error {
	var record Record
	if json.Unmarshal(line, &record) != nil || record.Process == "" || record.Seq == 0 || record.Event != EventCall && record.Event != EventWrite {
		r.damage.Unreadable++
		return nil
	}
	if r.last == nil {
		r.last, r.open = map[string]uint64{}, map[callOf]openCall{}
	}
	if before, ok := r.last[record.Process]; ok && record.Seq > before+1 {
		r.damage.Missing += int(record.Seq - before - 1)
	}
	r.last[record.Process] = max(r.last[record.Process], record.Seq)
	call := callOf{record.Process, record.Call}
	if record.Event == EventWrite {
		order := r.calls
		if before, known := r.open[call]; known {
			order = before.order
		}
		r.calls++
		r.open[call] = openCall{record, line, order}
		return nil
	}
	delete(r.open, call)
	if !r.Filter.accepts(record) {
		return nil
	}
	return r.Found(record, line)
}

// End finds the calls that are unfinished, and returns what is wrong with the trail.
func (r *Reader) End() (Damage, error) {
	open := slices.Collect(maps.Values(r.open))
	sort.Slice(open, func(i, j int) bool { return open[i].order < open[j].order })
	for _, one := range open {
		one.record.Outcome = Unfinished
		if !r.Filter.accepts(one.record) {
			continue
		}
		if err := r.Found(one.record, one.line); err != nil {
			return r.damage, err
		}
	}
	return r.damage, nil
}
