package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Caller calls a tool. result is a pointer that takes the structured content, or nil. A
// tool that fails is a *ToolError.
type Caller func(ctx context.Context, tool string, arguments map[string]any, result any) error

// ToolError is the failure of a tool.
type ToolError struct {
	Code output.Code
	Text string
}

// Error implements error.
func (e *ToolError) Error() string { return e.Text }

// line says what becomes of a file for which a tool has failed.
func (e *ToolError) line() (What, string) {
	switch {
	case e.Code == output.Conflict:
		return Conflict, "it was changed in Outline since the last pull; pull, and push again"
	case e.Code == output.Cancelled, strings.Contains(e.Text, "no one confirmed it"):
		return Cancelled, "it was not confirmed"
	}
	return Refused, strings.ReplaceAll(e.Text, "set allow_shrink to true", "push it with --allow-shrink")
}

// A Push brings the changes in a folder into Outline.
type Push struct {
	Call    Caller
	Outline *outline.Client
	NewID   func() string   // returns a random UUID
	Next    func(id string) // has the next document that a tool creates get this ID
	Delete  bool            // archive the documents whose files are gone
	Done    func(Line)      // is told each step
	// AllowShrink allows files to leave out much of the text of their documents.
	AllowShrink bool
	Tries       bool // the plan says what update_document makes of each text

	folder *Folder
	away   map[string]bool // documents that were archived or moved, by UUID
}

// What Run ends with if not all changes are in Outline.
var (
	ErrIncomplete = errors.New("some changes were not pushed")
	ErrConflict   = errors.New("some changes were not pushed: the documents have also changed in Outline. Run outline-mcp pull, resolve the conflicts that it names, and push again")
)

// Plan returns what Run would do, in its order. left is what Run would end with.
func (p *Push) Plan(ctx context.Context, f *Folder, changes []Change) (lines []Line, left, err error) {
	p.folder, p.away = f, map[string]bool{}
	uploads := map[string]bool{}
	for _, c := range p.order(changes) {
		what, detail := p.intended(c)
		if p.Tries && !what.leaves() {
			*f.DryRun = true
			c, err = p.send(ctx, what, c)
			*f.DryRun = false
			if failed, ok := errors.AsType[*ToolError](err); ok {
				what, detail = failed.line()
			} else if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", c.Path, err)
			}
			detail = joinClauses(detail, c.notes)
		}
		left = what.left(left)
		detail = joinClauses(detail, f.missing(c))
		lines = append(lines, Line{c.Path, what, c.Document, detail})
		if what.leaves() || !c.has(New) && !c.has(Updated) {
			continue
		}
		names, err := f.uploads(c)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			if !uploads[name] {
				uploads[name] = true
				lines = append(lines, uploadOf(name, c))
			}
		}
	}
	return lines, left, nil
}

// send makes a change or, in a dry run, checks that it can be made.
func (p *Push) send(ctx context.Context, what What, c Change) (Change, error) {
	switch what {
	case New:
		return p.create(ctx, c)
	case Archived, Deleted:
		return c, p.archive(ctx, c)
	}
	return p.change(ctx, c)
}

