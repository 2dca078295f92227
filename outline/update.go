package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// UpdateDocument says what to change in a document. Only what is set is sent.
type UpdateDocument struct {
	ID       string  `json:"id"`                 // UUID or URL id, as for Client.Document
	Title    *string `json:"title,omitempty"`    // at most 100 characters
	Text     *string `json:"text,omitempty"`     // Markdown; EditMode says what becomes of it
	Icon     *string `json:"-"`                  // emoji or name of an icon; a pointer to "" removes it
	EditMode string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "": replace
	FindText string  `json:"findText,omitempty"` // for patch: what Text takes the place of

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision; 0: whatever it has.
	ExpectedRevision int `json:"-"`
	// Before is the document as it was read just before, to which the change
	// is made; nil: it is read first.
	Before *Document `json:"-"`
}

// Update is what became of an update.
type Update struct {
	Before, After Document
	// Expected is the text that After was to have, but for what Outline makes
	// of its form; see SameText.
	Expected string
	// Replaced: the server knows no edit modes, so that the whole text was
	// replaced. What Markdown cannot express, such as the anchors of comments,
	// may be lost.
	Replaced bool
}

// errStale marks a conflict that was seen before anything was sent.
var errStale = errors.New("the document has another revision")

// UpdateDocument changes a document and returns it as it was and as it is then
// (documents.update).
//
// The change is made to the document as it was read, by its revision: if
// somebody else changes it in between, nothing is written and the failure is
// ErrConflict. So it is when the document does not have ExpectedRevision.
// Outline raises the revision once more a moment after it has published a
// document, which is no conflict. What is appended or prepended takes nothing
// away: without ExpectedRevision it is added to what others wrote in between.
// Servers that know no revisions are guarded by reading alone.
// A lost answer is settled by reading the document.
//
// Outline appends and prepends inline: begin an appended text with an empty
// line to start a paragraph. Patch replaces the first occurrence of FindText
// in Outline's own Markdown of the document, case-sensitively, and leaves
// alone what Markdown cannot express; where it does not occur, the failure is
// ErrTextNotFound. Where the server knows no edit modes (see KnowsEditModes),
// the whole text is replaced.
//
// An unknown, archived or deleted document fails with ErrForbidden or, when it
// is read first, an unknown one with ErrNotFound.
func (c *Client) UpdateDocument(ctx context.Context, u UpdateDocument) (Update, error) {
	var result Update
	if u.Before == nil {
		before, err := c.Document(ctx, u.ID)
		if err != nil {
			return result, err
		}
		u.Before = &before
	}
	result.Before = *u.Before
	u.ID = u.Before.ID // what has a new title has another slug, too
	if err := c.CheckRevision(ctx, *u.Before, u.ExpectedRevision); err != nil {
		return result, err
	}
	if u.changesMode() {
		known, err := c.KnowsEditModes(ctx)
		if err != nil {
			return result, err
		}
		result.Replaced = !known
	}
	var err error
	result.After, err = c.update(ctx, u, &result)
	return result, err
}

// CheckRevision fails with ErrConflict if a document, as it was read just now,
// has another revision than the expected one; 0 expects nothing. That Outline
// has raised the revision after it published the document does not count: to
// tell that apart may take a second and another request.
func (c *Client) CheckRevision(ctx context.Context, now Document, expected int) error {
	if expected == 0 || expected == now.Revision {
		return nil
	}
	published := now.PublishedAt != nil && !now.UpdatedAt.After(*now.PublishedAt)
	if published && now.Revision == expected+1 {
		if now.UpdatedAt.Before(*now.PublishedAt) {
			return nil // it is only that it was published when it was created
		}
		// Either the document was changed and published in one go, and the
		// revision will rise again, or it was published before and this is that.
		if err := pause(ctx, time.Second); err != nil {
			return ended("documents.update", err)
		}
		if again, err := c.Document(ctx, now.ID); err == nil && again.Revision == now.Revision {
			return nil
		}
	}
	return &Error{
		Endpoint: "documents.update", Code: "document_conflict", kind: ErrConflict, Err: errStale,
		Message: fmt.Sprintf("the document has revision %d, not %d", now.Revision, expected),
	}
}

