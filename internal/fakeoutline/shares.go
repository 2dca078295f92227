package fakeoutline

import (
	"cmp"
	"regexp"
	"slices"
	"sync"
	"time"
)

// A Share is a public link to a document or a collection.
type Share struct {
	ID           string
	DocumentID   string
	CollectionID string
	Published    bool
	Children     bool
	URLID        string
	CreatedBy    string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Revoked      bool
}

// presentedShare is the JSON of a public link.
type presentedShare struct {
	ID            string        `json:"id"`
	SourceTitle   string        `json:"sourceTitle"`
	SourcePath    string        `json:"sourcePath"`
	CollectionID  *string       `json:"collectionId"`
	DocumentID    *string       `json:"documentId"`
	DocumentTitle string        `json:"documentTitle,omitzero"`
	DocumentURL   string        `json:"documentUrl,omitzero"`
	Published     bool          `json:"published"`
	URL           string        `json:"url"`
	URLID         *string       `json:"urlId"`
	CreatedBy     presentedUser `json:"createdBy"`
	Children      bool          `json:"includeChildDocuments"`
	Indexing      bool          `json:"allowIndexing"`
	Subscriptions bool          `json:"allowSubscriptions"`
	LastUpdated   bool          `json:"showLastUpdated"`
	TOC           bool          `json:"showTOC"`
	Title         *string       `json:"title"`
	IconURL       *string       `json:"iconUrl"`
	Views         int           `json:"views"`
	Domain        *string       `json:"domain"`
	CreatedAt     apiTimestamp  `json:"createdAt"`
	UpdatedAt     apiTimestamp  `json:"updatedAt"`
}

func (s *store) presentShare(r *request, sh Share) presentedShare {
	p := presentedShare{
		ID: sh.ID, Published: sh.Published, Children: sh.Children, Subscriptions: true, CreatedBy: s.presentAuthor(sh.CreatedBy),
		URL: r.Origin + "/s/" + cmp.Or(sh.URLID, sh.ID), CreatedAt: apiTimestamp(sh.CreatedAt), UpdatedAt: apiTimestamp(sh.UpdatedAt),
	}
	if sh.URLID != "" {
		p.URLID = &sh.URLID
	}
	if d, ok := s.documents[sh.DocumentID]; ok {
		p.DocumentID, p.DocumentTitle, p.DocumentURL = &sh.DocumentID, d.Title, s.node(d).URL
		p.SourceTitle, p.SourcePath = p.DocumentTitle, p.DocumentURL
	}
	if col, ok := s.collections[sh.CollectionID]; ok {
		p.CollectionID, p.SourceTitle, p.SourcePath = &sh.CollectionID, col.Name, "/collection/"+titleSlug(col.Name)+"-"+col.URLID
	}
	return p
}

// A shareTarget names what a public link opens.
type shareTarget struct {
	DocumentID   string `in:"documentId,null,uuid"`
	CollectionID string `in:"collectionId,null,uuid"`
}

// mayShare returns whether the caller may read what a link opens, and publish it.
func (s *store) mayShare(c *caller, t shareTarget) (read, share, known bool) {
	if d, ok := s.documents[t.DocumentID]; ok && d.DeletedAt.IsZero() {
		rights := s.rightsOn(d, c)
		return rights.Read, rights.Archive && c.Role.atLeast(Member), true
	}
	if col, ok := s.findCollection(t.CollectionID); ok && t.CollectionID != "" {
		rights := c.rights(col)
		return rights.Read, rights.Write && c.Role.atLeast(Member), true
	}
	return false, false, false
}

func (s *store) shareOf(t shareTarget) int {
	return slices.IndexFunc(s.shares, func(sh Share) bool {
		return !sh.Revoked && sh.DocumentID == t.DocumentID && sh.CollectionID == t.CollectionID
	})
}

// sharesInfo implements shares.info for a logged-in user. A link to what is above
// a document is not shown with it unless the document has its own link, and then left
// out here.
func (s *store) sharesInfo(r *request, in shareTarget) (apiAnswer, error) {
	if in == (shareTarget{}) {
		return apiAnswer{}, apiInvalidField("body")
	}
	at := s.shareOf(in)
	if at < 0 {
		return apiAnswer{NoContent: true}, nil
	}
	if read, _, _ := s.mayShare(r.caller, in); !read || r.caller.Role == Guest {
		return apiAnswer{}, apiForbidden()
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{"shares": jsonArray(encodeJSON(s.presentShare(r, s.shares[at])))})}, nil
}

