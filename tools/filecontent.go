package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	coding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/office"
	"outline-mcp/tools/picture"
)

// A File is a file in Outline, neither scaled nor cut.
type File struct {
	ContentType string // by what it holds, or else as it was uploaded
	Text        string // of a text file, in UTF-8
	Data        []byte // of any other file; nil for a text file

	kind     string // image, pdf, office or text; "" for any other file
	office   *office.File
	encoding string // of a text file, unless it is UTF-8
}

// ReadFile reads an attachment by any form of its ID. It fails with output.TooLarge
// if the file has more than limit bytes.
func ReadFile(ctx context.Context, env mcptool.Env, given string, limit int64) (File, error) {
	_, _, opened, err := openAttachment(ctx, env, readAttachmentIn{AttachmentID: given})
	if err != nil {
		return File{}, err
	}
	defer opened.Close()
	data, err := head(opened, limit)
	if errors.Is(err, errTooLong) {
		return File{}, output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf("the file is larger than the %d MB that are read.", limit/1_000_000),
			Next: "read_attachment scales an image down, and links to any other file."}
	}
	if err != nil {
		return File{}, err
	}
	return fileOf(data, declaredType(opened)), nil
}

// openAttachment opens a file by any form of its ID. The caller closes it. The link
// to it is short-lived.
func openAttachment(ctx context.Context, env mcptool.Env, in readAttachmentIn) (id string, link outline.FileLink, file *outline.File, err error) {
	id, err = env.Outline.ParseAttachmentID(in.AttachmentID)
	if err != nil {
		return "", "", nil, err
	}
	showing := ""
	if in.DocumentID != "" {
		if showing, err = documentID(ctx, env, in.DocumentID); err != nil {
			return "", "", nil, err
		}
	}
	if link, err = env.Outline.AttachmentLink(ctx, id, showing); err != nil {
		return "", "", nil, err
	}
	file, err = env.Outline.OpenFile(ctx, link)
	return id, link, file, err
}

// errTooLong reports a file that is longer than a limit.
var errTooLong = errors.New("too long")

// head reads a file of at most limit bytes.
func head(file *outline.File, limit int64) ([]byte, error) {
	if file.Size > limit {
		return nil, errTooLong
	}
	var b bytes.Buffer
	b.Grow(int(max(0, file.Size)) + bytes.MinRead) // Size is at most limit
	n, err := b.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && n > limit {
		err = errTooLong
	}
	return b.Bytes(), err
}

// declaredType returns the content type with which a file was uploaded.
func declaredType(file *outline.File) string {
	return cmp.Or(output.OneLine(file.ContentType), "application/octet-stream")
}

// fileOf tells what a file holds, whatever type it was uploaded as.
func fileOf(data []byte, declared string) File {
	if image := picture.TypeOf(data); image != "" {
		return File{ContentType: image, Data: data, kind: "image"}
	}
	if http.DetectContentType(data) == "application/pdf" {
		return File{ContentType: "application/pdf", Data: data, kind: "pdf"}
	}
	if file := office.Open(data); file != nil {
		return File{ContentType: cmp.Or(file.ContentType, declared), Data: data, kind: "office", office: file}
	}
	text, encoding, ok := textOf(data, declared)
	if !ok {
		return File{ContentType: declared, Data: data}
	}
	return File{ContentType: textType(declared), Text: text, kind: "text", encoding: encoding}
}

// textType returns the content type of a text that was uploaded as declared, which
// may be wrong.
func textType(declared string) string {
	if strings.HasPrefix(declared, "image/") && declared != "image/svg+xml" || declared == "application/pdf" {
		return "text/plain"
	}
	return declared
}

// textOf returns the text of a file, and the name of its encoding unless that is
// UTF-8. ok is false if it is not text. Files that spreadsheets and editors on Windows
// write are often in UTF-16 or in Windows-1252, which is assumed only of a file that
// was uploaded as text: every byte means something in it.
func textOf(data []byte, declared string) (text, encoding string, ok bool) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	encoding = "UTF-16"
	var decoder *coding.Decoder
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
		decoder, encoding = charmap.Windows1252.NewDecoder(), "Windows-1252"
	default:
		return "", "", false
	}
	decoded, err := decoder.Bytes(data)
	return string(decoded), encoding, err == nil && !isBinary(decoded)
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
