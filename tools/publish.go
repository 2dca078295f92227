package tools

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// publishIn holds the arguments of updates that publish a draft.
type publishIn struct {
	Publish      *bool  `json:"publish,omitempty" jsonschema:"false, alone, makes it a draft again"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"For a draft without one"`
}

// publishing returns the arguments that publish a draft or leave it as it is.
func publishing(publish bool, collectionID string) publishIn {
	in := publishIn{CollectionID: collectionID}
	if publish {
		in.Publish = &publish
	}
	return in
}

// wanted reports whether a draft is to be published, unwanted whether a published
// document is to become a draft.
func (in publishIn) wanted() bool   { return in.Publish != nil && *in.Publish }
func (in publishIn) unwanted() bool { return in.Publish != nil && !*in.Publish }

// unpublish makes a published document a draft in its collection.
func unpublish(ctx context.Context, env mcptool.Env, given string) (updatedDocument, error) {
	before, err := fetchActive(ctx, env, given)
	if err != nil {
		return updatedDocument{}, err
	}
	after, note := before, "it was a draft already"
	if before.PublishedAt != nil {
		err = confirmed(ctx, env, before, func(_ context.Context, name string) (string, string) {
			return "Unpublish " + name + ", which makes it a draft?", ""
		})
		if err != nil {
			return updatedDocument{}, err
		}
		after, err = env.Outline.UnpublishDocument(ctx, before.ID)
		note = "it is a draft now"
	}
	if errors.Is(err, outline.ErrInvalid) {
		err = output.Failure{Code: output.Conflict, Cause: err, Sentence: fmt.Sprintf("nothing was changed: Outline does not make it a draft (%s).", says(err)), Next: "[Move what is below it with move_document first.]"}
	}
	if err != nil {
		return updatedDocument{}, about(before, conflict(before, err))
	}
	chars := utf8.RuneCountInString(after.Text)
	return updatedDocument{
		documentName: nameOf(after.DocumentSummary), URL: env.Outline.AbsoluteURL(after.URL), Changed: before.PublishedAt != nil,
		RevisionBefore: before.Revision, Revision: after.Revision, CharsBefore: chars, CharsAfter: chars, Note: note,
	}, nil
}

// publish adds the publishing of a draft to a change. A document that is published
// already stays as it is.
func (in publishIn) publish(ctx context.Context, env mcptool.Env, before outline.Document, change *edit.Params) error {
	if !in.wanted() || before.PublishedAt != nil {
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
func published(u edit.Result) bool {
	return u.Before.PublishedAt == nil && u.After.PublishedAt != nil
}
