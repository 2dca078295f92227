package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

func listCollections() mcptool.Tool {
	return mcptool.Spec[listCollectionsIn, collectionList]{
		Name:        "list_collections",
		Title:       "List collections",
		Description: "Lists the Outline collections that you can see.",
		Endpoints:   []string{"collections.list", "collections.documents"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in listCollectionsIn) (collectionList, error) {
			page, err := env.Outline.Collections(ctx, outline.ListParams{Limit: in.Limit, Offset: in.Offset})
			if err != nil {
				return collectionList{}, err
			}
			list := collectionList{Total: page.Total, offset: in.Offset, startChar: max(1, in.StartChar)}
			list.Collections = entriesOf(page.Items, func(c outline.Collection) collectionEntry {
				return collectionEntry{ID: c.ID, Name: output.Label(c.Name), Description: c.Description, URLID: c.URLID, Permission: permissionOf(c)}
			})
			if len(list.Collections) > 0 {
				first := &list.Collections[0]
				if first.Description, err = output.FromChar(first.Description, in.StartChar, "the description of collection %s", first.ID); err != nil {
					return collectionList{}, err
				}
			}
			if in.IncludeDocumentCount {
				countDocuments(ctx, env, list.Collections)
			}
			list.show(len(list.Collections))
			if id := env.Outline.UnlistedCollection(ctx); id != "" && list.NextOffset == nil &&
				!slices.ContainsFunc(list.Collections, func(c collectionEntry) bool { return c.ID == id }) {
				list.Note = notListedYet
			}
			return list, nil
		},
	}
}

// notListedYet is the note on a list or search that lacks what is in a collection
// that the caller has just created.
const notListedYet = "Outline can leave a collection that was just created, and its documents, out of lists and searches for up to 10 seconds: call again then"

// notListed returns [notListedYet] if a list or search of documents may lack those in a
// collection that the caller has just created: asked is the collection that it is
// restricted to, if any, and found is what it holds.
func notListed(ctx context.Context, env mcptool.Env, asked string, found ...outline.DocumentSummary) string {
	id := env.Outline.UnlistedCollection(ctx)
	if id == "" || asked != "" && asked != id ||
		slices.ContainsFunc(found, func(d outline.DocumentSummary) bool { return d.CollectionID == id }) {
		return ""
	}
	return notListedYet
}

type listCollectionsIn struct {
	Limit                int  `json:"limit,omitempty" minimum:"1" maximum:"100" default:"100"`
	Offset               int  `json:"offset,omitempty" minimum:"0"`
	IncludeDocumentCount bool `json:"include_document_count,omitempty" jsonschema:"Takes a request per collection"`
	StartChar            int  `json:"start_char,omitempty" minimum:"1"`
}

type collectionEntry struct {
	ID            string `json:"id" format:"uuid"`
	Name          string `json:"name"`
	Description   string `json:"description"`
	URLID         string `json:"url_id,omitempty"`
	DocumentCount *int   `json:"document_count,omitempty" jsonschema:"Published, nested ones included; absent if unknown"`
	Permission    string `json:"permission,omitempty"`
}

func (c collectionEntry) write(t *output.Text) {
	t.Printf("%s", collectionName{c.ID, c.Name, c.URLID})
	if c.DocumentCount != nil {
		t.Printf(", %s", output.Count(*c.DocumentCount, "document", "documents"))
	}
	t.Printf(", %s", permissionText(c.Permission))
	t.If(c.Description != "").Printf(": %s", output.OneLine(c.Description))
}

// permissionOf returns what every member may do in a collection: read, read_write, or
// private if nothing.
func permissionOf(c outline.Collection) string {
	return cmp.Or(output.OneLine(c.Permission), "private")
}

// permissionText returns a permission in words.
func permissionText(permission string) string {
	if permission == "read_write" {
		return "read and write"
	}
	return permission
}

type collectionList struct {
	Collections []collectionEntry `json:"collections"`
	Count       int               `json:"count"`
	Total       int               `json:"total"`
	NextOffset  *int              `json:"next_offset,omitempty"`

	NextStartChar int `json:"next_start_char,omitempty"`

	Note string `json:"note,omitempty"`

	offset, startChar int
}

// countConcurrency is the number of collections counted in parallel. These
// reads put little load on Outline, and a hundred collections take about as
// long as ten requests.
const countConcurrency = 10

