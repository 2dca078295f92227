package prosemirror

import (
	"slices"
	"strconv"
	"strings"
)

// A Drop is a part of a text that Outline drops when it parses the text,
// without an error.
type Drop struct {
	Construct string // what goes, in words such as "table cell beyond the columns of the header"
	Text      string // how it begins
	Line      int    // where it is, or the block that holds it, from 1

	whole string
}

// IsLike reports whether two drops are the same part of a text, wherever it is.
func (d Drop) IsLike(other Drop) bool {
	return d.Construct == other.Construct && d.whole == other.whole
}

// Dropped returns what Outline would drop from a text, in the order of the
// lines. It does not list changes that keep every word, such as a different
// sign for a bullet or a different number of an item.
func Dropped(markdown string) []Drop { return Main.Dropped(markdown) }

// DroppedInComment is Dropped for the text of a comment.
func DroppedInComment(markdown string) []Drop { return comment.Dropped(markdown) }

// Dropped is like the function, for another version of Outline.
func (d Dialect) Dropped(markdown string) []Drop {
	drops := drops{used: map[string]bool{}}
	build(markdown, d, &drops)
	for _, definition := range drops.definitions {
		if !drops.used[definition.label] {
			drops.list = append(drops.list, definition.Drop)
		}
	}
	slices.SortStableFunc(drops.list, func(a, b Drop) int { return a.Line - b.Line })
	return drops.list
}

// drops collects what the parser drops. A nil collector collects nothing.
type drops struct {
	list        []Drop
	definitions []definedLink
	used        map[string]bool // labels of definitions
}

// A definedLink is a definition that is dropped unless a link refers to it.
type definedLink struct {
	label string
	Drop
}

// add notes a drop on a line, counted from 0. Text that shows nothing is not a
// loss.
func (d *drops) add(line int32, construct, text string) {
	if d != nil && trimSpace(text) != "" {
		d.list = append(d.list, newDrop(line, construct, text))
	}
}

func newDrop(line int32, construct, text string) Drop {
	return Drop{construct, excerpt(text), int(line) + 1, text}
}

// dropMark is the amount that was collected at some point.
type dropMark struct{ drops, definitions int }

func (d *drops) mark() dropMark {
	if d == nil {
		return dropMark{}
	}
	return dropMark{len(d.list), len(d.definitions)}
}

// reset forgets what was noted since the mark.
func (d *drops) reset(since dropMark) {
	if d != nil {
		d.list, d.definitions = d.list[:since.drops], d.definitions[:since.definitions]
	}
}

// inCell moves what was noted since the mark, and the blocks, to the line of
// the table row that contains them.
func (d *drops) inCell(since dropMark, line int32, blocks []token) {
	if d == nil {
		return
	}
	for i := range d.list[since.drops:] {
		d.list[since.drops+i].Line = int(line) + 1
	}
	for i := range d.definitions[since.definitions:] {
		d.definitions[since.definitions+i].Line = int(line) + 1
	}
	for i := range blocks {
		blocks[i].line = line
	}
}

// defined notes the definition of a link.
func (d *drops) defined(line int32, label, source string, again bool) {
	if again {
		d.add(line, "second definition of the same link", source)
		return
	}
	d.definitions = append(d.definitions, definedLink{label, newDrop(line, "definition of a link that nothing refers to", source)})
}

func (d *drops) refersTo(label string) {
	if d != nil {
		d.used[label] = true
	}
}

// block notes a block that the schema does not allow where it is.
func (d *drops) block(f *frame) {
	if d == nil {
		return
	}
	construct, text := "block", (&Node{Content: f.content}).words()
	switch f.nodeType {
	case BulletList:
		construct = "bullet list with items that Outline reads as checkboxes"
	case OrderedList:
		construct = "numbered list with items that Outline reads as checkboxes"
	case CheckboxList:
		construct = "task list with items that Outline does not read as checkboxes"
	case Notice:
		construct = "callout"
		if trimSpace(text) == "" {
			text = ":::" + f.attrs.String("style")
		}
		for _, child := range f.content {
			if !isNoticeBlock(child.Type) {
				construct = "callout that holds a " + child.Name()
				break
			}
		}
	case Doc:
		construct = "document"
	}
	d.add(f.line, construct, text)
}

// file notes what is lost if a paragraph becomes a file: everything but the
// token that names it.
func (d *drops) file(line int32, children []token, named int, file *token) {
	if d == nil {
		return
	}
	kind := "an attachment"
	if file.kind == videoToken {
		kind = "a video"
		if size := file.title(); size == "x" || strings.Trim(size, "0123456789") != "x" {
			d.add(line, "last word of the name of a file, which Outline takes for the size of a video because of its x", size)
		}
	}
	d.add(line, "text beside a link to "+kind, beside(children, named))
}

// dateLabel notes the label of a date mention unless it is the label that
// Outline generates from the date.
func (d *drops) dateLabel(line int32, label, date string) {
	own, ok := dateLabel(date, 0) // with the year
	short := ""
	if len(date) > 4 {
		year, _ := strconv.Atoi(date[:4])
		short, _ = dateLabel(date, year)
	}
	if ok && label != own && label != short {
		d.add(line, "label of a date mention, which Outline makes of the date", label)
	}
}

// letters notes the letters before a dot at the start of a line that became a
// number and are not shown as a letter again.
func (d *drops) letters(list []token, letters map[int32]byte, source []string) {
	shown := map[int32]byte{}
	var open []*token // the lists around, with the number of their next item
	for i := range list {
		switch t := &list[i]; t.kind {
		case orderedListOpen:
			next := token{number: max(t.number, 1), flag: t.flag}
			open = append(open, &next)
		case bulletListOpen:
			open = append(open, &token{})
		case orderedListClose, bulletListClose:
			open = open[:len(open)-1]
		case listItemOpen:
			around := open[len(open)-1]
			switch around.flag {
			case lowerAlpha:
				shown[t.line] = byte('a' + (around.number-1)%26)
			case upperAlpha:
				shown[t.line] = byte('A' + (around.number-1)%26)
			}
			around.number++
		}
	}
	for line, letter := range letters {
		if shown[line] != letter {
			d.add(line, "letter before a dot at the start of a line, which Outline makes a number", source[line])
		}
	}
}

// beside returns the text of a paragraph without one of its tokens.
func beside(children []token, without int) string {
	var out strings.Builder
	for i := range children {
		t := &children[i]
		switch {
		case i == without:
			out.WriteByte(' ')
		case t.kind == softBreakToken, t.kind == hardBreakToken, t.kind == breakToken:
			out.WriteByte(' ')
		case t.kind == imageToken && trimSpace(t.content) == "":
			out.WriteString(t.info())
		default:
			out.WriteString(t.content)
		}
	}
	return out.String()
}

// longestExcerpt is the number of bytes of a dropped text that are kept.
const longestExcerpt = 80

// excerpt returns the beginning of a text on one line.
func excerpt(text string) string {
	shown := strings.Join(strings.Fields(text[:min(len(text), 4*longestExcerpt)]), " ")
	if len(text) <= 4*longestExcerpt && len(shown) <= longestExcerpt {
		return shown
	}
	return strings.ToValidUTF8(shown[:min(len(shown), longestExcerpt)], "") + "…"
}
