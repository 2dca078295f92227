package tools

import (
	"context"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/markdown"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

func headingTools() []mcptool.Tool {
	return []mcptool.Tool{getDocumentOutline(), readDocumentSection()}
}

// smallDocument is the length in code points below which an outline would cost
// more than the document itself.
const smallDocument = 1000

func getDocumentOutline() mcptool.Tool {
	return mcptool.Spec[outlineIn, output.Result]{
		Name:        "get_document_outline",
		Title:       "Document outline",
		Description: "Returns headings with their lines and the word count; under 1000 characters, the whole text. First step with a long document.",
		Group:       Reading,
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Shapes:      []output.Result{documentOutline{}, fullContent{}},
		Run: func(ctx context.Context, env mcptool.Env, in outlineIn) (output.Result, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return nil, err
			}
			state := stateOf(document.DocumentSummary)
			if utf8.RuneCountInString(document.Text) < smallDocument {
				return fullContent{DocumentID: document.ID, Title: document.Title, FullContent: true, Text: document.Text, state: state}, nil
			}
			all := markdown.Headings(document.Text)
			outline := documentOutline{
				DocumentID: document.ID, Title: document.Title, WordCount: markdown.Words(document.Text),
				TotalHeadings: len(all), Headings: []headingEntry{}, state: state,
			}
			for _, h := range all {
				if h.Line >= in.StartLine {
					outline.Headings = append(outline.Headings, headingEntry{h.Level, output.Excerpt(h.Text, longestTitle), h.Line})
				}
			}
			return outline, nil
		},
	}
}

type outlineIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
	StartLine  int    `json:"start_line,omitempty" minimum:"1" default:"1" jsonschema:"Headings from this line on"`
}

type headingEntry struct {
	Level int    `json:"level" minimum:"1" maximum:"6"`
	Text  string `json:"text"`
	Line  int    `json:"line" minimum:"1"`
}

type documentOutline struct {
	DocumentID    string         `json:"document_id" format:"uuid"`
	Title         string         `json:"title"`
	Headings      []headingEntry `json:"headings"`
	WordCount     int            `json:"word_count"`
	TotalHeadings int            `json:"total_headings"`
	NextStartLine int            `json:"next_start_line,omitempty"`
	state
}

// WriteText implements output.Result.
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
		t.Line("There are no headings: read_document with start_line and max_lines reads it in parts.")
	case o.NextStartLine > 0:
		t.Blank()
		t.Line("More headings: call again with start_line %d.", o.NextStartLine)
	case len(o.Headings) == 0:
		t.Line("There is no heading from that line on.")
	}
}

// Units counts headings.
func (o documentOutline) Units() int { return len(o.Headings) }

// Cut ends before a heading.
func (o documentOutline) Cut(n int) output.Result {
	if n < len(o.Headings) {
		o.NextStartLine = o.Headings[n].Line
		o.Headings = o.Headings[:n]
	}
	return o
}

type fullContent struct {
	DocumentID  string `json:"document_id" format:"uuid"`
	Title       string `json:"title"`
	FullContent bool   `json:"full_content" const:"true"`
	Text        string `json:"text"`
	state
}

// WriteText implements output.Result.
func (c fullContent) WriteText(t *output.Text) {
	t.Line("# %s", untitled(c.Title))
	t.Line("document_id %s, full content", c.DocumentID)
	c.state.write(t)
	t.Blank()
	writeContent(t, c.Text)
}

func readDocumentSection() mcptool.Tool {
	return mcptool.Spec[sectionIn, documentSection]{
		Name:        "read_document_section",
		Title:       "Read section",
		Description: "Returns one section, from its heading to the next of the same or a higher level.",
		Group:       Reading,
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Problems:    []output.Problem{headingNotFound{}, headingAmbiguous{}},
		Run: func(ctx context.Context, env mcptool.Env, in sectionIn) (documentSection, error) {
			document, err := fetchDocument(ctx, env, in.DocumentID)
			if err != nil {
				return documentSection{}, err
			}
			section, err := findSection(document.ID, markdown.Sections(document.Text), in)
			if err != nil {
				return documentSection{}, err
			}
			p, err := linesOf(document.Text, section.FirstLine, section.LastLine, window{startLine: in.StartLine, startChar: in.StartChar})
			if err != nil {
				return documentSection{}, about(document, err)
			}
			answer := documentSection{DocumentID: document.ID, Heading: output.Excerpt(section.Heading.Text, longestTitle), Level: section.Heading.Level, state: stateOf(document.DocumentSummary)}
			answer.Content, answer.shownLines = p.all()
			return answer, nil
		},
	}
}

type sectionIn struct {
	DocumentID string `json:"document_id" jsonschema:"UUID, slug or URL"`
	Heading    string `json:"heading" maxLength:"1000" jsonschema:"The heading, or a part that no other has"`
	StartLine  int    `json:"start_line,omitempty" minimum:"1" jsonschema:"Where to go on; tells equal headings apart"`
	StartChar  int    `json:"start_char,omitempty" minimum:"1" jsonschema:"Within start_line"`
}
