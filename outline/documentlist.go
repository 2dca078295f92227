package outline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// DocumentListParams describe a list of documents.
type DocumentListParams struct {
	DocumentFilter
	// SharedWithMe lists only the documents that are shared with the caller one by one,
	// or with groups of the caller, in any collection. No other list holds those in
	// collections that the caller may not read. What is below them is not among them.
	SharedWithMe bool

	Sort      string // createdAt, updatedAt (default), publishedAt, title or popularityScore
	Ascending bool
	Limit     int // 1–100; 0 is Outline's default, 25
	Offset    int // of the first document, 0 or more
}

// A DocumentPage is a page of a list of documents.
type DocumentPage struct {
	Page[DocumentSummary]      // Total is -1 if the list was not read to its end
	More                  bool // further documents follow
	// Incomplete: Outline cannot filter like this, and the list was too long to look
	// through all of it. Documents may be missing.
	Incomplete bool
	Searched   int // number of documents that were looked through; 0 if Outline has filtered
	// Alike: no title has the part that the filter names, but without accents and emoji.
	Alike bool
	// NoDrafts: drafts outside of collections may be missing, because the caller may not
	// list them.
	NoDrafts bool
}

// Documents returns a page of the documents that a filter selects (documents.list).
//
// A filter that only names a collection, a parent or a status takes one request. For
// others, the list is read in the order that ends soonest, up to maxListed documents and
// as long as the deadline of ctx allows.
//
// Every document is held against the filter, because servers answer parameters that
// they do not know with an unfiltered list.
func (c *Client) Documents(ctx context.Context, p DocumentListParams) (DocumentPage, error) {
	p.Limit, p.Sort = cmp.Or(p.Limit, 25), cmp.Or(p.Sort, "updatedAt")
	if p.SharedWithMe {
		return c.sharedDocuments(ctx, p)
	}
	filter, exact := p.request()
	if p.CollectionID == "" && p.ParentDocumentID == "" && slices.Contains(p.statuses(), "draft") {
		return c.listWithDrafts(ctx, p, filter)
	}
	if exact {
		request := listRequest{filter, p.Sort, direction(p.Ascending), ListParams{p.Limit, p.Offset}}
		page, err := counted(ctx, c, listing.request("documents.list", request), DocumentSummary.incomplete)
		if err != nil || !slices.ContainsFunc(page.Items, func(d DocumentSummary) bool { return !p.Accepts(d) }) {
			return DocumentPage{Page: page, More: p.Offset+len(page.Items) < page.Total && len(page.Items) > 0}, err
		}
	}
	return c.filterDocuments(ctx, p, filter, nil)
}

// listWithDrafts lists documents with the caller's drafts outside of collections, which
// releases have only in documents.drafts.
func (c *Client) listWithDrafts(ctx context.Context, p DocumentListParams, filter listFilter) (DocumentPage, error) {
	var drafts []DocumentSummary
	listed, err := readPages(ctx, maxListed, func(page ListParams) (Page[DocumentSummary], error) {
		return list[DocumentSummary](ctx, c, listing.request("documents.drafts", sortedList{Sort: p.Sort, Direction: direction(p.Ascending), ListParams: page}), DocumentSummary.incomplete)
	}, DocumentSummary.id, func(d DocumentSummary) bool {
		if d.CollectionID == "" && p.Accepts(d) {
			drafts = append(drafts, d)
		}
		return false
	})
	forbidden := errors.Is(err, ErrForbidden)
	if err != nil && !forbidden {
		return DocumentPage{}, err
	}
	page, err := c.filterDocuments(ctx, p, filter, drafts)
	page.Incomplete, page.NoDrafts = page.Incomplete || listed.incomplete, forbidden
	return page, err
}

// listRequest are the parameters of documents.list.
type listRequest struct {
	listFilter
	Sort      string `json:"sort"`
	Direction string `json:"direction"`
	ListParams
}

func direction(ascending bool) string {
	if ascending {
		return "ASC"
	}
	return "DESC"
}

// maxListed is how many documents of a list are read that Outline cannot filter.
// Outline allows 100 requests a minute, and this takes 30.
const maxListed = 3000

