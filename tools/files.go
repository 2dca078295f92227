package tools

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
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
	pictures    []string // addresses in it of those that are uploaded with it
}

// open returns the file. content takes the place of text if it is not nil.
func (in fileIn) open(env mcptool.Env, content []byte) (givenFile, error) {
	if in.Path == "" {
		if content == nil {
			content = []byte(in.Text)
		}
		return givenFile{Reader: bytes.NewReader(content), name: in.Name, contentType: typeOf(in.Name, content), size: int64(len(content)), close: func() {}}, nil
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
	return givenFile{
		Reader: io.MultiReader(bytes.NewReader(head[:n]), file), name: name, contentType: typeOf(name, head[:n]), size: file.Size,
		changed: changed, close: func() { file.Close() },
	}, nil
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

type uploaded struct {
	AttachmentID string `json:"attachment_id" format:"uuid"`
	Name         string `json:"name"`
	ContentType  string `json:"content_type"`
	Size         int64  `json:"size"`
	Markdown     string `json:"markdown" jsonschema:"Shows the file, in a paragraph of its own"`
	Inserted     bool   `json:"inserted"`

	DocumentID    string `json:"document_id,omitempty" format:"uuid"`
	DocumentTitle string `json:"document_title,omitempty"`
	DocumentURLID string `json:"document_url_id,omitempty"`
	insertion

	UploadURL    string      `json:"upload_url,omitempty" format:"uri" jsonschema:"Where to POST fields and then the file, as the field file, as multipart/form-data"`
	UploadMethod string      `json:"upload_method,omitempty" const:"PUT" jsonschema:"Send the file alone, with fields as headers"`
	Fields       []formField `json:"fields,omitempty"`
}

// awaits describes the request that uploads the file.
func (u *uploaded) awaits(form outline.UploadForm, absolute func(string) string) {
	address, fields := form.UploadURL, form.Form
	if form.Mode == "put" {
		u.UploadMethod, address, fields = "PUT", cmp.Or(form.URL, form.UploadURL), form.Headers
	}
	u.UploadURL = absolute(address)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		u.Fields = append(u.Fields, formField{name, fields[name]})
	}
}

// An insertion is what the change of the document that shows the file was like.
type insertion struct {
	Guarded *bool  `json:"guarded,omitempty"`
	Lost    *lost  `json:"lost,omitempty"`
	Note    string `json:"note,omitempty"`
	earlier
}

func (i insertion) write(t *output.Text, documentID string) {
	t.If(i.Guarded != nil && !*i.Guarded).Line("%s", notGuarded)
	if i.Lost != nil {
		i.Lost.write(t, false)
	}
	writeNotes(t, i.Note)
	i.earlier.write(t, documentID)
}

// A formField is a field of a form that uploads a file, or a header.
type formField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (u *uploaded) describe(a outline.Attachment) {
	u.AttachmentID, u.Name, u.ContentType, u.Size = a.ID, output.Label(a.Name), output.OneLine(a.ContentType), a.Size
	u.Markdown = markdownOf(a, output.OneLine(a.Name))
	if !showsFile(u.Markdown, output.OneLine(a.Name)) {
		u.Markdown = markdownOf(a, strings.Map(plainRune, output.OneLine(a.Name)))
	}
}

// markdownOf returns Markdown that shows a file.
func markdownOf(a outline.Attachment, label string) string {
	if strings.HasPrefix(a.ContentType, "image/") {
		return fmt.Sprintf("![%s](/api/attachments.redirect?id=%s)", label, a.ID)
	}
	return fmt.Sprintf("[%s %d](/api/attachments.redirect?id=%s)", label, a.Size, a.ID)
}

// showsFile reports whether Outline would read Markdown as a file with a label. Escapes
// would not help: Outline does not write them again.
func showsFile(markdown, label string) bool {
	shows := false
	prosemirror.Walk(prosemirror.Parse(markdown), func(n *prosemirror.Node) bool {
		shows = shows || n.Type == prosemirror.Attachment && n.Attrs.String("title") == label || n.Type == prosemirror.Image && n.Attrs.String("alt") == label
		return !shows
	})
	return shows && len(prosemirror.Dropped(markdown)) == 0
}

// plainRune replaces what may be Markdown in a label.
func plainRune(r rune) rune {
	if r == '.' || unicode.IsSpace(r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return r
	}
	return '-'
}

func (u uploaded) WriteText(t *output.Text) {
	done := "Uploaded"
	if u.UploadURL != "" {
		done = "Not uploaded yet:"
	}
	t.Printf("%s %s %s, %s, %d bytes", done, titleOf(u.Name), u.AttachmentID, u.ContentType, u.Size)
	document := documentName{u.DocumentID, u.DocumentTitle, u.DocumentURLID}
	switch {
	case u.Inserted:
		t.Printf(", inserted into %s", document)
	case u.DocumentID != "":
		t.Printf(", for %s", document)
	}
	t.Line(".")
	u.insertion.write(t, document.id())
	t.If(!u.Inserted).Line("Markdown: %s", u.Markdown)
	if u.UploadURL == "" {
		return
	}
	if u.UploadMethod == "" {
		t.Line("To upload, POST these fields and then the file, as the field file, as multipart/form-data to %s", u.UploadURL)
	} else {
		t.Line("To upload, PUT the file, with these headers, to %s", u.UploadURL)
	}
	for _, field := range u.Fields {
		t.Line("%s=%s", output.OneLine(field.Name), output.OneLine(field.Value))
	}
}
