package tools

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// documentIn is the argument of tools that are about one document.
type documentIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
}

func (in documentIn) document() string { return in.DocumentID }

// onDocument returns the Run of a tool that is about one document. It reads
// the document before it calls run, and adds the UUID to the failures of run.
func onDocument[In interface{ document() string }, Out any](
	run func(ctx context.Context, env mcptool.Env, in In, document outline.Document) (Out, error),
) func(context.Context, mcptool.Env, In) (Out, error) {
	return func(ctx context.Context, env mcptool.Env, in In) (out Out, err error) {
		document, err := fetchDocument(ctx, env, in.document())
		if err != nil {
			return out, err
		}
		out, err = run(ctx, env, in, document)
		return out, about(document, err)
	}
}

// fetchDocument reads a document whose ID is given in any form.
func fetchDocument(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := outline.ParseDocumentID(given)
	if err != nil {
		return outline.Document{}, err
	}
	return env.Outline.Document(ctx, id)
}

// about adds the UUID of the document to a failure that is about it.
func about(document outline.Document, err error) error {
	problem, _ := errors.AsType[output.Problem](err)
	if failure, ok := problem.(output.Failure); ok {
		failure.DocumentID = document.ID
		return failure
	}
	return err
}

// documentName is how answers refer to a document.
type documentName struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
}

func nameOf(d outline.DocumentSummary) documentName { return documentName{d.ID, d.Title} }

func (n documentName) write(t *output.Text) { t.Printf("%s %s", titleOf(n.Title), n.DocumentID) }

// writeWith writes the name and those of the times that are not nil.
func (n documentName) writeWith(t *output.Text, times ...*time.Time) {
	n.write(t)
	for _, at := range times {
		if at != nil {
			t.Printf(", %s", stamp(*at))
		}
	}
}

// longestTitle is the most characters of a title, a name or a heading that an
// answer shows. Outline's titles have at most 100; headings have no limit.
const longestTitle = 300

// untitled returns a title on one line, and says so where there is none.
func untitled(title string) string {
	if title = output.Excerpt(title, longestTitle); title == "" {
		return "(untitled)"
	}
	return title
}

// titleOf returns a title as list entries show it.
func titleOf(title string) string {
	if title = untitled(title); title == "(untitled)" {
		return title
	}
	return "**" + title + "**"
}

// stamp returns a time in the form that both renderings show.
func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

// state is what a reader should know of a document that is not published.
type state struct {
	Status     string     `json:"status" enum:"draft,published,archived,deleted"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
	DeletedAt  *time.Time `json:"deleted_at,omitempty"`
}

func stateOf(d outline.DocumentSummary) state { return state{d.Status(), d.ArchivedAt, d.DeletedAt} }

func (s state) write(t *output.Text) {
	t.If(s.Status == "draft").Line("This is a draft, not published.")
	if s.ArchivedAt != nil {
		t.Line("This document is in the archive since %s.", stamp(*s.ArchivedAt))
	}
	if s.DeletedAt != nil {
		t.Line("This document is in the trash since %s.", stamp(*s.DeletedAt))
	}
}

// maxText is the longest body that Outline takes, in UTF-16 code units.
const maxText = 1_536_000

// checkText refuses a body that Outline would refuse.
func checkText(text string) error {
	if len(text) <= maxText {
		return nil // UTF-8 is never shorter than UTF-16
	}
	if n := len(utf16.Encode([]rune(text))); n > maxText {
		return fmt.Errorf("text must be at most %d characters long, not %d; split it into several documents", maxText, n)
	}
	return nil
}

// checkTitle refuses a title that Outline would refuse.
func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > 100 {
		return fmt.Errorf("title must be at most 100 characters long, not %d", n)
	}
	return nil
}

// refused explains why Outline refused to change a document, as far as the
// state of the document is the reason. Outline itself gives one answer for all
// reasons.
func refused(ctx context.Context, env mcptool.Env, id string, err error) error {
	if !errors.Is(err, outline.ErrForbidden) {
		return err
	}
	document, readErr := env.Outline.Document(ctx, id)
	if errors.Is(readErr, outline.ErrNotFound) {
		return readErr
	}
	if readErr == nil {
		if state := checkActive(document); state != nil {
			return state
		}
	}
	return err
}