// countDocuments sets the document counts. They are optional: requests are
// neither retried nor delayed by a rate limit, and if one fails its count stays
// unset.
func countDocuments(ctx context.Context, env mcptool.Env, entries []collectionEntry) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	mcptool.Parallel(countConcurrency, len(entries), func(i int) {
		if nodes, err := env.Outline.CollectionDocuments(ctx, entries[i].ID); err == nil {
			entries[i].DocumentCount = new(countNodes(nodes))
		}
	})
}

func (l *collectionList) show(n int) {
	l.Count, l.NextOffset = n, nil
	if next := nextOffset(l.offset, n, l.Total); next > 0 {
		l.NextOffset = &next
	}
}

// Cuts implements output.Cuttable. The description of the one collection that
// is left can still be too long: Outline allows 100,000 characters.
func (l *collectionList) Cuts() []output.Cut {
	if len(l.Collections) == 0 {
		return nil
	}
	entries := cutEntries(&l.Collections, l.show)
	entries[0].Least = 1
	first := l.Collections[0]
	return append(entries, output.Cut{Units: utf8.RuneCountInString(first.Description), Keep: func(n int) {
		if head := output.Head(first.Description, n); head != first.Description {
			first.Description = head
			l.Collections = []collectionEntry{first}
			l.NextOffset, l.NextStartChar = &l.offset, l.startChar+utf8.RuneCountInString(head)
		}
	}})
}

func (l collectionList) WriteText(t *output.Text) {
	columns := "Each line: name, collection_id, permission of every member: description"
	if slices.ContainsFunc(l.Collections, func(c collectionEntry) bool { return c.DocumentCount != nil }) {
		columns = "Each line: name, collection_id, documents, permission of every member: description"
	}
	if l.startChar > 1 {
		columns += fmt.Sprintf("\nThe first description from character %d on", l.startChar)
	}
	writeList(t, output.Count(l.Total, "collection", "collections")+rangeShown(l.offset, l.Count, l.Total), columns, l.Collections)
	switch {
	case l.Total == 0:
		t.Advice("No collections are visible here; the key, OUTLINE_COLLECTIONS or OUTLINE_EXCLUDE_COLLECTIONS may hide some.[ search_documents finds documents that are shared individually.]")
	case l.Count == 0:
		writePastTheEnd(t, l.offset, l.Total)
	case l.NextStartChar > 0:
		t.Blank()
		t.Line("The description continues: call again with offset %d and start_char %d.", *l.NextOffset, l.NextStartChar)
	case l.NextOffset != nil:
		writeNextOffset(t, *l.NextOffset)
	}
	writeNotes(t, l.Note)
}

func getCollectionStructure() mcptool.Tool {
	return mcptool.Spec[structureIn, collectionTree]{
		Name:        "get_collection_structure",
		Title:       "Collection structure",
		Description: "Shows the tree of an Outline collection: titles and IDs of published documents.",
		Endpoints:   []string{"collections.documents", "collections.info"},
		Effect:      mcptool.Reads,
		View:        views.Finding,
		Run: onCollection(collectionRef, func(ctx context.Context, env mcptool.Env, in structureIn, id string) (collectionTree, error) {
			collection, nodes, err := concurrently(ctx, id, env.Outline.Collection, env.Outline.CollectionDocuments)
			if err != nil {
				return collectionTree{}, err
			}
			tree := collectionTree{
				CollectionID: collection.ID, CollectionName: output.Label(collection.Name), CollectionURLID: collection.URLID, Permission: permissionOf(collection), TotalDocuments: countNodes(nodes),
				MaxDepth: in.MaxDepth, nodes: nodes, offset: in.Offset,
			}
			if err := tree.descend(ctx, env, in.DocumentID); err != nil {
				return collectionTree{}, err
			}
			tree.show(tree.TotalDocuments)
			return tree, nil
		}),
	}
}

type structureIn struct {
	collectionIn
	MaxDepth   int    `json:"max_depth,omitempty" minimum:"-1" default:"-1" jsonschema:"Levels; -1 for all"`
	Offset     int    `json:"offset,omitempty" minimum:"0" jsonschema:"Top-level pages to skip"`
	DocumentID string `json:"document_id,omitempty" jsonschema:"Only below this document"`
}

