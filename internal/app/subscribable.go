package app

import (
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/subscriptions"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// subscribable returns the function that reads the URI of a resource that may change.
// A resource is offered if a tool is that reads the same.
func subscribable(client *outline.Client, offered []mcptool.Tool) func(uri string) (pipeline.Item, subscriptions.Target, error) {
	return func(uri string) (pipeline.Item, subscriptions.Target, error) {
		path, _, _ := strings.Cut(strings.TrimPrefix(uri, "outline://"), "?")
		parts := append(strings.Split(path, "/"), "", "")
		target, tool, err := subscriptions.Target{}, "", error(nil)
		switch kind, id, part := parts[0], parts[1], parts[2]; {
		case kind == "documents" && part == "":
			target.Kind, tool = subscriptions.Document, "read_document"
			target.ID, err = client.ParseDocumentID(id)
		case kind == "documents" && part == "outline":
			target.Kind, tool = subscriptions.Document, "get_document_outline"
			target.ID, err = client.ParseDocumentID(id)
		case kind == "documents" && part == "comments":
			target.Kind, tool = subscriptions.Comments, "list_document_comments"
			target.ID, err = client.ParseDocumentID(id)
		case kind == "collections" && part == "":
			target.Kind, tool = subscriptions.Collection, "get_collection_structure"
			target.ID, err = client.ParseCollectionID(id)
		default:
			err = output.Failure{Code: output.NotFound, Sentence: "it is not the URI of a resource that changes. Subscribe to documents, their comments, and collections."}
		}
		at := slices.IndexFunc(offered, func(t mcptool.Tool) bool { return t.Info().Name == tool })
		if err == nil && at < 0 {
			err = output.Failure{Code: output.Forbidden, Sentence: "this server's settings do not offer it."}
		}
		if err != nil {
			return pipeline.Item{}, target, err
		}
		return offered[at].Info().Item(), target, nil
	}
}
