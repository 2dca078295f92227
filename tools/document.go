package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
	"outline-mcp/views"
)

// documentIn holds the argument of tools that work on one document.
type documentIn struct {
	DocumentID string `json:"document_id"`
}

func (in documentIn) document() string { return in.DocumentID }

// onDocument returns the Run of a tool that works on one document. It fetches
// the document, calls run, and adds the document's UUID to failures.
func onDocument[In interface{ document() string }, Out any](
	fetch func(ctx context.Context, env mcptool.Env, given string) (outline.Document, error),
	run func(ctx context.Context, env mcptool.Env, in In, document outline.Document) (Out, error),
) func(context.Context, mcptool.Env, In) (Out, error) {
	return func(ctx context.Context, env mcptool.Env, in In) (out Out, err error) {
		document, err := fetch(ctx, env, in.document())
		if err != nil {
			return out, err
		}
		out, err = run(ctx, env, in, document)
		return out, withDocument(document, err)
	}
}

// fetchToChange is fetchDocument for a document that is to be changed, and fails if that
// is not allowed.
func fetchToChange(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	return fetchDocument(outline.WithCallOptions(ctx, outline.ToChange()), env, given)
}

// fetchDocument fetches a document by any form of its ID.
func fetchDocument(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	id, err := documentID(ctx, env, given)
	if err != nil {
		return outline.Document{}, err
	}
	return env.Outline.Document(ctx, id)
}

// checkParsed refuses to say what is in a text that is not parsed to its end.
func checkParsed(document outline.Document) error {
	if prosemirror.CountMarks(document.Text) <= prosemirror.MaxMarks {
		return nil
	}
	return output.Failure{Code: output.TooLarge, DocumentID: document.ID, Next: "[Read it with read_document.]",
		Sentence: fmt.Sprintf("the document has more than %d lines and Markdown marks, too many for this tool.", prosemirror.MaxMarks)}
}

// fetchActive fetches a document that Outline lets be changed, by any form of its ID.
func fetchActive(ctx context.Context, env mcptool.Env, given string) (outline.Document, error) {
	document, err := fetchToChange(ctx, env, given)
	if err == nil {
		err = withDocument(document, checkActive(document))
	}
	return document, err
}

// withDocument adds the IDs of the document, if it was found, to a failure.
func withDocument(document outline.Document, err error) error {
	if document.ID == "" || err == nil {
		return err
	}
	return onFailure(err, func(f *output.Failure) { f.DocumentID, f.DocumentURLID = document.ID, document.URLID })
}

// onFailure changes the failure that err is, or that explains it. It leaves problems with
// more to say, and errors without an explanation, as they are.
func onFailure(err error, change func(*output.Failure)) error {
	problem, ok := errors.AsType[output.Problem](err)
	if !ok && err != nil {
		explained := output.Error(err)
		explained.Cause, problem = err, explained
	}
	if failure, ok := problem.(output.Failure); ok && failure.Code != output.Internal {
		change(&failure)
		return failure
	}
	return err
}

// failureOf returns the failure in an error, or the one that explains it.
func failureOf(err error) output.Failure {
	if failure, ok := errors.AsType[output.Failure](err); ok {
		return failure
	}
	return output.Error(err)
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
		return withDocument(document, cmp.Or(checkActive(document), err))
	}
	return err
}

// explainRefusal returns a failure in place of an error by which Outline refuses a request,
// and any other error as it is.
func explainRefusal(err error, refusal output.Failure) error {
	if !errors.Is(err, outline.ErrForbidden) {
		return err
	}
	refusal.Code, refusal.Cause = output.Forbidden, err
	return refusal
}

