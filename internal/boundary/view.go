package boundary

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"outline-mcp/outline"
)

// A Collection is what rules are matched against.
type Collection struct {
	ID    string `json:"id"` // UUID
	URLID string `json:"urlId"`
	Name  string `json:"name"`
}

// Match returns the collections that an entry of the rules means: the one that has the ID
// or, if none has, those that are called so, case included. A member can give a collection
// any name, also one that looks like an ID.
func Match(entry string, among []Collection) []Collection {
	var named []Collection
	for _, c := range among {
		switch {
		case strings.EqualFold(c.ID, entry), c.URLID != "" && (c.URLID == entry || strings.HasSuffix(entry, "-"+c.URLID)):
			return []Collection{c}
		case c.Name == entry:
			named = append(named, c)
		}
	}
	return named
}

// A view is what the rules leave of the workspace for one caller.
type view struct {
	listed map[string]Collection // all that the caller sees, by UUID; nil if the rules can do without
	only   []map[string]bool     // each limits what is shown
	except map[string]bool
	write  map[string]bool // nil if writing is not limited to some
	drafts bool

	// unlisted: collections that are not listed are shown, too. With a name among the
	// exclusions, one of which the caller cannot learn the name may be excluded.
	unlisted bool
}

// newView applies rules of UUIDs for a caller who sees the collections in listed, and who
// limits a request to some of them. Entries of the rules that are no UUIDs mean nothing.
// Unlisted is as in view.
func newView(r Rules, narrowing []string, listed []Collection, unlisted bool) view {
	v := view{except: ids(r.Except), drafts: r.Drafts, unlisted: unlisted}
	if listed != nil {
		v.listed = map[string]Collection{}
		for _, c := range listed {
			v.listed[c.ID] = c
		}
	}
	if len(r.Only) > 0 {
		v.only = append(v.only, ids(r.Only))
	}
	if len(narrowing) > 0 {
		resolved, _ := Rules{Only: narrowing}.resolve(listed, nil)
		v.only = append(v.only, ids(resolved.Only))
	}
	if len(r.Write) > 0 {
		v.write = ids(r.Write)
	}
	return v
}

// ids returns the UUIDs among entries.
func ids(entries []string) map[string]bool {
	found := map[string]bool{}
	for _, entry := range entries {
		if outline.IsUUID(entry) {
			found[strings.ToLower(entry)] = true
		}
	}
	return found
}

// showsAll reports whether the caller sees everything that Outline shows.
func (v view) showsAll() bool {
	return len(v.only) == 0 && len(v.except) == 0 && v.unlisted && v.drafts
}

// limitsCollections reports whether some collections are outside.
func (v view) limitsCollections() bool { return len(v.only) > 0 || len(v.except) > 0 || !v.unlisted }

// shows reports whether a collection is inside, by its UUID.
func (v view) shows(id string) bool {
	if id == "" || v.except[id] {
		return false
	}
	if slices.ContainsFunc(v.only, func(only map[string]bool) bool { return !only[id] }) {
		return false
	}
	_, listed := v.listed[id]
	return listed || v.unlisted
}

// writes reports whether something in a collection may be changed.
func (v view) writes(id string) bool { return v.shows(id) && (v.write == nil || v.write[id]) }

// An item reports whether something that Outline sends is inside.
type item func(context.Context, *exchange, json.RawMessage) (bool, error)

// documentItem: a document that the caller is about to change must be one that may be.
func documentItem(ctx context.Context, e *exchange, data json.RawMessage) (bool, error) {
	d, err := documentOf(data)
	if err != nil {
		return false, err
	}
	inside, err := e.inside(ctx, d)
	if err == nil && inside && e.ToChange {
		err = e.mayChange(ctx, d)
	}
	return inside, err
}

// collectionItem: a collection that the caller is about to change must be one that may be.
func collectionItem(_ context.Context, e *exchange, data json.RawMessage) (bool, error) {
	var c Collection
	if err := decode(data, &c); err != nil {
		return false, err
	}
	inside := !e.view.limitsCollections() || e.view.shows(c.ID)
	if inside && e.ToChange {
		return true, e.may(writes, c.ID)
	}
	return inside, nil
}

// commentItem: comments do not say in which collection they are. So they are only asked
// for by document or by collection, which Outline limits itself.
func commentItem(context.Context, *exchange, json.RawMessage) (bool, error) { return true, nil }

// placedItem is something in a collection.
type placedItem struct {
	CollectionID string `json:"collectionId"`
}

// templateItem: a template for all collections is outside if only some are inside.
func templateItem(ctx context.Context, e *exchange, data json.RawMessage) (bool, error) {
	var t placedItem
	if err := decode(data, &t); err != nil {
		return false, err
	}
	switch {
	case !e.view.limitsCollections():
		return true, nil
	case t.CollectionID == "":
		return len(e.view.only) == 0, nil
	}
	return e.view.shows(t.CollectionID), nil
}

// fileOperationItem: what is about no collection, such as an export of the whole
// workspace, is outside.
func fileOperationItem(ctx context.Context, e *exchange, data json.RawMessage) (bool, error) {
	var f placedItem
	if err := decode(data, &f); err != nil {
		return false, err
	}
	if e.view.showsAll() {
		return true, nil
	}
	return e.view.shows(f.CollectionID), nil
}
