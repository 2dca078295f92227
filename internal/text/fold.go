package text

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// A Folded text is a text in a form in which different ways to write the same characters
// are equal. It knows where each part of it stands in the original.
type Folded struct {
	Text     string
	replaced []replacement
}

// A replacement is a part of a folded text that differs from the original.
type replacement struct{ at, length, start, width int }

// Fold returns a text with composed letters (NFC), letters and signs of full and half width
// in their usual width, quotation marks, dashes, ellipses and blanks as on a keyboard, and
// without characters that show nothing: soft hyphens and those of zero width, except in
// emoji.
func Fold(s string) Folded { return folded(s, "", plainSegment) }

// FoldMarkdown is [Fold] without the backslashes that Markdown puts before signs: 1\.5 is
// shown as 1.5.
func FoldMarkdown(s string) Folded {
	return folded(s, `\`, func(segment, rest string) string {
		if segment == `\` && rest != "" && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rest[0]) >= 0 {
			return ""
		}
		return plainSegment(segment, rest)
	})
}

// FoldLoosely is [Fold] without accents and emoji, and with letters of ASCII for some that
// no accent makes.
func FoldLoosely(s string) Folded {
	if utf8.RuneCountInString(s) == len(s) {
		return Folded{Text: s}
	}
	return foldedBut(s, "", isASCII, func(segment, rest string) string {
		return strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.So, unicode.Sk, unicode.Variation_Selector) || unicode.Is(unicode.Mn, r) && r < 0x370 || r == '\u200D' {
				return -1
			}
			return r
		}, norm.NFD.String(plainLetters.Replace(plainSegment(segment, rest))))
	})
}

var plainLetters = strings.NewReplacer("ß", "ss", "ẞ", "SS", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "đ", "d", "Đ", "D", "ı", "i")

// isASCII is inert for a form that changes all other characters.
func isASCII(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	return 0
}

// Compose returns a text with composed letters.
func Compose(s string) Folded {
	return folded(s, "", func(segment, _ string) string { return norm.NFC.String(segment) })
}

// folded gives each character of a text, with its combining marks, another form. form also
// gets what follows it. Of ASCII, only the characters in ascii have another form.
func folded(s, ascii string, form func(segment, rest string) string) Folded {
	return foldedBut(s, ascii, inert, form)
}

// foldedBut is folded, without a look at characters that are inert.
func foldedBut(s, ascii string, inert func(string) int, form func(segment, rest string) string) Folded {
	f, copied := Folded{Text: s}, 0
	if utf8.RuneCountInString(s) == len(s) && (ascii == "" || !strings.ContainsAny(s, ascii)) {
		return f
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if size := inert(s[i:]); size > 0 && strings.IndexByte(ascii, s[i]) < 0 && (i+size == len(s) || inert(s[i+size:]) > 0) {
			i += size
			continue
		}
		n := 1 // a line end stays alone, whatever marks follow it
		if s[i] != '\n' {
			n = norm.NFC.NextBoundaryInString(s[i:], true)
		}
		if with := form(s[i:i+n], s[i+n:]); with != s[i:i+n] {
			out.WriteString(s[copied:i])
			f.replaced = append(f.replaced, replacement{out.Len(), len(with), i, n})
			out.WriteString(with)
			copied = i + n
		}
		i += n
	}
	if f.replaced != nil {
		out.WriteString(s[copied:])
		f.Text = out.String()
	}
	return f
}

// inert returns the length of the character that a text begins with if all forms keep it,
// unless a combining mark follows, or else 0. Most characters of most texts are.
func inert(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if 0xC0 <= r && r < 0x300 || 0x388 <= r && r < 0x483 || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA || 0x4E00 <= r && r < 0xA000 {
		return size
	}
	return 0
}

// Original returns the part of the original that a part of the text stands for.
func (f Folded) Original(start, end int) (from, to int) {
	n := sort.Search(len(f.replaced), func(i int) bool { return f.replaced[i].at > start }) - 1
	from = start
	if n >= 0 {
		if r := f.replaced[n]; start < r.at+r.length {
			from = r.start
		} else {
			from = r.start + r.width + start - r.at - r.length
		}
	}
	n = sort.Search(len(f.replaced), func(i int) bool { return f.replaced[i].at >= end }) - 1
	to = end
	if n >= 0 {
		r := f.replaced[n]
		to = r.start + r.width + max(0, end-r.at-r.length)
	}
	return from, max(from, to)
}

// plainSegment returns the plainSegment form of a character.
func plainSegment(segment, rest string) string {
	var out strings.Builder
	for _, r := range segment {
		switch {
		case 0xFF01 <= r && r <= 0xFFEF:
			if folded := width.LookupRune(r).Folded(); folded != 0 {
				r = folded
			}
			out.WriteRune(r)
		case r == '\u200D' && beforeEmoji(rest):
			out.WriteRune(r)
		case r == '\u00AD', r == '\u180E', '\u200B' <= r && r <= '\u200F', r == '\u2060', r == '\uFEFF':
		case unicode.Is(unicode.Zs, r):
			out.WriteByte(' ')
		case '\u2018' <= r && r <= '\u201B':
			out.WriteByte('\'')
		case '\u201C' <= r && r <= '\u201F':
			out.WriteByte('"')
		case '\u2010' <= r && r <= '\u2015', r == '\u2212':
			out.WriteByte('-')
		case r == '…':
			out.WriteString("...")
		default:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}

// beforeEmoji reports whether a joiner is followed by what it can join to an emoji.
func beforeEmoji(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r > 0x2000 && unicode.In(r, unicode.So, unicode.Sk)
}
