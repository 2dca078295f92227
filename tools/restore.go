package tools

import (
	"context"
	"errors"
	"sort"

	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

func restoreDocument() mcptool.Tool {
	return mcptool.Spec[restoreDocumentIn, output.Result]{
		Name:        "restore_document",
		Title:       "Restore document",
		Description: "Brings an Outline document back from the trash or the archive; with include_children, also what is in the trash below it. With revision_id, sets an active document back to that revision, title and text, and returns a diff.",
		Endpoints:   []string{"documents.restore"},
		Effect:      mcptool.Changes,
		Shapes:      []output.Result{restoredRevision{}, restoredDocument{}},
		Problems:    []output.Problem{writeProblem{}},
		View:        views.Difference,
		Run: func(ctx context.Context, env mcptool.Env, in restoreDocumentIn) (output.Result, error) {
			if in.RevisionID != "" {
				return restoreRevision(ctx, env, in)
			}
			id, err := env.Outline.ParseDocumentID(in.DocumentID)
			if err != nil {
				return nil, err
			}
			collection, err := optionalCollection(ctx, env, in.CollectionID)
			if err != nil {
				return nil, err
			}
			var trash []outline.DocumentSummary
			if in.IncludeChildren { // before anything is written
				if trash, err = readTrash(ctx, env); err != nil {
					return nil, err
				}
			}
			if err := in.confirm(ctx, env, id, collection, trash); err != nil {
				return nil, err
			}
			document, err := restore(ctx, env, id, collection, in.IncludeChildren)
			if err != nil {
				return nil, err
			}
			restored := restoredDocument{documentName: nameOf(document.DocumentSummary), Status: "restored"}
			if in.IncludeChildren {
				restored.Children = restoreBelow(ctx, env, document, trash)
			}
			restored.ChildrenInTrash = childrenInTrash(ctx, env, document.ID)
			return restored, nil
		},
	}
}

type restoreDocumentIn struct {
	DocumentID      string `json:"document_id" names:"deleted document" jsonschema:"ID or URL"`
	CollectionID    string `json:"collection_id,omitempty" jsonschema:"Where to, if its collection is gone"`
	IncludeChildren bool   `json:"include_children,omitempty"`

	RevisionID       string `json:"revision_id,omitempty"`
	ExpectedRevision int    `json:"expected_revision,omitempty" minimum:"1" jsonschema:"Fail if the revision differs"`
	AllowLoss        bool   `json:"allow_loss,omitempty" jsonschema:"Let comments lose their place"`
}

// Validate keeps the two uses of the tool apart.
func (in restoreDocumentIn) Validate() error {
	switch {
	case in.RevisionID == "" && (in.ExpectedRevision != 0 || in.AllowLoss):
		return errors.New("expected_revision and allow_loss need a revision_id")
	case in.RevisionID != "" && (in.CollectionID != "" || in.IncludeChildren):
		return errors.New("with revision_id, the document stays where it is: leave out collection_id and include_children")
	}
	return nil
}

// confirm asks the person whether to bring a document back. With include_children,
// trash is what is in the trash.
func (in restoreDocumentIn) confirm(ctx context.Context, env mcptool.Env, id, collection string, trash []outline.DocumentSummary) error {
	if !env.Person.Confirms() {
		return nil
	}
	document, err := env.Outline.Document(ctx, id)
	if err != nil || !in.IncludeChildren && document.ArchivedAt == nil && document.DeletedAt == nil {
		return err // restore says that there is nothing to restore
	}
	return confirmed(ctx, env, document, func(ctx context.Context, name string) (string, string) {
		text, below := "Restore "+name, ""
		if in.IncludeChildren {
			below = withBelow(new(countInTrash(trash, document.ID)))
		}
		switch {
		case document.DeletedAt != nil:
			text += below + " from the trash"
		case document.ArchivedAt == nil:
			text = "Restore what is in the trash below " + name
		default:
			text += " from the archive" + below
		}
		if collection != "" {
			text += ", to " + collectionCalled(ctx, env, collection)
		}
		return text + "?", ""
	})
}

type restoredDocument struct {
	documentName
	Status          string          `json:"status" const:"restored"`
	Children        []restoredChild `json:"children,omitempty" jsonschema:"With include_children: what was in the trash below it"`
	ChildrenInTrash int             `json:"children_in_trash,omitempty" jsonschema:"Still there, directly below it"`
}

// restoredChild is what became of a document below a restored one.
type restoredChild struct {
	documentName
	Status string      `json:"status" enum:"restored,failed"`
	Error  string      `json:"error,omitempty"`
	Code   output.Code `json:"code,omitempty"`
}

// WriteText implements output.Result.
func (d restoredDocument) WriteText(t *output.Text) {
	d.writeDone(t, "Restored", nil)
	for _, child := range d.Children {
		t.Printf("- %s ", map[string]string{"restored": "Restored", "failed": "FAILED"}[child.Status])
		child.write(t)
		t.If(child.Error != "").Printf(": %s (code %s)", child.Error, child.Code)
		t.Blank()
	}
	writeChildrenInTrash(t, d.ChildrenInTrash)
	t.If(d.ChildrenInTrash > 0 && d.Children == nil).Advice("restore_document with include_children true brings back what is below it, too.")
}

// restore restores a document from the trash or the archive. If others below it are
// to be restored, it may be active already.
func restore(ctx context.Context, env mcptool.Env, id, collection string, activeToo bool) (outline.Document, error) {
	document, err := env.Outline.RestoreDocument(ctx, id, collection)
	if !errors.Is(err, outline.ErrInvalid) {
		return document, err
	}
	now, readErr := env.Outline.Document(ctx, id)
	switch {
	case readErr == nil && now.ArchivedAt == nil && now.DeletedAt == nil && activeToo:
		return now, nil
	case readErr == nil && now.ArchivedAt == nil && now.DeletedAt == nil:
		return now, output.Failure{Code: output.Conflict, DocumentID: now.ID, Sentence: "the document is neither archived nor in the trash: there is nothing to restore."}
	}
	return document, output.Invalid("Outline cannot restore the document (%s). If its collection is deleted or archived, or it never had one, give the collection_id of another.", says(err))
}

// restoreBelow restores the documents in the trash below a document, parents before
// children. What cannot be restored keeps what is below it in the trash: Outline
// would put that on the first level of the collection.
func restoreBelow(ctx context.Context, env mcptool.Env, parent outline.Document, trash []outline.DocumentSummary) []restoredChild {
	outcomes := []restoredChild{}
	for _, d := range trash {
		if d.ParentDocumentID != parent.ID {
			continue
		}
		outcome := restoredChild{documentName: nameOf(d), Status: "restored"}
		restored, err := env.Outline.RestoreDocument(ctx, d.ID, parent.CollectionID)
		if err != nil {
			failure := explain.Error(err).Advised(env.Offers)
			outcome.Status, outcome.Error, outcome.Code = "failed", output.Excerpt(outline.Redact(failure.Sentence), longestError), failure.Code
			outcomes = append(outcomes, outcome)
			continue
		}
		outcomes = append(outcomes, outcome)
		outcomes = append(outcomes, restoreBelow(ctx, env, restored, trash)...)
	}
	return outcomes
}

// countInTrash counts the documents in the trash below a document.
func countInTrash(trash []outline.DocumentSummary, id string) int {
	below := map[string]bool{id: true}
	for grows := true; grows; {
		grows = false
		for _, d := range trash {
			if below[d.ParentDocumentID] && !below[d.ID] {
				below[d.ID], grows = true, true
			}
		}
	}
	return len(below) - 1
}

func writeChildrenInTrash(t *output.Text, count int) {
	t.If(count > 0).Advice("Still in the trash: %s directly below it[; see list_trash].", output.Count(count, "document", "documents"))
}

// childrenInTrash counts the direct children of a document that are in the
// trash: Outline leaves them there when the parent is restored or permanently
// deleted. The count is optional: without access to the trash it is 0.
func childrenInTrash(ctx context.Context, env mcptool.Env, id string) int {
	trash, _ := readTrash(outline.WithCallOptions(ctx, outline.NoRetries()), env)
	count := 0
	for _, document := range trash {
		if document.ParentDocumentID == id {
			count++
		}
	}
	return count
}

// maxTrash is how many documents of the trash are looked at to find those below
// another.
const maxTrash = 1000

// readTrash returns what is in the trash, oldest documents first.
func readTrash(ctx context.Context, env mcptool.Env) (trash []outline.DocumentSummary, err error) {
	trash, err = outline.Collect(outline.All(ctx, env.Outline.DeletedDocuments, outline.Paging{Most: maxTrash}))
	if err != nil {
		return trash, err
	}
	sort.SliceStable(trash, func(i, j int) bool { return trash[i].CreatedAt.Before(trash[j].CreatedAt) })
	return trash, nil
}
