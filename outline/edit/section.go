package edit

import (
	"slices"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// A SectionEdit changes one section of a document. It must be the only edit of its
// document.
type SectionEdit struct {
	// Find finds the section in a text of the document. Its error is that of the edit.
	Find func(text string) (prosemirror.Section, error)
	// Mode is ModeAppend or ModePrepend, which put the text at the end of the section or
	// below its heading, or ModeReplace, which puts it in place of all that is below.
	Mode string
	Text string // Markdown, without blank lines around it; "" only to replace

	line     int     // of the heading that was found last
	replaced *string // what was below the heading at first
}

// changes returns what the edit changes in a text.
func (e *SectionEdit) changes(text string) (changes []Change, err error) {
	section, err := e.Find(text)
	if err != nil {
		return nil, err
	}
	e.line = section.FirstLine
	if section.Torn && e.Mode != ModePrepend {
		return nil, &RefusedError{
			Reason:  "the section is partly inside and partly outside of a callout or toggle",
			Instead: "Change a passage of it instead.",
		}
	}
	start, end, prefix := Below(text, section)
	body, added := text[start:end], ""
	if e.Text != "" {
		added = indented(prefix, "\n\n"+withUsualBullets(e.Text))
	}
	switch e.Mode {
	case ModeAppend:
		return []Change{{Match: Match{Start: end, End: end}, New: added}}, nil
	case ModePrepend:
		return []Change{{Match: Match{Start: start, End: start}, New: added}}, nil
	}
	if e.replaced == nil {
		e.replaced = &body
	}
	if body != *e.replaced {
		return nil, outline.ChangedMeanwhile("another user changed the section meanwhile")
	}
	for _, c := range changesBetween(body, added, "") {
		c.Start, c.End = c.Start+start, c.End+start
		changes = append(changes, c)
	}
	if len(changes) == 0 { // the same text
		changes = []Change{{Match: Match{Start: start, End: start}}}
	}
	return changes, nil
}

// Below returns where in a text that is below the heading of a section is, and the
// signs of quotes and lists that its lines begin with. Blank lines at its end are not part
// of it.
func Below(text string, s prosemirror.Section) (start, end int, prefix string) {
	lines := splitLines(text)
	last := s.LastLine - s.Outside
	for last > s.FirstLine && strings.Trim(lines[last-1], "> \n") == "" {
		last--
	}
	for i, line := range lines[:last] {
		if end += len(line); i == s.FirstLine-1 {
			start = end
		}
	}
	heading := lines[s.FirstLine-1]
	signs, _, _ := strings.Cut(heading, "#")
	prefix = strings.Map(func(r rune) rune {
		if r == '>' {
			return r
		}
		return ' '
	}, signs)
	return start - lineEndBefore(text, start), end - lineEndBefore(text, end), prefix
}

// indented returns a text with a prefix before each line but the first.
func indented(prefix, text string) string {
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
		case line == "":
			out.WriteString("\n" + strings.TrimRight(prefix, " "))
		default:
			out.WriteString("\n" + prefix)
		}
		out.WriteString(line)
	}
	return out.String()
}

// withUsualBullets returns a text with the bullets that Outline writes, so that its lists go
// on with those that they are put next to. Text with several kinds of bullets stays as it is.
func withUsualBullets(text string) string {
	if len(bulletsOf(text)) != 1 {
		return text
	}
	usual := replaceBullets(text, true, func(line string, at int) string {
		if box := strings.TrimLeft(line[at+1:], " \t"); strings.HasPrefix(box, "[ ] ") || strings.HasPrefix(strings.ToLower(box), "[x] ") {
			return "-"
		}
		return "*"
	})
	if allAlike(parse(usual), parse(text)) {
		return usual
	}
	return text
}

// check refuses a plan unless it leads to the document with the blocks of the new text in
// the section: the text around them may give their Markdown another meaning, or they may
// take in what follows.
func (e *SectionEdit) check(now outline.Document, plan Plan) error {
	tree, result := now.Tree, prosemirror.Parse(plan.Text)
	if tree == nil {
		tree = prosemirror.Parse(now.Text)
	} else if result = tree; len(plan.Steps) > 0 {
		result = plan.Steps[len(plan.Steps)-1].Request.Result
	}
	nth := slices.IndexFunc(prosemirror.Sections(now.Text), func(s prosemirror.Section) bool { return s.FirstLine == e.line })
	wanted := e.in(tree, &nth)
	if nth < 0 && (allAlike(wanted.Content, result.Content) ||
		allAlike(parse(prosemirror.ToText(wanted)), parse(prosemirror.ToText(result)))) {
		return nil
	}
	if opens(e.Text) {
		return unclosedBlock(e.Text, parse(e.Text))
	}
	return &RefusedError{
		Reason:  "in this section, the text would mean something else, or change what is around it",
		Instead: "Write it with simpler blocks, or change a passage instead.",
	}
}

// in returns a tree with the change below its nth heading, which is counted down below 0
// when it is made.
func (e *SectionEdit) in(n *prosemirror.Node, nth *int) *prosemirror.Node {
	for i, child := range n.Content {
		switch child.Type {
		case prosemirror.Table:
		case prosemirror.Heading:
			if *nth--; *nth < 0 {
				return n.With(e.below(n.Content, i))
			}
		default:
			if with := e.in(child, nth); *nth < 0 {
				return n.With(splice(n.Content, i, i+1, []*prosemirror.Node{with}))
			}
		}
	}
	return n
}

// below returns blocks with the change below the heading at an index.
func (e *SectionEdit) below(blocks []*prosemirror.Node, heading int) []*prosemirror.Node {
	start := heading + 1
	end := start
	for end < len(blocks) && !endsSection(blocks[end], blocks[heading].Attrs.Number("level")) {
		end++
	}
	for end > start && isEmpty(blocks[end-1]) {
		end--
	}
	switch e.Mode {
	case ModeAppend:
		start = end
	case ModePrepend:
		end = start
	}
	return splice(blocks, start, end, parse(e.Text))
}

// endsSection reports whether a block is or holds a heading that ends a section of a level.
func endsSection(n *prosemirror.Node, level float64) bool {
	switch n.Type {
	case prosemirror.Heading:
		return n.Attrs.Number("level") <= level
	case prosemirror.Notice, prosemirror.Toggle:
		return slices.ContainsFunc(n.Content, func(child *prosemirror.Node) bool { return endsSection(child, level) })
	}
	return false
}
