package files

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// style is how a paragraph of Word looks, as far as that is structure.
type style struct {
	based   string
	heading int    // from 1; 0 for none
	list    string // ID of the numbering; "" for none
	level   int
}

// readWord reads the text of a Word document, then its notes.
func readWord(a *archive, main string) error {
	related := a.relationships(main)
	w := &wordReader{archive: a, related: related}
	if err := w.readStyles(relatedPart(related, "styles")); err != nil {
		return err
	}
	if err := w.readNumbering(relatedPart(related, "numbering")); err != nil {
		return err
	}
	for _, name := range []string{main, relatedPart(related, "footnotes"), relatedPart(related, "endnotes")} {
		if err := a.walk(name, visitor{w.start, w.end, w.text}); err != nil {
			return err
		}
	}
	return nil
}

type wordReader struct {
	*archive
	related    map[string]relationship
	styles     map[string]style
	ordered    map[string]bool   // by the ID of a definition of a list and a level
	definition map[string]string // of a list, by the ID of its numbering
	paragraphs []*paragraph      // those that are open: a text box is in another one
	inText     bool
	links      []string // the addresses of the links that are open
	note       string   // what the next paragraph begins with
	span       int      // columns of the open cell
}

type paragraph struct {
	style
	text strings.Builder
}

var headingName = regexp.MustCompile(`(?i)^heading ([1-9])$`)

func (w *wordReader) readStyles(name string) error {
	w.styles = map[string]style{}
	id, s := "", style{}
	return w.walk(name, visitor{
		start: func(name string, attrs attributes) bool {
			value := attrs.get("val")
			switch name {
			case "style":
				id, s = attrs.get("styleId"), style{}
			case "name":
				if match := headingName.FindStringSubmatch(value); match != nil {
					s.heading, _ = strconv.Atoi(match[1])
				} else if strings.EqualFold(value, "title") {
					s.heading = 1
				}
			case "basedOn":
				s.based = value
			default:
				s.set(name, attrs)
			}
			return true
		},
		end: func(name string) {
			if name == "style" {
				w.styles[id] = s
			}
		},
	})
}

// set takes in a property of a paragraph.
func (s *style) set(name string, attrs attributes) {
	switch name {
	case "outlineLvl":
		if s.heading = attrs.number("val", 9, 9) + 1; s.heading > 9 {
			s.heading = 0 // body text
		}
	case "numId":
		s.list = attrs.get("val")
	case "ilvl":
		s.level = attrs.number("val", 0, 8)
	}
}

// styleOf returns a style with what it takes from those it is based on.
func (w *wordReader) styleOf(id string) style {
	s := w.styles[id]
	for range 10 {
		base, ok := w.styles[s.based]
		if !ok {
			break
		}
		if s.list == "" {
			s.list, s.level = base.list, base.level
		}
		s.heading, s.based = cmp.Or(s.heading, base.heading), base.based
	}
	return s
}

func (w *wordReader) readNumbering(name string) error {
	w.ordered, w.definition = map[string]bool{}, map[string]string{}
	id, level := "", ""
	return w.walk(name, visitor{start: func(name string, attrs attributes) bool {
		switch name {
		case "abstractNum":
			id = attrs.get("abstractNumId")
		case "lvl":
			level = attrs.get("ilvl")
		case "numFmt":
			value := attrs.get("val")
			w.ordered[id+" "+level] = value != "bullet" && value != "none"
		case "num":
			id = attrs.get("numId")
		case "abstractNumId":
			w.definition[id] = attrs.get("val")
		}
		return true
	}})
}

func (w *wordReader) start(name string, attrs attributes) bool {
	switch name {
	case "del", "moveFrom", "Fallback", "tabs", "instrText", "rPr", "sectPr", "pPrChange":
		return false // removed, or written a second time, or no text
	case "p":
		w.paragraphs = append(w.paragraphs, &paragraph{})
		w.write(w.note)
		w.note = ""
	case "pStyle":
		if n := len(w.paragraphs); n > 0 {
			w.paragraphs[n-1].style = w.styleOf(attrs.get("val"))
		}
	case "outlineLvl", "numId", "ilvl":
		if n := len(w.paragraphs); n > 0 {
			w.paragraphs[n-1].set(name, attrs)
		}
	case "t":
		w.inText = true
	case "tab":
		w.write("\t")
	case "br", "cr":
		w.write("\n")
	case "noBreakHyphen":
		w.write("-")
	case "hyperlink":
		address := ""
		if r := w.related[attrs.related()]; r.outside {
			address = r.target
			w.write("[")
		}
		w.links = append(w.links, address)
	case "footnoteReference", "endnoteReference":
		w.write("[^" + noteName(name, attrs) + "]")
	case "footnote", "endnote":
		if attrs.get("type") != "" {
			return false // a separator
		}
		w.note = "[^" + noteName(name, attrs) + "]: "
	case "tbl":
		w.out.beginTable()
	case "tr":
		w.out.beginRow()
	case "tc":
		w.span = 1
	case "gridSpan":
		w.span = attrs.number("val", 1, 1000)
	}
	return true
}

// noteName returns the name of a note, of which footnotes and endnotes have their own.
func noteName(element string, attrs attributes) string {
	id := attrs.get("id")
	if strings.HasPrefix(element, "endnote") {
		return "end" + id
	}
	return id
}

func (w *wordReader) end(name string) {
	switch name {
	case "t":
		w.inText = false
	case "hyperlink":
		if n := len(w.links); n > 0 {
			if w.links[n-1] != "" {
				w.write("](" + w.links[n-1] + ")")
			}
			w.links = w.links[:n-1]
		}
	case "p":
		n := len(w.paragraphs)
		if n == 0 {
			return
		}
		p := w.paragraphs[n-1]
		w.paragraphs = w.paragraphs[:n-1]
		switch text := p.text.String(); {
		case p.heading > 0:
			w.out.heading(p.heading, text)
		case p.list != "" && p.list != "0":
			w.out.item(p.level, w.ordered[w.definition[p.list]+" "+strconv.Itoa(p.level)], text)
		default:
			w.out.block("", text)
		}
	case "tc":
		w.out.endCell(max(1, w.span))
	case "tbl":
		w.out.endTable()
	}
}

func (w *wordReader) text(text string) {
	if w.inText {
		w.write(text)
	}
}

// write adds to the open paragraph.
func (w *wordReader) write(text string) {
	if n := len(w.paragraphs); n > 0 {
		w.out.take(len(text))
		w.paragraphs[n-1].text.WriteString(text)
	}
}
