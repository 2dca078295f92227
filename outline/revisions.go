package outline

import (
	"context"
	"strings"
	"time"
	"unicode"

	"outline-mcp/outline/prosemirror"
)

// A Revision is a state of a document that Outline keeps in the document's history,
// without what it holds.
type Revision struct {
	ID            string     `json:"id"` // UUID
	DocumentID    string     `json:"documentId"`
	Title         string     `json:"title"`         // "" if it is deleted
	Icon          string     `json:"icon"`          // emoji or name of an icon; "" for none
	Name          string     `json:"name"`          // that somebody gave the revision; "" for none
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
	id := trimQuotes(s)
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
	return list(ctx, c, "revisions.list", p, Revision.incomplete)
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
// [Client.DocumentWithTree] leaves out.
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
	if err := c.call(ctx, reading("revisions.info", byID{id}), &answer); err != nil {
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
