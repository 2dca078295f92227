package prosemirror

import (
	_ "embed"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// isBlank reports a space or a tab, the only blanks of Markdown's block rules.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isSpaceRune reports what JavaScript's \s and trim treat as white space.
func isSpaceRune(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// Parts of patterns: a character that isSpaceRune reports, one that ends a line in
// JavaScript, and one that does not.
const (
	space    = `[\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]`
	lineEnd  = `[\n\r\x{2028}\x{2029}]`
	sameLine = `[^\n\r\x{2028}\x{2029}]`
)

// A pattern is a regular expression that is compiled when it is first used.
type pattern struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

func (p *pattern) get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.expression) })
	return p.compiled
}

// trimSpace is JavaScript's trim, which also cuts a byte order mark.
func trimSpace(s string) string { return strings.TrimFunc(s, isSpaceRune) }

// trimASCII removes the white space that CommonMark removes from paragraphs and
// headings; Unicode blanks stay.
func trimASCII(s string) string { return strings.Trim(s, " \t\n\r") }

// isInlineSpace reports white space as CommonMark defines it for emphasis.
func isInlineSpace(r rune) bool {
	return isSpaceRune(r) && r != 0x2028 && r != 0x2029 && r != 0xFEFF
}

// isPunctuation reports punctuation as CommonMark defines it for emphasis:
// ASCII punctuation, and Unicode punctuation and symbols.
func isPunctuation(r rune) bool {
	if r < 0x80 {
		return isASCIIPunctuation(byte(r))
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}

// isASCIIPunctuation reports the characters that a backslash escapes.
func isASCIIPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !isAlphanumeric(c)
}

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// length16 is the length of s in UTF-16 code units, in which Outline counts.
func length16(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// index16 returns the byte offset of a UTF-16 offset in s. Ok is false if the
// offset splits a surrogate pair or is out of range.
func index16(s string, offset int) (at int, ok bool) {
	for i, r := range s {
		if offset <= 0 {
			return i, offset == 0
		}
		offset--
		if r > 0xFFFF {
			offset--
		}
	}
	return len(s), offset == 0
}

// unescape resolves backslash escapes and entities.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isASCIIPunctuation(s[i+1]):
			i++
			out.WriteByte(s[i])
		case s[i] == '&':
			text, length := entity(s[i:], false)
			if length == 0 {
				out.WriteByte('&')
				continue
			}
			out.WriteString(text)
			i += length - 1
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// entity decodes the entity or numeric reference at the start of s. Length is 0
// if there is none. Strict accepts a name only as a whole and replaces an
// invalid number with U+FFFD, as in text. URLs and titles keep such a number
// instead, and accept old names that begin longer ones.
func entity(s string, strict bool) (text string, length int) {
	if len(s) > 2 && s[1] == '#' {
		return numericEntity(s, strict)
	}
	end := 1
	for end < len(s) && end <= 32 && isAlphanumeric(s[end]) {
		end++
	}
	if end < 3 || end >= len(s) || s[end] != ';' || !isLetter(s[1]) {
		return "", 0
	}
	source := s[:end+1]
	text = html.UnescapeString(source)
	if text == source || strict && strings.HasSuffix(text, ";") && source != "&semi;" {
		return "", 0
	}
	return text, len(source)
}

// numericReference matches a reference to a code point by its number.
var numericReference = pattern{expression: `^&#(?:[xX]([0-9A-Fa-f]{1,8})|([0-9]{1,8}));`}

func numericEntity(s string, strict bool) (text string, length int) {
	found := numericReference.get().FindStringSubmatch(s)
	if found == nil || strict && len(found[0]) > len("&#1234567;") {
		return "", 0
	}
	digits, base := found[2], 10
	if digits == "" {
		digits, base = found[1], 16
	}
	code, err := strconv.ParseInt(digits, base, 64)
	if err != nil || !isValidCode(code) {
		if !strict {
			return "", 0
		}
		code = utf8.RuneError
	}
	return string(rune(code)), len(found[0])
}

// isValidCode reports whether a numeric reference may represent the code point.
func isValidCode(c int64) bool {
	switch {
	case c >= 0xD800 && c <= 0xDFFF, c >= 0xFDD0 && c <= 0xFDEF, c&0xFFFE == 0xFFFE:
		return false
	case c <= 0x08, c == 0x0B, c >= 0x0E && c <= 0x1F, c >= 0x7F && c <= 0x9F:
		return false
	}
	return c <= utf8.MaxRune
}

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

// emojiList holds the emoji that Outline knows, one a line: the name, a blank,
// the characters. It was made from @emoji-mart/data 1.2.1 (MIT), the first
// skin of each, names as Outline writes them.
//
//go:embed emoji.txt
var emojiList string

// emojiByName is made when the first :name: is looked up.
var emojiByName = sync.OnceValue(func() map[string]string {
	byName := make(map[string]string, 2000)
	for line := range strings.Lines(emojiList) {
		name, characters, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		byName[name] = characters
	}
	return byName
})

// EmojiByName returns the emoji that Outline knows, by their shortcodes without colons. The
// map must not be changed.
func EmojiByName() map[string]string { return emojiByName() }

// emojiText is the character by which an emoji node counts in Outline.
func emojiText(name string) string {
	if characters, ok := emojiByName()[strings.ReplaceAll(name, ":", "")]; ok {
		return characters
	}
	return "?"
}

// findEmoji finds the first :name: of a known emoji in s.
func findEmoji(s string) (start, end int) {
	start = strings.IndexByte(s, ':')
	for start >= 0 {
		length := strings.IndexByte(s[start+1:], ':')
		if length < 0 {
			return -1, -1
		}
		end = start + 1 + length
		if _, ok := emojiByName()[s[start+1:end]]; ok {
			return start, end + 1
		}
		start = end
	}
	return -1, -1
}

// IconNames returns the names in Outline's icon library, which documents, collections
// and templates can have as their icon in place of an emoji.
func IconNames() []string {
	return strings.Fields(`
	academicCap bicycle beaker buildingBlocks bookmark browser notebook coins camera carrot clock cloud code
	database done email eye feedback flame graph globe hashtag info icecream image internet leaf library lightbulb
	lightning letter math moon notepad padlock palette pencil plane promote ramen question server sun shapes sport
	smiley target team terminal thumbsup truck tools vehicle warning

	bag-shopping book brush cake-candles cat clapperboard compact-disc cookie-bite crow crown cube dna dog
	dollar-sign display droplet face-dizzy face-grin-stars face-laugh face-meh face-smile-beam face-smile-wink
	face-surprise feather fish folder-closed flask-vial gamepad gauge gem gift hammer hands-clapping heart industry
	kit-medical laptop laptop-code magnet map microchip mountain-sun mug-hot network-wired newspaper paint-roller
	passport paw pen-ruler peso-sign phone-volume pizza-slice prescription puzzle-piece rainbow record-vinyl road
	robot rocket sailboat scissors seedling shield shirt shop snowflake socks solar-panel spa star-and-crescent
	star-of-life sterling-sign swatchbook tent tooth tower-cell tractor train tree trophy umbrella umbrella-beach
	universal-access user-graduate utensils vault wand-sparkles web-awesome wheelchair-move worm yen-sign apple
	windows android square-js python x-twitter bluesky github gitlab discord docker codepen dropbox paypal shopify
	swift slack circle square pentagon hexagon diamond spiral
	`)
}

// IsEmoji reports whether Outline takes a character for an emoji, or the beginning of
// one. It also takes a few symbols that are not emoji.
func IsEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1F3FB && r <= 0x1F3FF || r == 0x20E3
}
