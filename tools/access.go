package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func listAccess() mcptool.Tool {
	return mcptool.Spec[accessIn, accessList]{
		Name:        "list_access",
		Title:       "List access",
		Description: "Lists who can see an Outline document or collection: people, groups and public links, each with its role.",
		Endpoints:   []string{"collections.memberships", "collections.group_memberships"},
		Effect:      mcptool.Reads,
		Run: func(ctx context.Context, env mcptool.Env, in accessIn) (accessList, error) {
			p, err := in.place(ctx, env, false)
			if err != nil {
				return accessList{}, err
			}
			list, err := p.access(ctx, env)
			if err != nil {
				return accessList{}, err
			}
			list.Total, list.Offset = len(list.Access), in.Offset
			list.Access = pageOf(list.Access, in.paging)
			list.show(len(list.Access))
			return list, nil
		},
	}
}

// sharedIn names what access is given to.
type sharedIn struct {
	DocumentID   string `json:"document_id,omitempty" jsonschema:"This or collection_id"`
	CollectionID string `json:"collection_id,omitempty"`
}

// Validate requires one of the two.
func (in sharedIn) Validate() error {
	if (in.DocumentID == "") == (in.CollectionID == "") {
		return errors.New("give one of document_id and collection_id")
	}
	return nil
}

type accessIn struct {
	sharedIn
	paging
}

// A sharedPlace is the document or collection that access is given to.
type sharedPlace struct {
	outline.Place
	document   outline.Document   // empty for a collection
	collection outline.Collection // of the document, if it is in one that the caller may read
}

// place finds what access is given to.
func (in sharedIn) place(ctx context.Context, env mcptool.Env, toChange bool) (sharedPlace, error) {
	if toChange {
		ctx = outline.WithCallOptions(ctx, outline.ToChange())
	}
	if in.CollectionID != "" {
		id, err := collectionID(ctx, env, in.CollectionID)
		if err != nil {
			return sharedPlace{}, err
		}
		c, err := env.Outline.Collection(ctx, id)
		return sharedPlace{Place: outline.Place{CollectionID: c.ID}, collection: c}, err
	}
	d, err := fetchDocument(ctx, env, in.DocumentID)
	if err != nil {
		return sharedPlace{}, err
	}
	p := sharedPlace{Place: outline.Place{DocumentID: d.ID}, document: d}
	if d.CollectionID != "" && !toChange {
		if p.collection, err = env.Outline.Collection(ctx, d.CollectionID); errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNotFound) {
			err = nil // a guest who was invited to the document alone
		}
	}
	return p, err
}

// isDocument reports whether access is given to a document.
func (p sharedPlace) isDocument() bool { return p.DocumentID != "" }

// A placeName names a document, with its collection if that was read, or a collection.
type placeName struct {
	DocumentID string `json:"document_id,omitempty" format:"uuid"`
	Title      string `json:"title,omitempty"`
	URLID      string `json:"url_id,omitempty"`
	home
}

func (p sharedPlace) name() placeName {
	d, c := nameOf(p.document.DocumentSummary), p.collection
	return placeName{d.DocumentID, d.Title, d.URLID, home{CollectionID: c.ID, CollectionName: output.Label(c.Name), CollectionURLID: c.URLID}}
}

func (n placeName) String() string {
	if n.DocumentID == "" {
		return "the collection " + n.home.String()
	}
	return "the document " + documentName{n.DocumentID, n.Title, n.URLID}.String() + n.in()
}

// An accessEntry is one reason why a user can open a place.
type accessEntry struct {
	Kind    string `json:"kind" enum:"members,person,group,link"`
	Name    string `json:"name,omitempty"`
	UserID  string `json:"user_id,omitempty" format:"uuid"`
	GroupID string `json:"group_id,omitempty" format:"uuid"`
	Role    string `json:"role" jsonschema:"read, read_write or admin"`
	Why     string `json:"why"`
	URL     string `json:"url,omitempty"`
	ShareID string `json:"share_id,omitempty" format:"uuid"`
}

func (e accessEntry) write(t *output.Text) {
	switch e.Kind {
	case "members":
		t.Printf("all members and viewers")
	case "link":
		t.Printf("anyone with the link %s", e.URL)
	default:
		t.Printf("%s %s %s", e.Kind, titleOf(e.Name), e.UserID+e.GroupID)
	}
	t.Printf(", %s: %s", e.Role, e.Why)
}

type accessList struct {
	placeName
	Access  []accessEntry `json:"access"`
	Unknown []string      `json:"unknown" jsonschema:"What this key may not see"`
	countedList
}

// Cuts implements output.Cuttable.
func (l *accessList) Cuts() []output.Cut { return cutEntries(&l.Access, l.show) }

// WriteText implements output.Result.
func (l accessList) WriteText(t *output.Text) {
	writeList(t, output.Count(l.Total, "way", "ways")+" to open "+l.placeName.String()+rangeShown(l.Offset, len(l.Access), l.Total), "Each line: who, ID, role, why", l.Access)
	writeListEnd(t, l.Offset, len(l.Access), l.Total, l.NextOffset)
	for _, unknown := range l.Unknown {
		t.Line("Not known: %s", unknown)
	}
	t.Line("Admins of the workspace manage every collection.")
}

// maxAbove is how many documents above one are asked for public links.
const maxAbove = 20

