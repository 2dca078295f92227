package outline

import (
	"context"
	"encoding/json"
	"fmt"

	"outline-mcp/outline/edit"
)

// updating is an update that is under way.
type updating struct {
	client  *Client
	params  UpdateDocumentParams
	support updateSupport
	result  Update // Before is the state that the next request changes

	appendsByFlag bool // by the field for appending of servers without edit modes
	sent          bool // something that may have changed the document
	pending       int  // requests of which the answer was lost, and which were not seen to be carried out
	late          bool // the change was seen some time after it was made
	raises        bool // Outline may raise the revision of Before, because it still writes a revision
}

// plan prepares the change for a state of the document.
func (u *updating) plan(now Document) error {
	u.result.Before = now
	if u.params.Plan != nil {
		if err := u.params.Plan(now, &u.params); err != nil {
			return err
		}
	}
	if u.params.changesMode() {
		known := u.support >= patches || u.support == appends && u.params.EditMode != "patch"
		u.appendsByFlag = !known && u.params.EditMode == "append"
		u.result.Replaced = !known && !u.appendsByFlag
	}
	u.result.Wanted, u.result.Expected = u.wanted(now), ""
	if u.result.Wanted == nil {
		u.result.Expected = u.params.expected(now.Text)
	}
	return nil
}

// replan prepares the change for a document that others have changed. A move, a
// comment or publishing raises the revision, too, but does not prevent the change.
func (u *updating) replan(_ context.Context, now Document) error {
	before := u.result.Before
	if !now.sameContent(&before) && (u.params.ExpectedRevision != 0 || u.params.Plan == nil && !u.params.adds()) {
		return changedMeanwhile(nil, "somebody changed the document meanwhile, from revision %d to %d", before.Revision, now.Revision)
	}
	if !now.sameContent(&before) {
		u.result.Others.Before = true
		u.loseEarlier()
	}
	return u.plan(now)
}

// send makes one request of the change.
func (u *updating) send(ctx context.Context) (Document, error) {
	request := u.update
	if u.params.restores != nil {
		request = u.restore
	}
	document, err := request(WithCallOptions(ctx, noLimitWaits()))
	if OutcomeUnknown(err) {
		u.pending++
	}
	u.sent = u.sent || err == nil || u.pending > 0
	return document, err
}

// update makes a request that updates the document.
func (u *updating) update(ctx context.Context) (Document, error) {
	p := u.params
	if u.result.Replaced {
		p.Text, p.EditMode, p.FindText = new(p.expected(u.result.Before.Text)), "", ""
	}
	body := struct {
		UpdateDocumentParams
		Append       bool `json:"append,omitempty"`
		Icon         any  `json:"icon,omitempty"`
		Color        any  `json:"color,omitempty"`
		Done         bool `json:"done,omitempty"`
		LastRevision int  `json:"lastRevision"`
	}{UpdateDocumentParams: p, Done: !p.Unfinished, LastRevision: u.result.Before.Revision}
	if u.appendsByFlag {
		body.EditMode, body.Append = "", true
	}
	body.Icon, body.Color = orNull(p.Icon), orNull(p.Color)
	document, err := u.client.changeDocument(ctx, "documents.update", body, u.trees())
	if err == nil && !p.Unfinished && (u.result.Earlier == nil || !document.UpdatedAt.Equal(u.result.Before.UpdatedAt)) { // otherwise it changed nothing
		u.client.own.add(document)
	}
	if p.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

// orNull returns a field that is not sent if the value is nil, and as null if it is "",
// which Outline refuses.
func orNull(value *string) any {
	switch {
	case value == nil:
		return nil
	case *value == "":
		return json.RawMessage("null")
	}
	return *value
}

// trees returns the decoder for the states of the document, or nil if its tree is
// not to be asked for.
func (u *updating) trees() *trees {
	before := u.result.Before
	switch {
	case before.Tree == nil:
		return nil
	case before.trees == nil:
		return new(trees) // it was not read by this client
	}
	return before.trees
}

// repeatable reports whether the request may be sent twice. A server that checks
// revisions refuses the second one. On others, replacing the whole text twice has
// the same result, but adding or patching twice does not.
func (u *updating) repeatable(context.Context) bool {
	if !u.params.changesMode() {
		return true
	}
	return u.result.Guarded
}

// observe compares the document with what it was when the change was sent.
func (u *updating) observe(ctx context.Context, what loss) observation[Document] {
	before := u.result.Before
	now, err := u.client.documentWith(ctx, before.ID, u.trees())
	o := observation[Document]{value: now}
	switch {
	case err != nil:
		o.seen = seenNothing
	case what == conflicted && u.params.Plan != nil && u.params.ExpectedRevision == 0:
		o.seen = seenOvertaken // even if the change cannot be read yet: planning again is harmless
	case now.Revision == before.Revision:
		o.seen = seenUnchanged
	case what == conflicted:
		o.seen = seenOvertaken
	case u.done(before, now):
		o.seen, u.late = seenDone, true
		u.pending--
		if !u.result.Guarded || now.Revision > before.Revision+1 {
			if !u.exact(now) {
				// Without a guard, they may have been first.
				u.result.Others.After, u.result.Others.Before, u.result.Others.At = u.result.Guarded, !u.result.Guarded, now.UpdatedAt
				u.result.Others.Within = u.presence(now) == edit.Within
			}
			u.adopt(now)
		}
	case u.overtaken(before, now):
		o.seen = seenOvertaken
	default:
		o.seen = seenAmbiguous
		o.note = fmt.Sprintf("the document has gone from revision %d to %d since, and does not tell whether this change was among those", before.Revision, now.Revision)
	}
	return o
}
