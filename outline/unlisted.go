package outline

import (
	"context"
	"sync"
	"time"
)

// listingTime is how long releases of Outline remember which collections a user may
// read. Until then, lists and searches leave out a new one and what is in it.
const listingTime = 10 * time.Second

// newCollections are the collections that were created last, by the subjects of
// their credentials. Other subjects learn nothing of them.
type newCollections struct {
	mu        sync.Mutex
	bySubject map[string]newCollection
}

type newCollection struct {
	id      string
	created time.Time
}

func (n *newCollections) add(subject, id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bySubject == nil {
		n.bySubject = map[string]newCollection{}
	}
	for other, collection := range n.bySubject {
		if time.Since(collection.created) >= listingTime {
			delete(n.bySubject, other)
		}
	}
	n.bySubject[subject] = newCollection{id, time.Now()}
}

// none reports whether nobody has created a collection.
func (n *newCollections) none() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.bySubject) == 0
}

func (n *newCollections) last(subject string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last, ok := n.bySubject[subject]; ok && time.Since(last.created) < listingTime {
		return last.id
	}
	return ""
}

// UnlistedCollection returns the UUID of the collection that the caller has created
// with this client in the last ten seconds if lists and searches of the server may
// leave it out, as those of Outline's releases do. Otherwise it returns "".
func (c *Client) UnlistedCollection(ctx context.Context) string {
	if c.created.none() {
		return ""
	}
	credential, failure := c.credential(ctx, "")
	if failure != nil {
		return ""
	}
	id := c.created.last(credential.subject())
	if id != "" && c.listsAtOnce(ctx) {
		return ""
	}
	return id
}

// listsAtOnce reports whether the server is known to list a collection as soon as it
// is created: those that check revisions do.
func (c *Client) listsAtOnce(ctx context.Context) bool {
	known, err := c.KnowsRevisions(ctx)
	return err == nil && known
}
