package outline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
)

// A Place is the document or the collection to which access is given: one of its UUIDs is
// set.
type Place struct {
	DocumentID   string `json:"documentId,omitempty"`
	CollectionID string `json:"collectionId,omitempty"`
}

// id returns the UUID of the place.
func (p Place) id() string { return p.DocumentID + p.CollectionID }

// endpoint returns the first of two endpoints for a document, the second for a collection.
func (p Place) endpoint(document, collection string) string {
	if p.CollectionID != "" {
		return collection
	}
	return document
}

// A Grant gives a user or a group access to a place.
type Grant struct {
	UserID     string `json:"userId"`     // UUID; "" for that of a group
	GroupID    string `json:"groupId"`    // UUID
	Permission string `json:"permission"` // read, read_write or admin
	SourceID   string `json:"sourceId"`   // UUID of the grant in a document above that this one comes from; "" if it is the document's own

	Name string `json:"-"` // of the user or the group
	User User   `json:"-"` // of which the grant is
}

// A Group is a named set of users.
type Group struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	MemberCount int    `json:"memberCount"`
}

// maxGrants is how many grants of each kind are read.
const maxGrants = 1000

// Grants returns who was given access to a place: users and then groups, newest first
// (memberships, group_memberships). What the collection gives to all members, and what it
// gives to those invited to it, is not among the grants of a document. A caller who may
// not change a document, or not read a collection, gets ErrForbidden.
func (c *Client) Grants(ctx context.Context, of Place) (grants []Grant, err error) {
	type answer struct {
		Memberships      []Grant `json:"memberships"`
		GroupMemberships []Grant `json:"groupMemberships"`
		Users            []User  `json:"users"`
		Groups           []Group `json:"groups"`
	}
	for _, endpoint := range []string{of.endpoint("documents.memberships", "collections.memberships"), of.endpoint("documents.group_memberships", "collections.group_memberships")} {
		page := func(ctx context.Context, p ListParams) (Page[Grant], error) {
			a, err := fetch[answer](ctx, c, listing.request(endpoint, struct {
				ID string `json:"id"`
				ListParams
			}{of.id(), p}), func(a answer) string {
				if a.Memberships == nil && a.GroupMemberships == nil {
					return "the memberships are missing"
				}
				return ""
			})
			all := append(a.Memberships, a.GroupMemberships...)
			for i, grant := range all {
				for _, user := range a.Users {
					if user.ID == grant.UserID {
						all[i].User, all[i].Name = user, user.Name
					}
				}
				for _, group := range a.Groups {
					if group.ID == grant.GroupID {
						all[i].Name = group.Name
					}
				}
			}
			return Page[Grant]{Items: all}, err
		}
		found, err := Collect(All(ctx, page, Paging{Most: maxGrants}))
		if err != nil {
			return nil, err
		}
		grants = append(grants, found...)
	}
	return grants, nil
}

// SetGrant gives the user or group of a grant access to a place, or changes what was
// given; the permission "" takes it away (add_user, remove_user, add_group, remove_group).
// Callers who may not manage the place get ErrForbidden, as for an unknown user or group of
// a collection; those of a document are ErrNotFound. A collection keeps at least one who
// manages it: ErrInvalid.
func (c *Client) SetGrant(ctx context.Context, to Place, g Grant) error {
	var endpoint string
	switch {
	case g.GroupID == "" && g.Permission != "":
		endpoint = to.endpoint("documents.add_user", "collections.add_user")
	case g.GroupID == "":
		endpoint = to.endpoint("documents.remove_user", "collections.remove_user")
	case g.Permission != "":
		endpoint = to.endpoint("documents.add_group", "collections.add_group")
	default:
		endpoint = to.endpoint("documents.remove_group", "collections.remove_group")
	}
	request := changing.request(endpoint, struct {
		ID         string `json:"id"`
		UserID     string `json:"userId,omitempty"`
		GroupID    string `json:"groupId,omitempty"`
		Permission string `json:"permission,omitempty"`
	}{to.id(), g.UserID, g.GroupID, g.Permission})
	as := func(ctx context.Context) (bool, error) {
		grants, err := c.Grants(ctx, to)
		now := ""
		for _, one := range grants {
			if one.UserID == g.UserID && one.GroupID == g.GroupID && (g.Permission != "" || one.SourceID == "") {
				now = one.Permission
			}
		}
		return now == g.Permission, err
	}
	if g.Permission == "" {
		return c.remove(ctx, request, as)
	}
	_, err := command(ctx, c, request, func(struct{}) string { return "" }, func(ctx context.Context) (struct{}, WriteState) {
		done, err := as(ctx)
		return observation(struct{}{}, done, err)
	})
	return err
}

