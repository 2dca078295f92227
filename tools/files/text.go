// Package files reads what files hold for AI models: the text of Word, Excel and PowerPoint
// files as Markdown, text in any encoding as UTF-8, and images no larger than a model looks
// at, which is about 1.15 megapixels. The files come from outside: whatever they hold,
// reading one takes limited time and memory, and stops when its context is done.
package files

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Text returns the text of a file, and the name of its encoding unless that is
// UTF-8. ok is false if it is not text. Files that spreadsheets and editors on Windows
// write are often in UTF-16 or in Windows-1252, which is assumed only of a file that
// was uploaded as text: every byte means something in it.
func Text(data []byte, declared string) (text, name string, ok bool) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	name = "UTF-16"
	var decoder *encoding.Decoder
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		decoder = unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()
	case isUTF16(data, 0):
		decoder = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case isUTF16(data, 1):
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case isBinary(data):
		return "", "", false
	case utf8.Valid(data):
		return string(data), "", true
	case strings.HasPrefix(declared, "text/"):
		decoder, name = charmap.Windows1252.NewDecoder(), "Windows-1252"
	default:
		return "", "", false
	}
	decoded, err := decoder.Bytes(data)
	return string(decoded), name, err == nil && !isBinary(decoded)
}

// isUTF16 reports whether data is UTF-16 without a mark: of most pairs of its first bytes,
// the one at an offset is 0, as for all Latin letters, and the other one never is.
func isUTF16(data []byte, offset int) bool {
	head, zeros := data[:min(len(data), 1024)&^1], 0
	for i := 0; i < len(head); i += 2 {
		if head[i+1-offset] == 0 {
			return false
		}
		if head[i+offset] == 0 {
			zeros++
		}
	}
	return len(data)%2 == 0 && zeros > len(head)/4
}

// isBinary reports whether data has control characters that text has no use for.
func isBinary(data []byte) bool {
	return bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1B", r) })
}
