package boundary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// unusedID is a UUID that nothing has. The client itself calls with it, to find out what
// Outline knows. A call for a collection outside goes to Outline with it: how Outline refuses
// an unknown collection depends on the endpoint (403, 404, or an empty list).
const unusedID = "00000000-0000-4000-8000-000000000000"

// maxPage is the largest page that Outline sends.
const maxPage = 100

// An exchange is a call that is being carried out.
type exchange struct {
	*outline.Exchange
	bounds    *Bounds
	principal auth.Principal
	view      view
	params    map[string]json.RawMessage // to send
}

// A document is what decides whether a document is inside.
type document struct {
	ID           string `json:"id"`
	CollectionID string `json:"collectionId"`
	CreatedBy    struct {
		ID string `json:"id"`
	} `json:"createdBy"`
	PublishedAt *time.Time `json:"publishedAt"`
}

// A part is something that belongs to a document.
type part struct {
	DocumentID string `json:"documentId"`
}

// ask calls an endpoint that changes nothing and returns the data of the answer.
func ask[T any](ctx context.Context, e *exchange, endpoint string, params any) (data T, err error) {
	raw, err := e.Ask(ctx, endpoint, params)
	if err != nil {
		return data, err
	}
	return dataOf[T](raw)
}

// send makes the call with its parameters as they are now, and returns the data of the
// answer, which is to be looked at.
func send[T any](ctx context.Context, e *exchange) (data T, body json.RawMessage, err error) {
	if body, err = e.send(ctx); err == nil {
		data, err = dataOf[T](body)
	}
	return data, body, err
}

func dataOf[T any](answer json.RawMessage) (T, error) {
	var envelope struct {
		Data T `json:"data"`
	}
	err := decode(answer, &envelope)
	return envelope.Data, err
}

// byID are the parameters of a look-up.
func byID(id string) map[string]string { return map[string]string{"id": id} }

func decode(raw json.RawMessage, answer any) error {
	if err := json.Unmarshal(raw, answer); err != nil {
		return output.Failure{Code: output.BadAnswer, Sentence: "Outline's answer does not show which collection it belongs to.", Cause: err}
	}
	return nil
}

// outlineRefuses reports whether Outline answered that there is nothing, or nothing for
// this caller.
func outlineRefuses(err error) bool {
	return errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrInvalid)
}

// text returns a parameter that is a string, or "".
func (e *exchange) text(name string) string {
	var s string
	_ = json.Unmarshal(e.params[name], &s) // anything else names nothing
	return s
}

func (e *exchange) set(name string, value any) { e.params[name], _ = json.Marshal(value) }

// pass sends the call with its parameters as they are now.
func (e *exchange) pass(ctx context.Context) error {
	params, err := json.Marshal(e.params)
	if err != nil {
		return err
	}
	return e.Pass(ctx, params)
}

// send is pass for an answer that is to be looked at.
func (e *exchange) send(ctx context.Context) (json.RawMessage, error) {
	params, err := json.Marshal(e.params)
	if err != nil {
		return nil, err
	}
	return e.Send(ctx, params)
}

// inside reports whether a document is inside: in a collection that is, or a draft of
// the caller outside of collections.
func (e *exchange) inside(ctx context.Context, d document) (bool, error) {
	if d.CollectionID != "" {
		return e.view.shows(d.CollectionID), nil
	}
	if !e.view.drafts {
		return false, nil
	}
	if !e.view.limitsCollections() {
		return true, nil
	}
	return e.ownDraft(ctx, d)
}

// ownDraft reports whether a document outside of collections is a draft of the caller.
func (e *exchange) ownDraft(ctx context.Context, d document) (bool, error) {
	if d.PublishedAt != nil {
		return false, nil
	}
	user, err := e.user(ctx)
	return user != "" && d.CreatedBy.ID == user, err
}

// findDocument looks a document up. It returns false if there is none inside.
func (e *exchange) findDocument(ctx context.Context, id string) (document, json.RawMessage, bool, error) {
	data, err := ask[json.RawMessage](ctx, e, "documents.info", byID(id))
	if outlineRefuses(err) {
		return document{}, nil, false, nil
	}
	if err != nil {
		return document{}, nil, false, err
	}
	d, err := documentOf(data)
	if err != nil {
		return document{}, nil, false, err
	}
	inside, err := e.inside(ctx, d)
	return d, data, inside, err
}

