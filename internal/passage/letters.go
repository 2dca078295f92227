package passage

import (
	"unicode"
	"unicode/utf8"
)

// letters is a text reduced to its letters, in lower case, and digits, with one
// space between two words.
type letters struct {
	text   []byte
	stored []uint32 // for each byte, where its character starts in the stored text
}

func lettersOf(text string) letters {
	l := letters{make([]byte, 0, len(text)), make([]uint32, 0, len(text))}
	space := true // none is needed at the start
	for i := 0; i < len(text); {
		if c := asciiLetter[text[i]]; c != 0 {
			if c != ' ' || !space {
				l.text = append(l.text, c)
				l.stored = append(l.stored, uint32(i))
			}
			space = c == ' '
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		before := len(l.text)
		switch isSpace := isGap(r); {
		case !isSpace:
			l.text = utf8.AppendRune(l.text, unicode.ToLower(r))
			space = false
		case !space:
			l.text = append(l.text, ' ')
			space = true
		}
		for range len(l.text) - before {
			l.stored = append(l.stored, uint32(i))
		}
		i += width
	}
	return l
}

// asciiLetter gives for each ASCII character the letter or digit that it counts
// as, a space for all others, and 0 for bytes beyond ASCII.
var asciiLetter = func() (table [256]byte) {
	for c := range utf8.RuneSelf {
		table[c] = ' '
		if r := unicode.ToLower(rune(c)); 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			table[c] = byte(r)
		}
	}
	return table
}()

// isGap reports whether a character beyond ASCII separates words: general, Chinese
// and Japanese punctuation, the no-break space, and invalid bytes.
func isGap(r rune) bool {
	return r <= 0xBF && r != 'ª' && r != 'µ' && r != 'º' || 0x2000 <= r && r <= 0x206F ||
		0x3000 <= r && r <= 0x303F || r == utf8.RuneError
}

// from returns the letters from an index on.
func (l letters) from(i int) letters { return letters{l.text[i:], l.stored[i:]} }

// after returns the stored text from a letter to the next one.
func (l letters) after(stored string, i int) string {
	if i+1 < len(l.stored) {
		return stored[l.stored[i]:l.stored[i+1]]
	}
	return stored[l.stored[i]:]
}

// difference returns the first letter of l, a part of text, at which it differs
// from old, which has the letters wanted. It is 0 if there is no difference.
func (l letters) difference(text, old string, wanted letters) int {
	for i := range l.text {
		switch {
		case i+1 >= len(wanted.text):
			return 0 // what follows the last letter does not count
		case l.text[i] != wanted.text[i]:
			return i
		}
		if here, there := l.after(text, i), wanted.after(old, i); here != there && fold(here).text != fold(there).text {
			return i
		}
	}
	return len(l.text) - 1
}