// filterDocuments filters a list that Outline cannot filter, and adds documents that it
// may lack, which are in the order that is asked for.
func (c *Client) filterDocuments(ctx context.Context, p DocumentListParams, filter listFilter, lacking []DocumentSummary) (DocumentPage, error) {
	order, passed := p.readingOrder()
	asked := order == sorting{p.Sort, p.Ascending}
	var found, alike []DocumentSummary
	added := map[string]bool{}
	for _, d := range lacking {
		added[d.ID] = true
	}
	total, all := -1, true // of the list, and whether the filter accepts all of it
	listed, err := readPages(ctx, maxListed, func(page ListParams) (Page[DocumentSummary], error) {
		items, err := list[DocumentSummary](ctx, c, listing.request("documents.list", listRequest{filter, order.by, direction(order.ascending), page}), DocumentSummary.incomplete)
		total = items.Total
		return items, err
	}, DocumentSummary.id, func(d DocumentSummary) bool {
		switch {
		case !p.Accepts(d):
			if all = false; p.nearly(d) {
				alike = append(alike, d)
			}
		case !added[d.ID]:
			found = append(found, d)
		}
		return passed(d) || asked && len(found) > p.Offset+p.Limit
	})
	if err != nil {
		return DocumentPage{}, err
	}
	isAlike := len(found) == 0 && len(lacking) == 0 && len(alike) > 0
	if isAlike {
		found = alike
	}
	wanted := sorting{p.Sort, p.Ascending}
	if !asked {
		slices.SortStableFunc(found, wanted.compare)
	}
	for at := 0; len(lacking) > 0; at++ {
		if at == len(found) || wanted.compare(lacking[0], found[at]) < 0 {
			found = slices.Insert(found, at, lacking[0])
			lacking = lacking[1:]
		}
	}
	page := p.pageOf(found, listed)
	page.Alike = isAlike
	if asked && page.More {
		page.Total = -1
		if _, exact := p.request(); exact && all && len(added) == 0 {
			page.Total = total
		}
	}
	return page, nil
}

// pageOf returns the page of the documents that were found, in their order.
func (p DocumentListParams) pageOf(found []DocumentSummary, listed listProgress) DocumentPage {
	first := min(p.Offset, len(found))
	last := min(first+p.Limit, len(found))
	page := DocumentPage{
		Page: Page[DocumentSummary]{Items: found[first:last:last], Limit: p.Limit, Offset: p.Offset, Total: len(found)},
		More: last < len(found), Incomplete: listed.incomplete, Searched: listed.searched,
	}
	if page.Items == nil {
		page.Items = []DocumentSummary{}
	}
	if listed.incomplete {
		page.Total = -1
	}
	return page
}

// sorting is an order of documents.
type sorting struct {
	by        string // as DocumentListParams.Sort
	ascending bool
}

// readingOrder returns the order in which a list is read that Outline cannot filter,
// and the function that reports whether no further document can be accepted. It is the
// requested order if that one reaches such a document.
func (p DocumentListParams) readingOrder() (sorting, func(DocumentSummary) bool) {
	type end struct {
		sorting
		limit time.Time
	}
	ends := slices.DeleteFunc([]end{
		{sorting{"updatedAt", false}, p.UpdatedAfter}, {sorting{"createdAt", false}, p.CreatedAfter},
		{sorting{"updatedAt", true}, p.UpdatedBefore}, {sorting{"createdAt", true}, p.CreatedBefore},
	}, func(e end) bool { return e.limit.IsZero() })
	asked := sorting{p.Sort, p.Ascending}
	if len(ends) == 0 {
		return asked, func(DocumentSummary) bool { return false }
	}
	chosen := ends[max(0, slices.IndexFunc(ends, func(e end) bool { return e.sorting == asked }))]
	return chosen.sorting, func(d DocumentSummary) bool {
		at := d.UpdatedAt
		if chosen.by == "createdAt" {
			at = d.CreatedAt
		}
		if chosen.ascending {
			return !at.Before(chosen.limit)
		}
		return at.Before(chosen.limit)
	}
}

// compare compares two documents in the order; the ID decides between equal ones. A
// draft has been published last, as PostgreSQL has it.
func (s sorting) compare(a, b DocumentSummary) int {
	var c int
	switch s.by {
	case "createdAt":
		c = a.CreatedAt.Compare(b.CreatedAt)
	case "publishedAt":
		switch {
		case a.PublishedAt != nil && b.PublishedAt != nil:
			c = a.PublishedAt.Compare(*b.PublishedAt)
		case a.PublishedAt != nil:
			c = -1
		case b.PublishedAt != nil:
			c = 1
		}
	case "title":
		c = strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	case "popularityScore":
		c = cmp.Compare(a.PopularityScore, b.PopularityScore)
	default:
		c = a.UpdatedAt.Compare(b.UpdatedAt)
	}
	if !s.ascending {
		c = -c
	}
	return cmp.Or(c, strings.Compare(a.ID, b.ID))
}

// sharedDocuments filters and orders the documents that are shared with the caller one
// by one, which Outline lists in an order of the caller's.
func (c *Client) sharedDocuments(ctx context.Context, p DocumentListParams) (DocumentPage, error) {
	var found []DocumentSummary
	listed, err := eachShared(ctx, c, listing, DocumentSummary.incomplete, func(d DocumentSummary) bool {
		if p.Accepts(d) {
			found = append(found, d)
		}
		return false
	})
	if err != nil {
		return DocumentPage{}, err
	}
	slices.SortStableFunc(found, sorting{p.Sort, p.Ascending}.compare)
	return p.pageOf(found, listed), nil
}
