package tools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

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
	t.If(i.Guarded != nil && !*i.Guarded).Line("guarded false")
	if i.Lost != nil {
		i.Lost.write(t, false)
	}
	t.If(i.Note != "").Line("Note: %s.", i.Note)
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
		u.Markdown = markdownOf(a, strings.Map(plain, output.OneLine(a.Name)))
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

// plain replaces what may be Markdown in a label.
func plain(r rune) rune {
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
