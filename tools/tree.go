package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// collectionTree is the tree of a collection's published documents, as far as
// it is shown.
type collectionTree struct {
	CollectionID    string     `json:"collection_id" format:"uuid"`
	CollectionName  string     `json:"collection_name"`
	CollectionURLID string     `json:"collection_url_id,omitempty"`
	DocumentID      string     `json:"document_id,omitempty" format:"uuid" jsonschema:"Whose children are shown"`
	Title           string     `json:"title,omitempty"`
	URLID           string     `json:"url_id,omitempty"`
	Documents       []treeNode `json:"documents"`
	Permission      string     `json:"permission,omitempty"`
	TotalDocuments  int        `json:"total_documents" jsonschema:"Documents of the whole collection"`
	MaxDepth        int        `json:"max_depth"`
	ShownDocuments  int        `json:"shown_documents,omitempty" jsonschema:"Absent when all are shown"`
	NextOffset      int        `json:"next_offset,omitempty"`

	nodes  []outline.Node // the complete first level, including the offset skipped documents
	offset int
}

type treeNode struct {
	ID         string     `json:"id" format:"uuid"`
	Title      string     `json:"title"`
	URLID      string     `json:"url_id,omitempty"`
	ChildCount int        `json:"child_count,omitempty" jsonschema:"Direct children, where some are not shown"`
	Children   []treeNode `json:"children"`
}

// countNodes counts the documents of a tree.
func countNodes(nodes []outline.Node) int {
	n := len(nodes)
	for _, node := range nodes {
		n += countNodes(node.Children)
	}
	return n
}

// findNode returns the node with the given UUID or URL id, or nil.
func findNode(nodes []outline.Node, id string) *outline.Node {
	for i := range nodes {
		if nodes[i].ID == id || strings.HasSuffix(nodes[i].URL, "-"+id) {
			return &nodes[i]
		}
		if found := findNode(nodes[i].Children, id); found != nil {
			return found
		}
	}
	return nil
}

// descend makes the children of a document the first level. given is any form
// of its ID; "" leaves the tree as it is.
func (t *collectionTree) descend(ctx context.Context, env mcptool.Env, given string) error {
	if given == "" {
		return nil
	}
	id, err := documentID(ctx, env, given)
	if err != nil {
		return err
	}
	node := findNode(t.nodes, id)
	if node == nil {
		return output.Failure{Code: output.NotFound, CollectionID: t.CollectionID, Sentence: fmt.Sprintf(
			"the collection %s has no published document %s. Leave out document_id to see the whole tree.", output.Quote(t.CollectionName), id)}
	}
	t.DocumentID, t.Title, t.URLID, t.nodes = node.ID, output.Label(node.Title), node.URLID(), node.Children
	return nil
}

// Cuts implements output.Cuttable. It drops whole documents of the first level,
// and documents below the first one only if that one is too long by itself.
func (t *collectionTree) Cuts() []output.Cut {
	return []output.Cut{{Units: countNodes(t.nodes), Keep: t.show}}
}

// show shows the first n documents.
func (t *collectionTree) show(n int) {
	t.Documents, t.NextOffset = []treeNode{}, 0
	limit, skipped := n, min(t.offset, len(t.nodes))
	for i, node := range t.nodes[skipped:] {
		if i > 0 && t.visible(node, 1) > n {
			t.NextOffset = skipped + i
			break
		}
		t.Documents = append(t.Documents, t.take(node, 1, &n))
	}
	if t.ShownDocuments = limit - n; t.ShownDocuments == countNodes(t.nodes) {
		t.ShownDocuments = 0
	}
}

// visible counts a document and its descendants down to the depth limit.
func (t *collectionTree) visible(node outline.Node, depth int) int {
	count := 1
	if depth != t.MaxDepth {
		for _, child := range node.Children {
			count += t.visible(child, depth+1)
		}
	}
	return count
}

// take copies a document and its descendants down to the depth limit, as long
// as the budget of documents lasts.
func (t *collectionTree) take(node outline.Node, depth int, budget *int) treeNode {
	*budget--
	taken := treeNode{ID: node.ID, Title: output.Label(node.Title), URLID: node.URLID(), Children: []treeNode{}}
	if depth != t.MaxDepth {
		for _, child := range node.Children {
			if *budget <= 0 {
				break
			}
			taken.Children = append(taken.Children, t.take(child, depth+1, budget))
		}
	}
	if len(taken.Children) < len(node.Children) {
		taken.ChildCount = len(node.Children)
	}
	return taken
}

