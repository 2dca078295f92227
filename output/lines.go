package output

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/text"
)

// Window is the part of a text that a call asks for. Lines and code points are
// numbered from 1.
type Window struct {
	First, Last int // lines of the section; 0 selects the whole text
	StartLine   int // 0 selects First
	StartChar   int // in StartLine; 0 selects 1
	MaxLines    int // 0 selects all
	// Seen is called with the first and the last line that an answer shows, and whether it
	// is cut there; nil calls nothing.
	Seen func(first, last int, cut bool)
}

// Lines tells which lines of a text an answer shows. Its keys are absent
// if the answer shows the whole text.
type Lines struct {
	StartLine     int `json:"start_line,omitempty"`
	TotalLines    int `json:"total_lines,omitempty" jsonschema:"Absent when all are shown"`
	NextStartLine int `json:"next_start_line,omitempty"`
	NextStartChar int `json:"next_start_char,omitempty"`

	text               string // from startChar of line first up to line last
	first, last, total int    // line numbers
	startChar          int
	seen               func(first, last int, cut bool)
}

// LinesOf returns the lines of s that w selects.
func LinesOf(s string, w Window) (string, Lines, error) {
	start, last := max(w.StartLine, w.First, 1), cmp.Or(w.Last, math.MaxInt)
	count := last - start + 1
	if w.MaxLines > 0 {
		count = min(count, w.MaxLines)
	}
	pastTheEnd := func(last int) (string, Lines, error) {
		return "", Lines{}, Invalid("start_line %d is past the end: the last line is %d", start, last)
	}
	if count < 1 {
		return pastTheEnd(last)
	}
	lines := text.Window(s, start, count)
	if lines.Count == 0 && start > 1 {
		return pastTheEnd(lines.Total)
	}
	p := Lines{text: lines.Text, first: start, last: start + lines.Count - 1, total: lines.Total, startChar: max(1, w.StartChar), seen: w.Seen}
	if p.last < p.total {
		p.text = strings.TrimSuffix(p.text, "\n")
	}
	line, _, _ := strings.Cut(p.text, "\n")
	rest, err := FromChar(line, w.StartChar, "line %d", start)
	if err != nil {
		return "", Lines{}, err
	}
	p.text = p.text[len(line)-len(rest):]
	if p.first > 1 || p.startChar > 1 || p.last < p.total {
		p.StartLine, p.TotalLines = p.first, p.total
	}
	if p.last < min(last, p.total) {
		p.NextStartLine = p.last + 1
	}
	return p.text, p, nil
}

// CutText returns the way to shorten content, the text of an answer. The text ends
// before a heading or after a block if there is one in its last quarter, and otherwise
// at the end of a line unless even the first line is too long.
func (p *Lines) CutText(content *string) []Cut {
	return []Cut{{Units: len(p.text), Least: 1, Keep: func(n int) {
		end := text.Offset(p.text, n)
		if end == len(p.text) {
			return
		}
		p.StartLine, p.TotalLines = p.first, p.total
		if line := lastBreak(p.text, end); line >= 0 {
			end = line
			p.NextStartLine = p.first + strings.Count(p.text[:end], "\n") + 1
		} else {
			p.NextStartLine, p.NextStartChar = p.first, p.startChar+n
		}
		*content = p.text[:end]
	}}}
}

// headLength is more bytes than an answer has besides the text of a document.
const headLength = 1000

// MayEndAt reports whether an answer with at most limit bytes may show a text up to
// an offset, apart from white space. The limit 0 is none.
func MayEndAt(s string, offset, limit int) bool {
	short := min(len(s), max(0, limit-headLength))
	least, shown := s[:max(0, lastBreak(s, short))], s[:offset]
	return limit > 0 && short < len(s) && len(strings.TrimSpace(least)) <= len(strings.TrimSpace(shown)) && len(shown) <= limit+1
}

// lastBreak returns the best line end at which to cut a Markdown text before an offset, or
// -1 if there is none. A larger offset gives no earlier line end.
func lastBreak(s string, end int) int {
	heading, block, line := -1, -1, -1
	fence := "" // of the code that a line is in
	for at := 0; ; {
		length := strings.IndexByte(s[at:end], '\n')
		if length < 0 {
			break
		}
		marks := strings.TrimSpace(s[at : at+length])
		line, at = at+length, at+length+1
		switch {
		case fence != "":
			if marks == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(marks, "```"), strings.HasPrefix(marks, "~~~"):
			fence = marks[:3]
			continue
		case marks == "":
			block = line
		}
		if isHeading(s[at:]) {
			heading = line
		}
	}
	for _, place := range []int{heading, block} {
		if place >= end-end/4 {
			return place
		}
	}
	return line
}

// isHeading reports whether a text begins with a heading of Markdown.
func isHeading(s string) bool {
	rest := strings.TrimLeft(s, "#")
	return len(rest) < len(s) && len(s)-len(rest) <= 6 && strings.HasPrefix(rest, " ")
}

