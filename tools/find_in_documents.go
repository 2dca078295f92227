package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
	"outline-mcp/views"
)

func findInDocuments() mcptool.Tool {
	return mcptool.Spec[findIn, documentMatches]{
		Name:        "find_in_documents",
		Title:       "Find in documents",
		Description: "Finds every line of published Outline documents with an exact text or a match of a regular expression, as before a rename.[ To answer a question, use search_documents.]",
		Endpoints:   []string{"documents.list"},
		Effect:      mcptool.Reads,
		View:        views.Finding,
		Run: func(ctx context.Context, env mcptool.Env, in findIn) (documentMatches, error) {
			pattern, err := search.Compile(in.Query, search.Options{Regex: in.Regex, CaseSensitive: in.CaseSensitive, WholeWord: in.WholeWord})
			if err != nil {
				return documentMatches{}, output.Invalid("%s. Correct query%s.", err, in.orExact())
			}
			area, err := in.area(ctx, env)
			if err != nil {
				return documentMatches{}, err
			}
			f := &finder{env: env, findIn: in, area: area, pattern: pattern, matches: []documentMatch{}}
			if err := f.goOn(); err != nil {
				return documentMatches{}, err
			}
			if f.from == nil {
				f.loose = pattern.Loose()
			}
			if err := f.searchArea(ctx); err != nil {
				return documentMatches{}, err
			}
			found := f.answer()
			if area.document == nil {
				found.locate(ctx, env)
				if note := notListed(ctx, env, area.collectionID, entriesOf(found.Matches, func(m documentMatch) outline.DocumentSummary { return m.in })...); note != "" {
					found.Complete, found.Note = false, strings.Join(nonEmpty(found.Note, note), "; ")
				}
			}
			return found, nil
		},
	}
}

type findIn struct {
	Query         string `json:"query" maxLength:"500"`
	Regex         bool   `json:"regex,omitempty" jsonschema:"query is RE2, one line at a time"`
	DocumentID    string `json:"document_id,omitempty"`
	CollectionID  string `json:"collection_id,omitempty"`
	Below         string `json:"below,omitempty" jsonschema:"Only this page and its subpages"`
	CaseSensitive bool   `json:"case_sensitive,omitempty"`
	WholeWord     bool   `json:"whole_word,omitempty"`
	ContextLines  int    `json:"context_lines,omitempty" minimum:"0" maximum:"5"`
	In            string `json:"in,omitempty" enum:"text,titles,both" default:"both"`
	Limit         int    `json:"limit,omitempty" minimum:"1" maximum:"500" default:"100"`
	Cursor        string `json:"cursor,omitempty" jsonschema:"From next_cursor"`
}

// orExact is the advice for an expression that cannot be used.
func (in findIn) orExact() string {
	if in.Regex {
		return `, put \ before characters that are meant literally, or leave regex out to find query as it is`
	}
	return ""
}

// Validate rejects more than one area.
func (in findIn) Validate() error {
	if len(nonEmpty(in.DocumentID, in.CollectionID, in.Below)) > 1 {
		return errors.New("give only one of document_id, collection_id and below")
	}
	return nil
}

// findPosition is where a search continues, as a cursor keeps it.
type findPosition struct {
	List     listPlace
	Updated  int64  // when a document of the list was last updated, in microseconds since 1970; 0 if that is not known
	Revision uint32 // of the document
	// Line and Column are those of the next match in a document that has not had
	// its turn, or before it.
	Line, Column uint32
}

// shared reports whether the position is among the documents that are shared one by one,
// which come after the list and have no place in it.
func (p *findPosition) shared() bool { return p != nil && p.List.Total == 0 }

// findVersion is the version of findPosition and of what it means.
const findVersion = 1

// boundTo returns what a cursor is bound to: all that decides which matches there are.
func (f *finder) boundTo() any {
	return struct {
		Query, In                       string
		Regex, CaseSensitive, WholeWord bool
		Area                            string
	}{f.Query, f.In, f.Regex, f.CaseSensitive, f.WholeWord, f.area.key()}
}

