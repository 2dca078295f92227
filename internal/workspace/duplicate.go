package workspace

import (
	"cmp"
	"slices"
	"time"

	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
)

// documentsDuplicate implements documents.duplicate. Without a parent, the copy is on
// the top level, wherever the document is. Links between the documents that are copied
// lead from copy to copy. All of this is recorded; that a parent may not be a draft,
// and that copies have the icons of the originals, but no comments, is not.
func (s *store) documentsDuplicate(r *request) (api.Answer, error) {
	f := &r.Fields
	id, title := f.ID(), f.String("title")
	collectionID, parentID := f.OptionalUUID("collectionId"), f.OptionalUUID("parentDocumentId")
	recursive, publish := f.Bool("recursive"), f.Bool("publish")
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	if err := checkContent(title, ""); err != nil {
		return api.Answer{}, err
	}
	d, err := s.documentToChange(r.caller, id)
	if err != nil {
		return api.Answer{}, err
	}
	if state := d.state(); r.caller.Role == Guest || state != access.Active && state != access.Draft {
		return api.Answer{}, api.Forbidden()
	}
	if parent, ok := s.documents[parentID]; ok && collectionID != "" && parent.CollectionID != collectionID {
		return api.Answer{}, api.InvalidRequest("collectionId must match the collection of the parent document")
	}
	if to := cmp.Or(collectionID, d.CollectionID); to != "" || parentID != "" {
		if collectionID, err = s.collectionForNew(r.caller, to, parentID); err != nil {
			return api.Answer{}, err
		}
	}
	if !f.Has("publish") {
		publish = !d.isDraft()
	}
	switch {
	case parentID != "" && s.documents[parentID].isDraft():
		return api.Answer{}, api.InvalidRequest("Cannot duplicate document inside a draft document")
	case publish && collectionID == "":
		return api.Answer{}, api.Invalid("collectionId is required to publish")
	}

	below := make(map[string][]string) // as it is now: a document may be copied below itself
	if recursive {
		for _, id := range append(s.activeBelow(d.ID), d.ID) {
			below[id] = s.children[id]
		}
	}
	now := s.now()
	var copies []*document
	copyOf := make(map[string]*document) // by the URL ID of the original
	var duplicate func(d *document, title, parentID string)
	duplicate = func(d *document, title, parentID string) {
		c := Document{
			ID: s.uuid(), URLID: s.urlID(), Title: title, Icon: d.Icon, Color: d.Color, CollectionID: collectionID, ParentID: parentID,
			CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID}, CreatedAt: now, UpdatedAt: now, Revision: 1,
			Source: &Source{ImportedAt: now, OriginalDocumentID: d.ID},
		}
		if publish {
			c.PublishedAt = now.Add(time.Millisecond)
			c.Revision++
			s.insert(&c, 0)
		}
		created := s.put(c, &content{root: d.shown().tree().WithoutMarks(prosemirror.Comment)})
		copies, copyOf[d.URLID] = append(copies, created), created
		for _, id := range slices.Backward(below[d.ID]) { // each comes first among its siblings
			duplicate(s.documents[id], s.documents[id].Title, c.ID)
		}
	}
	duplicate(d, cmp.Or(title, d.Title), parentID)

	var data []api.JSON
	for _, created := range copies {
		created = s.put(created.Document, &content{root: relinked(created.body.tree(), copyOf)})
		if publish {
			s.closeRevision(created, byAPI)
		}
		data = append(data, s.presentDocument(r, created))
	}
	return api.Answer{Data: slices.Concat(api.JSON{[]byte(`{"documents":`)}, api.Array(data...), api.JSON{[]byte(`}`)})}, nil
}

// relinked returns a tree whose links to originals lead to their copies.
func relinked(n *prosemirror.Node, copyOf map[string]*document) *prosemirror.Node {
	next := *n
	next.Marks, next.Content = slices.Clone(n.Marks), slices.Clone(n.Content)
	for i, mark := range n.Marks {
		if found := copyOf[text.LinkedURLID(mark.Attrs.String("href"))]; mark.Type == prosemirror.Link && found != nil {
			next.Marks[i].Attrs = slices.Clone(mark.Attrs)
			at := slices.IndexFunc(mark.Attrs, func(a prosemirror.Attr) bool { return a.Name == "href" })
			next.Marks[i].Attrs[at].Value = found.path
		}
	}
	for i, child := range n.Content {
		next.Content[i] = relinked(child, copyOf)
	}
	return &next
}