// access finds every way to open a place, in the order in which Outline applies them: by
// the collection, by invitation, by a link.
func (p sharedPlace) access(ctx context.Context, env mcptool.Env) (accessList, error) {
	list := accessList{placeName: p.name(), Access: []accessEntry{}, Unknown: []string{}}
	if p.collection.Permission != "" {
		list.Access = append(list.Access, accessEntry{Kind: "members", Role: p.collection.Permission, Why: "the collection is open to the workspace"})
	}
	if p.isDocument() {
		if author := p.document.CreatedBy; p.document.PublishedAt == nil && author.ID != "" {
			list.Access = append(list.Access, accessEntry{Kind: "person", Name: output.Label(author.Name), UserID: author.ID, Role: "admin", Why: "the document is their draft"})
		}
		if p.collection.ID != p.document.CollectionID {
			list.Unknown = append(list.Unknown, "who can open the document through its collection, or through a public link to a document above it, because this key may not read the collection")
		}
	}
	type question struct {
		unknown string // without an answer
		ask     func(context.Context) ([]accessEntry, error)
	}
	var questions []question
	grants := func(of outline.Place, why, unknown string) {
		questions = append(questions, question{unknown, func(ctx context.Context) ([]accessEntry, error) {
			found, err := env.Outline.Grants(ctx, of)
			return entriesOf(found, func(g outline.Grant) accessEntry { return grantEntry(g, why) }), err
		}})
	}
	link := func(to outline.Place, name string, needsBelow bool) {
		questions = append(questions, question{"whether there is a public link to " + name, func(ctx context.Context) ([]accessEntry, error) {
			share, err := env.Outline.Share(ctx, to)
			if err != nil || !share.Published || needsBelow && !share.Children {
				return nil, err
			}
			return []accessEntry{{Kind: "link", Role: "read", Why: "public link to " + name, URL: share.URL, ShareID: share.ID}}, nil
		}})
	}
	collection := outline.Place{CollectionID: p.collection.ID}
	if p.collection.ID != "" {
		grants(collection, "invited to the collection", "who is invited to the collection, because this key may not read it")
	}
	if p.isDocument() {
		grants(p.Place, "invited to the document", "who is invited to the document itself, because this key may not change it")
		link(p.Place, "the document", false)
		for _, parent := range p.above(ctx, env) {
			link(outline.Place{DocumentID: parent.DocumentID}, "the document above, "+parent.String(), true)
		}
	}
	if p.collection.ID != "" {
		link(collection, "the collection", false)
	}
	found, failures := make([][]accessEntry, len(questions)), make([]error, len(questions))
	mcptool.Parallel(env.BatchConcurrency, len(questions), func(i int) { found[i], failures[i] = questions[i].ask(ctx) })
	for i, err := range failures {
		switch {
		case errors.Is(err, outline.ErrForbidden), errors.Is(err, outline.ErrNotFound):
			list.Unknown = append(list.Unknown, questions[i].unknown)
		case err != nil:
			return list, err
		}
		list.Access = append(list.Access, found[i]...)
	}
	return list, nil
}

// grantEntry tells what was given to a person or a group.
func grantEntry(g outline.Grant, why string) accessEntry {
	e := accessEntry{Kind: "person", Name: output.Label(g.Name), UserID: g.UserID, GroupID: g.GroupID, Role: output.OneLine(g.Permission), Why: why}
	if g.GroupID != "" {
		e.Kind = "group"
	}
	if g.SourceID != "" {
		e.Why = "invited to a document above"
	}
	if g.User.IsSuspended {
		e.Why += "; suspended, so not now"
	}
	return e
}

// above returns the documents above a published one, nearest first.
func (p sharedPlace) above(ctx context.Context, env mcptool.Env) (parents []documentName) {
	if p.document.ParentDocumentID == "" || p.collection.ID == "" {
		return nil
	}
	tree, err := env.Outline.CollectionDocuments(ctx, p.collection.ID)
	if err != nil {
		return nil
	}
	var walk func(nodes []outline.Node) bool
	walk = func(nodes []outline.Node) bool {
		for _, n := range nodes {
			if n.ID == p.DocumentID {
				return true
			}
			if walk(n.Children) {
				parents = append(parents, nameOfNode(n))
				return true
			}
		}
		return false
	}
	walk(tree)
	return parents[:min(len(parents), maxAbove)]
}

// groupCalled returns the group with a UUID or a name.
func groupCalled(ctx context.Context, env mcptool.Env, given string) (outline.Group, error) {
	if outline.IsUUID(given) {
		return outline.Group{ID: given}, nil
	}
	found, err := env.Outline.Groups(ctx, given)
	if err != nil {
		return outline.Group{}, err
	}
	same := slices.DeleteFunc(slices.Clone(found), func(g outline.Group) bool { return !strings.EqualFold(output.OneLine(g.Name), output.OneLine(given)) })
	if len(same) == 0 {
		same = found
	}
	switch len(same) {
	case 1:
		return same[0], nil
	case 0:
		return outline.Group{}, output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("group: no group has the name %s.", output.Quote(output.Excerpt(given, longestTitle)))}
	}
	return outline.Group{}, output.Invalid("group %s is not the name of one group: give the UUID. There are %s.", output.Quote(output.Excerpt(given, longestTitle)),
		firstOf(same, mostPeople, ", ", "", func(g outline.Group) string { return titleOf(g.Name) + " " + g.ID }))
}
