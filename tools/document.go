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

// documentIn holds the argument of tools that work on one document.
type documentIn struct {
	DocumentID string `json:"document_id" jsonschema:"ID or URL"`
}

func (in documentIn) document() string { return in.DocumentID }

// onDocument returns the Run of a tool that works on one document. It fetches
// the document, calls run, and adds the document's UUID to failures.
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

// fetchDocument fetches a document by any form of its ID.
func fetchDocument(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := env.Outline.ParseDocumentID(given)
	if err != nil {
		return outline.Document{}, err
	}
	return env.Outline.Document(ctx, id)
}

// fetchActive fetches a document that Outline lets be changed, by any form of its ID.
func fetchActive(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	document, err := fetchDocument(ctx, env, given)
	if err == nil {
		err = checkActive(document)
	}
	return document, err
}

// about adds the UUID of the document to err if err is a failure.
func about(document outline.Document, err error) error {
	problem, _ := errors.AsType[output.Problem](err)
	if failure, ok := problem.(output.Failure); ok {
		failure.DocumentID = document.ID
		return failure
	}
	return err
}

// state tells whether a document is published.
type state struct {
	Status     string     `json:"status" enum:"draft,published,archived,deleted"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
	DeletedAt  *time.Time `json:"deleted_at,omitempty"`
}

func stateOf(d outline.DocumentSummary) state { return state{d.Status(), d.ArchivedAt, d.DeletedAt} }

func (s state) write(t *output.Text) {
	t.If(s.Status == "draft").Line("This is a draft, not published.")
	if s.ArchivedAt != nil {
		t.Line("This document was archived on %s.", stamp(*s.ArchivedAt))
	}
	if s.DeletedAt != nil {
		t.Line("This document was moved to the trash on %s.", stamp(*s.DeletedAt))
	}
}

// maxText is Outline's limit for the body of a document, in UTF-16 code units.
const maxText = 1_536_000

// checkText rejects a body that is too long for Outline.
func checkText(text string) error {
	if len(text) <= maxText {
		return nil // UTF-8 is never shorter than UTF-16
	}
	if n := len(utf16.Encode([]rune(text))); n > maxText {
		return fmt.Errorf("text must be at most %d characters long, not %d; split it into several documents", maxText, n)
	}
	return nil
}

// checkTitle rejects a title that is too long for Outline.
func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > 100 {
		return fmt.Errorf("title must be at most 100 characters long, not %d", n)
	}
	return nil
}

// refused explains why Outline refused to change a document if its state is the
// reason. Outline gives the same answer for every reason.
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
