package bounds

import (
	"context"
	"encoding/json"
)

// limitsNew reports whether something new outside of collections would be outside.
func (e *exchange) limitsNew() bool { return len(e.view.only) > 0 || e.view.write != nil }

func createCollection(ctx context.Context, e *exchange) error {
	if e.limitsNew() {
		return e.notHere("nothing was created: this server works with certain collections only, and a new one is not among them.")
	}
	return e.pass(ctx)
}

func createTemplate(ctx context.Context, e *exchange) error {
	if e.text("collectionId") == "" && e.limitsNew() {
		return e.notHere("nothing was created: this server works with certain collections only, and a template for all collections is outside of them.")
	}
	return naming(collection("collectionId", writes))(ctx, e)
}

func createDocument(ctx context.Context, e *exchange) error {
	if e.text("collectionId") == "" && e.text("parentDocumentId") == "" && !e.view.drafts {
		return e.notHere("nothing was created: this server does not work with drafts outside of collections.")
	}
	return naming(collection("collectionId", writes), documentNamed("parentDocumentId", writes), template("templateId"))(ctx, e)
}

// template checks the template that a parameter names, which is a document on servers
// before 1.6.
func template(name string) check {
	return func(ctx context.Context, e *exchange) error {
		id := e.text(name)
		if id == "" {
			return nil
		}
		var answer struct {
			Data json.RawMessage `json:"data"`
		}
		inside := false
		err := e.ask(ctx, "templates.info", map[string]string{"id": id}, &answer)
		if err == nil {
			inside, err = templateItem(ctx, e, answer.Data)
		} else if outlineRefuses(err) {
			err = nil
		}
		if err == nil && !inside { // outside, unknown, or a document
			_, _, inside, err = e.findDocument(ctx, id)
		}
		if err == nil && !inside {
			e.set(name, nothing)
		}
		return err
	}
}

// duplicateDocument: without a place, the copy is beside the original.
func duplicateDocument(ctx context.Context, e *exchange) error {
	does := reads
	if e.text("collectionId") == "" && e.text("parentDocumentId") == "" {
		does = writes
	}
	return naming(documentNamed("id", does), collection("collectionId", writes), documentNamed("parentDocumentId", writes))(ctx, e)
}

// importDocument: the parameters are those of a form, in which nothing can be replaced. So
// the call is not sent if they name something outside or unknown.
func importDocument(ctx context.Context, e *exchange) error {
	for _, check := range []check{collection("collectionId", writes), documentNamed("parentDocumentId", writes)} {
		if err := check(ctx, e); err != nil {
			return err
		}
	}
	if e.text("collectionId") == nothing || e.text("parentDocumentId") == nothing {
		return e.NotFound()
	}
	return e.pass(ctx)
}