// joinClauses joins two clauses, either of which may be empty.
func joinClauses(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// missing says which links and images of a file name nothing in the folder, apart from
// those that were so in the earlier text; "" if there are none.
func (f *Folder) missing(c Change) string {
	if c.file.Hash == "" || !c.has(New) && !c.has(Updated) {
		return ""
	}
	whole, err := f.load(c.Path)
	if err != nil {
		return ""
	}
	known := map[string]bool{}
	if !c.isNew {
		earlier, err := f.text(c.record.ID)
		if err != nil {
			return ""
		}
		replaceLinks(earlier, func(address string) string { known[address] = true; return address })
	}
	var names []string
	replaceLinks(f.links.absolute(whole.Text, c.Path, ""), func(address string) string {
		target, _ := f.links.target(address, c.Path)
		if target != "" && !known[address] && !f.links.exists(target) && !f.exists(target) && len(names) < 5 {
			known[address] = true
			names = append(names, address)
		}
		return address
	})
	if names == nil {
		return ""
	}
	return "links to what is not in the folder: " + strings.Join(names, ", ")
}

// uploadOf is what is said of a file that a page shows, and that is uploaded for it.
func uploadOf(name string, c Change) Line {
	return Line{name, Uploaded, c.Document, "which " + c.Path + " shows"}
}

// intended says what becomes of the document of a change.
func (p *Push) intended(c Change) (What, string) {
	switch {
	case c.Conflict:
		return Conflict, "merge " + besidePath(c.Path) + " into it, and delete that file"
	case c.record.Gone:
		return Gone, "the document is no longer in Outline; remove the outline line to make it a new one"
	case c.has(New) && c.parent.collection == drafts:
		return New, c.Title + ", a draft"
	case c.has(New):
		return New, c.Title
	case c.has(Gone) && c.unsure != "" && p.Delete:
		return Refused, "its file may be " + c.unsure
	case c.has(Gone) && c.unsure != "":
		return Kept, "the file is gone, or is " + c.unsure
	case c.has(Gone) && !p.Delete:
		return Kept, "the file is gone; --delete archives the document"
	case c.has(Gone) && c.record.Collection == drafts:
		return Deleted, c.Title
	case c.has(Gone):
		return Archived, c.Title
	case c.has(Moved) && c.parent.problem != "":
		return Refused, c.parent.problem
	case c.has(Moved) && c.parent.collection == drafts:
		return Refused, "it is published; unpublish it in Outline to make it a draft"
	}
	words := make([]string, len(c.Here))
	for i, what := range c.Here {
		words[i] = string(what)
	}
	if c.has(Moved) && c.record.Collection == drafts {
		words = append(words, "published")
	}
	if p.folder.lost[c.Path] != nil {
		words = append(words, "its outline line was missing: it stays the same document")
	}
	if stem(c.Path, c.record.URLID) != fileName(c.record.Title) {
		words = append(words, fmt.Sprintf("titled %q in Outline", c.record.Title))
	}
	return c.Here[0], strings.Join(words[1:], ", ")
}

// order puts pages before those below them, then moves, then other changes, then what is
// archived.
func (p *Push) order(changes []Change) []Change {
	rank := func(c Change) int {
		switch {
		case c.has(New):
			return strings.Count(above(c.Path), "/")
		case c.has(Gone): // what is below comes first
			return 1<<20 - strings.Count(c.Path, "/")
		case c.has(Moved):
			return 1 << 10
		}
		return 1 << 11
	}
	ordered := slices.Clone(changes)
	slices.SortStableFunc(ordered, func(a, b Change) int { return rank(a) - rank(b) })
	return ordered
}

// Run makes the changes. What cannot be made is told and left; the rest continues, and Run
// ends with [ErrIncomplete] or [ErrConflict]. Any other error ends it at once.
func (p *Push) Run(ctx context.Context, f *Folder, changes []Change) error {
	p.folder, p.away = f, map[string]bool{}
	if err := f.followMoves(p.Delete); err != nil {
		return err
	}
	var left error
	var linked []Change // whose links may name pages that were new
	for _, c := range p.order(changes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		what, detail := p.intended(c)
		missing := f.missing(c) // before the record has what is sent
		var err error
		if !what.leaves() {
			c, err = p.send(ctx, what, c)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		done := err == nil && !what.leaves()
		var failed *ToolError
		if errors.As(err, &failed) {
			what, detail = failed.line()
		} else if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		if left = what.left(left); done && what != Archived && what != Deleted {
			linked = append(linked, c)
		}
		if detail = joinClauses(detail, c.notes); done {
			detail = joinClauses(detail, missing)
		}
		p.Done(Line{c.Path, what, c.Document, detail})
	}
	complete, err := p.relink(ctx, linked)
	if err == nil && !complete {
		err = cmp.Or(left, ErrIncomplete)
	}
	return cmp.Or(err, left)
}

// relink sends what pages could not have before others were created: links to those and,
// of new pages, their files, which belong to the document. It reports whether all was sent.
func (p *Push) relink(ctx context.Context, changed []Change) (complete bool, err error) {
	complete = true
	for _, c := range changed {
		if c.unmerged {
			continue
		}
		err := p.relinkOne(ctx, c)
		var failed *ToolError
		if errors.As(err, &failed) {
			p.Done(Line{c.Path, Refused, c.Document, "its links or files: " + failed.Text})
			complete = false
		} else if err != nil {
			return false, fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return complete, nil
}

func (p *Push) relinkOne(ctx context.Context, c Change) error {
	whole, earlier, text, err := p.folder.texts(c)
	if err != nil {
		return err
	}
	if c.isNew {
		if text, err = p.uploaded(ctx, c, text, earlier); err != nil {
			return err
		}
	}
	if text == earlier && (!c.isNew || whole.Color == c.record.Color) {
		if c.record.Pending {
			c.record.Pending, c.record.Sent, c.record.Awaits = false, nil, p.folder.links.awaits(text, c.Path)
			return p.folder.put(nil, c.record)
		}
		return nil
	}
	if err := p.update(ctx, &c, whole, text); err != nil {
		return err
	}
	stored, err := p.Outline.Document(ctx, c.record.ID)
	if err != nil {
		return err
	}
	c.file, c.isNew = whole, false
	_, err = p.took(c, stored, text)
	return err
}