// Next returns the line at which to continue, and the code point in it or 0 for its
// beginning. The line is 0 at the end of the text.
func (p Lines) Next() (line, char int) { return p.NextStartLine, p.NextStartChar }

// Shown calls the Seen of the window.
func (p Lines) Shown() {
	if p.seen != nil && p.NextStartLine > 0 {
		p.seen(p.first, p.NextStartLine-1, true)
	} else if p.seen != nil {
		p.seen(p.first, p.last, false)
	}
}

// Write writes which lines are shown, unless the whole text is. WriteNext follows the text.
func (p Lines) Write(t *Text) {
	last := p.last
	if p.NextStartLine > 0 {
		last = p.NextStartLine - 1
	}
	switch {
	case p.TotalLines == 0:
		return
	case p.NextStartChar > 0:
		t.Printf("Part of line %d of %d", p.StartLine, p.TotalLines)
	default:
		t.Printf("Lines %d–%d of %d", p.StartLine, last, p.TotalLines)
	}
	t.If(p.NextStartLine > 0).Printf("; continue with %s", p.next()) // a client may cut the end
	t.Line(".")
}

// next returns the arguments that continue.
func (p Lines) next() string {
	if p.NextStartChar > 0 {
		return fmt.Sprintf("start_line %d and start_char %d", p.NextStartLine, p.NextStartChar)
	}
	return fmt.Sprintf("start_line %d", p.NextStartLine)
}

// WriteNext writes how to continue, if there is more.
func (p Lines) WriteNext(t *Text) {
	if p.NextStartLine > 0 {
		t.Blank()
		t.Line("Continue with %s.", p.next())
	}
}

// FromChar returns s from the code point number start on. If start is past the
// end, the error names what was read.
func FromChar(s string, start int, what string, args ...any) (string, error) {
	skipped := text.Offset(s, start-1)
	if start > 1 && skipped == len(s) {
		return "", Invalid("start_char %d is past the end of %s, which has %d characters",
			start, fmt.Sprintf(what, args...), utf8.RuneCountInString(s))
	}
	return s[skipped:], nil
}

// Head returns at most the first n code points of s, and at least one. It
// ends after a line break if there is one.
func Head(s string, n int) string {
	end := text.Offset(s, max(n, 1))
	if end == len(s) {
		return s
	}
	if line := strings.LastIndexByte(s[:end], '\n'); line >= 0 {
		return s[:line+1]
	}
	return s[:end]
}

// Why a cursor cannot be used.
var (
	// ErrDamaged: it is not a cursor, or not all of one.
	ErrDamaged = errors.New("the cursor is damaged")
	// ErrVersion: another version of this server made it.
	ErrVersion = errors.New("the cursor comes from another version of this server")
	// ErrArguments: it continues a call of another tool or with other arguments.
	ErrArguments = errors.New("the cursor comes from a call with other arguments")
)

// With a cursor, a client continues with a long answer. It is a position, bound to the
// arguments of the call that it continues. It holds no text and nothing about the
// caller, so that any server can continue with it. It is not secret and not signed:
// whoever reads a position checks it like any other argument.
//
// A cursor is the version in one byte, the hash of the arguments, the position and
// a checksum, in unpadded base64url.
const (
	hashSize = 4
	sumSize  = 4
	maxSize  = 1024 // of a cursor, in characters
)

// EncodeCursor returns the cursor for a position. Kind names what is continued, such as
// the tool; version is that of the type of the position. The arguments are whatever
// decides what the answer as a whole contains. They must be encodable as JSON, and
// the position must have a fixed size, as [binary.Size] defines it; EncodeCursor panics
// if they are not.
func EncodeCursor(kind string, version byte, arguments, position any) string {
	raw := append([]byte{version}, hash(kind, arguments)...)
	raw, err := binary.Append(raw, binary.BigEndian, position)
	if err != nil {
		panic(err)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// DecodeCursor reads a cursor into position, a pointer. It fails with [ErrDamaged],
// [ErrVersion] or [ErrArguments].
func DecodeCursor(cursor, kind string, version byte, arguments, position any) error {
	if len(cursor) > maxSize {
		return ErrDamaged
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 1+hashSize+sumSize {
		return ErrDamaged
	}
	body, sum := raw[:len(raw)-sumSize], raw[len(raw)-sumSize:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return ErrDamaged
	}
	if body[0] != version {
		return ErrVersion
	}
	body = body[1:]
	if !bytes.Equal(body[:hashSize], hash(kind, arguments)) {
		return ErrArguments
	}
	body = body[hashSize:]
	if n, err := binary.Decode(body, binary.BigEndian, position); err != nil || n != len(body) {
		return ErrDamaged
	}
	return nil
}

func hash(kind string, arguments any) []byte {
	encoded, err := json.Marshal([]any{kind, arguments})
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	return sum[:hashSize]
}
