package tools

import (
	"fmt"

	"outline-mcp/internal/markdown"
	"outline-mcp/output"
)

// findSection returns the one section that a call names. Where several
// headings fit, start_line chooses the innermost section that it lies in.
func findSection(documentID string, sections []markdown.Section, in sectionIn) (markdown.Section, error) {
	headings := make([]markdown.Heading, len(sections))
	for i, s := range sections {
		headings[i] = s.Heading
	}
	found := markdown.Find(headings, in.Heading)
	switch {
	case len(found) == 0:
		return markdown.Section{}, newHeadingNotFound(documentID, in.Heading, headings)
	case in.StartLine == 0 && len(found) > 1:
		return markdown.Section{}, newHeadingAmbiguous(documentID, in.Heading, headings, found)
	case in.StartLine == 0:
		return sections[found[0]], nil
	}
	chosen := -1
	for _, i := range found {
		if sections[i].FirstLine <= in.StartLine && in.StartLine <= sections[i].LastLine {
			chosen = i
		}
	}
	switch {
	case chosen >= 0:
		return sections[chosen], nil
	case len(found) > 1:
		return markdown.Section{}, newHeadingAmbiguous(documentID, in.Heading, headings, found)
	}
	only := sections[found[0]]
	return markdown.Section{}, output.Failure{Code: output.InvalidArguments, DocumentID: documentID, Sentence: fmt.Sprintf(
		"start_line %d is outside the section %s, which has lines %d to %d. Leave start_line out to read it from its heading.",
		in.StartLine, output.Quote(output.Excerpt(only.Heading.Text, 100)), only.FirstLine, only.LastLine)}
}

type documentSection struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Heading    string `json:"heading"`
	Level      int    `json:"level" minimum:"1" maximum:"6"`
	Content    string `json:"content" jsonschema:"Markdown, heading included"`
	state
	shownLines
}

// WriteText implements output.Result.
func (s documentSection) WriteText(t *output.Text) {
	t.Line("Section %s (level %d) of document_id %s", output.Quote(s.Heading), s.Level, s.DocumentID)
	s.state.write(t)
	s.shownLines.write(t)
	t.Blank()
	writeContent(t, s.Content)
}

// Units counts characters.
func (s documentSection) Units() int { return s.characters() }

// Cut ends at the end of a line where it can.
func (s documentSection) Cut(n int) output.Result {
	s.Content, s.shownLines = s.cut(n)
	return s
}

// headingNotFound is the failure of a heading that the document does not have.
type headingNotFound struct {
	Kind              string      `json:"error" const:"heading_not_found"`
	Code              output.Code `json:"code"`
	Message           string      `json:"message"`
	AvailableHeadings []string    `json:"available_headings"`
	DocumentID        string      `json:"document_id" format:"uuid"`
}

// FailureCode implements output.Problem.
func (f headingNotFound) FailureCode() output.Code { return f.Code }

func newHeadingNotFound(documentID, wanted string, headings []markdown.Heading) headingNotFound {
	failure := headingNotFound{
		Kind: string(output.HeadingNotFound), Code: output.HeadingNotFound, DocumentID: documentID, AvailableHeadings: []string{},
		Message: fmt.Sprintf("no heading contains %s. Use one of available_headings.", output.Quote(output.Excerpt(wanted, 100))),
	}
	for _, h := range headings {
		failure.AvailableHeadings = append(failure.AvailableHeadings, output.Excerpt(h.Text, longestTitle))
	}
	if len(headings) == 0 {
		failure.Message = "the document has no headings. Read it with read_document."
	}
	return failure
}

// Error implements error.
func (f headingNotFound) Error() string { return f.Message }

// WriteText implements output.Result.
func (f headingNotFound) WriteText(t *output.Text) {
	t.Line("read_document_section: %s", f.Message)
	t.Line("(code %s, document_id %s)", f.Code, f.DocumentID)
	for _, text := range f.AvailableHeadings {
		t.Line("- %s", text)
	}
}

// Units counts headings.
func (f headingNotFound) Units() int { return len(f.AvailableHeadings) }

// Cut says where the rest of the headings is found.
func (f headingNotFound) Cut(n int) output.Result {
	if n < len(f.AvailableHeadings) {
		f.Message += fmt.Sprintf(" Only the first %d of %d are listed; get_document_outline gives all.", n, len(f.AvailableHeadings))
		f.AvailableHeadings = f.AvailableHeadings[:n]
	}
	return f
}

// headingAmbiguous is the failure of a heading that several sections have.
type headingAmbiguous struct {
	Kind       string         `json:"error" const:"heading_ambiguous"`
	Code       output.Code    `json:"code"`
	Message    string         `json:"message"`
	Matches    []headingMatch `json:"matches"`
	DocumentID string         `json:"document_id" format:"uuid"`
}

type headingMatch struct {
	Text string `json:"text"`
	Line int    `json:"line"`
}

// FailureCode implements output.Problem.
func (f headingAmbiguous) FailureCode() output.Code { return f.Code }

func newHeadingAmbiguous(documentID, wanted string, headings []markdown.Heading, found []int) headingAmbiguous {
	failure := headingAmbiguous{
		Kind: string(output.HeadingAmbiguous), Code: output.HeadingAmbiguous, DocumentID: documentID,
		Message: fmt.Sprintf("%d headings fit %s. Give more of the one you mean, or its line as start_line.", len(found), output.Quote(output.Excerpt(wanted, 100))),
	}
	for _, i := range found {
		failure.Matches = append(failure.Matches, headingMatch{output.Excerpt(headings[i].Text, longestTitle), headings[i].Line})
	}
	return failure
}

// Error implements error.
func (f headingAmbiguous) Error() string { return f.Message }

// WriteText implements output.Result.
func (f headingAmbiguous) WriteText(t *output.Text) {
	t.Line("read_document_section: %s", f.Message)
	t.Line("(code %s, document_id %s)", f.Code, f.DocumentID)
	for _, match := range f.Matches {
		t.Line("- line %d: %s", match.Line, match.Text)
	}
}

// Units counts matches.
func (f headingAmbiguous) Units() int { return len(f.Matches) }

// Cut says that there are more.
func (f headingAmbiguous) Cut(n int) output.Result {
	if n < len(f.Matches) {
		f.Message += fmt.Sprintf(" Only the first %d are listed; get_document_outline gives all.", n)
		f.Matches = f.Matches[:n]
	}
	return f
}
