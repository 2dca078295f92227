package tools

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// maxInline is the maximum size of a file in an argument, in bytes.
const maxInline = 1_000_000

// fileIn holds the arguments that give a file: one of path, text and content.
type fileIn struct {
	Path string `json:"path,omitempty" jsonschema:"File on this machine; not over HTTP"`
	Text string `json:"text,omitempty"`
	Name string `json:"name,omitempty" maxLength:"255" jsonschema:"Of the file, with its extension; default: that of path"`
}

// A givenFile is a file that a call gives.
type givenFile struct {
	io.Reader
	name        string
	contentType string
	size        int64
	changed     string // different if a file of this machine has changed
	close       func()
}

// open returns the file. content takes the place of text if it is not nil.
func (in fileIn) open(env mcptool.Env, content []byte) (givenFile, error) {
	if in.Path == "" {
		if content == nil {
			content = []byte(in.Text)
		}
		return givenFile{bytes.NewReader(content), in.Name, typeOf(in.Name, content), int64(len(content)), "", func() {}}, nil
	}
	if env.Files == nil {
		return givenFile{}, output.Invalid("path names a file on the caller's machine, which a server over HTTP cannot read. Give what the file holds instead")
	}
	unreadable := func(reason error) (givenFile, error) {
		return givenFile{}, output.Invalid("%s cannot be read: %s. Nothing was uploaded", output.Quote(output.Excerpt(in.Path, 100)), reason)
	}
	file, err := env.Files.Open(in.Path)
	if err != nil {
		return unreadable(err)
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		file.Close()
		return unreadable(errors.New("reading it failed"))
	}
	name := cmp.Or(in.Name, file.Name)
	changed := fmt.Sprint(file.Size, " ", file.Modified.UnixNano())
	return givenFile{io.MultiReader(bytes.NewReader(head[:n]), file), name, typeOf(name, head[:n]), file.Size, changed, func() { file.Close() }}, nil
}

// asked returns the file for a question: by its path, if it has one, because its name
// may say nothing about what is read.
func (in fileIn) asked() string {
	name := output.Quote(output.Excerpt(in.Name, longestTitle))
	switch {
	case in.Path == "":
		return "the file " + name
	case in.Name == "":
		return "the file " + output.Quote(output.OneLine(in.Path))
	}
	return "the file " + output.Quote(output.OneLine(in.Path)) + ", named " + name + ","
}

// checkName rejects names of files that are paths.
func checkName(name string) error {
	if strings.ContainsAny(name, "/\\\x00") {
		return fmt.Errorf("name must be that of a file, without folders, not %s", output.Quote(output.Excerpt(name, 100)))
	}
	return nil
}

// typeOf returns the media type of a file, by what it holds and, for forms of text and
// for archives, by its name.
func typeOf(name string, head []byte) string {
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	named := typeOfName(name)
	switch {
	case strings.HasPrefix(named, "application/vnd.") && sniffed == "application/zip", strings.HasPrefix(sniffed, "text/") && isText(named):
		return named
	case sniffed == "text/html", sniffed == "text/xml":
		return "text/plain" // what merely looks like it
	}
	return sniffed
}

func isText(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || slices.Contains([]string{"application/json", "application/yaml", "image/svg+xml"}, contentType)
}

// typeOfName returns the media type of a file by its name alone. The table of the
// system is not used: it differs from machine to machine.
func typeOfName(name string) string {
	const office = "application/vnd.openxmlformats-officedocument."
	named, ok := map[string]string{
		".txt": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
		".html": "text/html", ".htm": "text/html", ".json": "application/json", ".xml": "text/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
		".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
		".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".mp3": "audio/mpeg", ".pdf": "application/pdf", ".zip": "application/zip",
		".docx": office + "wordprocessingml.document", ".xlsx": office + "spreadsheetml.sheet", ".pptx": office + "presentationml.presentation",
	}[strings.ToLower(path.Ext(name))]
	if !ok {
		return "application/octet-stream"
	}
	return named
}

// decodeBase64 decodes a file in an argument. White space in it is ignored, as is
// missing padding, and the alphabet for URLs is read, too (RFC 4648).
func decodeBase64(encoded string) ([]byte, error) {
	if len(encoded) > maxInline*3 {
		return nil, fmt.Errorf("content_base64 must hold at most %d bytes; upload a larger file with path", maxInline)
	}
	given := strings.TrimRight(encoded, "= \t\r\n")
	for i, r := range given {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ \t\r\n", r) {
			return nil, fmt.Errorf("content_base64 is not base64: there is %q at position %d, counting from 0", r, i)
		}
	}
	digits := strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\r", "", "\n", "").Replace(given)
	content, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("content_base64 is cut off: %d digits are not a whole number of bytes", len(digits))
	}
	if len(content) == 0 {
		return nil, errors.New("content_base64 holds no bytes. An empty file is not uploaded")
	}
	if len(content) > maxInline {
		return nil, fmt.Errorf("content_base64 holds %d bytes, more than the %d that fit; upload a larger file with path", len(content), maxInline)
	}
	return content, nil
}
