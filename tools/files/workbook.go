package files

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// readWorkbook reads the sheets of an Excel workbook, each as a heading and a table.
func readWorkbook(a *archive, main string) error {
	related := a.relationships(main)
	r := &workbookReader{archive: a}
	if err := r.readStrings(relatedPart(related, "sharedStrings")); err != nil {
		return err
	}
	if err := r.readStyles(relatedPart(related, "styles")); err != nil {
		return err
	}
	type sheet struct{ name, part string }
	var sheets []sheet
	err := a.walk(main, visitor{start: func(name string, attrs attributes) bool {
		switch name {
		case "workbookPr":
			r.from1904 = attrs.get("date1904") == "1" || attrs.get("date1904") == "true"
		case "sheet":
			title := attrs.get("name")
			if attrs.get("state") != "" && attrs.get("state") != "visible" {
				title += " (hidden)"
			}
			sheets = append(sheets, sheet{title, related[attrs.related()].target})
			a.out.full = len(sheets) > maxSheets
		}
		return true
	}})
	if err != nil {
		return err
	}
	for _, s := range sheets {
		a.out.heading(2, s.name)
		if err := r.readSheet(s.part); err != nil {
			return err
		}
	}
	return nil
}

type workbookReader struct {
	*archive
	strings  []string
	formats  []string // of the styles of cells: date, time, or "" for any other
	from1904 bool
}

func (r *workbookReader) readStrings(name string) error {
	var text strings.Builder
	inText := false
	return r.walk(name, visitor{
		start: func(name string, _ attributes) bool {
			inText = name == "t"
			return name != "rPh" // how it is pronounced
		},
		end: func(name string) {
			inText = false
			if name == "si" {
				if r.strings = append(r.strings, text.String()); len(r.strings) > maxStrings {
					r.out.full = true
				}
				text.Reset()
			}
		},
		text: func(s string) {
			if inText {
				r.out.take(len(s))
				text.WriteString(s)
			}
		},
	})
}

// readStyles learns which numbers are dates.
func (r *workbookReader) readStyles(name string) error {
	own, inCells := map[int]string{}, false
	return r.walk(name, visitor{
		start: func(name string, attrs attributes) bool {
			id := attrs.number("numFmtId", 0, math.MaxInt32)
			switch name {
			case "numFmt":
				own[id] = dateFormatOf(attrs.get("formatCode"))
			case "cellXfs":
				inCells = true
			case "xf":
				if !inCells {
					return true
				}
				format := own[id]
				switch {
				case id >= 14 && id <= 17, id == 22:
					format = "date"
				case id >= 18 && id <= 21, id >= 45 && id <= 47:
					format = "time"
				}
				r.formats = append(r.formats, format)
			}
			return true
		},
		end: func(name string) { inCells = inCells && name != "cellXfs" },
	})
}

// dateFormatOf tells from the code of a format whether it shows a date or a time of day.
func dateFormatOf(code string) string {
	quoted, bracketed := false, false
	letters := strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '[' || c == ']':
			bracketed = c == '['
		case !quoted && !bracketed:
			return c
		}
		return -1
	}, strings.ToLower(code))
	switch {
	case strings.Contains(letters, "general"):
		return ""
	case strings.ContainsAny(letters, "yd"):
		return "date"
	case strings.ContainsAny(letters, "hs"):
		return "time"
	}
	return ""
}

func (r *workbookReader) readSheet(name string) error {
	var value strings.Builder
	kind, style, column, inValue := "", 0, 0, false
	r.out.beginTable()
	defer r.out.endTable()
	return r.walk(name, visitor{
		start: func(name string, attrs attributes) bool {
			switch name {
			case "row":
				r.out.beginRow()
				column = -1
			case "c":
				kind, style = attrs.get("t"), attrs.number("s", 0, math.MaxInt32)
				if column++; attrs.get("r") != "" {
					column = columnOf(attrs.get("r"))
				}
				value.Reset()
			case "v", "t":
				inValue = true
			case "f", "rPh":
				return false
			}
			return true
		},
		end: func(name string) {
			switch name {
			case "c":
				r.out.add(column, r.shown(kind, value.String(), style))
			case "v", "t":
				inValue = false
			}
		},
		text: func(s string) {
			if inValue {
				value.WriteString(s)
			}
		},
	})
}

// columnOf returns the column of a reference such as AB12, from 0.
func columnOf(reference string) int {
	column := 0
	for _, c := range reference {
		if c < 'A' || c > 'Z' || column > 1<<14 {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	return max(0, column-1)
}

// shown returns what a cell shows.
func (r *workbookReader) shown(kind, value string, style int) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(r.strings) {
			return r.strings[i]
		}
		return ""
	case "b":
		if value == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "", "n":
		if style < len(r.formats) && r.formats[style] != "" {
			return r.date(value, r.formats[style])
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil && len(value) > 15 {
			return strconv.FormatFloat(n, 'g', 15, 64) // 0.30000000000000004
		}
	}
	return value
}

// date returns a count of days since 1900 as a date, a time of day or both.
func (r *workbookReader) date(value, format string) string {
	days, err := strconv.ParseFloat(value, 64)
	if err != nil || days < 0 || days > 2_958_466 {
		return value // none, or behind the year 9999
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case r.from1904:
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // Excel counts February 29, 1900, which was none
		first = first.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	t := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86_400)) * time.Second)
	switch {
	case format == "time" && days < 1:
		return t.Format(time.TimeOnly)
	case part == 0:
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}
