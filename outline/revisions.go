package outline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// A Revision is a state of a document that Outline keeps in the document's history,
// without what it holds.
type Revision struct {
	ID            string     `json:"id"` // UUID
	DocumentID    string     `json:"documentId"`
	Title         string     `json:"title"`         // "" if it is deleted
	Icon          string     `json:"icon"`          // emoji or name of an icon; "" for none
	Color         string     `json:"color"`         // of the icon; "" for none
	Name          string     `json:"name"`          // that a user gave the revision; "" for none
	CreatedAt     time.Time  `json:"createdAt"`     // the document's UpdatedAt in this state
	CreatedBy     Person     `json:"createdBy"`     // who changed the document last before
	Collaborators []Person   `json:"collaborators"` // everybody who changed it since the revision before
	DeletedAt     *time.Time `json:"deletedAt"`     // the list keeps deleted revisions

	// Source tells how CreatedBy was authenticated: "app" in the browser, "api" by an
	// API key, "oauth" by an app. Releases up to 1.9.2 leave it "".
	Source struct {
		AuthType string `json:"authType"`
	} `json:"sourceMetadata"`
}

// ParseRevisionID returns the UUID of a revision in lower case. It accepts the UUID and
// the address of the revision in the document's history (https://…/history/…).
// Anything else is an [*IdentifierError].
func ParseRevisionID(s string) (string, error) {
	id := bareAddress(s)
	if _, last, found := strings.Cut(id, "/history/"); found {
		id = last
	}
	if !IsUUID(id) {
		_, err := failedID("revision", s, "")
		return "", err
	}
	return strings.ToLower(id), nil
}

func (r Revision) incomplete() string { return incompleteID("the revision", r.ID) }

// Heads reports whether a document has the title and the icon of the revision. Outline
// shows the title of a revision without an emoji at its start, which is then the icon
// unless there is another; its source says so, no recording does.
func (r Revision) Heads(d DocumentSummary) bool {
	if d.Title == r.Title {
		return d.Icon == r.Icon
	}
	return r.IsTitle(d.Title)
}

