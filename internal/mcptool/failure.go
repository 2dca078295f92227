package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// problem returns the answer for a failed call. Its sentence begins with the
// name of the tool, and the IDs in the arguments are added to it.
func (c *call) problem(ctx context.Context, given givenArguments, err error) output.Problem {
	complete := func(f output.Failure) output.Failure { return c.complete(f.Advised(c.deps.Pipeline.Names(ctx)), given) }
	var problem output.Problem
	if !errors.As(err, &problem) {
		failure := explain.Error(err)
		if failure.Code == output.Internal {
			c.deps.Log.ErrorContext(ctx, "tool failed without an explanation", "tool", c.Name, "type", fmt.Sprintf("%T", err))
		}
		return complete(failure)
	}
	if partial, ok := problem.(interface {
		Completed(func(output.Failure) output.Failure) output.Problem
	}); ok {
		return partial.Completed(complete)
	}
	return problem
}

// complete adds the name of the tool to a failure, and the given IDs where it
// has none.
func (c *call) complete(f output.Failure, given givenArguments) output.Failure {
	f.DocumentID = cmp.Or(f.DocumentID, given.id("document_id", c.deps.Outline.ParseDocumentID))
	f.CollectionID = cmp.Or(f.CollectionID, given.id("collection_id", c.deps.Outline.ParseCollectionID))
	f.CommentID = cmp.Or(f.CommentID, given.id("comment_id", nil))
	f.Sentence = c.Name + ": " + f.Sentence
	// A caller may have passed a key in place of an ID or a number.
	for _, s := range []*string{&f.Sentence, &f.DocumentID, &f.CollectionID, &f.CommentID} {
		*s = outline.Redact(*s)
	}
	return f
}

// givenArguments are the arguments of a call as given, by name.
type givenArguments map[string]json.RawMessage

// id returns the ID in the named argument, as a UUID if parse finds one. The
// case of the name does not matter. It returns "" if the argument is not a
// string.
func (g givenArguments) id(name string, parse func(string) (string, error)) string {
	raw, ok := g[name]
	for given, value := range g {
		if !ok && strings.EqualFold(given, name) {
			raw = value
		}
	}
	given, _ := textOf(raw)
	if parse != nil {
		if id, err := parse(given); err == nil && outline.IsUUID(id) {
			return id
		}
	}
	return output.Excerpt(given, 200)
}
