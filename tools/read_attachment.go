package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
	"outline-mcp/output"
	"outline-mcp/tools/files"
)

const (
	// maxFile is how much of a file is read at most, in bytes.
	maxFile = 10 << 20
	// maxSide is the number of pixels above which AI models scale an image down
	// themselves (docs.claude.com, Vision).
	maxSide = 1568
)

func readAttachment() mcptool.Tool {
	scaling, extracting := newTurns(), newTurns()
	return mcptool.Spec[readAttachmentIn, attachmentContent]{
		Name:        "read_attachment",
		Title:       "Read attachment",
		Description: "Shows a file in Outline: an image, text, Office files and PDFs as Markdown; of others, a short-lived link.[ list_attachments lists the files of a document.]",
		Endpoints:   []string{"attachments.redirect"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in readAttachmentIn) (attachmentContent, error) {
			id, link, file, err := openAttachment(ctx, env, in)
			if err != nil {
				return attachmentContent{}, err
			}
			defer file.Close()
			a := attachmentContent{
				AttachmentID: id, Name: output.Label(file.Name), ContentType: declaredType(file),
				Size: max(0, file.Size), uri: env.Outline.AbsoluteURL("/api/attachments.redirect?id=" + id),
			}
			data, err := firstBytes(file, maxFile)
			switch {
			case errors.Is(err, errTooLong):
				err = nil
				a.remark(fmt.Sprintf("larger than the %d MB that are read", maxFile>>20))
			case err == nil:
				a.Size = int64(len(data))
				err = a.show(ctx, env, data, in, scaling, extracting)
			}
			if a.Kind == "" {
				a.Kind, a.URL = "link", env.Outline.AbsoluteURL(string(link))
			}
			return a, err
		},
	}
}

type readAttachmentIn struct {
	AttachmentID string `json:"attachment_id" jsonschema:"UUID, or link in Markdown"`
	DocumentID   string `json:"document_id,omitempty" jsonschema:"Page that shows it; only if an answer asks for it"`
	MaxBytes     int    `json:"max_bytes,omitempty" minimum:"10000" maximum:"5000000" default:"1000000" jsonschema:"Of an image or scanned PDF"`
	windowIn
}

// attachmentContent is a file, or as much of it as can be shown.
type attachmentContent struct {
	AttachmentID string `json:"attachment_id" format:"uuid"`
	Name         string `json:"name,omitempty"`
	ContentType  string `json:"content_type"`
	Size         int64  `json:"size" jsonschema:"Of the file, in bytes; 0 if not known"`
	Kind         string `json:"kind" enum:"image,text,blob,link" jsonschema:"image and blob follow as content of their own"`
	Text         string `json:"text,omitempty"`
	URL          string `json:"url,omitempty" format:"uri"`
	Note         string `json:"note,omitempty"`
	output.Lines

	uri   string // of the file, which stays the same
	shown []byte
	as    string // the content type of shown
}

// show decides by what a file holds how it is shown, whatever type it was given. It
// leaves Kind empty if it cannot be shown.
func (a *attachmentContent) show(ctx context.Context, env mcptool.Env, data []byte, in readAttachmentIn, scaling, extracting *turns) error {
	held, declared := fileOf(data, a.ContentType), a.ContentType
	a.ContentType = held.ContentType
	defer func() {
		if a.ContentType != declared {
			a.remark("it was uploaded as " + output.Excerpt(declared, 100))
		}
	}()
	switch held.kind {
	case "image":
		return a.showImage(ctx, data, min(in.MaxBytes, cmp.Or(env.MaxImageBytes, in.MaxBytes)), scaling)
	case "pdf":
		return a.showPDF(ctx, env, data, in, extracting)
	case "office":
		return a.showOffice(ctx, held.office, in.window(), scaling)
	case "text":
		if held.encoding != "" {
			a.remark("decoded from " + held.encoding)
		}
		text := held.Text
		if trimmed := strings.TrimRight(text, "\r\n"); len(trimmed)+2 < len(text) {
			text = trimmed + "\n" // the limit of an answer does not count empty lines at its end
		}
		return a.showText(text, in.window())
	}
	return nil
}

func (a *attachmentContent) showText(text string, window output.Window) (err error) {
	a.Kind = "text"
	a.Text, a.Lines, err = output.LinesOf(text, window)
	return err
}

// showOffice shows the text of an Office file as Markdown.
func (a *attachmentContent) showOffice(ctx context.Context, file *files.Office, window output.Window, scaling *turns) error {
	end, err := scaling.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	text, err := file.Markdown(ctx)
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf("attachment %s is %s that is not shown: %s.", a.AttachmentID, file.Name, err),
			Next: "A user can open it at " + a.uri + ", or upload a smaller part of it."}
	case errors.Is(err, files.ErrDamaged):
		a.remark(file.Name + " that cannot be shown: " + err.Error())
		return nil
	case err != nil:
		return err
	}
	a.remark("the text of " + file.Name + ", without its images")
	return a.showText(text, window)
}

