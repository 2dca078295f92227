package boundary

import (
	"context"
	"encoding/json"
	"slices"
)

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
		e.ToChange = false // it is about what is named by its ID, and not about others of the list
		if e.view.showsAll() || !e.view.limitsCollections() && !e.listsDrafts() {
			return e.pass(ctx)
		}
		if err := e.limitFilters(ctx); err != nil {
			return err
		}
		// What a list is about may be outside, which must not show in its length.
		if err := e.all(ctx, collection("collectionId", reads), documentNamed("documentId", reads), documentNamed("parentDocumentId", reads), documentNamed("backlinkDocumentId", reads)); err != nil {
			return err
		}
		if e.text("collectionId") != "" || e.text("documentId") != "" || e.text("parentDocumentId") != "" {
			return e.page(ctx, is)
		}
		if e.params["filters"] != nil && !e.listsDrafts() {
			return e.filtered(ctx, is)
		}
		sources, err := e.sources(ctx)
		if err != nil {
			return err
		}
		return e.merge(ctx, is, sources)
	}
}

// listsDrafts reports whether a list may hold drafts outside of collections.
func (e *exchange) listsDrafts() bool {
	if !e.view.drafts && e.view.limitsCollections() {
		return false // they are left out
	}
	switch e.Endpoint {
	case "comments.list": // comments on drafts
		return true
	case "documents.archived", "templates.list", "collections.list":
		return false
	case "documents.list":
		if e.params["filters"] == nil && e.params["statusFilter"] == nil {
			return false // the published ones
		}
	}
	if e.params["filters"] != nil {
		return asksForDrafts(e.filters())
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
	return e.answerPage(kept, answer.Pagination.Limit, answer.Pagination.Offset, answer.Pagination.Total)
}

// answerPage makes a page the answer of the call.
func (e *exchange) answerPage(items []json.RawMessage, limit, offset int, total *int) error {
	pagination := map[string]int{"limit": limit, "offset": offset}
	if total != nil {
		pagination["total"] = *total
	}
	return e.answerWith(map[string]any{"ok": true, "data": items, "pagination": pagination})
}

func (e *exchange) answerWith(answer map[string]any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	e.Answer(body)
	return nil
}

// number returns a parameter that is a number, or what it is without one.
func (e *exchange) number(name string, without int) int {
	n := without
	_ = json.Unmarshal(e.params[name], &n)
	return n
}

// limitFilters replaces what is outside in the parameter filters.
func (e *exchange) limitFilters(ctx context.Context) error {
	filters := e.filters()
	if filters == nil {
		return nil
	}
	if err := e.limitConditions(ctx, filters); err != nil {
		return err
	}
	e.set("filters", filters)
	return nil
}

// filters returns the parameter filters, or nil.
func (e *exchange) filters() []any {
	var filters []any
	_ = json.Unmarshal(e.params["filters"], &filters) // the client sends no other type
	return filters
}

// asksForDrafts reports whether filters have a condition that drafts meet.
func asksForDrafts(filters []any) bool {
	return slices.ContainsFunc(filters, func(one any) bool {
		condition, _ := one.(map[string]any)
		group, _ := condition["filters"].([]any)
		return condition["field"] == "publishedAt" && condition["operator"] == "isNull" || asksForDrafts(group)
	})
}

// filtered makes a call with filters, which lets Outline itself limit the list.
func (e *exchange) filtered(ctx context.Context, is item) error {
	ids, err := e.insideIDs(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 { // Outline accepts no empty list
		none := 0
		return e.answerPage([]json.RawMessage{}, e.number("limit", 25), e.number("offset", 0), &none)
	}
	e.set("filters", append(e.filters(), map[string]any{"field": "collectionId", "operator": "in", "value": ids}))
	return e.page(ctx, is)
}

// insideIDs returns the UUIDs of the collections that are inside.
func (e *exchange) insideIDs(ctx context.Context) ([]string, error) {
	all, err := e.collections(ctx)
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
		if !named || value == unusedID || !slices.Contains([]string{"collectionId", "documentId", "parentDocumentId"}, field) {
			continue
		}
		inside, err := false, error(nil)
		if field == "collectionId" {
			inside = e.view.shows(value)
		} else {
			_, _, inside, err = e.findDocument(ctx, value)
		}
		if err != nil {
			return err
		}
		if !inside {
			condition["value"] = unusedID
		}
	}
	return nil
}

// favorites makes calls that return documents with how they are marked.
func favorites(ctx context.Context, e *exchange) error {
	if e.view.showsAll() {
		return e.pass(ctx)
	}
	answer, _, err := send[struct{ Documents, Stars, Pins []json.RawMessage }](ctx, e)
	if err != nil {
		return err
	}
	documents, ids, err := e.keepDocuments(ctx, answer.Documents)
	if err != nil {
		return err
	}
	data := map[string][]json.RawMessage{"documents": documents}
	if data["stars"], err = keepAbout(ids, answer.Stars); err != nil {
		return err
	}
	if data["pins"], err = keepAbout(ids, answer.Pins); err != nil {
		return err
	}
	return e.answerWith(map[string]any{"ok": true, "data": data})
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
		var about part
		if err := decode(data, &about); err != nil {
			return nil, err
		}
		if documents[about.DocumentID] {
			kept = append(kept, data)
		}
	}
	return kept, nil
}

// memberships makes calls that list the documents that are shared with the caller one by
// one, or with groups of the caller. field is that of the memberships in the answer.
func memberships(field string) func(context.Context, *exchange) error {
	return func(ctx context.Context, e *exchange) error {
		if e.view.showsAll() {
			return e.pass(ctx)
		}
		limit, offset := e.number("limit", 25), e.number("offset", 0)
		documents, shares := []json.RawMessage{}, []json.RawMessage{}
		for at := 0; at < mostItems; at += maxPage {
			e.set("limit", maxPage)
			e.set("offset", at)
			answer, _, err := send[map[string][]json.RawMessage](ctx, e)
			if err != nil {
				return err
			}
			kept, ids, err := e.keepDocuments(ctx, answer["documents"])
			if err != nil {
				return err
			}
			about, err := keepAbout(ids, answer[field])
			if err != nil {
				return err
			}
			documents, shares = append(documents, kept...), append(shares, about...)
			if len(answer[field]) < maxPage {
				break
			}
		}
		shares = shares[min(offset, len(shares)):min(offset+limit, len(shares))]
		var ids []string
		for _, share := range shares {
			var about part
			if err := decode(share, &about); err != nil {
				return err
			}
			ids = append(ids, about.DocumentID)
		}
		shown := slices.DeleteFunc(documents, func(data json.RawMessage) bool {
			d, err := documentOf(data)
			return err != nil || !slices.Contains(ids, d.ID)
		})
		return e.answerWith(map[string]any{"ok": true, "data": map[string]any{field: shares, "documents": shown}, "pagination": map[string]int{"limit": limit, "offset": offset}})
	}
}
