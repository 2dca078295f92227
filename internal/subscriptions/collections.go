package subscriptions

import (
	"context"

	"outline-mcp/outline"
)

// collectionsAtATime is how many collections one request lists, the most that Outline
// allows.
const collectionsAtATime = 100

// collections is the feed of collections: all that the caller can see, either the
// archived ones or the others. Each change of its tree sets a collection's updatedAt. That was recorded for
// publishing; for the rest it follows from how Outline saves the tree. If there are more
// than 100 collections, it takes several requests to see a change.
type collections struct {
	archived bool
	offset   int
	versions map[string]string // of the pages before offset
}

func (f *collections) ask(ctx context.Context, client *outline.Client) (news, error) {
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
