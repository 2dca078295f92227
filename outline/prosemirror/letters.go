package prosemirror

import (
	"strconv"
	"strings"
)

// numberLetters replaces list markers that are letters, a. or B., by numbers,
// even in code, because it looks at lines, not at blocks. It returns the
// letters by line.
func numberLetters(s string) (numbered string, letters map[int32]byte) {
	var out strings.Builder
	copied := 0
	number := int32(0)
	for start := 0; start < len(s); number++ {
		end := strings.IndexByte(s[start:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += start
		}
		if indent, rest, ok := letterMarker(s[start:end]); ok {
			letter := s[start+indent]
			if letters == nil {
				letters = map[int32]byte{}
			}
			letters[number] = letter
			out.WriteString(s[copied : start+indent])
			out.WriteString(strconv.Itoa(int(letter|0x20-'a') + 1))
			out.WriteString(". ")
			copied = start + rest
		}
		start = end + 1
	}
	if letters == nil {
		return s, nil
	}
	out.WriteString(s[copied:])
	return out.String(), letters
}

// letterMarker reports whether a line begins with a letter, a dot and white
// space, and returns the positions of the letter and of the text after it.
func letterMarker(line string) (indent, rest int, ok bool) {
	for indent < len(line) && line[indent] <= ' ' && isSpaceRune(rune(line[indent])) {
		indent++
	}
	if indent < len(line) && line[indent] >= 0x80 {
		indent = len(line) - len(strings.TrimLeftFunc(line, isSpaceRune))
	}
	if indent+2 >= len(line) || !isLetter(line[indent]) || line[indent+1] != '.' {
		return 0, 0, false
	}
	rest = len(line) - len(strings.TrimLeftFunc(line[indent+2:], isSpaceRune))
	if rest == indent+2 || strings.ContainsAny(line[rest:], "\r\u2028\u2029") {
		return 0, 0, false
	}
	return indent, rest, true
}

// nameLetters notes for each ordered list whether its first item was written
// with a letter. Outline also looks up to two lines above the item.
func nameLetters(list []token, letters map[int32]byte) {
	for i := range list {
		if list[i].kind != orderedListOpen || i+1 >= len(list) || list[i+1].kind != listItemOpen {
			continue
		}
		for above := range int32(3) {
			at := list[i+1].line - above
			letter, ok := letters[at]
			if !ok {
				continue
			}
			list[i].flag = lowerAlpha
			if letter < 'a' {
				list[i].flag = upperAlpha
			}
			delete(letters, at)
			break
		}
	}
}
