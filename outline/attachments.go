package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"outline-mcp/internal/text"
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
	return c.fileLink(ctx, linking("attachments.redirect", byID{id}, map[string]string{"documentId": documentID}))
}

// DeleteAttachment deletes an attachment by its UUID (attachments.delete). Links to
// it stay in documents.
func (c *Client) DeleteAttachment(ctx context.Context, id string) error {
	return c.call(ctx, changing("attachments.delete", byID{id}), new(acknowledgement))
}

// ParseAttachmentID returns the UUID of an attachment in lower case, given that, or
// an address of the file at this instance: the one in Markdown
// (/api/attachments.redirect?id=…, with or without the host) or one that names where
// the file is stored (/api/files.get?key=…). Spaces, quotes and angle brackets around
// the value are removed. Anything else is an [*IdentifierError].
func (c *Client) ParseAttachmentID(s string) (string, error) {
	value := trimQuotes(s)
	fail := func(hint string) (string, error) {
		e := &IdentifierError{Kind: "attachment", Value: text.Truncate(strings.ToValidUTF8(Redact(value), "\uFFFD"), 80), Hint: hint}
		if host := hostOf(value); host != "" && !c.isOwn(host) {
			e.ForeignHost = text.Truncate(Redact(host), 80)
			e.Hint = fmt.Sprintf("it is an address of %s, not of %s", e.ForeignHost, c.host)
		}
		return "", e
	}
	if IsUUID(value) {
		return strings.ToLower(value), nil
	}
	host := hostOf(value)
	u, err := url.Parse(value)
	if err != nil || host != "" && !c.isOwn(host) {
		return fail("")
	}
	query := u.Query()
	switch {
	case strings.HasSuffix(u.Path, "/attachments.redirect") && IsUUID(query.Get("id")):
		return strings.ToLower(query.Get("id")), nil
	case strings.HasSuffix(u.Path, filesGet):
		// The file is stored under uploads/USER/ATTACHMENT/NAME.
		if parts := strings.Split(query.Get("key"), "/"); len(parts) > 2 && IsUUID(parts[2]) {
			return strings.ToLower(parts[2]), nil
		}
		return fail("a signed link does not tell which attachment it is")
	}
	return fail("")
}
