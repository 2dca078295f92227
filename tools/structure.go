package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func structureTools() []mcptool.Tool {
	return []mcptool.Tool{getCollectionStructure()}
}

func getCollectionStructure() mcptool.Tool {
	return mcptool.Spec[structureIn, collectionTree]{
		Name:        "get_collection_structure",
		Title:       "Collection structure",
		Description: "Returns the tree of a collection's published documents, titles and IDs only. To find text use search_documents.",
		Group:       Search,
		Endpoints:   []string{"collections.documents", "collections.info"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in structureIn) (collectionTree, error) {
			id, err := outline.ParseCollectionID(in.CollectionID)
			if err != nil {
				return collectionTree{}, err
			}
			var collection outline.Collection
			var nodes []outline.Node
			err = both(
				func() (err error) { collection, err = env.Outline.Collection(ctx, id); return err },
				func() (err error) { nodes, err = env.Outline.CollectionDocuments(ctx, id); return err })
			if err != nil {
				return collectionTree{}, err
			}
			tree := collectionTree{
				CollectionID: collection.ID, CollectionName: collection.Name, TotalDocuments: countNodes(nodes),
				MaxDepth: in.MaxDepth, nodes: nodes, offset: in.Offset,
			}
			if err := tree.descend(in.DocumentID); err != nil {
				return collectionTree{}, err
			}
			return tree.first(tree.TotalDocuments), nil
		},
	}
}

type structureIn struct {
	CollectionID string `json:"collection_id" jsonschema:"UUID, slug or URL"`
	MaxDepth     int    `json:"max_depth,omitempty" minimum:"-1" default:"-1" jsonschema:"Levels to show; -1 for all"`
	Offset       int    `json:"offset,omitempty" minimum:"0" jsonschema:"First-level documents to skip"`
	DocumentID   string `json:"document_id,omitempty" jsonschema:"Only below this document"`
}

// Validate refuses the depth at which there is nothing to show.
func (in structureIn) Validate() error {
	if in.MaxDepth == 0 {
		return errors.New("max_depth must be -1 for all levels, or 1 or more, not 0")
	}
	return nil
}

type treeNode struct {
	ID         string     `json:"id" format:"uuid"`
	Title      string     `json:"title"`
	ChildCount int        `json:"child_count,omitempty" jsonschema:"Direct children, where some are not shown"`
	Children   []treeNode `json:"children"`
}

type collectionTree struct {
	CollectionID   string     `json:"collection_id" format:"uuid"`
	CollectionName string     `json:"collection_name"`
	DocumentID     string     `json:"document_id,omitempty" format:"uuid" jsonschema:"The document whose children are shown"`
	Documents      []treeNode `json:"documents"`
	TotalDocuments int        `json:"total_documents" jsonschema:"Documents of the whole collection"`
	MaxDepth       int        `json:"max_depth"`
	ShownDocuments int        `json:"shown_documents,omitempty" jsonschema:"Absent when all are shown"`
	NextOffset     int        `json:"next_offset,omitempty"`

	nodes  []outline.Node // the whole first level, of which offset are skipped
	offset int
}

// descend makes the children of the document given in any form the first level.
func (t *collectionTree) descend(given string) error {
	if given == "" {
		return nil
	}
	id, err := outline.ParseDocumentID(given)
	if err != nil {
		return err
	}
	node := findNode(t.nodes, id)
	if node == nil {
		return output.Failure{Code: output.NotFound, CollectionID: t.CollectionID, Sentence: fmt.Sprintf(
			"the collection %s holds no published document %s. Leave document_id out to see the whole tree.", output.Quote(t.CollectionName), id)}
	}
	t.DocumentID, t.nodes = node.ID, node.Children
	return nil
}

// findNode returns the node with a UUID or URL id.
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

// Units counts documents.
func (t collectionTree) Units() int { return countNodes(t.nodes) }

// Cut ends before a document of the first level, and inside the first one only
// when that alone is too long.
func (t collectionTree) Cut(n int) output.Result { return t.first(n) }

func (t collectionTree) first(n int) collectionTree {
	t.Documents = []treeNode{}
	t.NextOffset = 0
	skipped := min(t.offset, len(t.nodes))
	for i, node := range t.nodes[skipped:] {
		if i > 0 && t.visible(node, 1) > n {
			t.NextOffset = skipped + i
			break
		}
		t.Documents = append(t.Documents, t.take(node, 1, &n))
	}
	if t.ShownDocuments = countShown(t.Documents); t.ShownDocuments == countNodes(t.nodes) {
		t.ShownDocuments = 0
	}
	return t
}

func countShown(nodes []treeNode) int {
	n := len(nodes)
	for _, node := range nodes {
		n += countShown(node.Children)
	}
	return n
}

// visible counts a document and what of it the depth limit leaves to see.
func (t collectionTree) visible(node outline.Node, depth int) int {
	count := 1
	if depth != t.MaxDepth {
		for _, child := range node.Children {
			count += t.visible(child, depth+1)
		}
	}
	return count
}

// take copies a document and, as far as depth and budget reach, what is below
// it.
func (t collectionTree) take(node outline.Node, depth int, budget *int) treeNode {
	*budget--
	taken := treeNode{ID: node.ID, Title: node.Title, Children: []treeNode{}}
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

// WriteText implements output.Result.
func (t collectionTree) WriteText(text *output.Text) {
	text.Line("# %s\ncollection_id %s, %s", untitled(t.CollectionName), t.CollectionID, output.Count(t.TotalDocuments, "document", "documents"))
	if t.DocumentID != "" {
		text.Line("Below document %s", t.DocumentID)
	}
	if t.MaxDepth > 0 {
		text.Line("max_depth %d", t.MaxDepth)
	}
	if skipped := min(t.offset, len(t.nodes)); len(t.Documents) > 0 && len(t.Documents) < len(t.nodes) {
		text.Line("Of the first level: %d–%d of %d", skipped+1, skipped+len(t.Documents), len(t.nodes))
	}
	text.Blank()
	hidden := writeNodes(text, t.Documents, "")
	if t.ShownDocuments > 0 {
		text.Blank()
		text.Printf("Only %s shown here.", output.Count(t.ShownDocuments, "document is", "documents are"))
		if t.MaxDepth < 0 {
			text.Printf(" For an overview give max_depth.")
		}
		text.Blank()
	}
	if hidden {
		text.Line("To see children that are not shown: call again with their parent as document_id, and offset the number of those shown.")
	}
	if len(t.Documents) == 0 {
		text.Line("There is nothing to show here.")
	}
	writeNextOffset(text, t.NextOffset)
}

// writeNodes writes a line for each document and tells whether any has
// children that are not shown.
func writeNodes(text *output.Text, nodes []treeNode, indent string) (hidden bool) {
	for _, node := range nodes {
		text.Printf("%s- %s %s", indent, titleOf(node.Title), node.ID)
		if node.ChildCount > 0 {
			hidden = true
			text.Printf(" (%d of %s shown)", len(node.Children), output.Count(node.ChildCount, "child", "children"))
		}
		text.Blank()
		hidden = writeNodes(text, node.Children, indent+"  ") || hidden
	}
	return hidden
}
