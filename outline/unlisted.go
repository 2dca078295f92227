package outline

import (
	"context"
	"time"
)

// listingTime is how long releases of Outline remember which collections a user may
// read. Until then, lists and searches leave out a new one and what is in it.
const listingTime = 10 * time.Second

// UnlistedCollection returns the UUID of the collection that the caller has created
// with this client in the last ten seconds if lists and searches of the server may
// leave it out, as those of Outline's releases do. Otherwise it returns "".
func (c *Client) UnlistedCollection(ctx context.Context) string {
	if c.created.Len() == 0 {
		return ""
	}
	credential, failure := c.credential(ctx, "")
	if failure != nil {
		return ""
	}
	id, _ := c.created.Get(credential.subject())
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