// sharesCreate implements shares.create, which returns the link that there is unchanged.
func (s *store) sharesCreate(r *request, in struct {
	shareTarget
	Published bool   `in:"published"`
	Children  bool   `in:"includeChildDocuments"`
	URLID     string `in:"urlId"`
}) (apiAnswer, error) {
	switch {
	case in.DocumentID != "" && in.CollectionID != "":
		return apiAnswer{}, apiInvalidField("body")
	case in.shareTarget == shareTarget{}:
		return apiAnswer{}, apiInvalidField("body")
	case r.caller.Role == Guest:
		return apiAnswer{}, apiForbidden()
	}
	read, share, known := s.mayShare(r.caller, in.shareTarget)
	if !known {
		return apiAnswer{}, apiNotFound()
	}
	at := s.shareOf(in.shareTarget)
	published := in.Published
	if at >= 0 {
		published = s.shares[at].Published
	}
	if !read || published && !share {
		return apiAnswer{}, apiForbidden()
	}
	if at < 0 {
		now := s.now()
		s.shares = append(s.shares, Share{
			ID: s.uuid(), DocumentID: in.DocumentID, CollectionID: in.CollectionID, Published: in.Published, Children: in.Published || in.Children,
			URLID: in.URLID, CreatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now,
		})
		at = len(s.shares) - 1
	}
	return apiAnswer{Data: encodeJSON(s.presentShare(r, s.shares[at]))}, nil
}

// sharesUpdate implements shares.update.
func (s *store) sharesUpdate(r *request, in struct {
	ID        string  `in:"id,required,uuid"`
	Published *bool   `in:"published"`
	Children  *bool   `in:"includeChildDocuments"`
	URLID     *string `in:"urlId,null"`
}) (apiAnswer, error) {
	if in.URLID != nil && !shareName().MatchString(*in.URLID) {
		return apiAnswer{}, apiInvalidField("urlId")
	}
	at := slices.IndexFunc(s.shares, func(sh Share) bool { return sh.ID == in.ID && !sh.Revoked })
	if at < 0 {
		return apiAnswer{}, apiForbidden()
	}
	sh := s.shares[at]
	if _, share, _ := s.mayShare(r.caller, shareTarget{sh.DocumentID, sh.CollectionID}); !share {
		return apiAnswer{}, apiForbidden()
	}
	if in.Published != nil {
		sh.Published = *in.Published
		sh.Children = sh.Children || sh.Published
	}
	sh.Children, sh.URLID, sh.UpdatedAt = valueOr(in.Children, sh.Children), valueOr(in.URLID, sh.URLID), s.now()
	s.shares[at] = sh
	return apiAnswer{Data: encodeJSON(s.presentShare(r, sh))}, nil
}

var shareName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]*$`) })

// sharesRevoke implements shares.revoke. As recorded, a link that has been ended can be
// ended again.
func (s *store) sharesRevoke(r *request, in uuidInput) (apiAnswer, error) {
	at := slices.IndexFunc(s.shares, func(sh Share) bool { return sh.ID == in.ID })
	if at < 0 {
		return apiAnswer{}, apiNotFound()
	}
	if !r.caller.Role.atLeast(Member) || r.caller.Role != Admin && s.shares[at].CreatedBy != r.caller.ID {
		return apiAnswer{}, apiForbidden()
	}
	s.shares[at].Revoked = true
	return apiDone, nil
}

// sharedDocument returns the document of a published link, by the UUID of the link or the
// name in its address.
func (s *store) sharedDocument(id string) (*document, error) {
	for _, sh := range s.shares {
		d := s.documents[sh.DocumentID]
		if sh.Published && !sh.Revoked && (sh.ID == id || sh.URLID != "" && sh.URLID == id) && d != nil && d.isActive() {
			return d, nil
		}
	}
	return nil, apiNotFound()
}
