package tools

import (
	"context"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/markdown"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func readDocument() mcptool.Tool {
	return mcptool.Spec[readDocumentIn, documentText]{
		Name:        "read_document",
		Title:       "Read document",
		Description: "Returns a document's Markdown, whole or by lines.[ For a long one first get_document_outline, then read_document_section.]",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Run: onDocument(func(_ context.Context, env mcptool.Env, in readDocumentIn, document outline.Document) (documentText, error) {
			text, reading, err := readPart(document, document.Text, output.Window{StartLine: in.StartLine, StartChar: in.StartChar, MaxLines: in.MaxLines})
			return documentText{nameOf(document.DocumentSummary), text, env.Outline.AbsoluteURL(document.URL), document.Revision, reading}, err
		}),
	}
}

type readDocumentIn struct {
	documentIn
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1"`
	MaxLines  int `json:"max_lines,omitempty" minimum:"1" jsonschema:"Default: all that fit"`
	StartChar int `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}

type documentText struct {
	documentName
	Text     string `json:"text"`
	URL      string `json:"url" format:"uri"`
	Revision int    `json:"revision"`
	reading
}

func (d documentText) WriteText(t *output.Text) {
	t.Line("# %s", untitled(d.Title))
	t.Line("document_id %s, revision %d, %s", d.DocumentID, d.Revision, d.URL)
	d.reading.write(t, d.Text)
}

func (d *documentText) Cuts() []output.Cut { return d.CutText(&d.Text) }

func exportDocument() mcptool.Tool {
	return mcptool.Spec[exportDocumentIn, documentExport]{
		Name:        "export_document",
		Title:       "Export document",
		Description: "Returns a document as standalone CommonMark under its title, to copy it elsewhere.[ To read or edit use read_document, whose lines differ.]",
		Endpoints:   []string{"documents.export", "documents.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in exportDocumentIn) (documentExport, error) {
			id, err := env.Outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return documentExport{}, err
			}
			document, exported, err := both(ctx, id, env.Outline.Document, env.Outline.ExportDocument)
			if err != nil {
				return documentExport{}, err
			}
			content, reading, err := readPart(document, exported, output.Window{StartLine: in.StartLine, StartChar: in.StartChar})
			return documentExport{document.ID, content, "markdown", reading}, about(document, err)
		},
	}
}

type exportDocumentIn struct {
	documentIn
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1"`
	StartChar int `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}

type documentExport struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Content    string `json:"content"`
	Format     string `json:"format" const:"markdown"`
	reading
}

func (e documentExport) WriteText(t *output.Text) {
	t.Line("Export of document_id %s as %s", e.DocumentID, e.Format)
	e.write(t, e.Content)
}

func (e *documentExport) Cuts() []output.Cut { return e.CutText(&e.Content) }

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
}

// smallDocument is the length below which a document is returned whole, because
// its outline would hardly be shorter, in code points.
const smallDocument = 1000

func getDocumentOutline() mcptool.Tool {
	return mcptool.Spec[outlineIn, output.Result]{
		Name:        "get_document_outline",
		Title:       "Document outline",
		Description: "Returns headings with their lines and the word count; under 1000 characters, the whole text. First step with a long document.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Shapes:      []output.Result{documentOutline{}, fullContent{}},
		Run: onDocument(func(_ context.Context, _ mcptool.Env, in outlineIn, document outline.Document) (output.Result, error) {
			name, state := nameOf(document.DocumentSummary), stateOf(document.DocumentSummary)
			if utf8.RuneCountInString(document.Text) < smallDocument {
				return fullContent{name, true, document.Text, state}, nil
			}
			all := markdown.Headings(document.Text)
			headings := []headingEntry{}
			for _, h := range all {
				if h.Line >= in.StartLine {
					headings = append(headings, headingEntry{h.Level, output.Excerpt(h.Text, longestTitle), h.Line})
				}
			}
			return documentOutline{name, headings, markdown.Words(document.Text), len(all), 0, state}, nil
		}),
	}
}

type outlineIn struct {
	documentIn
	StartLine int `json:"start_line,omitempty" minimum:"1" default:"1" jsonschema:"Headings from this line on"`
}

type headingEntry struct {
	Level int    `json:"level" minimum:"1" maximum:"6"`
	Text  string `json:"text"`
	Line  int    `json:"line" minimum:"1"`
}

type documentOutline struct {
	documentName
	Headings      []headingEntry `json:"headings"`
	WordCount     int            `json:"word_count"`
	TotalHeadings int            `json:"total_headings"`
	NextStartLine int            `json:"next_start_line,omitempty"`
	state
}

func (o documentOutline) WriteText(t *output.Text) {
	t.Line("# %s", untitled(o.Title))
	t.Line("document_id %s, %s, %s", o.DocumentID, output.Count(o.WordCount, "word", "words"), output.Count(o.TotalHeadings, "heading", "headings"))
	o.state.write(t)
	t.Blank()
	for _, h := range o.Headings {
		t.Line("%d %s %s", h.Line, strings.Repeat("#", h.Level), h.Text)
	}
	switch {
	case o.TotalHeadings == 0:
		t.Advice("There are no headings[: read_document with start_line and max_lines reads it in parts].")
	case o.NextStartLine > 0:
		t.Blank()
		t.Line("More headings: call again with start_line %d.", o.NextStartLine)
	case len(o.Headings) == 0:
		t.Line("There is no heading from that line on.")
	}
}

func (o *documentOutline) Cuts() []output.Cut {
	all := o.Headings
	return cutEntries(&o.Headings, func(n int) { o.NextStartLine = all[n].Line })
}

type fullContent struct {
	documentName
	FullContent bool   `json:"full_content" const:"true"`
	Text        string `json:"text"`
	state
}

func (c fullContent) WriteText(t *output.Text) {
	t.Line("# %s", untitled(c.Title))
	t.Line("document_id %s, full content", c.DocumentID)
	reading{state: c.state}.write(t, c.Text)
}

func readDocumentSection() mcptool.Tool {
	return mcptool.Spec[sectionIn, documentSection]{
		Name:        "read_document_section",
		Title:       "Read section",
		Description: "Returns one section, from its heading to the next of the same or a higher level.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Problems:    []output.Problem{headingNotFound{}, headingAmbiguous{}},
		Run: onDocument(func(_ context.Context, env mcptool.Env, in sectionIn, document outline.Document) (documentSection, error) {
			section, err := findSection(env.Offers, document, in.Heading, in.StartLine)
			if err != nil {
				return documentSection{}, err
			}
			content, reading, err := readPart(document, document.Text, output.Window{
				First: section.FirstLine, Last: section.LastLine, StartLine: in.StartLine, StartChar: in.StartChar,
			})
			heading := section.Heading
			return documentSection{document.ID, output.Excerpt(heading.Text, longestTitle), heading.Level, content, reading}, err
		}),
	}
}

type sectionIn struct {
	documentIn
	Heading   string `json:"heading" maxLength:"1000" jsonschema:"The heading, or a part that no other has"`
	StartLine int    `json:"start_line,omitempty" minimum:"1" jsonschema:"Where to go on; tells equal headings apart"`
	StartChar int    `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}

type documentSection struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Heading    string `json:"heading"`
	Level      int    `json:"level" minimum:"1" maximum:"6"`
	Content    string `json:"content" jsonschema:"Markdown, heading included"`
	reading
}

func (s documentSection) WriteText(t *output.Text) {
	t.Line("Section %s (level %d) of document_id %s", output.Quote(s.Heading), s.Level, s.DocumentID)
	s.write(t, s.Content)
}

func (s *documentSection) Cuts() []output.Cut { return s.CutText(&s.Content) }