// showPDF shows the text of a PDF, or the PDF itself if that cannot be read: many clients
// can show its pages.
func (a *attachmentContent) showPDF(ctx context.Context, env mcptool.Env, data []byte, in readAttachmentIn, extracting *turns) error {
	text, err := "", error(nil)
	if env.PDFText != nil {
		end, waited := extracting.begin(ctx)
		if waited != nil {
			return waited
		}
		text, err = env.PDFText(ctx, data)
		end()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case text == "":
		if err != nil {
			a.remark("a PDF whose text could not be read: " + err.Error())
		}
		if len(data) > in.MaxBytes {
			a.remark("larger than max_bytes")
			return nil
		}
		a.Kind, a.shown, a.as = "blob", data, a.ContentType
		return nil
	case err != nil:
		a.remark("the first pages of a PDF; the others could not be read: " + err.Error())
	default:
		a.remark("the text of a PDF, without its images")
	}
	return a.showText(text, in.window())
}

func (a *attachmentContent) showImage(ctx context.Context, data []byte, maxBytes int, scaling *turns) error {
	end, err := scaling.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	fitted, err := files.FitImage(ctx, data, maxBytes, maxSide)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, files.ErrTooManyPixels):
		a.remark("an image with too many pixels to scale here")
	case err != nil:
		a.remark("an image that cannot be shown: " + err.Error())
	default:
		a.Kind, a.shown, a.as = "image", fitted.Data, fitted.ContentType
		if !bytes.Equal(fitted.Data, data) {
			a.remark(fmt.Sprintf("scaled to %d×%d pixels, %s of %d bytes", fitted.Width, fitted.Height, fitted.ContentType, len(fitted.Data)))
		}
	}
	return nil
}

// turns lets images be scaled, and files be read, one at a time, for all callers together:
// each takes some 50 MB while it lasts. A caller waits for a turn with one image at a time, so that many
// images of one hold up those of the others for no longer than one image.
type turns struct {
	turn chan struct{}
	own  expiring.Map[string, chan struct{}] // by subject
}

func newTurns() *turns { return &turns{turn: make(chan struct{}, 1)} }

// begin waits for the turn of the caller of ctx, which lasts until end is called.
func (t *turns) begin(ctx context.Context) (end func(), err error) {
	who, _ := auth.FromContext(ctx)
	own := make(chan struct{}, 1)
	t.own.Update(who.Subject, func(before chan struct{}) (chan struct{}, time.Duration) {
		if before != nil {
			own = before
		}
		return own, time.Hour
	})
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case t.turn <- struct{}{}:
		return func() { <-own; <-t.turn }, nil
	case <-ctx.Done():
		<-own
		return nil, ctx.Err()
	}
}

// remark adds to Note.
func (a *attachmentContent) remark(text string) { a.Note = strings.Join(nonEmpty(a.Note, text), "; ") }

func (a attachmentContent) WriteText(t *output.Text) {
	t.If(a.Name != "").Printf("%s ", titleOf(a.Name))
	t.Printf("%s: %s", a.AttachmentID, a.ContentType)
	t.If(a.Size > 0).Printf(", %d bytes", a.Size)
	t.Printf(", %s", map[string]string{"image": "as an image", "text": "text", "blob": "as a resource", "link": "not shown"}[a.Kind])
	t.If(a.Note != "").Printf(" (%s)", a.Note)
	t.Line(".")
	t.If(a.URL != "").Line("To download, for a short time: %s", output.OneLine(a.URL))
	if a.Kind == "text" {
		reading{Lines: a.Lines}.write(t, a.Text)
	}
}

// Cuts implements output.Cuttable.
func (a *attachmentContent) Cuts() []output.Cut { return a.CutText(&a.Text) }

// Content implements output.Attached.
func (a attachmentContent) Content() []mcp.Content {
	encoded := base64.StdEncoding.EncodeToString(a.shown)
	switch a.Kind {
	case "image":
		return []mcp.Content{mcp.NewImageContent(encoded, a.as)}
	case "blob":
		return []mcp.Content{mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: a.uri, MIMEType: a.as, Blob: encoded})}
	}
	return nil
}

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
	data, err := firstBytes(opened, limit)
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

// firstBytes reads a file of at most limit bytes.
func firstBytes(file *outline.File, limit int64) ([]byte, error) {
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
		return File{ContentType: file.ContentType, Data: data, kind: "office", office: file}
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
