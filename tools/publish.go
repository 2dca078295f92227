package tools

import (
	"context"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// publishIn holds the arguments of updates that publish a draft.
type publishIn struct {
	Publish      bool   `json:"publish,omitempty" jsonschema:"Publish a draft"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Where to, if the draft has no collection"`
}

// publish adds the publishing of a draft to a change. A document that is published
// already stays as it is.
func (in publishIn) publish(ctx context.Context, env mcptool.Env, before outline.Document, change *outline.UpdateDocumentParams) error {
	if !in.Publish || before.PublishedAt != nil {
		return nil
	}
	collection, err := optionalCollection(ctx, env, in.CollectionID)
	if err != nil {
		return err
	}
	if collection == "" && before.CollectionID == "" {
		return output.Failure{Code: output.InvalidArguments, DocumentID: before.ID,
			Sentence: "nothing was written: the draft is in no collection. To publish it, give the collection_id to publish it in",
			Next:     "[ (list_collections shows them)]."}
	}
	if collection != "" && before.CollectionID != "" && collection != before.CollectionID {
		return output.Failure{Code: output.InvalidArguments, DocumentID: before.ID, CollectionID: before.CollectionID,
			Sentence: "nothing was written: the draft is in another collection already. Leave out collection_id to publish it there",
			Next:     "[, or move it with move_document]."}
	}
	change.Publish = new(true)
	if before.CollectionID == "" {
		change.CollectionID = collection
	}
	return nil
}

// published reports whether an update has published a draft.
func published(u outline.Update) bool {
	return u.Before.PublishedAt == nil && u.After.PublishedAt != nil
}
