package bounds

import (
	"context"
	"encoding/json"
	"slices"
)

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
