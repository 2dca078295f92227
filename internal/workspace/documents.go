package workspace

import (
	"cmp"
	"net/http"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/text"
	"slices"
	"strings"
)

// documentsInfo is documents.info. Archived documents and those in the trash
// are answered too.
func (s *store) documentsInfo(r *request) (answer, error) {
	if !r.fields.has("id") {
		if !r.fields.has("shareId") {
			return answer{}, errValidation("one of id or shareId is required")
		}
		// Nothing is shared with the public here.
		return answer{}, errNotFound()
	}
	id := r.fields.id()
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	d, err := s.documentFor(r.caller, id)
	if err != nil {
		return answer{}, err
	}
	data := s.presentDocument(d)
	if r.apiVersion() >= 2 {
		data = slices.Concat(pieces{[]byte(`{"document":`)}, data, pieces{[]byte("}")})
	}
	return answer{data: data, policies: array(s.documentPolicy(r.caller, d))}, nil
}

// documentsExport is documents.export: the document as CommonMark below its
// title, in the envelope or, if the Accept header names text/markdown, as a
// file.
func (s *store) documentsExport(r *request) (answer, error) {
	id := r.fields.id()
	children := r.fields.bool("includeChildDocuments")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	accept := r.header.Get("Accept")
	markdown := strings.Contains(accept, "text/markdown")
	switch {
	case children && !markdown:
		return answer{}, errInvalidRequest("format needed for exporting nested documents")
	case children:
		return answer{}, errInvalidRequest("exporting nested documents is not available in this workspace")
	}
	d, err := s.documentFor(r.caller, id)
	if err != nil {
		return answer{}, err
	}
	if strings.Contains(accept, "application/pdf") {
		return answer{}, &apiError{status: http.StatusPaymentRequired, code: "incorrect_edition", message: "PDF export is not available in the community edition"}
	}
	exported := "# " + d.Title + "\n\n" + text.ToCommonMark(d.Text)
	if markdown {
		return answer{file: &file{
			contentType: "text/markdown",
			name:        fileName(ident.TitleSlug(d.Title), ".md"),
			body:        exported,
		}}, nil
	}
	return answer{data: encode(exported)}, nil
}

// documentsList is documents.list. Without a filter of status it lists what
// is published and not archived.
func (s *store) documentsList(r *request) (answer, error) {
	order := r.fields.order()
	f := s.filter(&r.fields, "userId, collectionId, parentDocumentId, or statusFilter")
	if len(f.statuses) == 0 {
		f.statuses = []string{"published"}
	}
	backlinkID := r.fields.uuid("backlinkDocumentId")
	parent, byParent := r.fields.values["parentDocumentId"]
	parentID := ""
	if parent != nil {
		parentID = r.fields.uuid("parentDocumentId")
	}
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	if err := s.mayFilterBy(r.caller, f.collectionID); err != nil {
		return answer{}, err
	}
	backlink := ""
	if d, ok := s.findDocument(backlinkID); ok {
		backlink = d.URLID
	}
	byIndex := order.field == "index" && f.collectionID != ""
	if !byIndex && order.field == "index" {
		order.field = "updatedAt"
	}
	list := s.sorted(func(d *document) bool {
		return s.listed(d, r.caller).Read.Allowed && f.accepts(d) &&
			(!byParent || d.ParentID == parentID) &&
			(!byIndex || d.ParentID == "") &&
			(backlinkID == "" || backlink != "" && slices.Contains(d.body.prepared().Links, backlink))
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.counted(len(list))), nil
}

// documentsDrafts is documents.drafts: the caller's own.
func (s *store) documentsDrafts(r *request) (answer, error) {
	order := r.fields.order()
	collectionID := r.fields.uuid("collectionId")
	since := s.since(&r.fields)
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return answer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return d.isDraft() && d.DeletedAt.IsZero() && d.ArchivedAt.IsZero() && d.CreatedBy == r.caller.ID &&
			(collectionID == "" || d.CollectionID == collectionID) && !d.UpdatedAt.Before(since)
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.uncounted()), nil
}

// documentsArchived is documents.archived.
func (s *store) documentsArchived(r *request) (answer, error) {
	order := r.fields.order()
	collectionID := r.fields.uuid("collectionId")
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return answer{}, err
	}
	list := s.sorted(func(d *document) bool {
		return !d.ArchivedAt.IsZero() && d.DeletedAt.IsZero() && s.listed(d, r.caller).Read.Allowed &&
			(collectionID == "" || d.CollectionID == collectionID)
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.uncounted()), nil
}

// documentsDeleted is documents.deleted: the trash.
func (s *store) documentsDeleted(r *request) (answer, error) {
	order := r.fields.order()
	if r.fields.err != nil {
		return answer{}, r.fields.err
	}
	list := s.sorted(func(d *document) bool {
		return !d.DeletedAt.IsZero() && s.listed(d, r.caller).Read.Allowed
	}, order.compare(s))
	return s.documentsAnswer(r, list, r.uncounted()), nil
}

// documentsAnswer is the requested page of a list of documents.
func (s *store) documentsAnswer(r *request, list []*document, p *pagination) answer {
	var data, policies []pieces
	for _, d := range cut(list, r.page) {
		data = append(data, s.presentDocument(d))
		policies = append(policies, s.documentPolicy(r.caller, d))
	}
	return answer{data: array(data...), policies: array(policies...), page: p}
}

// An order is how a list of documents is sorted.
type order struct {
	field     string
	ascending bool
}

// order reads sort and direction of the document lists. Any direction but ASC
// means descending.
func (f *fields) order() order {
	o := order{field: "updatedAt", ascending: f.values["direction"] == "ASC"}
	if f.has("sort") {
		o.field = f.string("sort")
		switch o.field {
		case "createdAt", "updatedAt", "publishedAt", "index", "title", "popularityScore":
		default:
			f.fail("sort", "Invalid input")
		}
	}
	return o
}

// compare returns the order as a comparison. The order by index is that of the
// siblings.
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
	if o.ascending {
		return by
	}
	return func(a, b *document) int { return by(b, a) }
}

// siblings are the IDs of the active documents beside a document.
func (s *store) siblings(d *document) []string {
	return s.children[cmp.Or(d.ParentID, d.CollectionID)]
}

func byID(a, b *document) int { return cmp.Compare(a.ID, b.ID) }

func byCreation(a, b *document) int { return a.CreatedAt.Compare(b.CreatedAt) }