func readDocument() mcptool.Tool {
	return mcptool.Spec[readDocumentIn, documentText]{
		Name:        "read_document",
		Title:       "Read document",
		Description: "Reads a page (document) of the company's Outline wiki by ID, URL or title, as Markdown, whole or by lines.[ If long: get_document_outline, then read_document_section.]",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		AlwaysLoad:  true,
		View:        views.Document,
		Run: func(ctx context.Context, env mcptool.Env, in readDocumentIn) (documentText, error) {
			env.Collections.Begin(ctx)
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return documentText{}, err
			}
			window := in.window()
			if search.Anchor(in.DocumentID) != "" {
				section, found := anchored(prosemirror.Sections(document.Text), in.DocumentID)
				if found && in.StartLine <= section.LastLine {
					window.First, window.Last = section.FirstLine, section.LastLine
				}
			}
			window.Seen = sees(ctx, env, document)
			text, reading, err := readPart(document, prosemirror.Unpadded(document.Text), window)
			d := document.DocumentSummary
			link := env.Collections.PublicLink(ctx, d)
			where := pathsOf(ctx, env, []outline.DocumentSummary{d})
			parent := where.parent(d)
			if parent.DocumentID == "" {
				parent = findName(ctx, env, d.ParentDocumentID)
			}
			return documentText{
				documentName: nameOf(d), Text: text, URL: env.Outline.AbsoluteURL(d.URL), Revision: d.Revision,
				location: where.locate(d), parentName: parentNameOf(parent), UpdatedAt: d.UpdatedAt, UpdatedBy: output.Excerpt(d.UpdatedBy.Name, longestTitle),
				CreatedAt: d.CreatedAt, CreatedBy: output.Excerpt(d.CreatedBy.Name, longestTitle),
				PublicURL: output.OneLine(link()), FullWidth: d.FullWidth, reading: reading,
			}, withDocument(document, err)
		},
	}
}

type readDocumentIn struct {
	documentIn
	windowIn
}

// windowIn holds the arguments that select a part of a text.
type windowIn struct {
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1"`
	MaxLines  int `json:"max_lines,omitempty" minimum:"1"`
	StartChar int `json:"start_char,omitempty" minimum:"1"`
}

func (in windowIn) window() output.Window {
	return output.Window{StartLine: in.StartLine, MaxLines: in.MaxLines, StartChar: in.StartChar}
}

type documentText struct {
	documentName
	Text     string `json:"text"`
	URL      string `json:"url" format:"uri"`
	Revision int    `json:"revision"`
	location
	parentName
	UpdatedAt time.Time `json:"updated_at"`
	UpdatedBy string    `json:"updated_by,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by,omitempty"`
	PublicURL string    `json:"public_url,omitempty" format:"uri" jsonschema:"If it is shared publicly"`
	FullWidth bool      `json:"full_width,omitempty"`
	reading
}

func (d documentText) WriteText(t *output.Text) {
	t.Line("# %s", untitled(d.Title))
	t.Printf("document_id %s%s%s, revision %d, updated %s", d.id(), d.location.without(d.parentName).in(), d.after(", below "), d.Revision, stamp(d.UpdatedAt))
	t.If(d.UpdatedBy != "").Printf(" by %s", output.Quote(d.UpdatedBy))
	t.Printf(", created %s", day(d.CreatedAt))
	t.If(d.CreatedBy != "" && d.CreatedBy != d.UpdatedBy).Printf(" by %s", output.Quote(d.CreatedBy))
	t.If(d.FullWidth).Printf(", full width")
	t.Line(", %s", d.URL)
	t.If(d.PublicURL != "").Line("Shared publicly: %s", d.PublicURL)
	d.reading.write(t, d.Text)
}

func (d *documentText) Cuts() []output.Cut { return d.CutText(&d.Text) }

// reading is what an answer with a document's text contains besides the text.
type reading struct {
	state
	output.Lines
}

// readPart returns the part of text that w selects. text is the document's body
// or derived from it.
func readPart(document outline.Document, text string, w output.Window) (string, reading, error) {
	text, lines, err := output.LinesOf(text, w)
	return text, reading{stateOf(document.DocumentSummary), lines}, err
}

// write writes the document's state, the lines shown, and the text.
func (r reading) write(t *output.Text, text string) {
	r.state.write(t)
	r.Lines.Write(t)
	t.Blank()
	if text == "" {
		text = "(no text)"
	}
	t.Block(text)
	r.Lines.WriteNext(t)
}

// smallDocument is the length below which a document is returned whole, because
// its outline would hardly be shorter, in code points.
const smallDocument = 1000

