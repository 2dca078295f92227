package outline

import (
	"context"
	"errors"
	"sync/atomic"
)

// Features are what the server knows of writing safely. Both came with
// versions of 2026; older servers ignore the fields and do something else.
type Features struct {
	EditModes bool // documents.update appends and patches
	Revisions bool // documents.update refuses a stale LastRevision
}

// known are features that the server was seen to have: it will not lose them.
type known struct{ editModes, revisions atomic.Bool }

// Features asks the server what it knows, unless it was seen to know it
// before. Nothing is written: the questions are updates of a document that
// does not exist with an invalid value, which a server refuses as such
// (ErrInvalid) only if it knows the field. A key that may not write gets
// ErrForbidden as its answer, which is taken for no.
func (c *Client) Features(ctx context.Context) (Features, error) {
	type question struct {
		ID           string `json:"id"`
		Text         string `json:"text,omitempty"`
		EditMode     string `json:"editMode,omitempty"`
		LastRevision string `json:"lastRevision,omitempty"`
	}
	knows := func(memory *atomic.Bool, q question) (bool, error) {
		if memory.Load() {
			return true, nil
		}
		q.ID = "00000000-0000-4000-8000-000000000000"
		_, err := query[any](ctx, c, "documents.update", q)
		switch {
		case errors.Is(err, ErrInvalid):
			memory.Store(true)
			return true, nil
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
			return false, nil
		}
		return false, err
	}
	revisions, err := knows(&c.known.revisions, question{LastRevision: "x"})
	if err != nil {
		return Features{}, err
	}
	if revisions {
		// Edit modes are older.
		return Features{EditModes: true, Revisions: true}, nil
	}
	editModes, err := knows(&c.known.editModes, question{Text: "x", EditMode: "patch"})
	return Features{EditModes: editModes}, err
}
