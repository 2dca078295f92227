package typings

import (
	"strconv"
	"strings"
	"unicode"
)

// comment returns a text with all that the schema says beyond the type.
func (s *schema) comment() string {
	parts := []string{s.Description}
	switch s.Format {
	case "":
	case "uuid":
		parts = append(parts, "UUID")
	case "date-time":
		parts = append(parts, "RFC 3339 time")
	case "uri":
		parts = append(parts, "URL")
	default:
		parts = append(parts, "Format: "+s.Format)
	}
	parts = append(parts,
		between(s.Minimum, s.Maximum, ""),
		between(s.MinLength, s.MaxLength, " characters"),
		between(s.MinItems, s.MaxItems, " elements"))
	if s.Default != nil {
		parts = append(parts, "Default: "+string(s.Default))
	}
	var sentences []string
	for _, part := range parts {
		if part = plain(part); part != "" {
			sentences = append(sentences, strings.TrimSuffix(part, ".")+".")
		}
	}
	return strings.Join(sentences, " ")
}

func between(low, high *float64, unit string) string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case low != nil && high != nil:
		return number(low) + " to " + number(high) + unit
	case low != nil && *low != 0:
		return "At least " + number(low) + unit
	case high != nil:
		return "At most " + number(high) + unit
	}
	return ""
}

// plain returns a text on one line without unprintable characters, so that no
// text can end its comment or look different from what it is.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)), " ")
}

// wrapped splits a plain text into lines of about 100 characters.
func wrapped(text string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > 100 {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