func getDocumentOutline() mcptool.Tool {
	return mcptool.Spec[outlineIn, output.Result]{
		Name:        "get_document_outline",
		Title:       "Document outline",
		Description: "Lists the headings of an Outline document with lines and anchors; of a short one, the text.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Shapes:      []output.Result{documentOutline{}, fullContent{}},
		Run: onDocument(fetchDocument, func(ctx context.Context, env mcptool.Env, in outlineIn, document outline.Document) (output.Result, error) {
			name, state, revision := linkTo(env, document.DocumentSummary), stateOf(document.DocumentSummary), document.Revision
			if utf8.RuneCountInString(document.Text) < smallDocument {
				sees(ctx, env, document)(1, len(document.Text)+1, false)
				return fullContent{name, true, prosemirror.Unpadded(document.Text), revision, state}, nil
			}
			if err := checkParsed(document); err != nil {
				return nil, err
			}
			sees(ctx, env, document)(1, 0, false)
			all := prosemirror.Sections(document.Text)
			headings := []headingEntry{}
			anchors := anchorsOf(all)
			for i, s := range all {
				if s.FirstLine >= in.StartLine {
					headings = append(headings, headingEntry{s.Level, output.Excerpt(s.Heading, longestTitle), s.FirstLine, anchors[i]})
				}
			}
			return documentOutline{
				documentLink: name, Headings: headings, WordCount: prosemirror.Words(document.Text), TotalHeadings: len(all),
				Revision: revision, state: state,
			}, nil
		}),
	}
}

type outlineIn struct {
	documentIn
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1"`
}

type headingEntry struct {
	Level int    `json:"level" minimum:"1" maximum:"6"`
	Text  string `json:"text"`
	Line  int    `json:"line" minimum:"1"`

	Anchor string `json:"anchor,omitempty" jsonschema:"URL#anchor is the address of the section"`
}

type documentOutline struct {
	documentLink
	Headings      []headingEntry `json:"headings"`
	WordCount     int            `json:"word_count"`
	TotalHeadings int            `json:"total_headings"`
	NextStartLine int            `json:"next_start_line,omitempty"`
	Revision      int            `json:"revision"`
	state
}

func (o documentOutline) WriteText(t *output.Text) {
	t.Line("# %s", untitled(o.Title))
	t.Line("document_id %s, revision %d, %s, %s, %s", o.id(), o.Revision, output.Count(o.WordCount, "word", "words"), output.Count(o.TotalHeadings, "heading", "headings"), o.URL)
	o.state.write(t)
	t.Blank()
	for _, h := range o.Headings {
		t.Line("%d %s %s%s", h.Line, strings.Repeat("#", h.Level), h.Text, shownAnchor(" ", h.Anchor))
	}
	switch {
	case o.TotalHeadings == 0:
		t.Advice("There are no headings[: read_document with start_line and max_lines reads it in parts].")
	case o.NextStartLine > 0:
		t.Blank()
		t.Line("More headings: call again with start_line %d.", o.NextStartLine)
	case len(o.Headings) == 0:
		t.Line("There are no headings from that line on.")
	}
}

// Next returns the line from which on there are more headings, or 0.
func (o documentOutline) Next() (line, char int) { return o.NextStartLine, 0 }

func (o *documentOutline) Cuts() []output.Cut {
	all := o.Headings
	return cutEntries(&o.Headings, func(n int) { o.NextStartLine = all[n].Line })
}

type fullContent struct {
	documentLink
	FullContent bool   `json:"full_content" const:"true"`
	Text        string `json:"text"`
	Revision    int    `json:"revision"`
	state
}

func (c fullContent) WriteText(t *output.Text) {
	t.Line("# %s", untitled(c.Title))
	t.Line("document_id %s, revision %d, full content, %s", c.id(), c.Revision, c.URL)
	reading{state: c.state}.write(t, c.Text)
}

// reasonOf returns Outline's own message for an error, or what went wrong and what to
// do about it.
func reasonOf(err error) string {
	if cause, ok := errors.AsType[*outline.Error](output.Advised(err)); ok {
		return output.Excerpt(cause.Message, 200)
	}
	return output.Excerpt(err.Error(), 200)
}
