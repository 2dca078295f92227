package prosemirror

import (
	"slices"
	"sort"
	"strings"
)

// IsolateFileLinks returns a text in which each link to an attachment or a
// video that Outline stores has its own paragraph. If a paragraph contains such
// a link, Outline keeps only the link: the words around it would be lost. They
// become separate paragraphs before and after it; everything else stays the
// same, byte for byte. This includes links that cannot be moved: those within
// emphasis that contains other words, and those in table cells.
func IsolateFileLinks(markdown string) string {
	if !strings.Contains(markdown, "/api/") || strings.IndexByte(markdown, 0) >= 0 {
		return markdown
	}
	// A link that moves may end emphasis that contained another link.
	for range 4 {
		isolated := isolateFileLinks(markdown)
		if isolated == markdown {
			break
		}
		markdown = isolated
	}
	return markdown
}

func isolateFileLinks(markdown string) string {
	source, _ := numberLetters(markdown)
	p := newBlockParser(normalizeLines(source), map[string]reference{})
	p.sources = &[]paragraphSource{}
	p.parse(0, p.lineMax)
	inline := inlineParser{references: p.references}
	var edits []textEdit
	for _, paragraph := range *p.sources {
		if strings.IndexByte(paragraph.content, ']') >= 0 {
			edits = append(edits, paragraph.isolate(fileLinks(paragraph.content, inline.parse(paragraph.content)))...)
		}
	}
	if len(edits) == 0 {
		return markdown
	}
	sort.Slice(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
	return applyEdits(markdown, p.src, edits)
}

// A textEdit replaces a range of a text.
type textEdit struct {
	Range
	by string
}

// applyEdits makes edits whose ranges are places in source, which differs from
// the text in how lines begin and end.
func applyEdits(text, source string, edits []textEdit) string {
	lines, sourceLines := lineRanges(text), lineRanges(source)
	if len(lines) != len(sourceLines) {
		return text
	}
	at := 0
	place := func(offset int) int {
		for sourceLines[at].End < offset {
			at++
		}
		return lines[at].End - (sourceLines[at].End - offset)
	}
	var out strings.Builder
	copied := 0
	for _, e := range edits {
		start := max(copied, place(e.Start))
		out.WriteString(text[copied:start])
		out.WriteString(e.by)
		copied = max(start, place(e.End))
	}
	out.WriteString(text[copied:])
	return out.String()
}

// lineRanges returns the lines of a text without their ends, LF, CR or CRLF.
func lineRanges(text string) []Range {
	var lines []Range
	start := 0
	for {
		end := strings.IndexAny(text[start:], "\r\n")
		if end < 0 {
			return append(lines, Range{start, len(text)})
		}
		end += start
		lines = append(lines, Range{start, end})
		if strings.HasPrefix(text[end:], "\r\n") {
			end++
		}
		start = end + 1
	}
}

// A paragraphSource is where the text of a paragraph comes from.
type paragraphSource struct {
	content string
	prefix  string // what begins a further line of the block around
	lines   []sourceLine
}

// A sourceLine is a line of a paragraph.
type sourceLine struct {
	content int // where it begins in the content
	source  int // and in the source
	pad     int // blanks in the content that are not in the source
}

// noteSource notes where the text of a paragraph comes from.
func (p *blockParser) noteSource(start, end int, content string) {
	if p.sources == nil {
		return
	}
	first := &p.lines[start]
	begin := first.begin + first.shift
	prefix := []byte(p.src[strings.LastIndexByte(p.src[:begin], '\n')+1 : begin])
	for i, c := range prefix {
		if c != '>' && c != '\t' {
			prefix[i] = ' '
		}
	}
	s := paragraphSource{content: content, prefix: string(prefix), lines: []sourceLine{{source: begin}}}
	at := first.end - begin + 1
	for next := start + 1; next < end; next++ {
		rest, pad := p.cutLine(next, p.indent)
		s.lines = append(s.lines, sourceLine{at, rest, pad})
		at += pad + max(0, p.lines[next].end-rest) + 1
	}
	*p.sources = append(*p.sources, s)
}

// place returns where an offset of the content is in the source.
func (s *paragraphSource) place(offset int) int {
	at, _ := slices.BinarySearchFunc(s.lines, offset+1, func(l sourceLine, offset int) int { return l.content - offset })
	line := s.lines[at-1]
	return line.source + max(0, offset-line.content-line.pad)
}

// fileLinks returns where a paragraph links to stored files, including the
// marks around each link that contain nothing else.
func fileLinks(content string, tokens []token) []Range {
	var links []Range
	signs, start := 0, -1 // bytes of the signs of open marks; where a link begins
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.kind == linkOpen:
			if isFileURL(t.info()) && !isEmptyLink(tokens[i:]) {
				start = int(t.number)
			}
		case t.kind == linkClose:
			if start >= 0 {
				if link, ok := withSigns(content, Range{start, int(t.number)}, signs); ok {
					links = append(links, link)
				}
			}
			start = -1
		case start >= 0 || t.kind < linkOpen:
		case t.kind == emOpen:
			signs++
		case t.kind == emClose:
			signs--
		case t.kind > linkClose:
			signs -= 2
		default:
			signs += 2
		}
	}
	return links
}