// goOn reads the cursor of the call, if it has one.
func (f *finder) goOn() error {
	if f.Cursor == "" {
		return nil
	}
	f.from = new(findPosition)
	err := output.DecodeCursor(f.Cursor, "find_in_documents", findVersion, f.boundTo(), f.from)
	switch {
	case errors.Is(err, output.ErrArguments):
		return output.Invalid("%s. Repeat those of the call that returned it; only limit and context_lines may differ.", err)
	case err != nil:
		return output.Invalid("%s. Copy next_cursor as it is, or leave cursor out to begin again.", err)
	}
	return nil
}

func (f *finder) cursorAt(p findPosition) string {
	return output.EncodeCursor("find_in_documents", findVersion, f.boundTo(), p)
}

// documentMatch is a match.
type documentMatch struct {
	documentLink
	Path    string   `json:"path,omitempty" jsonschema:"Collection / parents"`
	Line    int      `json:"line" minimum:"0" jsonschema:"0: the title"`
	Column  int      `json:"column" minimum:"1"`
	Heading string   `json:"heading,omitempty" jsonschema:"Nearest above"`
	Anchor  string   `json:"anchor,omitempty" jsonschema:"Of the heading"`
	Text    string   `json:"text" jsonschema:"The line, or a part of it"`
	Before  []string `json:"before,omitempty"`
	After   []string `json:"after,omitempty"`

	position findPosition
	searched int                     // documents up to this one
	in       outline.DocumentSummary // only the IDs of its place
	where    string                  // in text
}

// documentMatches is the answer of find_in_documents.
type documentMatches struct {
	Matches    []documentMatch `json:"matches"`
	Searched   int             `json:"documents_searched"`
	Matched    int             `json:"documents_matched"`
	Complete   bool            `json:"complete"`
	NextCursor string          `json:"next_cursor,omitempty"`
	Note       string          `json:"note,omitempty"`

	query    string
	cursorAt func(findPosition) string
}

// locate says where the documents are.
func (m *documentMatches) locate(ctx context.Context, env mcptool.Env) {
	where := pathsOf(ctx, env, entriesOf(m.Matches, func(m documentMatch) outline.DocumentSummary { return m.in }))
	for i := range m.Matches {
		one := &m.Matches[i]
		one.Path, one.where = where.of(one.in), where.locate(one.in).inTitles()
	}
}

// Cuts implements output.Cuttable.
func (m *documentMatches) Cuts() []output.Cut {
	all := m.Matches
	cuts := cutEntries(&m.Matches, func(n int) {
		m.Complete, m.NextCursor, m.Searched = false, m.cursorAt(all[n].position), all[n].searched
		m.countMatched()
	})
	cuts[0].Least = min(1, len(all))
	return cuts
}

func (m *documentMatches) countMatched() {
	m.Matched = 0
	for i, match := range m.Matches {
		if i == 0 || match.DocumentID != m.Matches[i-1].DocumentID {
			m.Matched++
		}
	}
}

func (m documentMatches) WriteText(t *output.Text) {
	t.Printf("# %s for %s", output.Count(len(m.Matches), "match", "matches"), output.Quote(m.query))
	t.If(m.Matched > 0).Printf(" in %s", output.Count(m.Matched, "document", "documents"))
	t.Line(", %d searched", m.Searched)
	t.If(m.NextCursor != "").Line("More: call again with cursor %s.", m.NextCursor) // a client may cut the end
	t.If(len(m.Matches) > 0).Line("Each line: line:columns: text; 0 is the title; lines without columns are context")
	t.Blank()
	before := documentMatch{}
	for i := 0; i < len(m.Matches); {
		match, columns := m.Matches[i], ""
		for ; i < len(m.Matches) && m.Matches[i].looksLike(match); i++ {
			columns += fmt.Sprintf(",%d", m.Matches[i].Column)
		}
		next := documentMatch{}
		if i < len(m.Matches) {
			next = m.Matches[i]
		}
		match.trimContext(before, next)
		match.write(t, columns[1:], before)
		before = match
	}
	writeNotes(t, m.Note)
	if m.NextCursor != "" {
		t.Blank()
		t.Line("More: call again with cursor %s.", m.NextCursor)
	}
}

