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

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/files"
)

// A File is a file in Outline, neither scaled nor cut.
type File struct {
	ContentType string // by what it holds, or else as it was uploaded
	Text        string // of a text file, in UTF-8
	Data        []byte // of any other file; nil for a text file

	kind     string // image, pdf, office or text; "" for any other file
	office   *files.Office
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
	if image := files.ImageType(data); image != "" {
		return File{ContentType: image, Data: data, kind: "image"}
	}
	if http.DetectContentType(data) == "application/pdf" {
		return File{ContentType: "application/pdf", Data: data, kind: "pdf"}
	}
	if file := files.OpenOffice(data); file != nil {
		return File{ContentType: cmp.Or(file.ContentType, declared), Data: data, kind: "office", office: file}
	}
	text, encoding, ok := files.Text(data, declared)
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