// update sends the change until it is known what became of it. It may go on
// from a later state than Before, which it notes in result.
func (c *Client) update(ctx context.Context, u UpdateDocument, result *Update) (Document, error) {
	sending, cancel := leavingTimeToLook(ctx)
	defer cancel()
	first := result.Before
	var lost *Error
	for n := 0; ; n++ {
		before := &result.Before
		result.Expected = u.expected(before.Text)
		after, err := c.sendUpdate(sending, u, before.Revision, result)
		var failure *Error
		if !errors.As(err, &failure) {
			return after, nil
		}
		conflict := failure.Kind() == ErrConflict
		if !failure.outcomeUnknown && !conflict && lost == nil {
			return Document{}, failure
		}
		if failure.outcomeUnknown && lost == nil {
			lost, first = failure, *before
		}

		now, err := c.Document(ctx, first.ID)
		if err != nil {
			if lost == nil {
				return Document{}, failure
			}
			lost.Afterwards = "looking what became of it failed, too"
			return Document{}, lost
		}
		foreign := now.Revision - first.Revision // changes since, ours among them or not
		switch {
		case lost != nil && u.isDone(&first, &now):
			result.Before = first
			result.Expected = u.expected(first.Text)
			if u.adds() || u.Text == nil {
				result.Expected = now.Text // with what others wrote
			}
			return now, nil
		case lost != nil && foreign > 1 && !now.sameContent(&first):
			lost.Afterwards = fmt.Sprintf("the document has changed from revision %d to %d since, and does not say whether this change was among it", first.Revision, now.Revision)
			return Document{}, lost
		case failure.refused() && !conflict && failure.Kind() != ErrRateLimited:
			return Document{}, failure // and so would the lost attempt be that arrives later
		case now.sameContent(before), u.adds() && u.ExpectedRevision == 0:
			// A move, a comment or publishing raises the revision, too.
			if conflict && now.Revision == before.Revision {
				return Document{}, failure // refused for another reason
			}
		default:
			return Document{}, &Error{
				Endpoint: "documents.update", Status: failure.Status, Code: "document_conflict", kind: ErrConflict,
				Message: fmt.Sprintf("somebody changed the document meanwhile, from revision %d to %d", before.Revision, now.Revision),
			}
		}
		if failure.outcomeUnknown && failure.final() {
			failure.outcomeUnknown, failure.Afterwards = false, "nothing was changed"
			return Document{}, failure
		}
		wait := max(failure.RetryAfter, backoff(n))
		again := conflict || failure.transient
		if again && lost != nil && u.changesMode() {
			// It may still arrive. Only a revision would refuse the second one.
			again, _ = c.knowsRevisions(ctx)
		}
		if !again || n >= c.maxRetries || !c.mayWait(sending, wait) || pause(ctx, wait) != nil {
			if lost != nil {
				lost.Afterwards = "a moment later nothing was changed"
				return Document{}, lost
			}
			return Document{}, failure
		}
		result.Before = now
	}
}

// sendUpdate makes one request of the change to a document of this revision.
func (c *Client) sendUpdate(ctx context.Context, u UpdateDocument, revision int, result *Update) (Document, error) {
	if result.Replaced {
		u.Text, u.EditMode, u.FindText = &result.Expected, "", ""
	}
	request := struct {
		UpdateDocument
		Icon         any `json:"icon,omitempty"`
		LastRevision int `json:"lastRevision"`
	}{UpdateDocument: u, LastRevision: revision}
	switch {
	case u.Icon == nil:
	case *u.Icon == "":
		request.Icon = json.RawMessage("null") // Outline refuses ""
	default:
		request.Icon = *u.Icon
	}
	document, err := c.changeDocument(ctx, "documents.update", request)
	if u.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

func (u UpdateDocument) changesMode() bool { return u.EditMode != "" && u.EditMode != "replace" }

// adds reports whether the change takes nothing away.
func (u UpdateDocument) adds() bool {
	return (u.EditMode == "append" || u.EditMode == "prepend") && u.Title == nil && u.Icon == nil
}

// expected is what becomes of a text, but for its form.
func (u UpdateDocument) expected(text string) string {
	if u.Text == nil {
		return text
	}
	switch u.EditMode {
	case "append":
		return text + *u.Text
	case "prepend":
		return *u.Text + text
	case "patch":
		return strings.Replace(text, u.FindText, *u.Text, 1)
	}
	return *u.Text
}

// isDone reports whether a document that was as before shows the change.
func (u UpdateDocument) isDone(before, now *Document) bool {
	switch {
	case u.Title != nil && now.Title != *u.Title, u.Icon != nil && now.Icon != *u.Icon,
		u.Publish != nil && (now.PublishedAt != nil) != *u.Publish:
		return false
	case now.sameContent(before):
		// Nothing has changed: it is done if there was nothing to do.
		return u.expected(before.Text) == before.Text
	case u.Text == nil || SameText(u.expected(before.Text), now.Text):
		return true
	}
	return u.adds() && strings.Count(spelled(now.Text), spelled(*u.Text)) > strings.Count(spelled(before.Text), spelled(*u.Text))
}

// spelled is a text as the sequence of its words.
func spelled(text string) string {
	var b strings.Builder
	for w := (words{text: plain(text)}); ; {
		word := w.next()
		if word == "" {
			return b.String()
		}
		b.WriteString(word + " ")
	}
}

func (d *Document) sameContent(other *Document) bool {
	return d.Text == other.Text && d.Title == other.Title && d.Icon == other.Icon && (d.PublishedAt == nil) == (other.PublishedAt == nil)
}
