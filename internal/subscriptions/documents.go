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
// revision, as recorded. Deleted ones leave the list, so a total that is not explained
// makes the feed look into the trash.
//
// Outline does not list documents that the caller sees only because they are shared
// with them one by one.
type documents struct {
	begun   bool
	total   int
	newest  time.Time // latest change in the list
	inTrash bool      // the next request is for the trash
}

func (f *documents) ask(ctx context.Context, client *outline.Client) (news, error) {
	if f.inTrash {
		return f.trash(ctx, client)
	}
	page, err := client.Documents(ctx, outline.DocumentListParams{
		DocumentFilter: outline.DocumentFilter{Statuses: []string{"published", "draft", "archived"}}, Limit: recentDocuments,
	})
	if err != nil {
		return news{}, err
	}
	n := news{versions: map[string]string{}}
	newest, created := f.newest, false
	for i, d := range page.Items {
		n.versions[d.ID] = versionOfDocument(d)
		if d.UpdatedAt.After(newest) {
			newest = d.UpdatedAt
		}
		created = created || d.CreatedAt.After(f.newest)
		// All of a full page is new, so there may be more that is.
		n.all = n.all || f.begun && i == recentDocuments-1 && d.UpdatedAt.After(f.newest)
	}
	f.inTrash = f.begun && (created || page.Total != f.total)
	n.soon = f.inTrash
	f.begun, f.total, f.newest = true, page.Total, newest
	return n, nil
}

// trash looks for documents that were deleted. Who may not see the trash, as viewers
// and guests, hears of every deletion, whichever document it was.
func (f *documents) trash(ctx context.Context, client *outline.Client) (news, error) {
	page, err := client.DeletedDocuments(ctx, outline.ListParams{Limit: recentlyDeleted})
	if err != nil && !errors.Is(err, outline.ErrForbidden) {
		return news{}, err
	}
	f.inTrash = false
	if err != nil {
		return news{all: true}, nil
	}
	n := news{versions: map[string]string{}}
	for i, d := range page.Items {
		n.versions[d.ID] = versionOfDocument(d)
		n.all = n.all || i == recentlyDeleted-1 && d.UpdatedAt.After(f.newest)
	}
	return n, nil
}
