package subscriptions

import (
	"context"
	"fmt"
	"time"

	"outline-mcp/outline"
)

// recentComments is how many comments are listed, the most that Outline allows.
const recentComments = 100

// comments is the feed of the comments on all documents: those that were written or
// edited last. Comments that are deleted, or come and go with their document, only
// change the number, which does not say what they were on. Resolving a thread sets the updatedAt of its replies, but not of the comment
// that they reply to, as recorded: without replies it is only seen if it is in the list
// anyway. Reactions are not seen.
type comments struct {
	begun  bool
	total  int
	newest time.Time         // latest change in the list
	page   map[string]string // what was listed last: the versions of comments, by ID
}

func (f *comments) ask(ctx context.Context, client *outline.Client) (news, error) {
	page, err := client.ChangedComments(ctx, recentComments)
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
		full := len(page.Items) == recentComments && page.Items[recentComments-1].UpdatedAt.After(f.newest)
		n.all = full || page.Total != f.total+written
	}
	f.begun, f.total, f.newest, f.page = true, page.Total, newest, listed
	return n, nil
}
