package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// problem returns what a failed call is answered with: the sentence begins
// with the tool's name, and carries the IDs that the caller gave.
func (c *call) problem(ctx context.Context, request mcp.CallToolRequest, err error) output.Problem {
	var problem output.Problem
	if errors.As(err, &problem) {
		switch problem := problem.(type) {
		case output.Failure:
			return withIDs(problem, c.item.Name, request)
		case interface {
			Answering(func(output.Failure) output.Failure) output.Problem
		}:
			return problem.Answering(func(f output.Failure) output.Failure { return withIDs(f, c.item.Name, request) })
		}
		return problem
	}
	failure := explain.Error(err)
	if failure.Code == output.Internal {
		c.deps.Log.ErrorContext(ctx, "tool failed without an explanation", "tool", c.item.Name, "type", fmt.Sprintf("%T", err))
	}
	return withIDs(failure, c.item.Name, request)
}

// withIDs completes a failure: document_id is the UUID if the caller gave one,
// else what was given, as no better is known.
func withIDs(f output.Failure, tool string, request mcp.CallToolRequest) output.Failure {
	var given struct {
		DocumentID   string `json:"document_id"`
		CollectionID string `json:"collection_id"`
		CommentID    string `json:"comment_id"`
	}
	if raw, err := argumentsOf(request); err == nil {
		_ = json.Unmarshal(raw, &given) // an ID of another type is in the sentence already
	}
	if id, err := outline.ParseDocumentID(given.DocumentID); err == nil && outline.IsUUID(id) {
		given.DocumentID = id
	}
	if id, err := outline.ParseCollectionID(given.CollectionID); err == nil && outline.IsUUID(id) {
		given.CollectionID = id
	}
	for _, id := range []struct {
		of    *string
		given string
	}{{&f.DocumentID, given.DocumentID}, {&f.CollectionID, given.CollectionID}, {&f.CommentID, given.CommentID}} {
		if *id.of == "" {
			*id.of = output.Excerpt(id.given, 200)
		}
	}
	f.Sentence = tool + ": " + f.Sentence
	// A caller may have passed a key in place of an ID or a number.
	for _, s := range []*string{&f.Sentence, &f.DocumentID, &f.CollectionID, &f.CommentID} {
		*s = outline.Redact(*s)
	}
	return f
}
