package names

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Anchor returns the anchor of a heading that an address ends with, such as
// h-what-went-well, or "" if there is none.
func Anchor(address string) string {
	_, anchor, _ := strings.Cut(address, "#")
	if decoded, err := url.PathUnescape(anchor); err == nil {
		anchor = decoded
	}
	anchor = strings.TrimRight(anchor, " \t\n>)\"'`”")
	if !strings.HasPrefix(anchor, "h-") || strings.ContainsFunc(anchor, unicode.IsSpace) {
		return ""
	}
	return anchor
}

// Anchored returns the index of the heading that has an anchor, or -1. Outline makes the
// anchor of the letters and the digits of a heading, and numbers those that are equal.
func Anchored(headings []string, anchor string) int {
	wanted := letters(strings.TrimPrefix(anchor, "h-"))
	seen := map[string]int{}
	for i, heading := range headings {
		key := letters(heading)
		if key == wanted && seen[key] == 0 || seen[key] > 0 && key+strconv.Itoa(seen[key]) == wanted {
			return i
		}
		seen[key]++
	}
	return -1
}

// AnchorOf returns the anchor by which [Anchored] finds the heading at an index.
func AnchorOf(headings []string, index int) string {
	equal := 0
	for _, heading := range headings[:index] {
		if letters(heading) == letters(headings[index]) {
			equal++
		}
	}
	var words []string
	for _, word := range strings.Fields(headings[index]) {
		if word = letters(word); word != "" {
			words = append(words, word)
		}
	}
	if equal > 0 {
		words = append(words, strconv.Itoa(equal))
	}
	return "h-" + strings.Join(words, "-")
}

// letters returns the letters and digits of a heading as an anchor has them: in lower case,
// without accents, and with words for some signs.
func letters(s string) string {
	s = signs.Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFD.String(s))
}

var signs = strings.NewReplacer("&", "and", "$", "dollar", "%", "percent", "<", "less", ">", "greater", "|", "or",
	"ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "ø", "o", "Ø", "O", "œ", "oe", "Œ", "OE", "ł", "l", "Ł", "L", "đ", "d", "Đ", "DJ", "þ", "th", "ð", "d", "ı", "i",
	"€", "euro", "£", "pound", "¥", "yen", "©", "c", "®", "r", "™", "tm", "∞", "infinity", "∑", "sum", "…", "")
