package tools

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// textOf returns the text of a file, and the name of its encoding unless that is
// UTF-8. ok is false if it is not text. Files that spreadsheets and editors on Windows
// write are often in UTF-16 or in Windows-1252, which is assumed only of a file that
// was uploaded as text: every byte means something in it.
func textOf(data []byte, declared string) (text, encoding string, ok bool) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		decoded, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		return string(decoded), "UTF-16", err == nil && !binary(decoded)
	case binary(data):
		return "", "", false
	case utf8.Valid(data):
		return string(data), "", true
	case strings.HasPrefix(declared, "text/"):
		return windows1252(data), "Windows-1252", true
	}
	return "", "", false
}

// windows1252 decodes text in Windows-1252, which is Latin-1 but for the bytes 80 to 9F
// (https://encoding.spec.whatwg.org/index-windows-1252.txt). Five of these mean nothing
// and become U+FFFD. The charmap package would add the tables of all its encodings.
func windows1252(data []byte) string {
	from80 := []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")
	var b strings.Builder
	for _, c := range data {
		if r := rune(c); r >= 0x80 && r < 0xA0 {
			b.WriteRune(from80[r-0x80])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// binary reports whether data has control characters that text has no use for.
func binary(data []byte) bool {
	return bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1B", r) })
}
