package tools

import (
	"context"
	"fmt"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

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
			return subtree{}, about(root, err)
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