// Validate rejects a depth of 0, which would show nothing.
func (in structureIn) Validate() error {
	if in.MaxDepth == 0 {
		return errors.New("max_depth must be 1 or more, or -1 for all levels, not 0")
	}
	return nil
}

// subtree is a document with all published documents below it.
type subtree struct {
	root  outline.Document
	nodes []outline.Node // root first, each document before those below it, in the order of the sidebar
}

// subtreeOf returns the subtree of a document, given by any form of its ID. It
// fails if the tree of the collection does not have the document, as with a draft.
func subtreeOf(ctx context.Context, env mcptool.Env, given string) (subtree, error) {
	root, err := fetchDocument(ctx, env, given)
	if err != nil {
		return subtree{}, err
	}
	state := root.Status()
	if state == "published" && root.CollectionID != "" {
		nodes, err := env.Outline.CollectionDocuments(ctx, root.CollectionID)
		if err != nil {
			return subtree{}, withDocument(root, err)
		}
		if node := findNode(nodes, root.ID); node != nil {
			return subtree{root, flatten([]outline.Node{*node})}, nil
		}
		state = "not in the tree of its collection"
	}
	return subtree{}, output.Failure{
		Code: output.Conflict, DocumentID: root.ID,
		Sentence: fmt.Sprintf("%s is %s, so there is nothing published below it.", titleOf(root.Title), state),
		Next:     "Give it as a document of its own, or name another document.",
	}
}

// flatten returns all nodes of a tree, each before those below it.
func flatten(tree []outline.Node) (all []outline.Node) {
	for _, node := range tree {
		all = append(append(all, node), flatten(node.Children)...)
	}
	return all
}

func getDocumentBacklinks() mcptool.Tool {
	return mcptool.Spec[backlinksIn, output.Result]{
		Name:        "get_document_backlinks",
		Title:       "Document backlinks",
		Description: "Lists the Outline documents that link to one, or with outgoing the links in it and whether their targets are there.",
		Endpoints:   []string{"documents.list", "documents.info"},
		Effect:      mcptool.Reads,
		Shapes:      []output.Result{backlinkList{}, linkList{}},
		Run: func(ctx context.Context, env mcptool.Env, in backlinksIn) (output.Result, error) {
			if in.Outgoing || in.Broken {
				return in.outgoing(ctx, env)
			}
			return listBacklinks(ctx, env, in)
		},
	}
}

// listBacklinks lists the documents that link to one.
func listBacklinks(ctx context.Context, env mcptool.Env, in backlinksIn) (output.Result, error) {
	document, err := fetchDocument(ctx, env, in.DocumentID)
	if err != nil {
		return nil, err
	}
	list := backlinkList{Backlinks: []backlink{}, documentName: nameOf(document.DocumentSummary), wholeList: wholeList{offset: in.Offset}}
	for d, err := range env.Outline.Backlinks(ctx, document.ID) {
		if err != nil {
			return nil, withDocument(document, err)
		}
		if list.Total++; list.Total > in.Offset {
			list.Backlinks = append(list.Backlinks, backlink{nameOf(d), d.UpdatedAt})
		}
	}
	list.show(len(list.Backlinks))
	return list, nil
}

type backlinksIn struct {
	DocumentID string `json:"document_id"`
	Outgoing   bool   `json:"outgoing,omitempty" jsonschema:"The links in it; document_id may be a collection"`
	Broken     bool   `json:"broken,omitempty" jsonschema:"Only dead ones"`
	Offset     int    `json:"offset,omitempty" minimum:"0"`
}

type backlink struct {
	documentName
	UpdatedAt time.Time `json:"updated_at"`
}

func (b backlink) write(t *output.Text) { t.Printf("%s, %s", b.documentName, stamp(b.UpdatedAt)) }

type backlinkList struct {
	Backlinks []backlink `json:"backlinks"`
	documentName
	wholeList
}

func (l *backlinkList) Cuts() []output.Cut { return cutEntries(&l.Backlinks, l.show) }

func (l backlinkList) WriteText(t *output.Text) {
	heading := output.Count(l.Total, "document links", "documents link") + " to " + titleOf(l.Title) + " " + l.id()
	writeList(t, heading+l.shown(), "Each line: title, document_id, updated", l.Backlinks)
	l.writeEnd(t)
}
