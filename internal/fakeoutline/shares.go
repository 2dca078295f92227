package fakeoutline

import (
	"cmp"

	"outline-mcp/internal/fakeoutline/api"
)

// A share makes a document public, and what is below it if children is set.
type share struct {
	id, urlID, documentID string
	published, children   bool
	by                    string
}

// sharesCreate implements shares.create for documents. The recorded workspace has shares
// of collections as well.
func (s *store) sharesCreate(r *request, in struct {
	DocumentID string `in:"documentId,required,uuid"`
	Published  bool   `in:"published"`
	URLID      string `in:"urlId"`
	Children   bool   `in:"includeChildDocuments"`
}) (api.Answer, error) {
	d, err := s.documentFor(r.caller, in.DocumentID)
	if err != nil {
		return api.Answer{}, err
	}
	made := s.shareOf(d.ID)
	if made == nil {
		made = &share{id: s.uuid(), documentID: d.ID, urlID: in.URLID, published: in.Published, children: in.Children, by: r.caller.ID}
		s.shares = append(s.shares, made)
	}
	return api.Answer{Data: s.presentShare(r.Origin, made)}, nil
}

// sharesInfo implements shares.info for a document. As recorded, a document without a
// share has an answer without content.
func (s *store) sharesInfo(r *request, in struct {
	DocumentID string `in:"documentId,required,uuid"`
}) (api.Answer, error) {
	d, err := s.documentFor(r.caller, in.DocumentID)
	if err != nil {
		return api.Answer{}, err
	}
	found := []api.JSON{}
	if own := s.shareOf(d.ID); own != nil {
		found = append(found, s.presentShare(r.Origin, own))
	}
	for above := s.documents[d.ParentID]; above != nil; above = s.documents[above.ParentID] {
		if one := s.shareOf(above.ID); one != nil && one.published && one.children {
			found = append(found, s.presentShare(r.Origin, one))
			break
		}
	}
	if len(found) == 0 {
		return api.Answer{Empty: true}, nil
	}
	return api.Answer{Data: api.Object(map[string]api.JSON{"shares": api.Array(found...)})}, nil
}

func (s *store) shareOf(documentID string) *share {
	for _, one := range s.shares {
		if one.documentID == documentID {
			return one
		}
	}
	return nil
}

// sharedDocument returns the document of a published share, by the UUID of the share or
// the name in its address.
func (s *store) sharedDocument(id string) (*document, error) {
	for _, one := range s.shares {
		d := s.documents[one.documentID]
		if one.published && (one.id == id || one.urlID != "" && one.urlID == id) && d != nil && d.isActive() {
			return d, nil
		}
	}
	return nil, api.NotFound()
}

func (s *store) presentShare(origin string, one *share) api.JSON {
	d := s.documents[one.documentID]
	return api.Encode(struct {
		ID            string        `json:"id"`
		SourceTitle   string        `json:"sourceTitle"`
		SourcePath    string        `json:"sourcePath"`
		CollectionID  *string       `json:"collectionId"`
		DocumentID    string        `json:"documentId"`
		DocumentTitle string        `json:"documentTitle"`
		DocumentURL   string        `json:"documentUrl"`
		Published     bool          `json:"published"`
		URL           string        `json:"url"`
		URLID         *string       `json:"urlId"`
		CreatedBy     presentedUser `json:"createdBy"`
		Children      bool          `json:"includeChildDocuments"`
	}{
		one.id, d.Title, d.path, nil, d.ID, d.Title, d.path, one.published,
		origin + "/s/" + cmp.Or(one.urlID, one.id), api.StringOrNull(one.urlID), s.presentAuthor(one.by), one.children,
	})
}
