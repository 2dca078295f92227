package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// documentBatch is one call of a batch tool, with the outcome of each item.
type documentBatch struct {
	*mcptool.Batch
	operation string
	results   []batchItem
	shown     []int // revisions of the documents that the user has confirmed; nil if nobody was asked
}

// newBatch returns a batch for documents by any form of their IDs, or "" for
// those that do not exist yet.
func newBatch(ctx context.Context, env mcptool.Env, operation string, given []string) *documentBatch {
	b := &documentBatch{operation: operation, results: make([]batchItem, len(given)), Batch: mcptool.NewBatch(ctx, env, len(given))}
	for i, id := range given {
		b.results[i] = batchItem{Index: i, ID: id}
	}
	return b
}

// failRepeated fails every item whose document occurs earlier in the batch, in
// any form of its ID. If only some are URL ids it asks Outline for these.
func (b *documentBatch) failRepeated(ctx context.Context) {
	others := 0 // than URL ids
	ids := entriesOf(b.results, func(item batchItem) string {
		id, err := b.Env.Outline.ParseDocumentID(item.ID)
		if err != nil {
			id = item.ID
		}
		if err != nil && id != "" || outline.IsUUID(id) {
			others++
		}
		return id
	})
	if others > 0 {
		mcptool.Parallel(b.Env.BatchConcurrency, len(ids), func(i int) {
			if ids[i] == "" || outline.IsUUID(ids[i]) || b.MayNotStart(ctx) != nil {
				return
			}
			// What cannot be found is reported when its item runs.
			id, err := documentID(ctx, b.Env, ids[i])
			if err != nil {
				return
			}
			if ids[i] = id; outline.IsUUID(id) {
				b.results[i].ID = id
				return
			}
			if document, err := b.Env.Outline.Document(ctx, id); err == nil {
				ids[i], b.results[i].ID, b.results[i].URLID = document.ID, document.ID, document.URLID
			}
		})
	}
	first := map[string]int{}
	for i, id := range ids {
		before, repeated := first[id]
		switch {
		case id == "":
		case repeated:
			b.fail(i, output.Invalid("listed twice: it is the same as index %d", before))
		default:
			first[id] = i
		}
	}
}

// run calls do with all items that have not failed yet and returns the result of
// the batch. do returns as much of the document as is known, even with an error.
func (b *documentBatch) run(ctx context.Context, arrange mcptool.Arrangement, do func(ctx context.Context, i int) (outline.Document, error)) batchAnswer {
	b.failRepeated(ctx)
	var pending []int
	for i, item := range b.results {
		if item.Status == "" {
			pending = append(pending, i)
		}
	}
	b.Run(ctx, pending, arrange, func(ctx context.Context, i int) error {
		document, err := do(ctx, i)
		item := &b.results[i]
		item.ID = cmp.Or(document.ID, item.ID)
		if err == nil {
			item.Status, item.Title, item.URLID, item.URL = "success", new(output.Label(document.Title)), document.URLID, b.Env.Outline.AbsoluteURL(document.URL)
		}
		return withDocument(document, err)
	}, b.fail)
	return newBatchAnswer(b.operation, b.results)
}

// itemFailure returns the failure of one of several items, with a sentence for its line.
func itemFailure(env mcptool.Env, err error) output.Failure {
	failure := failureOf(err).Advised(env.Available)
	failure.Sentence = output.Excerpt(outline.Redact(failure.Sentence), longestError)
	return failure
}

// fail records the failure of an item. After a rate limit on an endpoint that changes items,
// no further item starts.
func (b *documentBatch) fail(i int, err error) {
	failure := itemFailure(b.Env, err)
	changing := []string{"." + b.operation, "comments.resolve", "comments.unresolve"} // an update of a comment may need two
	if cause, ok := errors.AsType[*outline.Error](err); ok && errors.Is(err, outline.ErrRateLimited) &&
		slices.ContainsFunc(changing, func(name string) bool { return strings.HasSuffix(cause.Endpoint, name) }) {
		wait := max(failure.RetryAfterSeconds, 1)
		b.Stop(fmt.Sprintf("Outline's rate limit is used up. Send this item again in %g seconds", wait), wait)
	}
	id := cmp.Or(failure.CommentID, failure.DocumentID, b.results[i].ID)
	if parsed, err := b.Env.Outline.ParseDocumentID(id); err == nil && outline.IsUUID(parsed) {
		id = parsed
	}
	b.results[i] = batchItem{
		Index: i, ID: output.Excerpt(outline.Redact(id), 60), Status: "failed", Title: b.results[i].Title, URLID: cmp.Or(failure.DocumentURLID, b.results[i].URLID),
		Error: failure.Sentence, Code: failure.Code, RetryAfterSeconds: failure.RetryAfterSeconds,
	}
}

