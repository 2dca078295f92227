package fakeoutline

import (
	"cmp"
	"net/http"

	"outline-mcp/outline/prosemirror"
	"slices"
	"strings"
)

// documentsInfo implements documents.info, also for documents in the archive
// and the trash.
func (s *store) documentsInfo(r *request) (apiAnswer, error) {
	if !r.Fields.Has("id") {
		if !r.Fields.Has("shareId") {
			return apiAnswer{}, apiInvalid("one of id or shareId is required")
		}
		return with((*store).readShared)(s, r)
	}
	return with((*store).readDocument)(s, r)
}

// readShared returns the document of a public share to a caller who may read it. What
// others get of it is not kept.
func (s *store) readShared(r *request, in struct {
	ShareID string `in:"shareId"`
}) (apiAnswer, error) {
	d, err := s.sharedDocument(in.ShareID)
	if err != nil {
		return apiAnswer{}, err
	}
	if d, err = s.documentFor(r.caller, d.ID); err != nil {
		return apiAnswer{}, err
	}
	return apiAnswer{Data: s.presentDocument(r, d)}, nil
}

func (s *store) readDocument(r *request, in struct {
	slugInput
	Version int `in:"apiVersion"`
}) (apiAnswer, error) {
	d, err := s.documentFor(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	data := s.presentDocument(r, d)
	if r.version >= nestedVersion || in.Version >= nestedVersion {
		data = jsonObject(map[string]apiJSON{"document": data})
	}
	return apiAnswer{Data: data}, nil
}

// documentsExport implements documents.export. It returns the title and the
// text as CommonMark, as a file if the Accept header contains text/markdown.
func (s *store) documentsExport(r *request, in struct {
	slugInput
	Children bool `in:"includeChildDocuments"`
}) (apiAnswer, error) {
	accept := r.Header.Get("Accept")
	markdown := strings.Contains(accept, "text/markdown")
	switch {
	case in.Children && !markdown:
		return apiAnswer{}, apiInvalidRequest("format needed for exporting nested documents")
	case in.Children:
		return apiAnswer{}, apiInvalidRequest("exporting nested documents is not available in this workspace")
	}
	d, err := s.documentFor(r.caller, in.ID)
	if err != nil {
		return apiAnswer{}, err
	}
	if strings.Contains(accept, "application/pdf") {
		return apiAnswer{}, &apiError{Status: http.StatusPaymentRequired, Code: "incorrect_edition", Message: "PDF export is not available in the community edition"}
	}
	exported := "# " + d.Title + "\n\n" + prosemirror.ToCommonMark(d.body.tree())
	if markdown {
		return apiAnswer{File: &apiFile{
			ContentType: "text/markdown",
			Name:        apiFileName(titleSlug(d.Title), ".md"),
			Body:        exported,
		}}, nil
	}
	return apiAnswer{Data: encodeJSON(exported)}, nil
}

// documentsList implements documents.list. It lists documents that are published
// and not archived. An empty statusFilter adds archived ones.
func (s *store) documentsList(r *request, in struct {
	documentOrder
	listFilter
	BacklinkID string  `in:"backlinkDocumentId,uuid"`
	ParentID   *string `in:"parentDocumentId,null,uuid"`
}) (apiAnswer, error) {
	f := s.filter(searchFilter{listFilter: in.listFilter})
	switch {
	case !r.Fields.Has("statusFilter"):
		f.statuses = []string{"published"}
	case len(f.statuses) == 0:
		f.statuses = []string{"published", "archived"}
	}
	order, err := in.order()
	if err != nil {
		return apiAnswer{}, err
	}
	if err := s.mayFilterBy(r.caller, f.collectionID); err != nil {
		return apiAnswer{}, err
	}
	target, found := s.findDocument(in.BacklinkID)
	linked := func(id string) bool { return id == target.ID || id == target.URLID }
	belowShared := s.sharedWith(r.caller, valueOr(in.ParentID, ""))
	byIndex := order.field == "index" && f.collectionID != ""
	ascending := order.ascending
	if byIndex {
		order.ascending = true
	} else if order.field == "index" {
		order.field = "updatedAt"
	}
	// Releases ask for the collection of a document, which a draft may not have.
	placed := func(d *document) bool { return s.features.august2026 || d.CollectionID != "" || in.BacklinkID != "" }
	list := s.sorted(func(d *document) bool {
		return (s.lists(d, r.caller) && placed(d) || belowShared && s.finds(d, r.caller)) && f.accepts(d) &&
			(in.ParentID == nil || d.ParentID == *in.ParentID) &&
			(!byIndex || d.ParentID == "") &&
			(in.BacklinkID == "" || found && slices.ContainsFunc(d.body.read().Links, linked))
	}, order.compare(s))
	if byIndex {
		// Recorded: Outline takes the page out of the tree before it sorts and counts.
		list = apiSlice(list, r.Page)
		if !ascending {
			slices.Reverse(list)
		}
		return s.documentsPage(r, list, r.Counted(len(list))), nil
	}
	return s.documentsAnswer(r, list, r.Counted(len(list))), nil
}

// documentsDrafts implements documents.drafts, which lists the caller's own
// drafts. Those outside of collections are listed for each collection.
func (s *store) documentsDrafts(r *request, in struct {
	documentOrder
	CollectionID string  `in:"collectionId,uuid"`
	Date         *string `in:"dateFilter"`
}) (apiAnswer, error) {
	order, err := in.order()
	switch {
	case err != nil:
		return apiAnswer{}, err
	case in.Date != nil && s.since(*in.Date).IsZero():
		return apiAnswer{}, apiInvalidField("dateFilter")
	}
	collectionID, since := in.CollectionID, s.since(valueOr(in.Date, ""))
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return apiAnswer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return d.isDraft() && d.DeletedAt.IsZero() && d.ArchivedAt.IsZero() && d.CreatedBy == r.caller.ID && s.remembers(r.caller, d.CollectionID) &&
			(collectionID == "" || d.CollectionID == "" || d.CollectionID == collectionID) && !d.UpdatedAt.Before(since)
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// documentsArchived implements documents.archived.
func (s *store) documentsArchived(r *request, in struct {
	documentOrder
	CollectionID string `in:"collectionId,uuid"`
}) (apiAnswer, error) {
	order, err := in.order()
	if err != nil {
		return apiAnswer{}, err
	}
	collectionID := in.CollectionID
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return apiAnswer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return !d.ArchivedAt.IsZero() && d.DeletedAt.IsZero() && s.lists(d, r.caller) &&
			(collectionID == "" || d.CollectionID == collectionID)
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// documentsDeleted implements documents.deleted, which lists the trash.
func (s *store) documentsDeleted(r *request, in documentOrder) (apiAnswer, error) {
	order, err := in.order()
	if err != nil {
		return apiAnswer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return !d.DeletedAt.IsZero() && s.lists(d, r.caller)
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.Uncounted()), nil
}

// documentsAnswer returns the requested page of a list of documents.
func (s *store) documentsAnswer(r *request, list []*document, p *apiPagination) apiAnswer {
	return s.documentsPage(r, apiSlice(list, r.Page), p)
}

// documentsPage returns a page of documents.
func (s *store) documentsPage(r *request, list []*document, p *apiPagination) apiAnswer {
	return apiAnswer{Data: jsonList(list, func(d *document) apiJSON { return s.presentDocument(r, d) }), Page: p}
}

// An order is the order of a list of documents.
type order struct {
	field     string
	ascending bool
}

// An orderInput is the sort and direction of a list. Any direction but ASC is descending.
type orderInput struct {
	Sort      *string `in:"sort"`
	Direction any     `in:"direction"`
}

func (in orderInput) ascending() bool { return in.Direction == "ASC" }

// inDirection returns a comparison in a direction.
func inDirection[T any](by func(a, b T) int, ascending bool) func(a, b T) int {
	if ascending {
		return by
	}
	return func(a, b T) int { return by(b, a) }
}

// A documentOrder is the sort and direction of a list of documents.
type documentOrder struct{ orderInput }

func (in documentOrder) order() (order, error) {
	field := valueOr(in.Sort, "updatedAt")
	switch field {
	case "createdAt", "updatedAt", "publishedAt", "index", "title", "popularityScore":
		return order{field, in.ascending()}, nil
	}
	return order{}, apiInvalidField("sort")
}

// compare returns a comparison function for the order. The index is the
// position among the siblings.
func (o order) compare(s *store) func(a, b *document) int {
	var by func(a, b *document) int
	switch o.field {
	case "createdAt":
		by = func(a, b *document) int { return a.CreatedAt.Compare(b.CreatedAt) }
	case "publishedAt":
		by = func(a, b *document) int { return a.PublishedAt.Compare(b.PublishedAt) }
	case "title":
		by = func(a, b *document) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) }
	case "index":
		by = func(a, b *document) int {
			return cmp.Compare(slices.Index(s.siblings(a), a.ID), slices.Index(s.siblings(b), b.ID))
		}
	default:
		by = func(a, b *document) int { return a.UpdatedAt.Compare(b.UpdatedAt) }
	}
	return inDirection(by, o.ascending)
}

// siblings returns the IDs of a document and the active documents beside it.
func (s *store) siblings(d *document) []string {
	return s.children[cmp.Or(d.ParentID, d.CollectionID)]
}

func byID(a, b *document) int { return cmp.Compare(a.ID, b.ID) }

func byCreation(a, b *document) int { return a.CreatedAt.Compare(b.CreatedAt) }
