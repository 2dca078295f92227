package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
	"outline-mcp/views"
)

func readDocumentSection() mcptool.Tool {
	return mcptool.Spec[sectionIn, documentSection]{
		Name:        "read_document_section",
		Title:       "Read section",
		Description: "Reads one section of an Outline document, subsections included.",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Problems:    []output.Problem{headingNotFound{}, headingAmbiguous{}},
		View:        views.Document,
		Run: onDocument(fetchDocument, func(ctx context.Context, env mcptool.Env, in sectionIn, document outline.Document) (documentSection, error) {
			section, err := findSection(env.Available, document, cmp.Or(in.Heading, in.DocumentID), in.StartLine)
			if err != nil {
				return documentSection{}, err
			}
			sections := prosemirror.Sections(document.Text)
			at := slices.IndexFunc(sections, func(s prosemirror.Section) bool { return s.FirstLine == section.FirstLine })
			content, reading, err := readPart(document, prosemirror.Unpadded(document.Text), output.Window{
				First: section.FirstLine, Last: section.LastLine, StartLine: in.StartLine, StartChar: in.StartChar,
				Seen: sees(ctx, env, document),
			})
			return documentSection{
				documentLink: linkTo(env, document.DocumentSummary), Heading: output.Excerpt(section.Heading, longestTitle),
				Level: section.Level, Anchor: anchorsOf(sections)[at], Content: content, Revision: document.Revision, reading: reading,
			}, err
		}),
	}
}

type sectionIn struct {
	documentIn
	Heading   string `json:"heading,omitempty" maxLength:"1000" jsonschema:"Or a unique part of it; not with a URL#h-…"`
	StartLine int    `json:"start_line,omitempty" minimum:"1" jsonschema:"To continue, or choose between equal headings"`
	StartChar int    `json:"start_char,omitempty" minimum:"1"`
}

// Validate requires a heading, which may be the anchor of the document's address.
func (in sectionIn) Validate() error {
	if in.Heading == "" && search.Anchor(in.DocumentID) == "" {
		return errors.New("heading is missing")
	}
	return nil
}

type documentSection struct {
	documentLink
	Heading  string `json:"heading"`
	Level    int    `json:"level" minimum:"1" maximum:"6"`
	Anchor   string `json:"anchor,omitempty" jsonschema:"URL#anchor is its address"`
	Content  string `json:"content" jsonschema:"Markdown, heading included"`
	Revision int    `json:"revision"`
	reading
}

func (s documentSection) WriteText(t *output.Text) {
	t.Line("Section %s (level %d%s) of %s, revision %d", output.Quote(s.Heading), s.Level, shownAnchor(", ", s.Anchor), s.documentName, s.Revision)
	s.reading.write(t, s.Content)
}

func (s *documentSection) Cuts() []output.Cut { return s.CutText(&s.Content) }

// findSection returns the section with the given heading. If several headings
// match, startLine selects the innermost section that contains it; 0 selects
// none.
func findSection(offers output.Available, document outline.Document, heading string, startLine int) (prosemirror.Section, error) {
	if err := checkParsed(document); err != nil {
		return prosemirror.Section{}, err
	}
	sections := prosemirror.Sections(document.Text)
	if section, found := anchored(sections, heading); found {
		return section, nil
	}
	found := search.Named(headingsOf(sections), heading)
	if len(found) == 0 {
		return prosemirror.Section{}, newHeadingNotFound(offers, document, heading, sections)
	}
	chosen := -1
	for _, i := range found {
		inside := sections[i].FirstLine <= startLine && startLine <= sections[i].LastLine
		if inside || startLine == 0 && len(found) == 1 {
			chosen = i
		}
	}
	switch {
	case chosen >= 0:
		return sections[chosen], nil
	case len(found) > 1:
		return prosemirror.Section{}, newHeadingAmbiguous(offers, document, heading, sections, found)
	}
	only := sections[found[0]]
	return prosemirror.Section{}, output.Invalid(
		"start_line %d is outside the section %s, which has lines %d to %d. Leave out start_line to read it from its heading.",
		startLine, output.Quote(output.Excerpt(only.Heading, 100)), only.FirstLine, only.LastLine)
}

// anchored returns the section to which the anchor of a heading leads, at the end of an
// address or alone.
func anchored(sections []prosemirror.Section, address string) (section prosemirror.Section, found bool) {
	anchor := search.Anchor(address)
	if anchor == "" {
		return section, false
	}
	i := search.Anchored(sluggedOf(sections), anchor)
	if i < 0 {
		return section, false
	}
	return sections[i], true
}

// anchorsOf returns the anchor of each section, with which the address of the page leads to
// it, or "" if it leads to an earlier heading or cannot be shown whole.
func anchorsOf(sections []prosemirror.Section) []string {
	anchors, taken := search.Anchors(sluggedOf(sections)), map[string]bool{}
	for i, anchor := range anchors {
		if taken[anchor] || len(anchor) > 2*longestTitle || output.OneLine(anchor) != anchor {
			anchors[i] = ""
		}
		taken[anchor] = true
	}
	return anchors
}

