package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// mostDocuments is in how many documents of a collection one call replaces passages.
const mostDocuments = 100

// inCollection makes the edits wherever their passages occur in a collection. What is
// already part of the new text stays, so that a call that is repeated changes nothing
// twice.
func (in editDocumentIn) inCollection(ctx context.Context, env mcptool.Env) (output.Result, error) {
	collection, err := collectionID(ctx, env, in.CollectionID)
	if err != nil {
		return nil, aboutArgument("collection_id", in.CollectionID, err)
	}
	in.Edits = slices.Clone(in.Edits)
	for i := range in.Edits {
		in.Edits[i].AllOccurrences = true
	}
	pages, err := in.pagesWithPassages(ctx, env, collection)
	switch {
	case err != nil:
		return nil, err
	case len(pages) == 0:
		return nil, output.Failure{Code: output.NotFound, CollectionID: collection,
			Sentence: "nothing was written: no published document of the collection has old_text, other than in the passages of except and in what already reads like new_text.",
			Next:     "Upper and lower case count.[ find_in_documents shows other forms.]"}
	case len(pages) > mostDocuments:
		return nil, output.Invalid("nothing was written: more than %d documents of the collection have old_text. Replace it in some of them at a time, with document_id in each of the edits.", mostDocuments)
	}
	return in.runPages(ctx, env, pages)
}

// pagesWithPassages returns the documents of a collection in which edits change something,
// each with those edits, up to one more than a call may change.
func (in editDocumentIn) pagesWithPassages(ctx context.Context, env mcptool.Env, collection string) (pages []page, err error) {
	changes := func(d outline.Document) (edits []int) {
		text := prosemirror.Unpadded(d.Text)
		for i, e := range in.Edits {
			if in.changes(e, text) {
				edits = append(edits, i)
			}
		}
		return edits
	}
	scan := newTextScan(env, collection, nil, func(_ context.Context, d outline.Document) bool { return len(changes(d)) > 0 })
	for listed, err := range scan.pages(ctx) {
		if err != nil {
			return nil, err
		}
		for _, d := range listed {
			if edits := changes(d.Document); d.looked && len(edits) > 0 {
				pages = append(pages, page{id: d.ID, edits: edits})
			}
		}
		if len(pages) > mostDocuments {
			break
		}
	}
	return pages, nil
}

// changes reports whether an edit changes a text.
func (in editDocumentIn) changes(e textEdit, text string) bool {
	if in.words(e) {
		text = edit.Address().ReplaceAllString(text, "\x00")
	}
	for _, passage := range in.kept(e) {
		text = strings.ReplaceAll(text, passage, "\x00")
	}
	return strings.Contains(text, e.OldText)
}

// checkChains refuses edits of a collection of which one would change what another has
// written, if the call were repeated.
func (in editDocumentIn) checkChains() error {
	for i, one := range in.Edits {
		for j, other := range in.Edits {
			if i != j && in.changes(other, one.NewText) {
				return fmt.Errorf("edits[%d] would change what edits[%d] writes if this call were repeated. Make two calls, edits[%d] first", j, i, j)
			}
		}
	}
	return nil
}

// words reports whether an edit leaves the addresses of links alone: in a whole collection, a
// word that is replaced there would break the links that have it. An edit of an address does not.
func (in editDocumentIn) words(e textEdit) bool {
	return in.CollectionID != "" && !strings.ContainsAny(e.OldText, "/:](")
}

// kept returns the passages in which an edit of a collection changes nothing, longest
// first.
func (in editDocumentIn) kept(e textEdit) []string {
	kept := slices.Clone(in.Except)
	if in.CollectionID != "" && strings.Contains(e.NewText, e.OldText) {
		kept = append(kept, e.NewText)
	}
	slices.SortStableFunc(kept, func(a, b string) int { return len(b) - len(a) })
	return kept
}
