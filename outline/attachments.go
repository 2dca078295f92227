package outline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// An Attachment is a file that was uploaded to Outline.
type Attachment struct {
	ID          string `json:"id"`          // UUID
	DocumentID  string `json:"documentId"`  // UUID; "" if it was uploaded for no document
	Name        string `json:"name"`        // of the file
	ContentType string `json:"contentType"` // as it was declared
	URL         string `json:"url"`         // path by which Markdown refers to it
	Size        int64  `json:"-"`           // in bytes, as it was declared
}

// UnmarshalJSON implements [json.Unmarshaler] for the API's form, in which the
// size is a string.
func (a *Attachment) UnmarshalJSON(data []byte) error {
	type Fields Attachment
	return unmarshalSized(data, (*Fields)(a), &a.Size)
}

// unmarshalSized decodes an object into fields, and its size, which is a string or a
// number.
func unmarshalSized(data []byte, fields any, size *int64) error {
	var wire struct {
		Size json.Number `json:"size"`
	}
	err := cmp.Or(json.Unmarshal(data, fields), json.Unmarshal(data, &wire))
	if err == nil && wire.Size != "" {
		*size, err = wire.Size.Int64()
	}
	return err
}

// AttachmentLink returns a link to the file of an attachment, by its UUID
// (attachments.redirect). Every user of the workspace may read every attachment. An
// unknown one fails with ErrNotFound. documentID is the ID of a document that refers to
// it, for [Bounds]; it may be "".
func (c *Client) AttachmentLink(ctx context.Context, id, documentID string) (FileLink, error) {
	return c.fileLink(ctx, linkTo("attachments.redirect", byID{id}, map[string]string{"documentId": documentID}))
}

// DeleteAttachment deletes an attachment by its UUID (attachments.delete). Links to
// it stay in documents.
func (c *Client) DeleteAttachment(ctx context.Context, id string) error {
	return c.call(ctx, changing.request("attachments.delete", byID{id}), new(acknowledgement))
}

// UploadParams describe a file to upload. Zero values are not sent.
type UploadParams struct {
	ID          string `json:"id,omitempty"`          // UUID of the new attachment; "" chooses a random one
	Name        string `json:"name"`                  // of the file
	ContentType string `json:"contentType,omitempty"` // media type; "" is application/octet-stream
	Size        int64  `json:"size"`                  // in bytes
	DocumentID  string `json:"documentId,omitempty"`  // UUID of a document that the caller may update; "" belongs to none
}

