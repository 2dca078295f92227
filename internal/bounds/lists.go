package bounds

import (
	"context"
	"encoding/json"
	"slices"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// mostItems is how many items of a list are looked through.
const mostItems = 5000

// A list is the answer of an endpoint that returns a page.
type list struct {
	Data       []json.RawMessage `json:"data"`
	Pagination struct {
		Limit  int  `json:"limit"`
		Offset int  `json:"offset"`
		Total  *int `json:"total"` // nil if the endpoint does not say
	} `json:"pagination"`
}

// listing makes calls that return a page of a list, which contains only what is inside,
// and whose offsets and total count only that.
func listing(is item) func(context.Context, *exchange) error {
	return func(ctx context.Context, e *exchange) error {
		if e.view.showsAll() || !e.view.limitsCollections() && !e.listsDrafts() {
			return e.pass(ctx)
		}
		if err := e.limitFilters(ctx); err != nil {
			return err
		}
		// What a list is about may be outside, which must not show in its length.
		for _, check := range []check{
			collection("collectionId", reads), documentNamed("documentId", reads), documentNamed("parentDocumentId", reads), documentNamed("backlinkDocumentId", reads),
		} {
			if err := check(ctx, e); err != nil {
				return err
			}
		}
		if one := e.view.single(); one != "" && slices.Contains(byCollection, e.Endpoint) && !e.listsDrafts() && e.params["filters"] == nil && e.text("collectionId") == "" {
			e.set("collectionId", one)
		}
		if e.text("collectionId") != "" || e.text("documentId") != "" || e.text("parentDocumentId") != "" {
			return e.page(ctx, is)
		}
		return e.walk(ctx, is)
	}
}

// byCollection are the lists that Outline can limit to one collection.
var byCollection = []string{"documents.list", "documents.archived", "documents.search", "documents.search_titles", "documents.drafts", "templates.list"}

// listsDrafts reports whether a list may hold drafts outside of collections.
func (e *exchange) listsDrafts() bool {
	if !e.view.drafts && e.view.limitsCollections() {
		return false // they are left out
	}
	switch e.Endpoint {
	case "documents.archived", "templates.list", "collections.list":
		return false
	case "documents.list":
		if e.params["filters"] == nil && e.params["statusFilter"] == nil {
			return false // the published ones
		}
	}
	var statuses []string
	if json.Unmarshal(e.params["statusFilter"], &statuses) != nil || len(statuses) == 0 {
		return true
	}
	return slices.Contains(statuses, "draft")
}

// page makes a call whose list Outline itself limits to what is inside. What is not,
// nevertheless, is left out.
func (e *exchange) page(ctx context.Context, is item) error {
	body, err := e.send(ctx)
	if err != nil {
		return err
	}
	var answer list
	if err := decode(body, &answer); err != nil {
		return err
	}
	kept := []json.RawMessage{}
	for _, data := range answer.Data {
		inside, err := is(ctx, e, data)
		if err != nil {
			return err
		}
		if inside {
			kept = append(kept, data)
		}
	}
	return e.answerPage(ctx, kept, answer.Pagination.Limit, answer.Pagination.Offset, answer.Pagination.Total)
}

// walk reads a list that Outline cannot limit from its beginning: to the end if the
// answer has a total, and up to the end of the page otherwise.
func (e *exchange) walk(ctx context.Context, is item) error {
	limit, offset := e.number("limit", 25), e.number("offset", 0)
	kept, found := []json.RawMessage{}, 0
	var counted bool
	for at := 0; ; at += maxPage {
		e.set("limit", maxPage)
		e.set("offset", at)
		body, err := e.send(ctx)
		if err != nil {
			return err
		}
		var answer list
		if err := decode(body, &answer); err != nil {
			return err
		}
		for _, data := range answer.Data {
			inside, err := is(ctx, e, data)
			if err != nil {
				return err
			}
			if !inside {
				continue
			}
			if found++; found > offset && len(kept) < limit {
				kept = append(kept, data)
			}
		}
		counted = answer.Pagination.Total != nil
		if len(answer.Data) < maxPage || !counted && found >= offset+limit {
			break
		}
		if at+maxPage >= mostItems {
			return output.Failure{Code: output.TooLarge, Sentence: "this server shows only a part of the workspace, and the list is too long to find that part.",
				Next: "Name one collection with collection_id, or ask for less."}
		}
	}
	var total *int
	if counted {
		total = &found
	}
	return e.answerPage(ctx, kept, limit, offset, total)
}

// answerPage makes a page the answer of the call.
func (e *exchange) answerPage(ctx context.Context, items []json.RawMessage, limit, offset int, total *int) error {
	pagination := map[string]int{"limit": limit, "offset": offset}
	if total != nil {
		pagination["total"] = *total
	}
	return e.answerWith(ctx, map[string]any{"ok": true, "data": items, "pagination": pagination})
}

func (e *exchange) answerWith(ctx context.Context, answer map[string]any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return e.Answer(ctx, body)
}

// number returns a parameter that is a number, or what it is without one.
func (e *exchange) number(name string, without int) int {
	n := without
	_ = json.Unmarshal(e.params[name], &n)
	return n
}

// limitFilters replaces what is outside in the parameter filters.
func (e *exchange) limitFilters(ctx context.Context) error {
	if e.params["filters"] == nil {
		return nil
	}
	var filters []any
	if err := decode(e.params["filters"], &filters); err != nil {
		return err
	}
	if err := e.limitConditions(ctx, filters); err != nil {
		return err
	}
	e.set("filters", filters)
	return nil
}

func (e *exchange) limitConditions(ctx context.Context, conditions []any) error {
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if group, ok := condition["filters"].([]any); ok {
			if err := e.limitConditions(ctx, group); err != nil {
				return err
			}
		}
		field, _ := condition["field"].(string)
		value, named := condition["value"].(string)
		if !named || value == nothing || !slices.Contains([]string{"collectionId", "documentId", "parentDocumentId"}, field) {
			continue
		}
		inside, err := false, error(nil)
		if field == "collectionId" {
			inside, err = e.shows(ctx, value)
		} else {
			_, _, inside, err = e.findDocument(ctx, value)
		}
		if err != nil {
			return err
		}
		if !inside {
			condition["value"] = nothing
		}
	}
	return nil
}

