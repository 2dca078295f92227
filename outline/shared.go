package outline

import (
	"context"
	"errors"
	"iter"
)

// A membership is that of a user or a group in a document.
type membership struct {
	ID string `json:"id"` // UUID
}

func (m membership) id() string { return m.ID }

// identifiable is a document of some form.
type identifiable interface{ id() string }

// eachShared calls use once with each document that is shared with the caller
// (userMemberships.list) or with a group of the caller (groupMemberships.list), until it
// returns true. What is below those documents is not listed.
func eachShared[D identifiable](ctx context.Context, c *Client, k kind, incomplete func(D) string, use func(D) (enough bool)) (all listProgress, err error) {
	type shares struct {
		Memberships      items[membership] `json:"memberships"`
		GroupMemberships items[membership] `json:"groupMemberships"`
		Documents        items[D]          `json:"documents"`
	}
	seen, enough := map[string]bool{}, false
	for _, endpoint := range []string{"userMemberships.list", "groupMemberships.list"} {
		listed, err := readPages(ctx, maxListed, func(page ListParams) (Page[membership], error) {
			answer, err := fetch(ctx, c, k.request(endpoint, page), func(s shares) string { return incompleteAmong(s.Documents, incomplete) })
			for _, d := range answer.Documents {
				if !enough && !seen[d.id()] {
					seen[d.id()] = true
					enough = use(d)
				}
			}
			return Page[membership]{Items: append(answer.Memberships, answer.GroupMemberships...)}, err
		}, membership.id, func(membership) bool { return enough })
		all.searched, all.incomplete = all.searched+listed.searched, all.incomplete || listed.incomplete
		switch {
		case endpoint == "groupMemberships.list" && errors.Is(err, ErrNotFound): // a release without it
		case endpoint == "groupMemberships.list" && errors.Is(err, ErrForbidden):
			all.incomplete = true
		case err != nil || enough:
			return all, err
		}
	}
	return all, nil
}

// maxShared is how many requests are made for what is below shared documents. Outline
// allows 100 a minute.
const maxShared = 80

// ErrSharedMissing says that [Client.SharedTexts] has not read all documents.
var ErrSharedMissing = errors.New("there are too many, or this key may not list what is shared with groups of its owner (groupMemberships.list)")

// SharedTexts yields the published documents, with their texts, that the caller may read
// only because they, or documents above them, are shared with the caller or a group of
// the caller. [Client.DocumentTexts] leaves them out. The order is Outline's, parents
// before what is below them. An error ends the sequence.
func (c *Client) SharedTexts(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		s := sharing{client: c, readable: map[string]bool{}, seen: map[string]bool{}, yield: yield}
		listed, err := eachShared(ctx, c, scanning, fullDocument.incomplete, func(d fullDocument) bool { return !s.add(ctx, d) })
		for ; err == nil && s.err == nil && !s.ended && len(s.parents) > 0; s.parents = s.parents[1:] {
			err = s.below(ctx, s.parents[0])
		}
		if err == nil {
			err = s.err
		}
		if err == nil && listed.incomplete {
			err = ErrSharedMissing
		}
		if err != nil && !s.ended {
			yield(Document{}, err)
		}
	}
}

// sharing is the state of [Client.SharedTexts].
type sharing struct {
	client   *Client
	yield    func(Document, error) bool
	readable map[string]bool // whether lists hold the documents of a collection
	seen     map[string]bool // IDs of documents
	parents  []string        // documents below which is yet to be looked
	requests int
	ended    bool // yield has had enough
	err      error
}

// add yields a document that is shared unless lists hold it, and reports whether to continue.
func (s *sharing) add(ctx context.Context, d fullDocument) bool {
	listed, known := s.readable[d.CollectionID]
	if !known {
		_, err := s.list(ctx, sortedList{CollectionID: d.CollectionID, ListParams: ListParams{Limit: 1}})
		if listed = err == nil; err != nil && !errors.Is(err, ErrForbidden) && !errors.Is(err, ErrNotFound) {
			s.err = err
			return false
		}
		s.readable[d.CollectionID] = listed
	}
	if listed || s.seen[d.ID] {
		return true
	}
	s.seen[d.ID] = true
	if d.DeletedAt != nil || d.ArchivedAt != nil {
		return true
	}
	s.parents = append(s.parents, d.ID)
	if d.PublishedAt == nil {
		return true
	}
	document, _ := d.document(nil)
	s.ended = !s.yield(document, nil)
	return !s.ended
}

// below adds the documents directly below one.
func (s *sharing) below(ctx context.Context, parent string) error {
	page := func(ctx context.Context, p ListParams) (Page[fullDocument], error) {
		return s.list(ctx, sortedList{ParentDocumentID: parent, ListParams: p})
	}
	for d, err := range All(ctx, page, Paging{}) {
		if err != nil || !s.add(ctx, d) {
			return err
		}
	}
	return nil
}

// list lists documents of a collection or below a document.
func (s *sharing) list(ctx context.Context, p sortedList) (Page[fullDocument], error) {
	if s.requests++; s.requests > maxShared {
		return Page[fullDocument]{}, ErrSharedMissing
	}
	p.Sort, p.Direction = "createdAt", "ASC"
	return list(ctx, s.client, scanning.request("documents.list", p), fullDocument.incomplete)
}
