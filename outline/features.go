package outline

import (
	"context"
	"errors"
	"sync/atomic"
)

// known records the features that the server was seen to have. Older servers
// ignore the fields and do something else.
type known struct{ editModes, revisions atomic.Bool }

// KnowsEditModes reports whether documents.update can append and patch, as servers
// can since 2026; others replace the whole text. Once a server was seen to know
// edit modes, it is not asked again. The probe writes nothing: it is an invalid
// update of a document that does not exist, which a server rejects as invalid
// (ErrInvalid) only if it knows the field. If the token may not write, Outline
// answers with ErrForbidden, and the result is false.
func (c *Client) KnowsEditModes(ctx context.Context) (bool, error) {
	return c.knows(ctx, &c.known.editModes, EditModesProbe())
}

// KnowsRevisions reports in the same way whether documents.update rejects a stale
// lastRevision.
func (c *Client) KnowsRevisions(ctx context.Context) (bool, error) {
	return c.knows(ctx, &c.known.revisions, RevisionsProbe())
}

// noDocument is the UUID of no document.
const noDocument = "00000000-0000-4000-8000-000000000000"

// EditModesProbe returns the arguments of documents.update by which KnowsEditModes
// probes a server.
func EditModesProbe() map[string]string {
	return map[string]string{"id": noDocument, "text": "x", "editMode": "patch"}
}

// RevisionsProbe returns the arguments that probe whether documents.update rejects
// a stale lastRevision.
func RevisionsProbe() map[string]string {
	return map[string]string{"id": noDocument, "lastRevision": "x"}
}

func (c *Client) knows(ctx context.Context, seen *atomic.Bool, probe map[string]string) (bool, error) {
	if seen.Load() {
		return true, nil
	}
	_, err := query[any](ctx, c, "documents.update", probe, nil)
	switch {
	case errors.Is(err, ErrInvalid):
		seen.Store(true)
		return true, nil
	case err == nil, errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, err
}
