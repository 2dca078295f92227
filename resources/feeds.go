package resources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
)

const (
	// cycle is how long it takes to ask all feeds that a subject needs. It leaves room
	// in the promised ten seconds for further requests and for slow answers. While
	// things change it is half as long.
	cycle = 7 * time.Second
	// shortest is the shortest interval between two requests for a subject. Outline
	// allows some endpoints 100 requests a minute.
	shortest = 2 * time.Second
	// followUp is the time to a further request of the same feed. A change of documents
	// may take two of them, within the promised ten seconds.
	followUp = time.Second
	// activeFor is how long after a change others are expected.
	activeFor = time.Minute
	// longest is the longest interval, when Outline does not answer or limits the rate.
	longest = time.Minute
)

// poll asks the feeds that are needed, in turn, until ctx is done.
func (of *subject) poll(ctx context.Context) {
	timer := time.NewTimer(shortest)
	defer timer.Stop()
	last, soon, failures := feedKinds, false, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		list := of.needed()
		if len(list) == 0 { // a client is about to subscribe
			timer.Reset(shortest)
			continue
		}
		if !soon || !slices.Contains(list, last) {
			last = nextFeed(list, last)
		}
		var err error
		soon, err = of.ask(ctx, last)
		switch {
		case err == nil:
			failures = 0
			timer.Reset(of.interval(len(list), soon))
		case ctx.Err() != nil:
			return
		case errors.Is(err, outline.ErrUnauthorized), errors.Is(err, outline.ErrForbidden):
			of.service.options.Log.InfoContext(ctx, "subscriptions ended: Outline rejected the key", "key", of.who().ID())
			of.service.mu.Lock()
			of.service.end(of, errRejected)
			of.service.mu.Unlock()
			return
		default:
			if failures++; failures == 1 {
				of.service.options.Log.WarnContext(ctx, "polling for changes failed; retrying less often", "key", of.who().ID(), "error", outline.Redact(err.Error()))
			}
			timer.Reset(pause(err, failures))
		}
	}
}

// nextFeed returns the feed of a list to ask after last.
func nextFeed(list []feedKind, last feedKind) feedKind {
	for _, kind := range list {
		if kind > last {
			return kind
		}
	}
	return list[0]
}

