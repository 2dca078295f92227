package app

import (
	"slices"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/subscriptions"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/resources"
)

// subscribable returns the function that reads the URI of a resource that may change.
// A resource is offered if a tool is that reads the same.
func subscribable(client *outline.Client, offered []mcptool.Tool) func(uri string) (pipeline.Item, subscriptions.Target, error) {
	return func(uri string) (pipeline.Item, subscriptions.Target, error) {
		target := subscriptions.Target{}
		u, err := resources.Parse(uri)
		if err == nil {
			switch u.Name {
			case resources.Document, resources.DocumentOutline:
				target.Kind = subscriptions.Document
				target.ID, err = client.ParseDocumentID(u.ID)
			case resources.DocumentComments:
				target.Kind = subscriptions.Comments
				target.ID, err = client.ParseDocumentID(u.ID)
			case resources.Collection:
				target.Kind = subscriptions.Collection
				target.ID, err = client.ParseCollectionID(u.ID)
			default:
				err = output.Failure{Code: output.NotFound, Sentence: "it is not the URI of a resource that changes. Subscribe to documents, their comments, and collections."}
			}
		}
		at := slices.IndexFunc(offered, func(t mcptool.Tool) bool { return t.Info().Name == u.Tool() })
		if err == nil && at < 0 {
			err = output.Failure{Code: output.Forbidden, Sentence: "this server's settings do not offer it."}
		}
		if err != nil {
			return pipeline.Item{}, target, err
		}
		return offered[at].Info().Item(), target, nil
	}
}
