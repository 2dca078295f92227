package client

import (
	"context"
	"errors"
)

// DocumentsOptions configures Documents. The zero value knows the built-in copies and
// fetches nothing.
type DocumentsOptions struct {
	Fetch       bool   // fetch documents that are not built in
	OwnCallback string // as for CheckRedirect
}

// Documents finds clients by the URL of their metadata document. It is safe for
// concurrent use.
type Documents struct{ options DocumentsOptions }

// NewDocuments returns a finder of clients.
func NewDocuments(options DocumentsOptions) *Documents { return &Documents{options} }

// ErrUnavailable means that a document could not be fetched; it may work later.
var ErrUnavailable = errors.New("the client's metadata document cannot be fetched")

// IsDocumentID reports whether a client ID claims to be the URL of a metadata document.
func IsDocumentID(id string) bool { return len(id) > 8 && id[:8] == "https://" }

// Client returns the client whose metadata document is at a URL.
func (d *Documents) Client(ctx context.Context, id string) (Client, error) {
	return Client{}, ErrUnavailable
}
