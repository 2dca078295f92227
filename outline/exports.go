package outline

import (
	"context"
	"time"
)

// A FileOperation is an export that Outline prepares in the background.
type FileOperation struct {
	ID           string    `json:"id"`           // UUID
	State        string    `json:"state"`        // creating, uploading, complete, error or expired
	Type         string    `json:"type"`         // export, or import
	Format       string    `json:"format"`       // outline-markdown, json or html
	Name         string    `json:"name"`         // of the collection or the file
	Error        string    `json:"error"`        // reason for the state error; "" otherwise
	Size         int64     `json:"-"`            // in bytes; 0 until it is complete
	CollectionID string    `json:"collectionId"` // UUID; "" for all collections
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// UnmarshalJSON implements [json.Unmarshaler] for the API's form, in which the
// size is a string.
func (f *FileOperation) UnmarshalJSON(data []byte) error {
	type Fields FileOperation
	return unmarshalSized(data, (*Fields)(f), &f.Size)
}

func (f FileOperation) incomplete() string {
	if f.ID == "" {
		return "the file operation has no id"
	}
	return ""
}

// exported is the answer to the start of an export.
type exported struct {
	FileOperation FileOperation `json:"fileOperation"`
}

// ExportCollection starts the export of a collection (collections.export). The
// id is as for [Client.Collection]. The format is outline-markdown, json or
// html; "" leaves it to Outline. An unknown id, or a caller that may not export
// it, fails with ErrForbidden.
func (c *Client) ExportCollection(ctx context.Context, id, format string) (FileOperation, error) {
	return c.startExport(ctx, "collections.export", struct {
		ID     string `json:"id"`
		Format string `json:"format,omitempty"`
	}{id, format})
}

// ExportAllCollections starts an export of the whole workspace
// (collections.export_all), which only an administrator may do. The format is
// as for [Client.ExportCollection].
func (c *Client) ExportAllCollections(ctx context.Context, format string) (FileOperation, error) {
	return c.startExport(ctx, "collections.export_all", struct {
		Format string `json:"format,omitempty"`
	}{format})
}

func (c *Client) startExport(ctx context.Context, endpoint string, params any) (FileOperation, error) {
	answer, err := fetch(ctx, c, changing(endpoint, params), func(answer exported) string {
		return answer.FileOperation.incomplete()
	})
	return answer.FileOperation, err
}

// FileOperation returns the current state of an export by its UUID
// (fileOperations.info).
func (c *Client) FileOperation(ctx context.Context, id string) (FileOperation, error) {
	return query(ctx, c, "fileOperations.info", byID{id}, FileOperation.incomplete)
}

// ExportLink returns a link to the file of a complete export by its UUID
// (fileOperations.redirect). An export that is not complete fails with ErrInvalid.
func (c *Client) ExportLink(ctx context.Context, id string) (FileLink, error) {
	return c.fileLink(ctx, linking("fileOperations.redirect", byID{id}, nil))
}