// ask makes a request to a feed, with the credential of the subject, and tells the
// listeners. It reports whether the feed should be asked again soon.
func (of *subject) ask(ctx context.Context, kind feedKind) (soon bool, err error) {
	select {
	case of.asking <- struct{}{}:
		defer func() { <-of.asking }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	n, err := of.feeds[kind].ask(auth.NewContext(ctx, of.who()), of.service.options.Outline)
	if err == nil {
		of.publish(kind, n)
	}
	return n.soon, err
}

// interval returns the time to the next request if a number of feeds is needed.
func (of *subject) interval(feeds int, soon bool) time.Duration {
	of.service.mu.Lock()
	active := time.Since(of.changed) < activeFor
	of.service.mu.Unlock()
	switch {
	case soon:
		return followUp
	case active:
		return max(shortest, cycle/2/time.Duration(feeds))
	}
	return max(shortest, cycle/time.Duration(feeds))
}

// pause returns the time to the next request after a number of failures.
func pause(err error, failures int) time.Duration {
	wait := min(longest, cycle<<min(failures, 8))
	var answer *outline.Error
	if errors.As(err, &answer) {
		wait = max(wait, answer.RetryAfter)
	}
	return wait
}

const (
	// newestDocuments is how many documents are listed. The list contains their texts.
	newestDocuments = 10
	// recentlyDeleted is how many documents of the trash are listed.
	recentlyDeleted = 50
)

// documentFeed is the feed of documents: the ones that changed last. Editing, renaming,
// moving, publishing, archiving and restoring a document set its updatedAt or its
// revision, as recorded. Deleted documents leave the list, as do those that are archived
// with their collection, which no other list contains either, as recorded. So a total
// that is not explained makes the feed ask for the trash, then for the archived
// collections.
//
// Outline does not list documents that the caller sees only because they are shared
// with them one by one.
type documentFeed struct {
	begun    bool
	total    int
	newest   time.Time                                            // latest change in the list
	before   time.Time                                            // newest of the list before it
	missing  int                                                  // how many documents left the list since then
	next     func(context.Context, *outline.Client) (news, error) // makes the next request; nil for the list
	archived collectionFeed
}

func (f *documentFeed) ask(ctx context.Context, client *outline.Client) (news, error) {
	if f.next != nil {
		return f.next(ctx, client)
	}
	page, err := client.Documents(ctx, outline.DocumentListParams{
		DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: newestDocuments,
	})
	if err != nil {
		return news{}, err
	}
	n := news{versions: map[string]string{}, places: map[string]string{}}
	newest, created := f.newest, 0
	for i, d := range page.Items {
		n.versions[d.ID], n.places[d.ID] = versionOfDocument(d), d.CollectionID
		if d.UpdatedAt.After(newest) {
			newest = d.UpdatedAt
		}
		if d.CreatedAt.After(f.newest) {
			created++
		}
		// All of a full page is new, so there may be more that is.
		n.all = n.all || f.begun && i == newestDocuments-1 && d.UpdatedAt.After(f.newest)
	}
	if f.missing = f.total + created - page.Total; f.begun && f.missing != 0 {
		f.next, n.soon = f.trash, true
	}
	f.begun, f.total, f.newest, f.before = true, page.Total, newest, f.newest
	return n, nil
}

// trash looks for documents that were deleted. Who may not see the trash, as viewers
// and guests, hears of every deletion, whichever document it was.
func (f *documentFeed) trash(ctx context.Context, client *outline.Client) (news, error) {
	page, err := client.DeletedDocuments(ctx, outline.ListParams{Limit: recentlyDeleted})
	if err != nil && !errors.Is(err, outline.ErrForbidden) {
		return news{}, err
	}
	f.next, f.archived = f.collections, collectionFeed{archived: true}
	if err != nil {
		return news{all: f.missing > 0, soon: true}, nil
	}
	n := news{versions: map[string]string{}, soon: true}
	for i, d := range page.Items {
		n.versions[d.ID] = versionOfDocument(d)
		n.all = n.all || i == recentlyDeleted-1 && d.UpdatedAt.After(f.before)
	}
	return n, nil
}

// collections looks for documents that were archived or restored with their collection.
// They are not found if the credential lacks the scope for collections.
func (f *documentFeed) collections(ctx context.Context, client *outline.Client) (news, error) {
	n, err := f.archived.ask(ctx, client)
	switch {
	case errors.Is(err, outline.ErrForbidden):
		f.next = nil
		return news{}, nil
	case err != nil:
		return news{}, err
	case n.soon:
		return news{soon: true}, nil
	}
	f.next = nil
	return news{archived: n.versions}, nil
}

// newestComments is how many comments are listed, the most that Outline allows.
const newestComments = 100

// commentFeed is the feed of the comments on all documents: those that were written or
// edited last. Comments that are deleted, or come and go with their document, only
// change the number, which does not say what they were on. Resolving a thread sets the
// updatedAt of its replies, but not of the comment that they reply to, as recorded:
// without replies it is only seen if it is in the list anyway. Reactions are not seen.
type commentFeed struct {
	begun  bool
	total  int
	newest time.Time         // latest change in the list
	page   map[string]string // what was listed last: the versions of comments, by ID
}

func (f *commentFeed) ask(ctx context.Context, client *outline.Client) (news, error) {
	page, err := client.ChangedComments(ctx, newestComments)
	if err != nil {
		return news{}, err
	}
	n := news{versions: map[string]string{}}
	newest, written, listed := f.newest, 0, map[string]string{}
	for _, c := range page.Items {
		version := fmt.Sprint(c.ID, " ", c.UpdatedAt.UnixMilli(), " ", c.ResolvedAt != nil)
		listed[c.ID] = version
		if c.UpdatedAt.After(newest) {
			newest = c.UpdatedAt
		}
		if before, known := f.page[c.ID]; known && before == version || !known && c.UpdatedAt.Before(f.newest) {
			continue
		}
		if c.CreatedAt.After(f.newest) {
			written++
		}
		n.versions[c.DocumentID] += version
	}
	if f.begun {
		full := len(page.Items) == newestComments && page.Items[newestComments-1].UpdatedAt.After(f.newest)
		n.all = full || page.Total != f.total+written
	}
	f.begun, f.total, f.newest, f.page = true, page.Total, newest, listed
	return n, nil
}

// collectionsAtATime is how many collections one request lists, the most that Outline
// allows.
const collectionsAtATime = 100

// collectionFeed is the feed of collections: all that the caller can see, either the
// archived ones or the others. Each change of its tree sets a collection's updatedAt.
// That was recorded for publishing; for the rest it follows from how Outline saves the
// tree. If there are more than 100 collections, it takes several requests to see a change.
type collectionFeed struct {
	archived bool
	offset   int
	versions map[string]string // of the pages before offset
}

func (f *collectionFeed) ask(ctx context.Context, client *outline.Client) (news, error) {
	list := client.Collections
	if f.archived {
		list = client.ArchivedCollections
	}
	page, err := list(ctx, outline.ListParams{Limit: collectionsAtATime, Offset: f.offset})
	if err != nil {
		return news{}, err
	}
	if f.offset == 0 {
		f.versions = map[string]string{}
	}
	for _, c := range page.Items {
		f.versions[c.ID] = versionOfCollection(c)
	}
	if f.offset += len(page.Items); len(page.Items) > 0 && f.offset < page.Total {
		return news{soon: true}, nil
	}
	f.offset = 0
	return news{versions: f.versions, complete: true}, nil
}
