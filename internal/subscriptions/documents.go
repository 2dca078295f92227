package subscriptions

import (
	"context"
	"errors"
	"time"

	"outline-mcp/outline"
)

const (
	// recentDocuments is how many documents are listed. The list contains their texts.
	recentDocuments = 10
	// recentlyDeleted is how many documents of the trash are listed.
	recentlyDeleted = 50
)

// documents is the feed of documents: the ones that changed last. Editing, renaming,
// moving, publishing, archiving and restoring a document set its updatedAt or its
// revision, as recorded. Deleted documents leave the list, as do those that are archived
// with their collection, which no other list contains either, as recorded. So a total
// that is not explained makes the feed ask for the trash, then for the archived
// collections.
//
// Outline does not list documents that the caller sees only because they are shared
// with them one by one.
type documents struct {
	begun    bool
	total    int
	newest   time.Time                                            // latest change in the list
	before   time.Time                                            // newest of the list before it
	missing  int                                                  // how many documents left the list since then
	next     func(context.Context, *outline.Client) (news, error) // makes the next request; nil for the list
	archived collections
}

func (f *documents) ask(ctx context.Context, client *outline.Client) (news, error) {
	if f.next != nil {
		return f.next(ctx, client)
	}
	page, err := client.Documents(ctx, outline.DocumentListParams{
		DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: recentDocuments,
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
		n.all = n.all || f.begun && i == recentDocuments-1 && d.UpdatedAt.After(f.newest)
	}
	if f.missing = f.total + created - page.Total; f.begun && f.missing != 0 {
		f.next, n.soon = f.trash, true
	}
	f.begun, f.total, f.newest, f.before = true, page.Total, newest, f.newest
	return n, nil
}

// trash looks for documents that were deleted. Who may not see the trash, as viewers
// and guests, hears of every deletion, whichever document it was.
func (f *documents) trash(ctx context.Context, client *outline.Client) (news, error) {
	page, err := client.DeletedDocuments(ctx, outline.ListParams{Limit: recentlyDeleted})
	if err != nil && !errors.Is(err, outline.ErrForbidden) {
		return news{}, err
	}
	f.next, f.archived = f.collections, collections{archived: true}
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
func (f *documents) collections(ctx context.Context, client *outline.Client) (news, error) {
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
