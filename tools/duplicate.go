package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func duplicateDocument() mcptool.Tool {
	return mcptool.Spec[duplicateDocumentIn, duplicatedDocument]{
		Name:        "duplicate_document",
		Title:       "Duplicate document",
		Description: "Copies an Outline document, with recursive also what is below it, beside the original or to another place.[ For a document from a template, use create_document.]",
		Endpoints:   []string{"documents.duplicate", "documents.info"},
		Effect:      mcptool.Adds,
		Optional:    true,
		Run: onDocument(func(ctx context.Context, env mcptool.Env, in duplicateDocumentIn, document outline.Document) (duplicatedDocument, error) {
			original := document.DocumentSummary
			if err := checkActive(document); err != nil {
				return duplicatedDocument{}, err
			}
			to, err := in.place(ctx, env, original)
			if err != nil {
				return duplicatedDocument{}, err
			}
			params := outline.DuplicateDocumentParams{
				Title: in.Title, CollectionID: to.collectionID, ParentDocumentID: to.parentID, Recursive: in.Recursive, Publish: original.PublishedAt != nil,
			}
			if in.Publish != nil {
				params.Publish = *in.Publish
			}
			if params.Publish && to.collectionID == "" {
				return duplicatedDocument{}, output.Failure{Code: output.InvalidArguments,
					Sentence: "nothing was copied: the draft is in no collection. To publish the copy, give the collection_id to publish it in", Next: "[ (list_collections shows them)]."}
			}
			if err := confirmDuplicate(ctx, env, document, to, params); err != nil {
				return duplicatedDocument{}, err
			}
			names := env.Collections.Begin(ctx)
			copies, err := env.Outline.DuplicateDocument(ctx, original, params)
			if err != nil {
				return duplicatedDocument{}, refused(ctx, env, original.ID, err)
			}
			to.nameParent(ctx, env)
			return duplicatedDocument{newDocumentOf(env, copies[0], names()), parentNameOf(to.parent), len(copies)}, checkDuplicate(copies[0], original, params)
		}),
	}
}

// confirmDuplicate asks the person.
func confirmDuplicate(ctx context.Context, env mcptool.Env, original outline.Document, to place, params outline.DuplicateDocumentParams) error {
	return confirmed(ctx, env, original, func(ctx context.Context, name string) (string, string) {
		text := "Copy " + name
		if params.Recursive {
			text += withBelow(countBelow(ctx, env, original))
		}
		to.nameParent(ctx, env)
		text += to.toward(ctx, env)
		if params.Title != "" {
			text += ", with the title " + titleOf(params.Title)
		}
		if !params.Publish {
			text += ", as a draft"
		}
		return text + "?", ""
	})
}

type duplicateDocumentIn struct {
	documentIn
	targetIn
	Recursive bool   `json:"recursive,omitempty"`
	Title     string `json:"title,omitempty" maxLength:"100" jsonschema:"Default: the same"`
	Publish   *bool  `json:"publish,omitempty" jsonschema:"Default: as the original"`
}

// Validate rejects a title that is too long.
func (in duplicateDocumentIn) Validate() error { return checkTitle(in.Title) }

// checkDuplicate compares a copy with what was asked for.
func checkDuplicate(got, original outline.DocumentSummary, asked outline.DuplicateDocumentParams) error {
	var wrong []string
	if strings.TrimSpace(got.Title) != strings.TrimSpace(cmp.Or(asked.Title, original.Title)) {
		wrong = append(wrong, "its title is "+titleOf(got.Title))
	}
	if got.CollectionID != asked.CollectionID || got.ParentDocumentID != asked.ParentDocumentID {
		wrong = append(wrong, "it is in another place")
	}
	if (got.PublishedAt != nil) != asked.Publish {
		wrong = append(wrong, "it is "+map[bool]string{true: "published", false: "a draft"}[got.PublishedAt != nil])
	}
	if wrong == nil {
		return nil
	}
	return output.Failure{Code: output.WriteMismatch,
		Sentence: fmt.Sprintf("the document was copied to %s, but not as asked: %s.", nameOf(got), strings.Join(wrong, ", ")),
		Next:     "Do not copy it again[: change the copy with update_document or move_document]."}
}

type duplicatedDocument struct {
	newDocument
	parentName
	Documents int `json:"documents" jsonschema:"Created in all, with those below it"`
}

// WriteText implements output.Result.
func (d duplicatedDocument) WriteText(t *output.Text) {
	t.Line("Copied to the %s %s%s%s, %s", d.kind(), d.documentName, d.in(), d.after(" below "), d.URL)
	t.Line("documents %d", d.Documents)
	t.If(d.Documents > 1).Advice("[get_collection_structure shows what is below it.]")
}
