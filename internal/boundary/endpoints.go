package boundary

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"outline-mcp/output"
)

// endpoints say how a call of each endpoint is limited. Calls of others are refused.
var endpoints = map[string]func(context.Context, *exchange) error{
	// About the caller, the server and people, who belong to no collection.
	"auth.info":         unlimited,
	"installation.info": unlimited,
	"apiKeys.list":      unlimited,
	"users.list":        unlimited,
	"users.info":        unlimited,
	"groups.list":       unlimited,

	"collections.list":       listing(collectionItem),
	"collections.info":       answer(collectionItem),
	"collections.documents":  naming(collection("id", reads)),
	"collections.create":     createCollection,
	"collections.update":     naming(collection("id", writes)),
	"collections.archive":    naming(collection("id", writes)),
	"collections.restore":    naming(collection("id", writes)),
	"collections.delete":     naming(collection("id", writes)),
	"collections.export":     naming(collection("id", reads)),
	"collections.export_all": wholeWorkspace("an export of the whole workspace", "[Export the collections one by one with export_collection.|]"),

	"documents.info":           answer(documentItem),
	"documents.export":         naming(documentNamed("id", reads)),
	"documents.list":           listing(documentItem),
	"documents.drafts":         listing(documentItem),
	"documents.archived":       listing(documentItem),
	"documents.deleted":        listing(documentItem),
	"documents.search":         listing(documentItem),
	"documents.search_titles":  listing(documentItem),
	"documents.answerQuestion": wholeWorkspace("Outline's AI, which answers from the whole workspace,", "[Find documents with search_documents.|]"),
	"documents.create":         createDocument,
	"documents.import":         importDocument,
	"documents.update":         naming(documentNamed("id", writes), collection("collectionId", writes), documentNamed("parentDocumentId", writes)),
	"documents.move":           naming(documentNamed("id", writes), collection("collectionId", writes), documentNamed("parentDocumentId", writes)),
	"documents.restore":        naming(documentNamed("id", writes), collection("collectionId", writes)),
	"documents.duplicate":      duplicateDocument,
	"documents.unpublish":      naming(documentNamed("id", writes)),
	"documents.archive":        naming(documentNamed("id", writes)),
	"documents.unarchive":      naming(documentNamed("id", writes)),
	"documents.delete":         naming(documentNamed("id", writes)),

	"documents.memberships":         naming(documentNamed("id", reads)),
	"documents.group_memberships":   naming(documentNamed("id", reads)),
	"documents.add_user":            naming(documentNamed("id", writes)),
	"documents.remove_user":         naming(documentNamed("id", writes)),
	"documents.add_group":           naming(documentNamed("id", writes)),
	"documents.remove_group":        naming(documentNamed("id", writes)),
	"collections.memberships":       naming(collection("id", reads)),
	"collections.group_memberships": naming(collection("id", reads)),
	"collections.add_user":          naming(collection("id", writes)),
	"collections.remove_user":       naming(collection("id", writes)),
	"collections.add_group":         naming(collection("id", writes)),
	"collections.remove_group":      naming(collection("id", writes)),
	"shares.info":                   naming(documentNamed("documentId", reads), collection("collectionId", reads)),
	"shares.create":                 naming(documentNamed("documentId", writes), collection("collectionId", writes)),
	"shares.update":                 share,
	"shares.revoke":                 share,

	"revisions.list": naming(documentNamed("documentId", reads)),
	"revisions.info": partOfDocument,

	"templates.list":   listing(templateItem),
	"templates.info":   answer(templateItem),
	"templates.create": createTemplate,

	"comments.list":      listing(commentItem),
	"comments.info":      partOfDocument,
	"comments.create":    naming(documentNamed("documentId", writes)),
	"comments.update":    naming(comment),
	"comments.delete":    naming(comment),
	"comments.resolve":   naming(comment),
	"comments.unresolve": naming(comment),

	"stars.list":            favorites,
	"pins.list":             favorites,
	"userMemberships.list":  memberships("memberships"),
	"groupMemberships.list": memberships("groupMemberships"),

	"attachments.redirect": readAttachment,
	"attachments.create":   createAttachment,
	// Only the client itself deletes attachments: its own uploads that failed.
	"attachments.delete": unlimited,

	"fileOperations.info":     answer(fileOperationItem),
	"fileOperations.redirect": naming(fileOperation),
}

// Endpoints returns the endpoints that can be called while callers are limited.
func Endpoints() []string { return slices.Sorted(maps.Keys(endpoints)) }

