package prosemirror

import (
	"strconv"
	"strings"
)

// size reads a width or height as JavaScript's parseInt does. Anything that is
// not a number is stored as null.
func size(s string) any {
	if s == "" {
		return 0.0
	}
	s = trimSpace(s)
	digits := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		digits = s[1:]
	}
	end := 0
	for end < len(digits) && isDigit(digits[end]) {
		end++
	}
	n, err := strconv.ParseFloat(digits[:end], 64)
	if err != nil {
		return nil
	}
	if s[0] == '-' {
		n = -n
	}
	return n
}

// imageAttrs reads what Outline stores in the title of an image: the editor
// that made it, its position, and its size.
func imageAttrs(t *token) Attrs {
	var alt, title, source, layout any
	if t.content != "" {
		alt = t.content
	}
	attrs := make(Attrs, 0, 7)
	attrs = append(attrs, Attr{"src", t.info()})
	rest := t.title()
	if after, ok := strings.CutPrefix(strings.TrimLeftFunc(rest, isSpaceRune), "source="); ok {
		end := strings.IndexFunc(after, isSpaceRune)
		if end < 0 {
			end = len(after)
		}
		if end > 0 {
			source = after[:end]
			rest = strings.TrimLeftFunc(after[end:], isSpaceRune)
		}
	}
	for _, class := range []string{"right-50", "left-50", "full-width"} {
		if strings.Contains(rest, class) {
			layout = class
			rest = strings.Replace(rest, class, "", 1)
		}
	}
	if before, width, height, ok := imageSize(rest); ok {
		rest = before
		if width != "" {
			attrs = append(attrs, Attr{"width", size(width)})
		}
		if height != "" {
			attrs = append(attrs, Attr{"height", size(height)})
		}
	}
	if rest != "" {
		title = rest
	}
	return append(attrs, Attr{"alt", alt}, Attr{"source", source}, Attr{"layoutClass", layout}, Attr{"title", title})
}

// imageSize removes a size such as " =300x200" from the end of a title.
func imageSize(title string) (before, width, height string, ok bool) {
	head := strings.TrimRight(title, "0123456789")
	height = title[len(head):]
	head, ok = strings.CutSuffix(head, "x")
	if !ok {
		return "", "", "", false
	}
	start := strings.TrimRight(head, "0123456789")
	width = head[len(start):]
	start, ok = strings.CutSuffix(start, "=")
	if !ok {
		return "", "", "", false
	}
	before = strings.TrimRightFunc(start, isSpaceRune)
	if before == start {
		return "", "", "", false
	}
	// Only the last blank belongs to the size.
	_, last := lastRune(start)
	return start[:last], width, height, true
}