// withSigns extends the place of a link by the signs around it. Ok is false if
// there is other text between them.
func withSigns(content string, link Range, signs int) (extended Range, ok bool) {
	for ; signs > 0; signs-- {
		link.Start--
		if link.Start < 0 || link.End >= len(content) || content[link.Start] != content[link.End] ||
			strings.IndexByte(markers, content[link.End]) < 0 {
			return link, false
		}
		link.End++
	}
	return link, true
}

// isolate returns the edits that give each link its own paragraph.
func (s *paragraphSource) isolate(links []Range) []textEdit {
	if len(links) == 0 {
		return nil
	}
	var edits []textEdit
	separator := "\n" + strings.TrimRight(s.prefix, " \t") + "\n" + s.prefix
	edit := func(start, end int, by string) {
		edits = append(edits, textEdit{Range{s.place(start), s.place(end)}, by})
	}
	end := 0 // of the link before
	for i := range len(links) + 1 {
		next := len(s.content)
		if i < len(links) {
			next = links[i].Start
		}
		text := s.content[end:next]
		first := end + len(text) - len(trimBreaksLeft(text))
		last := end + len(trimBreaksRight(s.content[end:next], s.content[next:]))
		if first >= last {
			if 0 < i && i < len(links) {
				edit(end, next, separator)
			}
		} else {
			at, escape := blockSign(s.content[first:last])
			switch {
			case i > 0 && escape && at == 0:
				edit(end, first, separator+`\`)
			case i > 0:
				edit(end, first, separator)
			}
			if escape && (i == 0 || at > 0) {
				edit(first+at, first+at, `\`)
			}
			if box := checkbox.get().FindStringSubmatch(s.content[first:next]); i < len(links) && !(i == 0 && box != nil && trimSpace(box[2]) == "" && s.content[first] == '[') {
				edit(last, next, separator)
			}
		}
		if i < len(links) {
			end = links[i].End
		}
	}
	return edits
}

// blockSign returns where a backslash keeps a text from being read as
// anything but a paragraph.
func blockSign(text string) (at int, needed bool) {
	line, _, _ := strings.Cut(text, "\n")
	if indent, _, ok := letterMarker(line); ok {
		return indent + 1, true
	}
	p := newBlockParser(text, map[string]reference{})
	p.parse(0, p.lineMax)
	if len(p.references) == 0 && len(p.tokens) > 0 && p.tokens[0].kind == paragraphOpen {
		return 0, false
	}
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at, at < len(text) && isASCIIPunctuation(text[at])
}

var leadingBreaks = pattern{expression: `^(?:` + space + `|\\\n|\\n|<[bB][rR]` + space + `*/?>)*`}

// trimBreaksLeft removes white space and breaks from the start of a text.
func trimBreaksLeft(text string) string {
	return text[len(leadingBreaks.get().FindString(text)):]
}

// trimBreaksRight removes white space and breaks from the end of a text that
// continues with what is behind.
func trimBreaksRight(text, behind string) string {
	for {
		bare := strings.TrimRightFunc(text, isSpaceRune)
		rest := text[len(bare):] + behind
		slashes := len(bare) - len(strings.TrimRight(bare, `\`))
		switch {
		case slashes%2 == 1 && strings.HasPrefix(rest, "\n"):
			bare = bare[:len(bare)-1]
		case strings.HasSuffix(bare, `\n`) && (len(bare) == 2 || bare[len(bare)-3] != '\\'):
			bare = bare[:len(bare)-2]
		case strings.HasSuffix(bare, ">"):
			if at := strings.LastIndexByte(bare, '<'); at >= 0 && leadingBreaks.get().FindString(bare[at:]) == bare[at:] {
				bare = bare[:at]
			}
		}
		if len(bare) == len(text) {
			return bare
		}
		text, behind = bare, rest
	}
}