// done returns the IDs of the documents with which a batch succeeded.
func (a *batchAnswer) done() map[string]bool {
	done := map[string]bool{}
	for _, item := range a.Results {
		if item.Status == "success" {
			done[item.ID] = true
		}
	}
	return done
}

// noteBelow adds to an item what was done to documents below it.
func (item *batchItem) noteBelow(below []documentName, done string) {
	if item.Status == "success" && len(below) > 0 {
		item.Note = done + ": " + listNames(below)
	}
}

// noteArchivedBelow says what was archived along with the documents of a batch, as far as
// it is among the documents of each collection that were archived last. It asks nothing
// after a rate limit.
func (a *batchAnswer) noteArchivedBelow(ctx context.Context, env mcptool.Env, archived []outline.DocumentSummary) {
	if slices.ContainsFunc(a.Results, func(item batchItem) bool { return item.RetryAfterSeconds > 0 }) {
		return
	}
	items := a.done()
	known := map[string]bool{"": true}
	var collections []string
	for _, d := range archived {
		if items[d.ID] && !known[d.CollectionID] {
			known[d.CollectionID] = true
			collections = append(collections, d.CollectionID)
		}
	}
	lists := make([][]outline.DocumentSummary, len(collections))
	mcptool.Parallel(env.BatchConcurrency, len(collections), func(i int) {
		page, _ := env.Outline.ArchivedDocuments(outline.WithCallOptions(ctx, outline.NoRetries()), outline.ArchivedParams{CollectionID: collections[i], Limit: 100})
		lists[i] = page.Items // without an answer, there are no notes
	})
	below := map[string][]documentName{}
	for _, list := range lists {
		above := map[string]string{}
		for _, d := range list {
			above[d.ID] = d.ParentDocumentID
		}
		for _, d := range list {
			id := d.ParentDocumentID
			for depth := 0; id != "" && !items[id] && depth < len(list); depth++ {
				id = above[id]
			}
			if !items[d.ID] && d.PublishedAt != nil {
				below[id] = append(below[id], nameOf(d))
			}
		}
	}
	for i := range a.Results {
		a.Results[i].noteBelow(below[a.Results[i].ID], "archived with it")
	}
}

// noteDeletedBelow says what went to the trash along with the documents of a batch, or from
// below those that are permanently deleted.
func (a *batchAnswer) noteDeletedBelow(below [][]outline.Node, permanent bool) {
	done := "in the trash with it"
	if permanent {
		done = "now in the trash, from below it"
	}
	items := a.done()
	for i := range a.Results {
		a.Results[i].noteBelow(namesBesides(items, below[i]), done)
	}
}

// namesBesides names the documents of a tree without some and what is below these.
func namesBesides(some map[string]bool, tree []outline.Node) (names []documentName) {
	for _, n := range tree {
		if !some[n.ID] {
			names = append(append(names, nameOfNode(n)), namesBesides(some, n.Children)...)
		}
	}
	return names
}

// collectionTrees are the trees of collections before a batch changes them. Each is asked
// for once.
type collectionTrees struct {
	env   mcptool.Env
	mu    sync.Mutex
	trees map[string]func() []outline.Node
}

// below returns the published documents below one, as far as they are known.
func (c *collectionTrees) below(ctx context.Context, d outline.Document) []outline.Node {
	if d.CollectionID == "" || d.Status() != "published" {
		return nil
	}
	c.mu.Lock()
	tree := c.trees[d.CollectionID]
	if tree == nil {
		tree = inBackground(func() []outline.Node {
			nodes, _ := c.env.Outline.CollectionDocuments(outline.WithCallOptions(ctx, outline.NoRetries()), d.CollectionID)
			return nodes
		})
		c.trees[d.CollectionID] = tree
	}
	c.mu.Unlock()
	if node := findNode(tree(), d.ID); node != nil {
		return node.Children
	}
	return nil
}
