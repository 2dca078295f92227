package outline

import (
	"context"
	"errors"
	"sync"
	"time"
)

// filterSupport is whether a server knows filters: for good if it does, for some
// minutes if it does not, because it may be updated.
type filterSupport struct {
	mu    sync.Mutex
	knows bool
	at    time.Time // when the server was asked; zero if it was not
}

func (f *filterSupport) get() (knows, asked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.knows, f.knows || !f.at.IsZero() && time.Since(f.at) < keepSupport
}

func (f *filterSupport) set(knows bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.knows, f.at = knows, time.Now()
}

// KnowsFilters reports whether the lists and searches of the server know filters, as no
// release up to 1.9.2 does: those ignore the parameter and answer without a filter. The
// answer is kept for some minutes, or for good if the server knows them. The probe is a
// filter on a field that does not exist, for a list that is empty without it.
func (c *Client) KnowsFilters(ctx context.Context) (bool, error) {
	if knows, asked := c.known.filters.get(); asked {
		return knows, nil
	}
	_, err := list[DocumentSummary](ctx, c, "documents.list", struct {
		Filters          []condition `json:"filters"`
		ParentDocumentID string      `json:"parentDocumentId"`
	}{[]condition{{Field: "none", Operator: "eq", Value: "none"}}, noDocument}, DocumentSummary.incomplete)
	knows := errors.Is(err, ErrInvalid)
	if err != nil && !knows {
		return false, err
	}
	c.known.filters.set(knows)
	return knows, nil
}
