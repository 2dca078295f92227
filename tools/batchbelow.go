package tools

import (
	"context"
	"slices"
	"sync"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline"
	"outline-mcp/tools/batch"
)

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
	batch.Parallel(env.BatchConcurrency, len(collections), func(i int) {
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
		tree = sync.OnceValue(func() []outline.Node {
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
