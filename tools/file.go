package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/picture"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// A File is a file in Outline, neither scaled nor cut.
type File struct {
	ContentType string // by what it holds, or else as it was uploaded
	Text        string // of a text file, in UTF-8
	Data        []byte // of any other file; nil for a text file

	kind     string // image, pdf or text; "" if it is none of them
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
