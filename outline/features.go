package outline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// SupportedVersions names the versions of Outline that the client supports: its main
// branch and the two newest minor releases.
const SupportedVersions = "1.8, 1.9 and the main branch"

// IsSupported reports whether the client supports a version, as Outline names it. One
// that is not a number counts as supported.
func IsSupported(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n < 2 || major > 1 || major == 1 && minor >= 8
}

// Support is what documents.update of a server can do. Each can do what those
// before it can. Servers drop fields that they do not know, and do something else.
type Support int

const (
	notAsked          Support = iota
	unsupported               // older than 1.7: it drops the edit mode patch, or rejects it
	SupportsPatches           // 1.7 to 1.9.2
	SupportsRevisions         // newer: rejects a stale lastRevision
)

// keepSupport is how long the client believes that a server cannot do more than it
// was seen to: it may be updated.
const keepSupport = 5 * time.Minute

// knownSupport is what the server was last seen to support, or the zero value.
type knownSupport struct {
	mu   sync.Mutex
	last Support
	at   time.Time
}

// get returns what was seen last, if nothing can support more or it was seen lately.
func (k *knownSupport) get() Support {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last != SupportsRevisions && time.Since(k.at) > keepSupport {
		return notAsked
	}
	return k.last
}

func (k *knownSupport) set(support Support) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last, k.at = support, time.Now()
}

// KnowsRevisions reports whether documents.update rejects a stale lastRevision, as no
// release up to 1.9.2 does. The answer is kept for some minutes, or for good if it does.
// The probe writes nothing: it is an invalid update of a document that does not exist. If
// the token may not write, Outline answers with ErrForbidden, and the result is false. A
// server older than 1.7 fails with ErrUnsupported.
func (c *Client) KnowsRevisions(ctx context.Context) (bool, error) {
	support, err := c.updateSupport(ctx)
	if errors.Is(err, ErrForbidden) {
		err = nil
	}
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
// invalid (400) comes from one that can patch: it misses the text to find. Outline 1.5 and
// 1.6 reject the mode itself.
func CanPatch(message string) bool { return strings.Contains(message, "findText") }

// updateSupport asks both questions in one request. A server that knows lastRevision
// rejects its type before it looks at what belongs together. Before 1.5, Outline looks for
// the document, and forbids to change what it does not find (403 or 404). Because gateways
// and other servers also answer 403, the version decides then. Any other answer is an error
// and is not kept: a server that ignored the mode could replace a whole text.
func (c *Client) updateSupport(ctx context.Context) (Support, error) {
	switch support := c.support.get(); support {
	case notAsked:
	case unsupported:
		return unsupported, errUnsupported()
	default:
		return support, nil
	}
	probe := EditModesProbe()
	for name, value := range RevisionsProbe() {
		probe[name] = value
	}
	_, err := query[any](ctx, c, "documents.update", probe, nil)
	var message string
	if errors.Is(err, ErrInvalid) {
		rejected, _ := errors.AsType[*Error](err)
		message = rejected.Message
	}
	var support Support
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrForbidden) && !OutOfScope(err) && c.isTooOld(ctx):
		return unsupported, errUnsupported()
	case err != nil && !errors.Is(err, ErrInvalid):
		return notAsked, err
	case strings.HasPrefix(message, "lastRevision"):
		support, err = SupportsRevisions, nil
	case CanPatch(message):
		support, err = SupportsPatches, nil
	case strings.HasPrefix(message, "editMode"):
		support, err = unsupported, errUnsupported()
	default:
		return notAsked, &Error{Endpoint: "documents.update", kind: ErrBadAnswer, Message: "the server does not reject an invalid update as Outline does"}
	}
	c.support.set(support)
	return support, err
}

// isTooOld reports whether the server says that its version is not supported.
func (c *Client) isTooOld(ctx context.Context) bool {
	version, err := c.Version(ctx)
	return err == nil && !IsSupported(version)
}

func errUnsupported() *Error {
	return &Error{Endpoint: "documents.update", kind: ErrUnsupported, Message: "this Outline is too old; the supported versions are " + SupportedVersions}
}

// Support returns what the server can do, of a document that is to be updated. If that
// cannot be found out, or the server is too old, it fails.
func (c *Client) Support(ctx context.Context, d Document) (Support, error) {
	if d.support > unsupported {
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
	var support Support
	var probeErr error
	var listed *revisions
	var wait sync.WaitGroup
	wait.Go(func() { support, probeErr = c.updateSupport(ctx) })
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
	if document.Tree != nil && support == SupportsPatches {
		document.trees.fit(document.Tree, document.Text)
	}
	if errors.Is(probeErr, ErrForbidden) { // the update will be forbidden, but not a look at what it would do
		probeErr = nil
	}
	return document, cmp.Or(err, probeErr)
}

// Guarded reports whether the server checks revisions, as KnowsRevisions does, of a
// document that DocumentToUpdate has read.
func (d Document) Guarded() bool { return d.support == SupportsRevisions }
