package app

import (
	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/subscriptions"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/resources"
)

// subscribable returns what the URI of a resource stands for, and the resource as the
// pipeline knows it. A revision never changes, nor does an attachment, and changes of backlinks are not
// looked for.
func subscribable(client *outline.Client, uri string) (subscriptions.Target, pipeline.Item, error) {
	named, err := resources.Parse(uri)
	item := named.Item()
	if err != nil {
		return subscriptions.Target{}, item, err
	}
	target := subscriptions.Target{}
	parse := client.ParseDocumentID
	switch named.Name {
	case resources.Document, resources.DocumentOutline:
		target.Kind = subscriptions.Document
	case resources.DocumentComments:
		target.Kind = subscriptions.Comments
	case resources.Collection:
		target.Kind, parse = subscriptions.Collection, client.ParseCollectionID
	default:
		return target, item, output.Failure{Code: output.NotFound, Sentence: "changes of this resource are not reported. Subscribe to documents, their outlines and comments, and collections."}
	}
	target.ID, err = parse(named.ID)
	return target, item, err
}
