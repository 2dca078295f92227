package typings

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// comment returns a text with all that the schema says beyond the type.
func (s *schema) comment() string {
	parts := []string{s.Description}
	if s.Format != "" {
		known := map[string]string{"uuid": "UUID", "date-time": "RFC 3339 time", "uri": "URL"}
		parts = append(parts, cmp.Or(known[s.Format], "Format: "+s.Format))
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
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last < 0 || len(lines[last])+1+len(word) > 100 {
			lines = append(lines, word)
		} else {
			lines[last] += " " + word
		}
	}
	return lines
}
