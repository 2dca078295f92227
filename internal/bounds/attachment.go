package bounds

import (
	"bytes"
	"context"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// readAttachment: Outline does not say which document an attachment belongs to, so the
// caller names one, which must refer to it.
func readAttachment(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	var about struct {
		DocumentID string `json:"documentId"`
	}
	if err := decode(e.About, &about); err != nil {
		return err
	}
	if about.DocumentID == "" {
		return output.Failure{Code: output.InvalidArguments,
			Sentence: "this server shows only a part of the workspace, so it reads a file only together with a document that shows it.",
			Next:     "[Call read_attachment with its document_id.|]"}
	}
	_, data, inside, err := e.findDocument(ctx, about.DocumentID)
	if err != nil {
		return err
	}
	if id := e.text("id"); !inside || !outline.IsUUID(id) || !bytes.Contains(bytes.ToLower(data), []byte("attachments.redirect?id="+id)) {
		e.set("id", nothing)
	}
	return e.pass(ctx)
}

func createAttachment(ctx context.Context, e *exchange) error {
	if e.text("documentId") == "" && e.limitsNew() {
		return e.notHere("nothing was uploaded: this server works with certain collections only. Give the document_id of a document in them.")
	}
	return naming(documentNamed("documentId", writes))(ctx, e)
}