// favorites makes calls that return documents with how they are marked.
func favorites(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	body, err := e.send(ctx)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Stars     []json.RawMessage `json:"stars"`
			Pins      []json.RawMessage `json:"pins"`
			Documents []json.RawMessage `json:"documents"`
		} `json:"data"`
	}
	if err := decode(body, &answer); err != nil {
		return err
	}
	documents, ids, err := e.keepDocuments(ctx, answer.Data.Documents)
	if err != nil {
		return err
	}
	data := map[string][]json.RawMessage{"documents": documents}
	for name, marks := range map[string][]json.RawMessage{"stars": answer.Data.Stars, "pins": answer.Data.Pins} {
		if data[name], err = keepAbout(ids, marks); err != nil {
			return err
		}
	}
	return e.answerWith(ctx, map[string]any{"ok": true, "data": data})
}

// keepDocuments returns the documents that are inside, and their IDs.
func (e *exchange) keepDocuments(ctx context.Context, all []json.RawMessage) ([]json.RawMessage, map[string]bool, error) {
	kept, ids := []json.RawMessage{}, map[string]bool{}
	for _, data := range all {
		d, err := documentOf(data)
		if err != nil {
			return nil, nil, err
		}
		inside, err := e.inside(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		if inside {
			kept, ids[d.ID] = append(kept, data), true
		}
	}
	return kept, ids, nil
}

// keepAbout returns what is about one of some documents.
func keepAbout(documents map[string]bool, all []json.RawMessage) ([]json.RawMessage, error) {
	kept := []json.RawMessage{}
	for _, data := range all {
		var about struct {
			DocumentID string `json:"documentId"`
		}
		if err := decode(data, &about); err != nil {
			return nil, err
		}
		if documents[about.DocumentID] {
			kept = append(kept, data)
		}
	}
	return kept, nil
}

// memberships lists the documents that are shared with the caller one by one.
func memberships(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	limit, offset := e.number("limit", 25), e.number("offset", 0)
	var documents, shares []json.RawMessage
	for at := 0; at < mostItems; at += maxPage {
		e.set("limit", maxPage)
		e.set("offset", at)
		body, err := e.send(ctx)
		if err != nil {
			return err
		}
		var answer struct {
			Data struct {
				Memberships []json.RawMessage `json:"memberships"`
				Documents   []json.RawMessage `json:"documents"`
			} `json:"data"`
		}
		if err := decode(body, &answer); err != nil {
			return err
		}
		kept, ids, err := e.keepDocuments(ctx, answer.Data.Documents)
		if err != nil {
			return err
		}
		about, err := keepAbout(ids, answer.Data.Memberships)
		if err != nil {
			return err
		}
		documents, shares = append(documents, kept...), append(shares, about...)
		if len(answer.Data.Memberships) < maxPage {
			break
		}
	}
	shares = shares[min(offset, len(shares)):min(offset+limit, len(shares))]
	var ids []string
	for _, share := range shares {
		var about struct {
			DocumentID string `json:"documentId"`
		}
		if err := decode(share, &about); err != nil {
			return err
		}
		ids = append(ids, about.DocumentID)
	}
	shown := []json.RawMessage{}
	for _, data := range documents {
		if d, err := documentOf(data); err == nil && slices.Contains(ids, d.ID) {
			shown = append(shown, data)
		}
	}
	if shares == nil {
		shares = []json.RawMessage{}
	}
	return e.answerWith(ctx, map[string]any{"ok": true, "data": map[string]any{"memberships": shares, "documents": shown}, "pagination": map[string]int{"limit": limit, "offset": offset}})
}

// listComments lists comments. Those on all documents do not say in which collection
// they are, so the collections that are inside are asked one by one; those on drafts
// outside of collections are not among them.
func listComments(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	if e.text("documentId") != "" || e.text("collectionId") != "" {
		return naming(documentNamed("documentId", reads), collection("collectionId", reads))(ctx, e)
	}
	inside, err := e.insideIDs(ctx)
	if err != nil {
		return err
	}
	limit, offset := e.number("limit", 25), e.number("offset", 0)
	sort := e.text("sort")
	if sort == "" {
		sort = "createdAt"
	}
	type dated struct {
		at   string
		data json.RawMessage
	}
	var all []dated
	total := 0
	for _, id := range inside {
		e.set("collectionId", id)
		for at := 0; at < offset+limit; at += maxPage {
			e.set("limit", min(maxPage, offset+limit-at))
			e.set("offset", at)
			body, err := e.send(ctx)
			if err != nil && outlineRefuses(err) {
				break // a collection that this caller cannot see
			}
			if err != nil {
				return err
			}
			var answer list
			if err := decode(body, &answer); err != nil {
				return err
			}
			for _, data := range answer.Data {
				var times map[string]any
				if err := decode(data, &times); err != nil {
					return err
				}
				stamp, _ := times[sort].(string)
				all = append(all, dated{stamp, data})
			}
			if at == 0 && answer.Pagination.Total != nil {
				total += *answer.Pagination.Total
			}
			if len(answer.Data) < maxPage {
				break
			}
		}
	}
	// Outline's times are all of one form, so that they sort as text.
	slices.SortStableFunc(all, func(a, b dated) int {
		if e.text("direction") == "ASC" {
			a, b = b, a
		}
		switch {
		case a.at > b.at:
			return -1
		case a.at < b.at:
			return 1
		}
		return 0
	})
	page := []json.RawMessage{}
	for _, one := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		page = append(page, one.data)
	}
	return e.answerPage(ctx, page, limit, offset, &total)
}

// insideIDs returns the UUIDs of the collections that are inside.
func (e *exchange) insideIDs(ctx context.Context) ([]string, error) {
	all, _, err := e.collections(ctx, 0)
	if err != nil {
		return nil, err
	}
	var inside []string
	for _, c := range all {
		if e.view.shows(c.ID) {
			inside = append(inside, c.ID)
		}
	}
	return inside, nil
}

var _ outline.Bounds = (*Bounds)(nil)