// Groups returns up to 100 groups in whose names a text occurs (groups.list). A guest gets
// ErrForbidden.
func (c *Client) Groups(ctx context.Context, query string) ([]Group, error) {
	type answer struct {
		Groups []Group `json:"groups"`
	}
	found, err := fetch(ctx, c, listing.request("groups.list", struct {
		Query string `json:"query,omitempty"`
		Limit int    `json:"limit"`
	}{query, maxPage}), func(a answer) string {
		if a.Groups == nil {
			return "the groups are missing"
		}
		return ""
	})
	return found.Groups, err
}

// A Share is a public link to a place.
type Share struct {
	ID string `json:"id"` // UUID
	Place
	Published bool   `json:"published"` // whether the link works
	URL       string `json:"url"`       // absolute
	URLID     string `json:"urlId"`     // the name that a user chose for the end of the URL, or ""
	Children  bool   `json:"includeChildDocuments"`
}

func (s Share) incomplete() string { return incompleteID("the share", s.ID) }

// Share returns the public link to a place itself (shares.info), or one without an ID if
// there is none. Links to what is above a document open it as well, but are not looked
// for.
func (c *Client) Share(ctx context.Context, to Place) (Share, error) {
	type shares struct {
		Shares []Share `json:"shares"`
	}
	answer, err := fetch(ctx, c, reading.request("shares.info", to), func(s shares) string {
		if s.Shares == nil {
			return "the shares are missing"
		}
		return ""
	})
	at := slices.IndexFunc(answer.Shares, func(s Share) bool {
		return strings.EqualFold(s.DocumentID, to.DocumentID) && strings.EqualFold(s.CollectionID, to.CollectionID)
	})
	if err != nil || at < 0 {
		return Share{}, err
	}
	return answer.Shares[at], nil
}

// ShareParams say how a public link is to be.
type ShareParams struct {
	Published bool   `json:"published"`
	Children  bool   `json:"includeChildDocuments"`
	URLID     string `json:"urlId,omitempty"` // "" leaves it
}

// SetShare makes or changes the public link to a place (shares.create, shares.update).
// Outline would open all documents below a new link that is published at once: it is
// published in a second step. Callers who may not share the place get ErrForbidden.
func (c *Client) SetShare(ctx context.Context, to Place, p ShareParams) (Share, error) {
	share, err := c.Share(ctx, to)
	if err == nil && share.ID == "" {
		share, err = command(ctx, c, changing.request("shares.create", to), Share.incomplete, func(ctx context.Context) (Share, WriteState) {
			now, err := c.Share(ctx, to)
			return observation(now, now.ID != "", err)
		})
	}
	if err != nil {
		return share, err
	}
	request := changing.request("shares.update", struct {
		ID string `json:"id"`
		ShareParams
	}{share.ID, p})
	request.about = to
	return command(ctx, c, request, Share.incomplete, func(ctx context.Context) (Share, WriteState) {
		now, err := c.Share(ctx, to)
		return observation(now, now.Published == p.Published && now.Children == p.Children && (p.URLID == "" || now.URLID == p.URLID), err)
	})
}

// EndShare ends a public link (shares.revoke). Only those who made it, and admins, may:
// others get ErrForbidden.
func (c *Client) EndShare(ctx context.Context, s Share) error {
	request := changing.request("shares.revoke", byID{s.ID})
	request.about = s.Place
	return c.remove(ctx, request, func(ctx context.Context) (bool, error) {
		now, err := c.Share(ctx, s.Place)
		if errors.Is(err, ErrNotFound) {
			return true, nil
		}
		return now.ID != s.ID, err
	})
}

// SharedDocument returns the ID of the document that a public share is of
// (documents.info). The id of the share is its UUID or the name in its address.
func (c *Client) SharedDocument(ctx context.Context, shareID string) (string, error) {
	type identified struct {
		ID string `json:"id"`
	}
	type shared struct {
		identified
		Document identified `json:"document"`
	}
	found, err := query(ctx, c, "documents.info", map[string]string{"shareId": shareID}, func(s shared) string {
		return incompleteID("the document", cmp.Or(s.Document.ID, s.ID))
	})
	return cmp.Or(found.Document.ID, found.ID), err
}
