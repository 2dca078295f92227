package outline

import (
	"context"
	"errors"
	"sync/atomic"
)

// known are the features that the server was seen to have: it will not lose
// them. Older servers ignore the fields and do something else.
type known struct{ editModes, revisions atomic.Bool }

// KnowsEditModes asks whether documents.update appends and patches, which
// servers do since 2026; others replace the whole text. A server that was seen
// to know is not asked again. Nothing is written: the question is an update of
// a document that does not exist, and not valid either, which a server refuses
// as such (ErrInvalid) only if it knows the field. A key that may not write
// gets ErrForbidden as its answer, which is taken for no.
func (c *Client) KnowsEditModes(ctx context.Context) (bool, error) {
	return c.knows(ctx, &c.known.editModes, EditModesProbe())
}

// knowsRevisions asks in the same way whether documents.update refuses a stale
// lastRevision.
func (c *Client) knowsRevisions(ctx context.Context) (bool, error) {
	return c.knows(ctx, &c.known.revisions, RevisionsProbe())
}

// noDocument is the UUID of no document.
const noDocument = "00000000-0000-4000-8000-000000000000"

// EditModesProbe is the question that KnowsEditModes asks: arguments of
// documents.update.
func EditModesProbe() map[string]string {
	return map[string]string{"id": noDocument, "text": "x", "editMode": "patch"}
}

// RevisionsProbe is the question whether documents.update refuses a stale
// lastRevision, asked in the same way.
func RevisionsProbe() map[string]string {
	return map[string]string{"id": noDocument, "lastRevision": "x"}
}

func (c *Client) knows(ctx context.Context, seen *atomic.Bool, question map[string]string) (bool, error) {
	if seen.Load() {
		return true, nil
	}
	_, err := query[any](ctx, c, "documents.update", question)
	switch {
	case errors.Is(err, ErrInvalid):
		seen.Store(true)
		return true, nil
	case err == nil, errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, err
}
