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
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools/office"
	"outline-mcp/tools/picture"
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
		Description: "Shows a file in Outline: an image (scaled if large), text, Office files and PDFs as Markdown; of others a short-lived link.[ list_attachments lists the files of a document.]",
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
			data, err := head(file, maxFile)
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

type readAttachmentIn struct {
	AttachmentID string `json:"attachment_id" jsonschema:"UUID, or link in Markdown"`
	DocumentID   string `json:"document_id,omitempty" jsonschema:"Document showing it, if asked for"`
	MaxBytes     int    `json:"max_bytes,omitempty" minimum:"10000" maximum:"5000000" default:"1000000" jsonschema:"Of an image, or a PDF without text"`
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
		return a.showImage(ctx, data, in.MaxBytes, scaling)
	case "pdf":
		return a.showPDF(ctx, env, data, in, extracting)
	case "office":
		return a.showOffice(ctx, held.office, in.window(), scaling)
	case "text":
		if held.encoding != "" {
			a.remark("decoded from " + held.encoding)
		}
		a.Kind = "text"
		var err error
		text := held.Text
		if trimmed := strings.TrimRight(text, "\r\n"); len(trimmed)+2 < len(text) {
			text = trimmed + "\n" // the limit of an answer does not count empty lines at its end
		}
		a.Text, a.Lines, err = output.LinesOf(text, in.window())
		return err
	}
	return nil
}

// showOffice shows the text of an Office file as Markdown.
func (a *attachmentContent) showOffice(ctx context.Context, file *office.File, window output.Window, scaling *turns) error {
	if file.Remedy != "" {
		a.remark(file.Name + ", whose text is not read: " + file.Remedy + ", or download it")
		return nil
	}
	end, err := scaling.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	text, err := file.Markdown(ctx)
	switch {
	case errors.Is(err, office.ErrTooLarge):
		return output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf("attachment %s is %s that is not shown: %s.", a.AttachmentID, file.Name, err),
			Next: "Somebody can open it at " + a.uri + ", or upload a smaller part of it."}
	case errors.Is(err, office.ErrDamaged):
		a.remark(file.Name + " that cannot be shown: " + err.Error())
		return nil
	case err != nil:
		return err
	}
	a.remark("the text of " + file.Name + ", without its images")
	a.Kind = "text"
	a.Text, a.Lines, err = output.LinesOf(text, window)
	return err
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
	a.Kind = "text"
	a.Text, a.Lines, err = output.LinesOf(text, in.window())
	return err
}

func (a *attachmentContent) showImage(ctx context.Context, data []byte, maxBytes int, scaling *turns) error {
	end, err := scaling.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	fitted, err := picture.Fit(ctx, data, maxBytes, maxSide)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, picture.ErrTooLarge):
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

	mu      sync.Mutex
	callers map[string]*calls // by subject
}

// calls are the calls of a caller that scale an image, or wait to.
type calls struct {
	turn  chan struct{}
	count int
}

func newTurns() *turns { return &turns{turn: make(chan struct{}, 1), callers: map[string]*calls{}} }

// begin waits for the turn of the caller of ctx, which lasts until end is called.
func (t *turns) begin(ctx context.Context) (end func(), err error) {
	who, _ := auth.FromContext(ctx)
	t.mu.Lock()
	own := t.callers[who.Subject]
	if own == nil {
		own = &calls{turn: make(chan struct{}, 1)}
		t.callers[who.Subject] = own
	}
	own.count++
	t.mu.Unlock()
	var taken []chan struct{}
	end = func() {
		for _, turn := range taken {
			<-turn
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.count--; own.count == 0 {
			delete(t.callers, who.Subject)
		}
	}
	for _, turn := range []chan struct{}{own.turn, t.turn} {
		select {
		case turn <- struct{}{}:
			taken = append(taken, turn)
		case <-ctx.Done():
			end()
			return nil, ctx.Err()
		}
	}
	return end, nil
}

// remark adds to Note.
func (a *attachmentContent) remark(text string) { a.Note = strings.Join(nonEmpty(a.Note, text), "; ") }

func (a attachmentContent) WriteText(t *output.Text) {
	t.If(a.Name != "").Printf("%s ", titleOf(a.Name))
	t.Printf("%s: %s", a.AttachmentID, a.ContentType)
	t.If(a.Size > 0).Printf(", %d bytes", a.Size)
	t.Printf(", %s", map[string]string{"image": "image below", "text": "text", "blob": "resource below", "link": "not shown"}[a.Kind])
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
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		decoded, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		return string(decoded), "UTF-16", err == nil && !isBinary(decoded)
	case isUTF16(data, 0), isUTF16(data, 1):
		order := unicode.BigEndian
		if isUTF16(data, 1) {
			order = unicode.LittleEndian
		}
		decoded, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(data)
		return string(decoded), "UTF-16", err == nil && !isBinary(decoded)
	case isBinary(data):
		return "", "", false
	case utf8.Valid(data):
		return string(data), "", true
	case strings.HasPrefix(declared, "text/"):
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(data)
		return string(decoded), "Windows-1252", err == nil
	}
	return "", "", false
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