// WholeWorkspace returns the endpoints that cannot be called where anything is hidden:
// Outline does something with all collections at once.
func WholeWorkspace() []string { return []string{"collections.export_all", "documents.answerQuestion"} }

func unlimited(ctx context.Context, e *exchange) error { return e.pass(ctx) }

// A check looks at something that the parameters name. If it is outside, the error is that
// for an unknown ID.
type check func(context.Context, *exchange) error

func documentNamed(name string, does intent) check {
	return func(ctx context.Context, e *exchange) error { return e.document(ctx, e.text(name), does) }
}

func collection(name string, does intent) check {
	return func(ctx context.Context, e *exchange) error { return e.collection(ctx, name, does) }
}

// comment checks the document of a comment that is to be changed.
func comment(ctx context.Context, e *exchange) error {
	found, err := ask[part](ctx, e, "comments.info", byID(e.text("id")))
	if err != nil && !outlineRefuses(err) {
		return err
	}
	return e.partOf(ctx, found.DocumentID, writes)
}

// share makes the calls that change a public link, of which only the ID is sent: what they
// are about must be inside, and the link one to that.
func share(ctx context.Context, e *exchange) error {
	var to struct {
		DocumentID   string `json:"documentId,omitempty"`
		CollectionID string `json:"collectionId,omitempty"`
	}
	if err := decode(e.About, &to); err != nil {
		return err
	}
	if err := e.document(ctx, to.DocumentID, writes); err != nil {
		return err
	}
	e.set("collectionId", to.CollectionID)
	if err := e.collection(ctx, "collectionId", writes); err != nil {
		return err
	}
	to.CollectionID = e.text("collectionId")
	delete(e.params, "collectionId")
	type link struct {
		ID string `json:"id"`
	}
	type shares struct {
		Shares []link `json:"shares"`
	}
	found, err := ask[shares](ctx, e, "shares.info", to)
	if err != nil && !outlineRefuses(err) {
		return err
	}
	if !slices.Contains(found.Shares, link{e.text("id")}) {
		return e.NotFound()
	}
	return e.pass(ctx)
}

// fileOperation checks the collection of an export.
func fileOperation(ctx context.Context, e *exchange) error {
	data, err := ask[json.RawMessage](ctx, e, "fileOperations.info", byID(e.text("id")))
	if err != nil && !outlineRefuses(err) {
		return err
	}
	if data == nil {
		return e.NotFound()
	}
	if inside, err := fileOperationItem(ctx, e, data); err != nil || inside {
		return err
	}
	return e.NotFound()
}

// partOf checks the document that something belongs to.
func (e *exchange) partOf(ctx context.Context, documentID string, does intent) error {
	if documentID == "" {
		return e.NotFound()
	}
	return e.document(ctx, documentID, does)
}

// naming makes the calls that name all that they are about.
func naming(checks ...check) func(context.Context, *exchange) error {
	return func(ctx context.Context, e *exchange) error {
		if err := e.all(ctx, checks...); err != nil {
			return err
		}
		return e.pass(ctx)
	}
}

// all makes checks, until one of them fails.
func (e *exchange) all(ctx context.Context, checks ...check) error {
	for _, check := range checks {
		if err := check(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// answer makes calls that say themselves what they are about.
func answer(is item) func(context.Context, *exchange) error {
	return func(ctx context.Context, e *exchange) error {
		data, body, err := send[json.RawMessage](ctx, e)
		if err != nil {
			return err
		}
		if data != nil && string(data) != "null" { // without data, it lacks what the client needs
			inside, err := is(ctx, e, data)
			switch {
			case err != nil:
				return err
			case !inside:
				return e.NotFound()
			}
		}
		e.Answer(body)
		return nil
	}
}

// partOfDocument makes calls whose answer says which document it is about.
func partOfDocument(ctx context.Context, e *exchange) error {
	found, body, err := send[part](ctx, e)
	if err != nil {
		return err
	}
	does := reads
	if e.ToChange {
		does = writes
	}
	if err := e.partOf(ctx, found.DocumentID, does); err != nil {
		return err
	}
	e.Answer(body)
	return nil
}

// wholeWorkspace refuses what Outline does with all collections at once.
func wholeWorkspace(what, next string) func(context.Context, *exchange) error {
	return func(ctx context.Context, e *exchange) error {
		if e.view.showsAll() {
			return e.pass(ctx)
		}
		return output.Failure{Code: output.Forbidden, Sentence: what + " is not available: this server shows only a part of the workspace.", Next: next}
	}
}