// IsTitle reports whether a title is that of the revision, perhaps behind an emoji.
func (r Revision) IsTitle(title string) bool {
	emoji, found := strings.CutSuffix(title, r.Title)
	return found && !strings.ContainsFunc(emoji, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// Authors returns who changed the document since the revision before, beginning with
// who did last.
func (r Revision) Authors() []Person {
	authors := []Person{r.CreatedBy}
	for _, person := range r.Collaborators {
		if person.ID != r.CreatedBy.ID {
			authors = append(authors, person)
		}
	}
	return authors
}

// RevisionsParams select a page of a document's history.
type RevisionsParams struct {
	DocumentID string `json:"documentId"`       // UUID
	Limit      int    `json:"limit,omitempty"`  // 1–100; 0 is Outline's default, 25
	Offset     int    `json:"offset,omitempty"` // of the first revision, 0 or more
}

// Revisions returns a page of the revisions of a document, newest first, including
// deleted ones (revisions.list). Outline does not send their number: Total is -1.
// Releases up to 1.9.2 send each with its whole text, so ask for few at a time. For
// guests and for an unknown document it fails with ErrForbidden.
func (c *Client) Revisions(ctx context.Context, p RevisionsParams) (Page[Revision], error) {
	return list(ctx, c, listing.request("revisions.list", p), Revision.incomplete)
}

// A RevisionContent is a revision with what it holds.
type RevisionContent struct {
	Revision
	Text string // Markdown, as in Document
	// Tree is the document as it was, with the marks of comments that Outline does not
	// restore. RevisionText leaves it nil.
	Tree *prosemirror.Node
}

// revisionAnswer is a revision as revisions.info answers with it.
type revisionAnswer struct {
	Revision
	Text *string  `json:"text"`
	Tree treeData `json:"data"`
}

// RevisionWithTree returns a revision with its text and its tree (revisions.info). The
// id is a UUID. An unknown or deleted revision fails with ErrNotFound, and one that
// the caller may not read with ErrForbidden. Tree is nil if it is as large as one that
// [Client.DocumentWithTree] omits.
func (c *Client) RevisionWithTree(ctx context.Context, id string) (RevisionContent, error) {
	return c.revisionWith(ctx, id, &trees{bounded: true})
}

// RevisionText is like [Client.RevisionWithTree], without the tree.
func (c *Client) RevisionText(ctx context.Context, id string) (RevisionContent, error) {
	return c.revisionWith(ctx, id, nil)
}

func (c *Client) revisionWith(ctx context.Context, id string, trees *trees) (RevisionContent, error) {
	answer := envelope[revisionAnswer]{Data: &revisionAnswer{Tree: treeData{trees: trees}}, check: func(r revisionAnswer) string {
		if why := r.incomplete(); why != "" || r.Text != nil {
			return why
		}
		return "the revision has no Markdown text"
	}}
	if err := c.call(ctx, reading.request("revisions.info", byID{id}), &answer); err != nil {
		return RevisionContent{}, err
	}
	return RevisionContent{answer.Data.Revision, withoutHeading(*answer.Data.Text, answer.Data.Title), answer.Data.Tree.tree}, nil
}

// withoutHeading removes the heading that Outline puts on top of the Markdown of a
// revision: the title, after an icon that is an emoji. Recordings have no revision
// with an icon.
func withoutHeading(text, title string) string {
	heading, found := strings.CutPrefix(text, "#")
	heading, body, _ := strings.Cut(heading, "\n")
	if !found || !strings.HasSuffix(strings.TrimSpace(heading), strings.TrimSpace(title)) {
		return text
	}
	return strings.TrimPrefix(body, "\n")
}

// Outline keeps a revision of a document when it is published, after an update that
// is marked as done, and after some minutes without a change. Everything in between
// is lost with the next change. Recordings show that
//
//   - a revision is written from a queue, up to a second after the update, and holds
//     what the document holds by then;
//   - its CreatedAt is the UpdatedAt of the document at that time;
//   - none is written of a state that the newest revision holds already, as after a
//     move or a comment;
//   - writing one raises the document's revision number, but not its UpdatedAt.

// revisions are the newest revisions of a document, or why they are not known.
type revisions struct {
	items []Revision
	err   error
}

// at returns the revision of the state in which the document was last changed at a
// time, or nil.
func (r revisions) at(changed time.Time) *Revision {
	for _, revision := range r.items {
		if revision.DeletedAt == nil && revision.CreatedAt.Equal(changed) {
			return &revision
		}
	}
	return nil
}

const (
	// newest is how many revisions are listed: those that matter, and some that
	// others may have added or deleted. Releases send each with its whole text.
	newest = 3
	// historyTime limits a request that only serves to name a revision.
	historyTime = 3 * time.Second
)

// revisionPauses are the pauses before each look for a revision that is being
// written.
var revisionPauses = [...]time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}

// newestRevisions lists revisions in one attempt: an update does not wait for them
// longer than that.
func (c *Client) newestRevisions(ctx context.Context, documentID string) *revisions {
	ctx, cancel := context.WithTimeout(WithCallOptions(ctx, NoRetries()), historyTime)
	defer cancel()
	page, err := c.Revisions(ctx, RevisionsParams{DocumentID: documentID, Limit: newest})
	return &revisions{page.Items, err}
}

// Why there is no earlier revision of a document, as clauses.
const (
	earlierDraft      = "a draft outside of collections cannot be restored from its history"
	earlierForbidden  = "this key may not read the document's history"
	earlierUnanswered = "Outline did not answer a request for the document's history"
	earlierLate       = "Outline did not write a revision of it in time"
	EarlierChanging   = "the document was being changed by others at the same time"
)

// EarlierRevision returns the revision that holds a document as it was just read, apart
// from the marks of comments, or why there is none. If there is none yet, it has one
// written and waits for it.
func (c *Client) EarlierRevision(ctx context.Context, d Document) (r *Revision, why string, waited bool) {
	if d.PublishedAt == nil && d.CollectionID == "" {
		return nil, earlierDraft, false
	}
	listed := d.revisions
	if listed == nil {
		listed = c.newestRevisions(ctx, d.ID)
	}
	if listed.err != nil {
		return nil, whyUnlisted(listed.err), false
	}
	if r := listed.at(d.UpdatedAt); r != nil {
		return r, "", false
	}
	if !c.own.awaited(d) {
		if r, why := c.checkpoint(ctx, d, listed); r != nil || why != "" {
			return r, why, true
		}
	}
	for _, pause := range revisionPauses {
		if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < 4*pause || transport.Pause(ctx, pause) != nil {
			break
		}
		listed = c.newestRevisions(ctx, d.ID)
		switch r := listed.at(d.UpdatedAt); {
		case listed.err != nil:
			return nil, whyUnlisted(listed.err), true
		case r != nil:
			return r, "", true
		case len(listed.items) > 0 && listed.items[0].CreatedAt.After(d.UpdatedAt):
			return nil, EarlierChanging, true
		}
	}
	if r := c.sameAsNewest(ctx, d, listed); r != nil {
		return r, "", true
	}
	return nil, earlierLate, true
}

// sameAsNewest returns the newest revision if it holds a document, although with the
// time of another change. Outline writes no second one then.
func (c *Client) sameAsNewest(ctx context.Context, d Document, listed *revisions) *Revision {
	if len(listed.items) == 0 || listed.items[0].DeletedAt != nil || !listed.items[0].Heads(d.DocumentSummary) || !c.holds(ctx, listed.items[0].ID, d) {
		return nil
	}
	return &listed.items[0]
}

// checkpoint has a revision written of the present state of a document, by an update
// that changes nothing. Side by side, it looks whether the newest revision holds that
// state, of which no other would be written then, and returns it if so.
func (c *Client) checkpoint(ctx context.Context, d Document, known *revisions) (held *Revision, why string) {
	ctx, cancel := context.WithTimeout(WithCallOptions(ctx, NoRetries()), historyTime)
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() { held = c.sameAsNewest(ctx, d, known) })
	now, err := c.changeDocument(ctx, "documents.update", struct {
		ID   string `json:"id"`
		Done bool   `json:"done"`
	}{d.ID, true}, nil)
	wait.Wait()
	switch {
	case held != nil:
	case err != nil: // it may be carried out later, which does no harm
		why = earlierUnanswered
	case !now.UpdatedAt.Equal(d.UpdatedAt):
		why = EarlierChanging
	default:
		c.own.add(now)
	}
	return held, why
}

// holds reports whether a revision has the tree of a document (revisions.info),
// apart from the marks of comments.
func (c *Client) holds(ctx context.Context, revisionID string, d Document) bool {
	decoder := d.trees
	if d.Tree == nil {
		decoder = new(trees)
		now, err := c.documentWith(ctx, d.ID, decoder)
		if err != nil || now.Tree == nil || !now.UpdatedAt.Equal(d.UpdatedAt) {
			return false
		}
		d = now
	}
	if decoder == nil {
		decoder = new(trees) // the document was not read by this client
	}
	revision, err := c.revisionWith(ctx, revisionID, decoder)
	return err == nil && revision.Tree != nil && prosemirror.EqualWithoutComments(revision.Tree, d.Tree)
}

func whyUnlisted(err error) string {
	if errors.Is(err, ErrForbidden) {
		return earlierForbidden
	}
	return earlierUnanswered
}
