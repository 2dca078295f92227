package files

import (
	"fmt"
	"strings"
)

// readSlides reads the slides of a PowerPoint presentation in their order: titles as
// headings, texts as lists, then the notes of the speaker.
func readSlides(a *archive, main string) error {
	related := a.relationships(main)
	var slides []string
	err := a.walk(main, visitor{start: func(name string, attrs attributes) bool {
		if name == "sldId" {
			slides = append(slides, related[attrs.related()].target)
			a.out.full = len(slides) > maxSheets
		}
		return true
	}})
	if err != nil {
		return err
	}
	for i, slide := range slides {
		s := &slideReader{archive: a, heading: fmt.Sprintf("Slide %d", i+1)}
		if err := s.read(slide); err != nil {
			return err
		}
		if notes := relatedPart(a.relationships(slide), "notesSlide"); notes != "" {
			s := &slideReader{archive: a, notes: true}
			if err := s.read(notes); err != nil {
				return err
			}
		}
	}
	return nil
}

// slideReader reads a slide, or the notes to it.
type slideReader struct {
	*archive
	heading string // until it is written
	title   []string
	body    []func() // writes what is below the heading, which may come first in the file
	notes   bool
	place   string // the kind of the open shape
	level   int
	inText  bool
	inTable bool
	line    strings.Builder
}

func (s *slideReader) start(name string, attrs attributes) bool {
	switch name {
	case "Fallback":
		return false
	case "sp":
		s.place = ""
	case "ph":
		if s.place = attrs.get("type"); s.place == "" {
			s.place = "body"
		}
	case "p":
		s.level = -1
		s.line.Reset()
	case "pPr":
		s.level = attrs.number("lvl", 0, 8)
	case "t":
		s.inText = true
	case "br":
		s.line.WriteByte(' ')
	case "tbl":
		s.inTable = true
		s.later(s.out.beginTable)
	case "tr":
		s.later(s.out.beginRow)
	}
	return true
}

func (s *slideReader) later(write func()) { s.body = append(s.body, write) }

func (s *slideReader) end(name string) {
	switch name {
	case "t":
		s.inText = false
	case "p":
		s.paragraph(s.line.String())
	case "tc":
		// In a merged cell, the cells behind the first one are there, and empty.
		s.later(func() { s.out.endCell(1) })
	case "tbl":
		s.inTable = false
		s.later(s.out.endTable)
	case "sp":
		s.place = ""
	}
}

func (s *slideReader) paragraph(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	level := s.level
	switch {
	case s.place == "sldNum" || s.place == "ftr" || s.place == "dt" || s.place == "hdr":
	case s.inTable:
		s.later(func() { s.out.block("", text) })
	case s.notes && s.place == "body":
		s.later(func() { s.out.block("> ", text) })
	case s.notes:
	case s.place == "title" || s.place == "ctrTitle":
		s.title = append(s.title, text)
	case s.place == "" || s.place == "subTitle":
		s.later(func() { s.out.block("", text) })
	default:
		s.later(func() { s.out.item(max(0, level), false, text) })
	}
}

func (s *slideReader) text(text string) {
	if s.inText {
		s.line.WriteString(text)
	}
}

// read reads a part and writes what it holds.
func (s *slideReader) read(name string) error {
	if err := s.walk(name, visitor{s.start, s.end, s.text}); err != nil {
		return err
	}
	if !s.notes {
		heading := s.heading
		if len(s.title) > 0 {
			heading += ": " + strings.Join(s.title, " ")
		}
		s.out.heading(2, heading)
	} else if len(s.body) > 0 {
		s.out.block("", "Notes:")
	}
	for _, write := range s.body {
		write()
	}
	return nil
}