// looksLike reports whether two matches differ at most in their columns.
func (m documentMatch) looksLike(other documentMatch) bool {
	return m.DocumentID == other.DocumentID && m.Line == other.Line && m.Text == other.Text
}

// trimContext leaves out of the context the lines that are written with the match before,
// and those from the line of the next match on.
func (m *documentMatch) trimContext(before, next documentMatch) {
	if before.DocumentID == m.DocumentID {
		written := before.Line + len(before.After) - (m.Line - len(m.Before) - 1)
		m.Before = m.Before[min(max(0, written), len(m.Before)):]
	}
	if next.DocumentID == m.DocumentID {
		m.After = m.After[:min(max(0, next.Line-m.Line-1), len(m.After))]
	}
}

// write writes the match, and those that look like it, after the one before,
// without what both have in common.
func (m documentMatch) write(t *output.Text, columns string, before documentMatch) {
	if m.DocumentID != before.DocumentID {
		t.Line("- %s%s", m.documentName, m.where)
		before = documentMatch{}
	}
	t.If(m.Heading != before.Heading).Line("  under %s%s", output.Quote(m.Heading), shownAnchor(" ", m.Anchor))
	for i, line := range m.Before {
		t.Line("  %d: %s", m.Line-len(m.Before)+i, line)
	}
	t.Line("  %d:%s: %s", m.Line, columns, m.Text)
	for i, line := range m.After {
		t.Line("  %d: %s", m.Line+1+i, line)
	}
}

// documentPage makes matches of a document. What it needs for that, it makes once.
type documentPage struct {
	env          mcptool.Env
	document     outline.Document
	contextLines int

	lines    []string
	sections []prosemirror.Section
	anchors  []string // of the sections
	read     bool
}

// longestLine is the maximum length of a line in an answer, in code points.
// A longer one is shortened to the part around the match.
const longestLine = 240

func (p *documentPage) match(m search.Match) documentMatch {
	match := documentMatch{documentLink: linkTo(p.env, p.document.DocumentSummary), Line: m.Line, Column: m.Column, Text: plainLine(around(m))}
	if m.Line == 0 {
		return match
	}
	if !p.read {
		p.sections, p.read = prosemirror.Sections(p.document.Text), true
		p.anchors = anchorsOf(p.sections)
		if p.contextLines > 0 {
			p.lines = strings.Split(strings.TrimSuffix(prosemirror.Unpadded(p.document.Text), "\n"), "\n")
		}
	}
	for i, s := range p.sections {
		if s.FirstLine > m.Line {
			break
		}
		if s.Heading != "" {
			match.Heading, match.Anchor = output.Excerpt(s.Heading, longestTitle), p.anchors[i]
		}
	}
	if p.contextLines > 0 {
		match.Before = contextOf(p.lines[max(0, m.Line-1-p.contextLines) : m.Line-1])
		match.After = contextOf(p.lines[min(m.Line, len(p.lines)):min(m.Line+p.contextLines, len(p.lines))])
	}
	return match
}

// contextOf returns lines beside a match.
func contextOf(lines []string) []string {
	return entriesOf(lines, func(line string) string { return plainLine(text.Truncate(strings.TrimSuffix(line, "\r"), longestLine)) })
}

// around returns the line of a match, or the part around it.
func around(m search.Match) string {
	if utf8.RuneCountInString(m.Text) <= longestLine {
		return m.Text
	}
	const before = longestLine / 3
	start := m.Start
	for n := 0; n < before && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(m.Text[:start])
		start -= size
	}
	shown := text.Truncate(m.Text[start:], longestLine)
	if start > 0 {
		shown = output.Ellipsis + shown
	}
	return shown
}

// plainLine returns a copy of a line without control characters, except for tabs. A
// part of a document would keep all of it in memory.
func plainLine(line string) string {
	return strings.Clone(strings.Join(entriesOf(strings.Split(line, "\t"), output.Label), "\t"))
}
