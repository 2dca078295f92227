package tools

import (
	"context"
	"errors"
	"math"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func readTools() []mcptool.Tool {
	return []mcptool.Tool{readDocument(), exportDocument()}
}

func readDocument() mcptool.Tool {
	return mcptool.Spec[readDocumentIn, documentText]{
		Name:  "read_document",
		Title: "Read document",
		Description: "Returns a document's Markdown, whole or by lines. " +
			"For a long one first get_document_outline, then read_document_section.",
		Group:     Reading,
		Endpoints: []string{"documents.info"},
		Effect:    mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in readDocumentIn) (documentText, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return documentText{}, err
			}
			p, err := linesOf(document.Text, 1, math.MaxInt, window{in.StartLine, in.StartChar, in.MaxLines})
			if err != nil {
				return documentText{}, about(document, err)
			}
			text := documentText{
				DocumentID: document.ID, Title: document.Title, URL: env.Outline.AbsoluteURL(document.URL),
				Revision: document.Revision, state: stateOf(document.DocumentSummary),
			}
			text.Text, text.shownLines = p.all()
			return text, nil
		},
	}
}

type readDocumentIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
	StartLine  int    `json:"start_line,omitempty" minimum:"1" default:"1"`
	MaxLines   int    `json:"max_lines,omitempty" minimum:"1" jsonschema:"Default: all that fit"`
	StartChar  int    `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}

// fetchDocument reads a document whose ID is given in any form.
func fetchDocument(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := outline.ParseDocumentID(given)
	if err != nil {
		return outline.Document{}, err
	}
	return env.Outline.Document(ctx, id)
}

// about completes a failure with the UUID of the document it is about.
func about(document outline.Document, err error) error {
	var problem output.Problem
	if errors.As(err, &problem) {
		if failure, ok := problem.(output.Failure); ok {
			failure.DocumentID = document.ID
			return failure
		}
	}
	return err
}

// state is what a reader should know of a document that is not published.
type state struct {
	Status     string     `json:"status" enum:"draft,published,archived,deleted"`
	ArchivedAt *time.Time `json:"archived_at,omitempty"`
	DeletedAt  *time.Time `json:"deleted_at,omitempty"`
}

func stateOf(d outline.DocumentSummary) state {
	return state{Status: d.Status(), ArchivedAt: d.ArchivedAt, DeletedAt: d.DeletedAt}
}

func (s state) write(t *output.Text) {
	if s.Status == "draft" {
		t.Line("This is a draft, not published.")
	}
	if s.ArchivedAt != nil {
		t.Line("This document is in the archive since %s.", stamp(*s.ArchivedAt))
	}
	if s.DeletedAt != nil {
		t.Line("This document is in the trash since %s.", stamp(*s.DeletedAt))
	}
}

type documentText struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	URL        string `json:"url" format:"uri"`
	Revision   int    `json:"revision"`
	state
	shownLines
}

// WriteText implements output.Result.
func (d documentText) WriteText(t *output.Text) {
	t.Line("# %s", untitled(d.Title))
	t.Line("document_id %s, revision %d, %s", d.DocumentID, d.Revision, d.URL)
	d.state.write(t)
	d.shownLines.write(t)
	t.Blank()
	writeContent(t, d.Text)
}

// Units counts characters.
func (d documentText) Units() int { return d.characters() }

// Cut ends at the end of a line where it can.
func (d documentText) Cut(n int) output.Result {
	d.Text, d.shownLines = d.cut(n)
	return d
}

func exportDocument() mcptool.Tool {
	return mcptool.Spec[exportDocumentIn, documentExport]{
		Name:        "export_document",
		Title:       "Export document",
		Description: "Returns a document as standalone CommonMark under its title, to copy it elsewhere. To read or edit use read_document, whose lines differ.",
		Group:       Reading,
		Endpoints:   []string{"documents.export", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in exportDocumentIn) (documentExport, error) {
			id, err := outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return documentExport{}, err
			}
			var document outline.Document
			var content string
			err = both(
				func() (err error) { document, err = env.Outline.Document(ctx, id); return err },
				func() (err error) { content, err = env.Outline.ExportDocument(ctx, id); return err })
			if err != nil {
				return documentExport{}, err
			}
			p, err := linesOf(content, 1, math.MaxInt, window{startLine: in.StartLine, startChar: in.StartChar})
			if err != nil {
				return documentExport{}, about(document, err)
			}
			export := documentExport{DocumentID: document.ID, Format: "markdown", state: stateOf(document.DocumentSummary)}
			export.Content, export.shownLines = p.all()
			return export, nil
		},
	}
}

type exportDocumentIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
	StartLine  int    `json:"start_line,omitempty" minimum:"1" default:"1"`
	StartChar  int    `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}

type documentExport struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Content    string `json:"content"`
	Format     string `json:"format" const:"markdown"`
	state
	shownLines
}

// WriteText implements output.Result.
func (e documentExport) WriteText(t *output.Text) {
	t.Line("Export of document_id %s as %s", e.DocumentID, e.Format)
	e.state.write(t)
	e.shownLines.write(t)
	t.Blank()
	writeContent(t, e.Content)
}

// Units counts characters.
func (e documentExport) Units() int { return e.characters() }

// Cut ends at the end of a line where it can.
func (e documentExport) Cut(n int) output.Result {
	e.Content, e.shownLines = e.cut(n)
	return e
}

// writeContent appends a document's text as it is.
func writeContent(t *output.Text, content string) {
	if content == "" {
		t.Line("(no text)")
		return
	}
	t.Block(content)
}
