package files

import (
	"fmt"
	"strings"
)

// readOpenDocument reads a text, a spreadsheet or a presentation: all are written alike.
func readOpenDocument(a *archive, main string) error {
	if a.parts[main] == nil {
		return ErrDamaged
	}
	r := &openReader{archive: a, ordered: map[string]bool{}}
	// The styles of lists may be beside the text or in a separate part.
	if err := a.walk("styles.xml", visitor{r.start, r.end, r.text}); err != nil {
		return err
	}
	return a.walk(main, visitor{r.start, r.end, r.text})
}

type openReader struct {
	*archive
	inBody     bool
	ordered    map[string]bool // by the name of a style and a level
	style      string          // the style of list that is being described
	lists      []string        // the styles of the lists that are open
	paragraphs []*strings.Builder
	heading    int    // the level of the open heading; 0 in a paragraph
	repeated   int    // how often the open cell is there
	rows       int    // how often the open row is
	value      string // of the open cell, if it has no text
	slide      int
	title      bool // in the frame of a title
	notes      bool
	links      []string
}

func (r *openReader) start(name string, attrs attributes) bool {
	switch name {
	case "body":
		r.inBody = true
	case "list-style":
		r.style = attrs.get("name")
	case "list-level-style-number":
		r.ordered[r.style+" "+attrs.get("level")] = attrs.get("num-format") != ""
	case "master-styles", "tracked-changes", "annotation", "forms", "tracked-deletion", "ruby-text":
		return false
	}
	if !r.inBody {
		return true
	}
	switch name {
	case "h", "p":
		r.paragraphs = append(r.paragraphs, &strings.Builder{})
		r.heading = 0
		if name == "h" {
			r.heading = attrs.number("outline-level", 1, 6)
		}
	case "s":
		r.text(strings.Repeat(" ", attrs.number("c", 1, 100)))
	case "tab":
		r.text("\t")
	case "line-break":
		r.text("\n")
	case "a":
		r.links = append(r.links, attrs.get("href"))
		r.text("[")
	case "list":
		style := attrs.get("style-name")
		if n := len(r.lists); style == "" && n > 0 {
			style = r.lists[n-1]
		}
		r.lists = append(r.lists, style)
	case "table":
		if len(r.out.tables) == 0 && r.sheets() {
			r.out.heading(2, attrs.get("name"))
		}
		r.out.beginTable()
	case "table-row":
		r.out.beginRow()
		r.rows = attrs.number("number-rows-repeated", 1, 1<<20)
	case "table-cell", "covered-table-cell":
		r.repeated = max(1, attrs.number("number-columns-repeated", 1, 1<<14))
		r.value = ""
		for _, of := range []string{"date-value", "time-value", "boolean-value", "string-value", "value"} {
			if r.value == "" {
				r.value = attrs.get(of)
			}
		}
	case "page":
		r.slide++
		r.out.heading(2, fmt.Sprintf("Slide %d: %s", r.slide, attrs.get("name")))
	case "frame":
		r.title = attrs.get("class") == "title"
	case "notes":
		r.notes = true
	case "page-number", "page-count":
		return false
	}
	return true
}

// sheets reports whether the file is a spreadsheet, in which tables have names that
// people gave.
func (r *openReader) sheets() bool {
	return strings.HasPrefix(r.content("mimetype"), openDocument+"spreadsheet")
}

func (r *openReader) end(name string) {
	switch name {
	case "h", "p":
		if n := len(r.paragraphs); n > 0 {
			text := r.paragraphs[n-1].String()
			r.paragraphs = r.paragraphs[:n-1]
			r.paragraph(text)
		}
	case "a":
		if n := len(r.links); n > 0 {
			r.text("](" + r.links[n-1] + ")")
			r.links = r.links[:n-1]
		}
	case "list":
		r.lists = r.lists[:max(0, len(r.lists)-1)]
	case "table-cell", "covered-table-cell":
		r.endCell()
	case "table-row":
		r.out.repeatRow(r.rows - 1)
		r.rows = 1
	case "table":
		r.out.endTable()
	case "frame":
		r.title = false
	case "notes":
		r.notes = false
	}
}

// endCell writes the open cell as often as it is repeated.
func (r *openReader) endCell() {
	inner := r.out.table()
	if inner == nil {
		return
	}
	if len(inner.open) == 0 && r.value != "" {
		inner.open = []string{r.value}
	}
	if open := inner.open; len(open) == 0 {
		r.out.endCell(r.repeated)
	} else {
		for i := 0; i < r.repeated && !r.out.full; i++ {
			inner.open = open
			r.out.endCell(1)
		}
	}
	r.repeated, r.value = 1, ""
}

func (r *openReader) paragraph(text string) {
	level := len(r.lists)
	switch {
	case r.heading > 0:
		r.out.heading(r.heading, text)
		r.heading = 0
	case r.title:
		r.out.heading(3, text)
	case r.notes:
		r.out.block("> ", text)
	case level > 0:
		r.out.item(level-1, r.ordered[fmt.Sprintf("%s %d", r.lists[level-1], level)], text)
	default:
		r.out.block("", text)
	}
}

func (r *openReader) text(text string) {
	if n := len(r.paragraphs); n > 0 {
		r.out.take(len(text))
		r.paragraphs[n-1].WriteString(text)
	}
}