// shownAnchor returns an anchor for a text, after what separates it, or "".
func shownAnchor(separator, anchor string) string {
	if anchor == "" {
		return ""
	}
	return separator + "#" + anchor
}

func headingsOf(sections []prosemirror.Section) []string {
	return entriesOf(sections, func(s prosemirror.Section) string { return s.Heading })
}

// sluggedOf returns what the anchors of sections are made from.
func sluggedOf(sections []prosemirror.Section) []string {
	return entriesOf(sections, func(s prosemirror.Section) string { return s.Slugged })
}

// headingProblem holds what the failures to find a heading have in common.
type headingProblem struct {
	Code    output.Code `json:"code"`
	Message string      `json:"message"`

	offers output.Available
	shown  string // the ID of the document in the text
}

// FailureCode implements output.Problem.
func (p headingProblem) FailureCode() output.Code { return p.Code }

// Error implements error.
func (p headingProblem) Error() string { return p.Message }

func (p headingProblem) write(t *output.Text, headings []headingMatch) {
	t.Line("read_document_section: %s", p.Message)
	t.Line("(code %s, document_id %s)", p.Code, p.shown)
	for _, h := range headings {
		t.Line("- line %d: %s", h.Line, h.Text)
	}
}

// headingNotFound is the failure for a heading that does not exist in the
// document.
type headingNotFound struct {
	Kind string `json:"error" const:"heading_not_found"`
	headingProblem
	AvailableHeadings []string       `json:"available_headings"`
	Nearest           []headingMatch `json:"nearest"`
	DocumentID        string         `json:"document_id" format:"uuid"`
}

// mostNearest is how many headings are named when none matches.
const mostNearest = 10

func newHeadingNotFound(offers output.Available, document outline.Document, wanted string, sections []prosemirror.Section) headingNotFound {
	nearest := entriesOf(search.Nearest(headingsOf(sections), wanted, mostNearest), func(i int) headingMatch { return matchOf(sections[i]) })
	available := entriesOf(sections, func(s prosemirror.Section) string { return matchOf(s).Text })
	message := fmt.Sprintf("no heading contains %s. ", output.Quote(output.Excerpt(wanted, 100)))
	switch {
	case len(sections) == 0:
		message = offers.Advise("the document has no headings.[ Read it with read_document.]")
	case len(nearest) < len(sections):
		message += fmt.Sprintf("These are the nearest %d of %d.", len(nearest), len(sections))
	default:
		message += "Use one of these."
	}
	return headingNotFound{string(output.HeadingNotFound), headingProblem{output.HeadingNotFound, message, offers, cmp.Or(document.URLID, document.ID)}, available, nearest, document.ID}
}

// WriteText implements output.Result.
func (f headingNotFound) WriteText(t *output.Text) {
	f.write(t, f.Nearest)
	if len(f.AvailableHeadings) > len(f.Nearest) {
		t.Line("All, in their order: %s", strings.Join(f.AvailableHeadings, "; "))
	}
}

// Cuts implements output.Cuttable.
func (f *headingNotFound) Cuts() []output.Cut {
	return cutEntries(&f.AvailableHeadings, func(n int) {
		f.Message += f.offers.Advise(fmt.Sprintf(" Of all, only the first %d are listed[; get_document_outline lists the rest].", n))
	})
}

// headingAmbiguous is the failure for a heading that matches several sections.
type headingAmbiguous struct {
	Kind string `json:"error" const:"heading_ambiguous"`
	headingProblem
	Matches    []headingMatch `json:"matches"`
	DocumentID string         `json:"document_id" format:"uuid"`
}

type headingMatch struct {
	Text string `json:"text"`
	Line int    `json:"line"`
}

func matchOf(s prosemirror.Section) headingMatch {
	return headingMatch{output.Excerpt(s.Heading, longestTitle), s.FirstLine}
}

func newHeadingAmbiguous(offers output.Available, document outline.Document, wanted string, sections []prosemirror.Section, found []int) headingAmbiguous {
	message := fmt.Sprintf("%d headings match %s. Give more of its text, or its line as start_line.", len(found), output.Quote(output.Excerpt(wanted, 100)))
	matches := entriesOf(found, func(i int) headingMatch { return matchOf(sections[i]) })
	return headingAmbiguous{string(output.HeadingAmbiguous), headingProblem{output.HeadingAmbiguous, message, offers, cmp.Or(document.URLID, document.ID)}, matches, document.ID}
}

// WriteText implements output.Result.
func (f headingAmbiguous) WriteText(t *output.Text) { f.write(t, f.Matches) }

// Cuts implements output.Cuttable. The message says how to get all headings.
func (f *headingAmbiguous) Cuts() []output.Cut {
	return cutEntries(&f.Matches, func(n int) {
		f.Message += f.offers.Advise(fmt.Sprintf(" Only the first %d are listed[; get_document_outline lists all].", n))
	})
}
