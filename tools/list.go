package tools

import (
	"context"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func listTools() []mcptool.Tool {
	return []mcptool.Tool{listCollections()}
}

func listCollections() mcptool.Tool {
	return mcptool.Spec[listCollectionsIn, collectionList]{
		Name:        "list_collections",
		Title:       "List collections",
		Description: "Returns the collections the key can see, with document counts: where to start when you know neither title nor words.",
		Group:       Search,
		Endpoints:   []string{"collections.list", "collections.documents"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listCollectionsIn) (collectionList, error) {
			page, err := env.Outline.Collections(ctx, outline.ListParams{Limit: in.Limit, Offset: in.Offset})
			if err != nil {
				return collectionList{}, err
			}
			list := collectionList{Collections: make([]collectionEntry, len(page.Items)), Total: page.Total, offset: in.Offset, startChar: max(1, in.StartChar)}
			for i, c := range page.Items {
				list.Collections[i] = collectionEntry{ID: c.ID, Name: c.Name, Description: c.Description}
			}
			if in.StartChar > 1 && len(list.Collections) > 0 {
				first := &list.Collections[0]
				skipped := byteOf(first.Description, in.StartChar-1)
				if skipped == len(first.Description) {
					return collectionList{}, output.Invalid("start_char %d is past the end of the description of collection %s, which has %d characters", in.StartChar, first.ID, utf8.RuneCountInString(first.Description))
				}
				first.Description = first.Description[skipped:]
			}
			if in.IncludeDocumentCount {
				countDocuments(ctx, env, list.Collections)
			}
			return list.first(len(list.Collections)), nil
		},
	}
}

type listCollectionsIn struct {
	Limit                int  `json:"limit,omitempty" minimum:"1" maximum:"100" default:"100"`
	Offset               int  `json:"offset,omitempty" minimum:"0"`
	IncludeDocumentCount bool `json:"include_document_count,omitempty" default:"true" jsonschema:"false saves a request for each"`
	StartChar            int  `json:"start_char,omitempty" minimum:"1" jsonschema:"Of the first description"`
}

type collectionEntry struct {
	ID            string `json:"id" format:"uuid"`
	Name          string `json:"name"`
	Description   string `json:"description"`
	DocumentCount *int   `json:"document_count,omitempty" jsonschema:"Published, nested ones included; absent if unknown"`
}

type collectionList struct {
	Collections []collectionEntry `json:"collections"`
	Count       int               `json:"count"`
	Total       int               `json:"total"`
	NextOffset  *int              `json:"next_offset,omitempty"`

	NextStartChar int `json:"next_start_char,omitempty"`

	offset, startChar int
}

// countConcurrency is how many collections are counted at a time. Reads this
// wide side by side do Outline no harm, and a hundred collections then take
// about as long as ten requests.
const countConcurrency = 10

// countDocuments fills in the counts. They are an extra: none of the requests
// is repeated or waits for a rate limit, and one that fails leaves its count
// out.
func countDocuments(ctx context.Context, env mcptool.Env, entries []collectionEntry) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	var group errgroup.Group
	group.SetLimit(countConcurrency)
	for i := range entries {
		group.Go(func() error {
			if nodes, err := env.Outline.CollectionDocuments(ctx, entries[i].ID); err == nil {
				entries[i].DocumentCount = new(countNodes(nodes))
			}
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
}

func countNodes(nodes []outline.Node) int {
	n := len(nodes)
	for _, node := range nodes {
		n += countNodes(node.Children)
	}
	return n
}

func (l collectionList) WriteText(t *output.Text) {
	t.Line("# %s%s", output.Count(l.Total, "collection", "collections"), shown(l.offset, l.Count, l.Total))
	if l.Count > 0 {
		t.Line("Each line: name, collection_id, documents: description")
	}
	if l.startChar > 1 {
		t.Line("The first description from character %d on", l.startChar)
	}
	t.Blank()
	for _, c := range l.Collections {
		t.Printf("- %s %s", titleOf(c.Name), c.ID)
		if c.DocumentCount != nil {
			t.Printf(", %s", output.Count(*c.DocumentCount, "document", "documents"))
		}
		if c.Description != "" {
			t.Printf(": %s", output.OneLine(c.Description))
		}
		t.Blank()
	}
	if l.Total == 0 {
		t.Line("The key sees no collection. Documents shared one by one are found with search_documents.")
	} else if l.Count == 0 {
		t.Line("The offset is past the last collection.")
	}
	switch {
	case l.NextStartChar > 0:
		t.Blank()
		t.Line("The description goes on: call again with offset %d and start_char %d.", *l.NextOffset, l.NextStartChar)
	case l.NextOffset != nil:
		writeNextOffset(t, *l.NextOffset)
	}
}

// Units counts the collections and, as one description can be longer than an
// answer may be (Outline allows 100,000 characters), the characters of the
// first one.
func (l collectionList) Units() int {
	if len(l.Collections) == 0 {
		return 0
	}
	return utf8.RuneCountInString(l.Collections[0].Description) + len(l.Collections)
}

// Cut shortens the first description only when not even that entry fits.
func (l collectionList) Cut(n int) output.Result {
	if len(l.Collections) == 0 {
		return l
	}
	description := utf8.RuneCountInString(l.Collections[0].Description)
	if n >= description {
		return l.first(min(max(1, n-description), len(l.Collections)))
	}
	entry := l.Collections[0]
	entry.Description = headOf(entry.Description, n)
	l.Collections, l.Count = []collectionEntry{entry}, 1
	l.NextOffset, l.NextStartChar = new(l.offset), l.startChar+utf8.RuneCountInString(entry.Description)
	return l
}

// first returns the list with its first n collections, and where the next
// page starts.
func (l collectionList) first(n int) collectionList {
	l.Collections, l.Count = l.Collections[:n], n
	if next := nextOffset(l.offset, n, l.Total); next > 0 {
		l.NextOffset = &next
	}
	return l
}
