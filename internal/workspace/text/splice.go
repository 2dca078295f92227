package text

import "strings"

// What is added to a text, or replaced in it, leaves the other blocks as they
// are: Outline changes its editor's document, of which the text is an image.

// appended is a text with another one behind it. It goes on in the last
// paragraph unless it begins with the end of a line.
func appendText(old, add string) string {
	if strings.TrimSpace(old) == "" {
		return Normalize(add)
	}
	list := splitBlocks(old)
	last := list[len(list)-1]
	if !strings.HasPrefix(add, "\n") && last.last == paragraphBlock && startsParagraph(add) {
		return replaceBlocks(old, last.start, last.end, old[last.start:last.end]+add)
	}
	return joinBlocks(old[:last.end], Normalize(add))
}

// prepended is a text with another one before it, which goes on in the first
// paragraph unless it ends with the end of a line.
func prependText(add, old string) string {
	if strings.TrimSpace(old) == "" {
		return Normalize(add)
	}
	added := splitBlocks(add)
	if strings.HasSuffix(add, "\n") || len(added) == 0 {
		return joinBlocks(Normalize(add), old)
	}
	first := splitBlocks(old)[0]
	if first.first == paragraphBlock && added[len(added)-1].last == paragraphBlock {
		return replaceBlocks(old, first.start, first.end, add+old[first.start:first.end])
	}
	return joinBlocks(Normalize(add), old)
}

func startsParagraph(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line) != "" && kindOfLine(line) == paragraphBlock
}

// patched is a text in which a passage that stands in it has been replaced
// where it stands first. Where nothing is left of a block, an empty paragraph
// stays.
func patchText(old, find, with string) string {
	from := strings.Index(old, find)
	to := from + len(find)
	start, end := from, to
	for _, c := range splitBlocks(old) {
		if c.start <= to && c.end >= from {
			start, end = min(start, c.start), max(end, c.end)
		}
	}
	return replaceBlocks(old, start, end, old[start:from]+with+old[to:end])
}

// spliced puts another text in the place of some blocks of a text.
func replaceBlocks(old string, start, end int, text string) string {
	before := strings.TrimRight(old[:start], "\n")
	text = Normalize(text)
	rest := strings.TrimLeft(old[end:], "\n")
	switch {
	case text == "" && before != "" && rest != "":
		return before + "\n\n\n" + rest
	case text == "":
		return before + rest
	}
	// Space that stood before or behind says more than the kinds of the
	// blocks do, unless those have changed.
	joined := text
	if before != "" {
		joined = joinBlocks(before, text)
		if gap := old[len(before):start]; sameKind(old[start:], text) {
			joined = before + gap + text
		}
	}
	if rest == "" {
		return joined
	}
	return joinBlocksWithGap(joined, rest, old[end:len(old)-len(rest)])
}

func sameKind(a, b string) bool {
	a, _, _ = strings.Cut(a, "\n")
	b, _, _ = strings.Cut(b, "\n")
	return kindOfLine(a) == kindOfLine(b)
}

// stacked puts two texts one below the other.
func joinBlocks(above, below string) string { return joinBlocksWithGap(above, below, "") }

// stackedWith is stacked with at least a given space between the two.
func joinBlocksWithGap(above, below, gap string) string {
	above, below = strings.TrimRight(above, "\n"), strings.TrimLeft(below, "\n")
	if above == "" || below == "" {
		return above + below
	}
	list := splitBlocks(above)
	last := list[len(list)-1].last
	line, _, _ := strings.Cut(below, "\n")
	first := kindOfLine(line)
	space := "\n\n"
	if first.needsExtraLine() || first.isList() && first == last {
		space = "\n\n\n"
	}
	if len(gap) > len(space) {
		space = gap
	}
	return above + space + below
}