// documentOf reads a document that Outline sends as it is, or as the field document.
func documentOf(data json.RawMessage) (document, error) {
	var wrapped struct {
		document
		Document *document `json:"document"`
	}
	if err := decode(data, &wrapped); err != nil {
		return document{}, err
	}
	if wrapped.Document != nil {
		return *wrapped.Document, nil
	}
	return wrapped.document, nil
}

// An intent is what a call does with what a parameter names.
type intent bool

const (
	reads  intent = false
	writes intent = true
)

// document checks the document with an ID, if that is not "".
func (e *exchange) document(ctx context.Context, id string, does intent) error {
	if id == "" || id == unusedID {
		return nil
	}
	d, _, inside, err := e.findDocument(ctx, id)
	switch {
	case err != nil:
		return err
	case !inside:
		return e.NotFound()
	case does == writes:
		return e.mayChange(ctx, d)
	}
	return nil
}

// collection checks the collection that a parameter names, if it is set, and replaces it by
// nobody if it is outside.
func (e *exchange) collection(ctx context.Context, name string, does intent) error {
	id := e.text(name)
	if id == "" || id == unusedID {
		return nil
	}
	// Of those that are not listed, one that does not exist would count as shown, and its
	// refusal differ from that of one outside.
	unsure := does == writes && e.view.unlisted && (e.Endpoint == "documents.import" || e.view.write != nil && !e.view.writes(strings.ToLower(id)))
	if unsure || !outline.IsUUID(id) {
		found, err := ask[Collection](ctx, e, "collections.info", byID(id))
		if err != nil && !outlineRefuses(err) {
			return err
		}
		id = found.ID
	}
	if id = strings.ToLower(id); !e.view.shows(id) {
		e.set(name, unusedID)
		return nil
	}
	return e.may(does, id)
}

// mayChange returns an error if the call is not to change a document that is inside. A
// draft of the caller outside of collections may always be changed.
func (e *exchange) mayChange(ctx context.Context, d document) error {
	if d.CollectionID != "" {
		return e.may(writes, d.CollectionID)
	}
	if e.view.write == nil {
		return nil
	}
	own, err := e.ownDraft(ctx, d)
	if err != nil || own {
		return err
	}
	return e.notHere("nothing was changed: this server changes documents outside of collections only if they are the caller's own drafts.")
}

// may returns an error if the call is not to change anything in a collection that is
// inside.
func (e *exchange) may(does intent, collectionID string) error {
	if does == reads || e.view.writes(collectionID) {
		return nil
	}
	return e.notHere("nothing was changed: this server shows that collection, but does not write in it.")
}

// notHere is a refusal to write, which says where the caller may write.
func (e *exchange) notHere(sentence string) error {
	failure := output.Failure{Code: output.Forbidden, Sentence: sentence, Next: "The operator lets no collection that you can see be changed."}
	var places []string
	for id := range e.view.write {
		if e.view.writes(id) {
			place := id
			if c, ok := e.view.listed[id]; ok {
				place = output.Quote(output.Excerpt(c.Name, 100)) + " " + id
			}
			places = append(places, place)
		}
	}
	slices.Sort(places)
	if len(places) > 0 {
		const most = 10
		shown := strings.Join(places[:min(most, len(places))], ", ")
		if len(places) > most {
			shown += ", and others"
		}
		failure.Next = "Write in one of these collections instead: " + shown + "."
	}
	return failure
}

// changesCollections reports whether names of collections may be others after a command.
func changesCollections(endpoint string) bool { return strings.HasPrefix(endpoint, "collections.") }

// readAttachment: Outline does not say which document an attachment belongs to, so the
// caller names one, which must refer to it.
func readAttachment(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	var about part
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
		return e.NotFound()
	}
	return e.pass(ctx)
}

func createAttachment(ctx context.Context, e *exchange) error {
	if e.text("documentId") == "" && e.limitsNew() {
		return e.notHere("nothing was uploaded: this server works with certain collections only. Give the document_id of a document in them.")
	}
	return naming(documentNamed("documentId", writes))(ctx, e)
}
