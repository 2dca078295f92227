package outline

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Support is what documents.update of a server can do. Each can do what those
// before it can. Servers drop fields that they do not know, and do something else.
type Support int

const (
	notAsked          Support = iota
	SupportUnknown            // the credential may not write, or the server is older than 1.5
	replacesOnly              // older than 1.5: replaces the text, and appends by a separate field
	SupportsAppends           // 1.5 and 1.6: the edit modes append and prepend
	SupportsPatches           // 1.7 to 1.9.2: the edit mode patch
	SupportsRevisions         // newer: rejects a stale lastRevision
)

// keepSupport is how long the client believes that a server cannot do more than it
// was seen to: it may be updated.
const keepSupport = 5 * time.Minute

// known is what was seen of the server.
type known struct {
	anchors atomic.Bool // of comments
	support answered[Support]
}

// answered is what a server has answered to a question, or the zero value.
type answered[T cmp.Ordered] struct {
	mu   sync.Mutex
	last T
	at   time.Time
}

// get returns the last answer, if it is the best one or was given lately.
func (a *answered[T]) get(best T) T {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last != best && time.Since(a.at) > keepSupport {
		var none T
		return none
	}
	return a.last
}

// set records an answer, unless a better one than most is known.
func (a *answered[T]) set(answer, most T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last <= most {
		a.last, a.at = answer, time.Now()
	}
}

// KnowsEditModes reports whether documents.update can append, prepend and patch, as
// Outline 1.7 and later can. The answer is kept for some minutes, or for good if the
// server checks revisions, too. The probe writes nothing: it is an invalid update of
// a document that does not exist. If the token may not write, Outline answers with
// ErrForbidden, and the result is false.
func (c *Client) KnowsEditModes(ctx context.Context) (bool, error) {
	support, err := c.updateSupport(ctx)
	return support >= SupportsPatches, err
}

// KnowsRevisions reports in the same way whether documents.update rejects a stale
// lastRevision, as no release up to 1.9.2 does.
func (c *Client) KnowsRevisions(ctx context.Context) (bool, error) {
	support, err := c.updateSupport(ctx)
	return support == SupportsRevisions, err
}

// noDocument is the UUID of no document.
const noDocument = "00000000-0000-4000-8000-000000000000"

// EditModesProbe returns arguments of documents.update with which servers tell
// whether they can patch; see CanPatch.
func EditModesProbe() map[string]string {
	return map[string]string{"id": noDocument, "text": "x", "editMode": "patch"}
}

// RevisionsProbe returns arguments of documents.update that only servers reject as
// invalid (400) that check revisions.
func RevisionsProbe() map[string]string {
	return map[string]string{"id": noDocument, "lastRevision": "x"}
}

// CanPatch reports whether the message by which a server rejects EditModesProbe as
// invalid (400) comes from one that can patch: it misses the text to find. Outline
// 1.5 and 1.6 reject the mode itself.
func CanPatch(message string) bool { return strings.Contains(message, "findText") }

// updateSupport asks both questions in one request. A server that knows lastRevision
// rejects its type before it looks at what belongs together.
func (c *Client) updateSupport(ctx context.Context) (Support, error) {
	if support := c.known.support.get(SupportsRevisions); support != notAsked {
		return support, nil
	}
	probe := EditModesProbe()
	for name, value := range RevisionsProbe() {
		probe[name] = value
	}
	_, err := query[any](ctx, c, "documents.update", probe, nil)
	rejected, _ := errors.AsType[*Error](err)
	var support Support
	switch {
	case err == nil, errors.Is(err, ErrForbidden), errors.Is(err, ErrNotFound):
		return SupportUnknown, nil // which another credential may tell
	case !errors.Is(err, ErrInvalid):
		return notAsked, err
	case strings.HasPrefix(rejected.Message, "lastRevision"):
		support = SupportsRevisions
	case CanPatch(rejected.Message):
		support = SupportsPatches
	case strings.HasPrefix(rejected.Message, "editMode"):
		support = SupportsAppends
	default:
		return SupportUnknown, nil
	}
	c.known.support.set(support, SupportsRevisions)
	return support, nil
}

// Support returns what the server can do, of a document that is to be updated.
func (c *Client) Support(ctx context.Context, d Document) (Support, error) {
	if d.support != notAsked {
		return d.support, nil
	}
	return c.updateSupport(ctx)
}

// DocumentToUpdate reads a document that is to be updated, with its tree if withTree is
// set. Side by side with it, it asks what the server can do,
// unless that is known, and lists the newest revisions if the id is a UUID.
func (c *Client) DocumentToUpdate(ctx context.Context, id string, withTree bool) (Document, error) {
	read := c.Document
	if withTree {
		read = c.DocumentWithTree
	}
	support := c.known.support.get(SupportsRevisions)
	var probeErr error
	var listed *revisions
	var wait sync.WaitGroup
	if support == notAsked {
		wait.Go(func() { support, probeErr = c.updateSupport(ctx) })
	}
	listing, cancel := context.WithCancel(ctx)
	defer cancel()
	if IsUUID(id) {
		wait.Go(func() { listed = c.newestRevisions(listing, id) })
	}
	document, err := read(WithCallOptions(ctx, ToChange()), id)
	if err != nil {
		cancel()
	}
	wait.Wait()
	document.support, document.revisions = support, listed
	return document, cmp.Or(err, probeErr)
}

// Guarded reports whether the server checks revisions, as KnowsRevisions does, of a
// document that DocumentToUpdate has read.
func (d Document) Guarded() bool { return d.support == SupportsRevisions }

// CanPatch reports whether the server can patch a document that DocumentToUpdate has
// read.
func (d Document) CanPatch() bool { return d.support >= SupportsPatches }