func (t collectionTree) WriteText(text *output.Text) {
	text.Line("# %s\ncollection_id %s, %s, %s", untitled(t.CollectionName), cmp.Or(t.CollectionURLID, t.CollectionID), permissionText(t.Permission), output.Count(t.TotalDocuments, "document", "documents"))
	text.If(t.DocumentID != "").Line("Below %s", documentName{t.DocumentID, t.Title, t.URLID})
	text.If(t.MaxDepth > 0).Line("max_depth %d", t.MaxDepth)
	if skipped := min(t.offset, len(t.nodes)); len(t.Documents) > 0 && len(t.Documents) < len(t.nodes) {
		text.Line("Top level: %d–%d of %d", skipped+1, skipped+len(t.Documents), len(t.nodes))
	}
	text.Blank()
	hidden := writeNodes(text, t.Documents, "")
	if t.ShownDocuments > 0 {
		text.Blank()
		text.Printf("Only %s shown here.", output.Count(t.ShownDocuments, "document is", "documents are"))
		text.If(t.MaxDepth < 0).Printf(" For an overview, set max_depth.")
		text.Blank()
	}
	text.If(hidden).Line("To see the other children, call again with document_id set to their parent and offset set to the number already shown.")
	switch {
	case len(t.nodes) == 0:
		text.Line("There is nothing to show here.")
	case len(t.Documents) == 0:
		writePastTheEnd(text, t.offset, len(t.nodes))
	}
	writeNextOffset(text, t.NextOffset)
}

// writeNodes writes a line for each document. It reports whether any has hidden
// children.
func writeNodes(text *output.Text, nodes []treeNode, indent string) (hidden bool) {
	for _, node := range nodes {
		text.Printf("%s- %s", indent, documentName{node.ID, node.Title, node.URLID})
		if node.ChildCount > 0 {
			hidden = true
			text.Printf(" (%d of %s shown)", len(node.Children), output.Count(node.ChildCount, "child", "children"))
		}
		text.Blank()
		hidden = writeNodes(text, node.Children, indent+"  ") || hidden
	}
	return hidden
}

// paths tell where documents are, as far as the caller may see it: in which collection,
// and below which other documents. The trees that they come from are kept for a minute.
type paths struct {
	names     mcptool.CollectionNames
	ancestors map[string]mcptool.Ancestors // by collection
}

// mostTrees is how many collections are asked for the trees of, for one answer.
const mostTrees = 10

// pathsOf finds out where documents are. A document on the first level of its collection
// needs no tree.
func pathsOf(ctx context.Context, env mcptool.Env, documents []outline.DocumentSummary) paths {
	var ids []string
	for _, d := range documents {
		if d.ParentDocumentID != "" && d.CollectionID != "" && !slices.Contains(ids, d.CollectionID) {
			ids = append(ids, d.CollectionID)
		}
	}
	names, p := env.Collections.Begin(ctx), paths{ancestors: map[string]mcptool.Ancestors{}}
	waits := entriesOf(ids[:min(len(ids), mostTrees)], func(id string) func() mcptool.Ancestors { return env.Collections.Ancestors(ctx, id) })
	for i, wait := range waits {
		p.ancestors[ids[i]] = wait()
	}
	p.names = names()
	return p
}

// above returns the titles of the documents that a document is below, from the first
// level on, or nothing if one of them is not known.
func (p paths) above(d outline.DocumentSummary) (titles []string) {
	known := p.ancestors[d.CollectionID]
	for id := d.ParentDocumentID; id != ""; {
		one, ok := known[id]
		if !ok || len(titles) == deepest {
			return nil
		}
		titles, id = append(titles, one.Title), one.ParentID
	}
	slices.Reverse(titles)
	return titles
}

// deepest is how many documents of a path are named.
const deepest = 20

// of returns the path of a document: its collection and the documents above it, or ""
// if they are not known.
func (p paths) of(d outline.DocumentSummary) string {
	titles := p.above(d)
	if d.ParentDocumentID != "" && titles == nil {
		return ""
	}
	if name, known := p.names[d.CollectionID]; known {
		titles = append([]string{untitled(name.Name)}, titles...)
	}
	return strings.Join(entriesOf(titles, untitled), " / ")
}

// parent returns the name of the parent of a document, or none if it is not known.
func (p paths) parent(d outline.DocumentSummary) documentName {
	if one, ok := p.ancestors[d.CollectionID][d.ParentDocumentID]; ok {
		return documentName{d.ParentDocumentID, one.Title, one.URLID}
	}
	return documentName{}
}

// A location is the place of a document in answers.
type location struct {
	home
	Path string `json:"path,omitempty" jsonschema:"Collection / parents"`

	above []string // titles
}

// locate returns the location of a document.
func (p paths) locate(d outline.DocumentSummary) location {
	l := location{home: homeOf(p.names, d.CollectionID), above: p.above(d)}
	if len(l.above) > 0 {
		l.Path = p.of(d)
	}
	return l
}

// without returns the location without the document right above, which an answer names
// by itself.
func (l location) without(parent parentName) location {
	if last := len(l.above) - 1; last >= 0 && parent.ParentDocumentID != "" {
		l.above = l.above[:last]
	}
	return l
}

// inShort is that of the home, with the documents above.
func (l location) inShort() string { return l.home.inShort() + l.below() }

// in is that of the home, with the documents above.
func (l location) in() string { return l.home.in() + l.below() }

// inTitles is inShort without an ID.
func (l location) inTitles() string {
	if l.CollectionName == "" {
		return ""
	}
	return " in " + titleOf(l.CollectionName) + l.below()
}

// below names the first and the last document above, as titles in between are in path.
func (l location) below() string {
	below := ""
	for i, title := range l.above {
		switch {
		case i == 0, i == len(l.above)-1:
			below += " / " + titleOf(title)
		case i == 1:
			below += " / …"
		}
	}
	return below
}