// An UploadForm says how to upload the file of an attachment that was created. It
// needs no token.
type UploadForm struct {
	Attachment Attachment `json:"attachment"`
	Mode       string     `json:"mode"`      // post, or put; "" is post
	UploadURL  string     `json:"uploadUrl"` // address, or path at the instance
	// Form holds the fields that go before the file, which is the field "file", in
	// a multipart form. maxUploadSize is the limit of the server in bytes.
	Form map[string]string `json:"form"`
	// URL and Headers are those of the request with the file as its body in the mode
	// put. No recording shows it; Outline's source since June 2026 does.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

func (f UploadForm) incomplete() string {
	if f.Attachment.ID == "" || f.UploadURL == "" && f.URL == "" {
		return "it lacks the id or the address for the upload"
	}
	return ""
}

// An UploadError is the failure of an upload after the attachment was created, or may
// have been. It
// wraps an [*Error], or the error of reading the file.
type UploadError struct {
	ID   string // UUID of the attachment
	Left bool   // it may be there without its file: it could not be deleted again
	Err  error
}

// Error returns the error of the upload.
func (e *UploadError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the upload.
func (e *UploadError) Unwrap() error { return e.Err }

// CreateAttachment creates an attachment without its file, for another user to
// upload (attachments.create). A file over the limit of the server, or an ID that is
// taken, fails with ErrInvalid, a document that is unknown, archived or not to be
// changed by the caller with ErrForbidden. If the answer is lost, so is the form: the
// attachment is deleted again, and the error is an [*UploadError].
func (c *Client) CreateAttachment(ctx context.Context, p UploadParams) (UploadForm, error) {
	p.ID = cmp.Or(p.ID, uuid.NewString())
	sending, cancel := leavingTimeToObserve(ctx)
	defer cancel()
	form, err := fetch(sending, c, changing.request("attachments.create", p), UploadForm.incomplete)
	if failure, ok := err.(*Error); ok && failure.outcomeUnknown {
		failure.outcomeUnknown = false // of the upload: it was not even begun
		// If it is not there, it may be created yet.
		return form, &UploadError{ID: p.ID, Left: c.discard(ctx, p.ID) != nil, Err: failure}
	}
	return form, err
}

// UploadAttachment creates an attachment and uploads its file, which is read once and
// never held in memory as a whole. RequestTimeout applies to the answer after the last
// byte is sent; the deadline of the context to all of it.
//
// If content is not of the size that p says, or the upload fails, the attachment is
// deleted again, and the error is an [*UploadError].
func (c *Client) UploadAttachment(ctx context.Context, p UploadParams, content io.Reader) (Attachment, error) {
	sending, cancel := leavingTimeToObserve(ctx)
	defer cancel()
	form, err := c.CreateAttachment(ctx, p)
	if err != nil {
		return Attachment{}, err
	}
	source := &exactReader{from: content, left: p.Size}
	if failure := c.upload(sending, form, p, source); failure != nil {
		err = failure
		if source.err != nil {
			err = source.err
		}
		return Attachment{}, &UploadError{ID: form.Attachment.ID, Left: !c.DiscardAttachment(ctx, form.Attachment.ID), Err: err}
	}
	return form.Attachment, nil
}

// DiscardAttachment deletes an attachment that nothing refers to, even if the context
// has ended, and reports whether it is gone.
func (c *Client) DiscardAttachment(ctx context.Context, id string) bool {
	err := c.discard(ctx, id)
	return err == nil || errors.Is(err, ErrNotFound)
}

// discard deletes an attachment. A lost answer is followed by another attempt, which
// finds nothing left. It ends within a second after the deadline of the context.
func (c *Client) discard(ctx context.Context, id string) error {
	within := 5 * time.Second
	if deadline, limited := ctx.Deadline(); limited {
		within = min(within, max(0, time.Until(deadline))+700*time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	err := c.DeleteAttachment(ctx, id)
	if OutcomeUnknown(err) {
		err = c.DeleteAttachment(ctx, id)
	}
	return err
}

// upload sends the file of an attachment.
func (c *Client) upload(ctx context.Context, form UploadForm, p UploadParams, content io.Reader) *Error {
	method, address := http.MethodPost, form.UploadURL
	var head, tail bytes.Buffer
	header := http.Header{}
	if form.Mode == "put" {
		method, address = http.MethodPut, cmp.Or(form.URL, form.UploadURL)
		for name, value := range form.Headers {
			header.Set(name, value)
		}
	} else {
		contentType, err := enclose(&head, &tail, form.Form, p.Name, p.ContentType)
		if err != nil {
			return &Error{Endpoint: "files.create", Message: "the form for the upload cannot be written", Err: err, kind: ErrBadAnswer}
		}
		header.Set("Content-Type", contentType)
	}
	to, err := c.fileAddress(address)
	if err != nil {
		return err.(*Error)
	}
	answer, failure := c.transfer(ctx, method, to, "files.create", func(r *http.Request) {
		maps.Copy(r.Header, header)
		r.Header.Set("Accept", "application/json")
		r.ContentLength = int64(head.Len()) + p.Size + int64(tail.Len()) // S3 takes no chunks
		r.Body = io.NopCloser(io.MultiReader(&head, content, &tail))
	})
	if failure == nil {
		answer.Body.Close()
	}
	return failure
}

// enclose writes what comes before and after a file in a multipart form, and returns
// the content type of the form.
func enclose(head, tail *bytes.Buffer, fields map[string]string, name, contentType string) (string, error) {
	form := multipart.NewWriter(head)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := form.WriteField(field, fields[field]); err != nil {
			return "", err
		}
	}
	part := textproto.MIMEHeader{}
	part.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, fileNameEscaper.Replace(name)))
	part.Set("Content-Type", cmp.Or(contentType, "application/octet-stream"))
	if _, err := form.CreatePart(part); err != nil {
		return "", err
	}
	fmt.Fprintf(tail, "\r\n--%s--\r\n", form.Boundary())
	return form.FormDataContentType(), nil
}

// fileNameEscaper escapes the name of a file in a form (https://html.spec.whatwg.org, multipart
// form data).
var fileNameEscaper = strings.NewReplacer("\n", "%0A", "\r", "%0D", `"`, "%22")

// exactReader reads a file of a size that is known, and fails if the file is shorter or
// longer: it is being written.
type exactReader struct {
	from io.Reader
	left int64
	err  error // of reading the file
}

func (e *exactReader) Read(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	if e.left == 0 {
		var more [1]byte
		n, err := io.ReadFull(e.from, more[:])
		if n > 0 {
			e.err = errors.New("the file grew while it was read")
			return 0, e.err
		}
		return 0, err
	}
	n, err := e.from.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	switch {
	case err == io.EOF && e.left > 0:
		e.err = errors.New("the file shrank while it was read")
	case err != nil && err != io.EOF:
		e.err = err
	default:
		return n, nil
	}
	return n, e.err
}

// ImportDocumentParams describe a document to import. Zero values are not sent.
type ImportDocumentParams struct {
	Name             string // of the file, which is the title if the file has none
	ContentType      string // media type; Outline also goes by the name
	Size             int64  // of the file, in bytes
	CollectionID     string // UUID; needed without a parent
	ParentDocumentID string // UUID
	Publish          bool   // false creates a draft
	Cells            int    // of the tables in the file, as far as they are known
}

// importForm are the fields of the form that imports a file.
type importForm struct {
	fields map[string]string
	count  int // of cells
}

// MarshalJSON implements json.Marshaler.
func (f importForm) MarshalJSON() ([]byte, error) { return json.Marshal(f.fields) }

func (f importForm) cells() int { return f.count }

// ImportDocument creates a document from a file that Outline converts: Markdown, HTML,
// CSV, plain text, Word and others (documents.import). A type that it cannot convert
// fails with ErrInvalid, an unknown collection with ErrForbidden.
//
// RequestTimeout does not apply, and the request is sent once only, because the file is
// read once. If the answer is lost, the outcome is unknown: Outline chooses the ID.
func (c *Client) ImportDocument(ctx context.Context, p ImportDocumentParams, content io.Reader) (Document, error) {
	fields := map[string]string{"publish": strconv.FormatBool(p.Publish)}
	for name, value := range map[string]string{"collectionId": p.CollectionID, "parentDocumentId": p.ParentDocumentID} {
		if value != "" {
			fields[name] = value
		}
	}
	var head, tail bytes.Buffer
	contentType, err := enclose(&head, &tail, fields, p.Name, p.ContentType)
	if err != nil {
		return Document{}, &Error{Endpoint: "documents.import", Message: "the form cannot be written", Err: err, kind: ErrInvalid}
	}
	source := &exactReader{from: content, left: p.Size}
	body := &upload{io.MultiReader(&head, source, &tail), contentType, int64(head.Len()) + p.Size + int64(tail.Len())}
	document, err := c.leaving(c.fetchDocument(WithCallOptions(ctx, NoRetries()), uploadTo("documents.import", importForm{fields, p.Cells}, body), nil))
	if source.err != nil {
		return document, source.err
	}
	return document, err
}
