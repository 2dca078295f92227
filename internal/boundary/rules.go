// Package boundary limits the server to some collections of its Outline. It stands in
// the Outline client (outline.Bounds), below everything that answers callers: what is
// outside looks as if it did not exist, to tools, resources, prompts and completions
// alike.
//
// Every endpoint that the client calls has an entry in one table. A call of any other
// endpoint is refused while callers are limited.
package boundary

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline"
)

// Rules are the operator's choice of collections. Each entry is the UUID, the URL id or
// the name of a collection. One that matches no collection that the caller can see, or
// several, allows nothing. The zero value hides the caller's own drafts and limits
// nothing else.
type Rules struct {
	Only   []string // those that callers see; none named means all
	Except []string // those that they do not see, even if Only names them
	Write  []string // those of them where callers may change something; none named means all
	Drafts bool     // callers see their own drafts outside of collections
}

// limits reports whether the rules limit anything.
func (r Rules) limits() bool {
	return r.Hide() || len(r.Write) > 0
}

// Hide reports whether the rules hide anything, so that Outline cannot do something with
// the whole workspace: see WholeWorkspace.
func (r Rules) Hide() bool { return len(r.Only) > 0 || len(r.Except) > 0 || !r.Drafts }

// A Contradiction is an entry of the rules that can have no effect, whatever the
// workspace holds.
type Contradiction struct {
	Setting string // the variable
	Text    string // what is wrong and what to do
}

// Contradictions returns what contradicts itself in the rules, as far as that shows
// without the workspace: a name may mean the same collection as a UUID.
func (r Rules) Contradictions() []Contradiction {
	var found []Contradiction
	for _, entry := range r.Write {
		if contains(r.Except, entry) {
			found = append(found, Contradiction{SettingWrite, fmt.Sprintf("%q is also in %s, so that nobody can see it; remove it from one of them", entry, SettingExcept)})
		} else if len(r.Only) > 0 && !contains(r.Only, entry) && comparable(append([]string{entry}, r.Only...)) {
			found = append(found, Contradiction{SettingWrite, fmt.Sprintf("%q is not in %s, so that nobody can see it; add it there, or remove it here", entry, SettingOnly)})
		}
	}
	if len(r.Only) > 0 && !slices.ContainsFunc(r.Only, func(entry string) bool { return !contains(r.Except, entry) }) {
		found = append(found, Contradiction{SettingExcept, "leaves nothing of " + SettingOnly + "; remove what is in both from one of them"})
	}
	return found
}

// comparable reports whether entries mean different collections unless they are the same:
// all are UUIDs, or all are names that cannot be, or end in, a URL id.
func comparable(entries []string) bool {
	uuids, names := 0, 0
	for _, entry := range entries {
		last := entry[strings.LastIndexByte(entry, '-')+1:]
		switch {
		case outline.IsUUID(entry):
			uuids++
		case !urlID().MatchString(last):
			names++
		}
	}
	return uuids == len(entries) || names == len(entries)
}

// urlID matches the URL ids of collections.
var urlID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{10,15}$`) })

func contains(entries []string, entry string) bool {
	return slices.ContainsFunc(entries, func(other string) bool { return strings.EqualFold(other, entry) })
}

// The settings that the rules come from, for messages.
const (
	SettingOnly   = "OUTLINE_COLLECTIONS"
	SettingExcept = "OUTLINE_EXCLUDE_COLLECTIONS"
	SettingWrite  = "OUTLINE_WRITE_COLLECTIONS"
	SettingDrafts = "OUTLINE_ALLOW_DRAFTS"
)

// limitsNew reports whether something new outside of collections would be outside.
func (e *exchange) limitsNew() bool { return len(e.view.only) > 0 || e.view.write != nil }

func createCollection(ctx context.Context, e *exchange) error {
	if e.limitsNew() {
		return e.notHere("nothing was created: this server works with certain collections only, and a new one is not among them.")
	}
	return e.pass(ctx)
}

func createTemplate(ctx context.Context, e *exchange) error {
	if e.text("collectionId") == "" && e.limitsNew() {
		return e.notHere("nothing was created: this server works with certain collections only, and a template for all collections is outside of them.")
	}
	return naming(collection("collectionId", writes))(ctx, e)
}

func createDocument(ctx context.Context, e *exchange) error {
	if e.text("collectionId") == "" && e.text("parentDocumentId") == "" && !e.view.drafts {
		return e.notHere("nothing was created: this server does not work with drafts outside of collections.")
	}
	return naming(collection("collectionId", writes), documentNamed("parentDocumentId", writes), template)(ctx, e)
}

// template checks the template that the parameters name, which is a document on servers
// before 1.6.
func template(ctx context.Context, e *exchange) error {
	id := e.text("templateId")
	if id == "" {
		return nil
	}
	inside := false
	data, err := ask[json.RawMessage](ctx, e, "templates.info", byID(id))
	if err == nil {
		inside, err = templateItem(ctx, e, data)
	} else if outlineRefuses(err) {
		err = nil
	}
	if err == nil && !inside { // outside, unknown, or a document
		_, _, inside, err = e.findDocument(ctx, id)
	}
	if err == nil && !inside {
		return e.NotFound()
	}
	return err
}

// duplicateDocument: without a place, the copy is beside the original.
func duplicateDocument(ctx context.Context, e *exchange) error {
	does := reads
	if e.text("collectionId") == "" && e.text("parentDocumentId") == "" {
		does = writes
	}
	return naming(documentNamed("id", does), collection("collectionId", writes), documentNamed("parentDocumentId", writes))(ctx, e)
}

// importDocument: the parameters are those of a form, in which nothing can be replaced.
func importDocument(ctx context.Context, e *exchange) error {
	if err := e.all(ctx, collection("collectionId", writes), documentNamed("parentDocumentId", writes)); err != nil {
		return err
	}
	if e.text("collectionId") == nobody {
		return e.NotFound()
	}
	return e.pass(ctx)
}

// A Finding is what an entry of the rules means for a caller.
type Finding struct {
	Setting string // the variable
	Entry   string
	Found   []Collection // one, unless the entry is wrong
}

// A Report is what rules mean for a caller who sees some collections.
type Report struct {
	Findings []Finding
	Shown    []Collection // in the order given
	Written  []Collection // those where something may be changed
	// Hidden are the collections in which Rules.Write allows writing, but which are
	// outside.
	Hidden []Collection
}

// Examine returns what rules mean for a caller who sees the given collections.
func Examine(r Rules, collections []Collection) Report {
	var report Report
	for _, list := range []struct {
		setting string
		entries []string
	}{{SettingOnly, r.Only}, {SettingExcept, r.Except}, {SettingWrite, r.Write}} {
		for _, entry := range list.entries {
			report.Findings = append(report.Findings, Finding{list.setting, entry, Match(entry, collections)})
		}
	}
	v, _ := newView(r, nil, slices.Concat([]Collection{}, collections))
	for _, c := range collections {
		switch {
		case v.writes(c.ID):
			report.Written = append(report.Written, c)
			report.Shown = append(report.Shown, c)
		case v.shows(c.ID):
			report.Shown = append(report.Shown, c)
		case v.write[c.ID]:
			report.Hidden = append(report.Hidden, c)
		}
	}
	return report
}

// A Collection is what rules are matched against.
type Collection struct {
	ID    string `json:"id"` // UUID
	URLID string `json:"urlId"`
	Name  string `json:"name"`
}

// Match returns the collections that an entry of the rules means. The case of names
// matters.
func Match(entry string, among []Collection) []Collection {
	var found []Collection
	for _, c := range among {
		if strings.EqualFold(c.ID, entry) || c.URLID == entry || c.Name == entry || strings.HasSuffix(entry, "-"+c.URLID) && c.URLID != "" {
			found = append(found, c)
		}
	}
	return found
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

// A problem is an entry of the rules that does not match one collection.
type problem struct {
	setting, entry string
	matches        int
}

// needsNames reports whether the entries can only be understood with the workspace.
func needsNames(lists ...[]string) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(entry string) bool { return !outline.IsUUID(entry) })
}

// newView resolves the rules for a caller who sees the collections in listed.
func newView(r Rules, narrowing []string, listed []Collection) (view, []problem) {
	v := view{except: map[string]bool{}, drafts: r.Drafts, unlisted: !needsNames(r.Except)}
	var problems []problem
	resolve := func(setting string, entries []string) map[string]bool {
		ids := map[string]bool{}
		for _, entry := range entries {
			if outline.IsUUID(entry) {
				ids[strings.ToLower(entry)] = true
				continue
			}
			found := Match(entry, listed)
			if len(found) != 1 {
				problems = append(problems, problem{setting, entry, len(found)})
			}
			if len(found) == 1 || setting == SettingExcept { // of several, none is allowed
				for _, c := range found {
					ids[c.ID] = true
				}
			}
		}
		return ids
	}
	if listed != nil {
		v.listed = map[string]Collection{}
		for _, c := range listed {
			v.listed[c.ID] = c
		}
	}
	if len(r.Only) > 0 {
		v.only = append(v.only, resolve(SettingOnly, r.Only))
	}
	if len(narrowing) > 0 {
		v.only = append(v.only, resolve("", narrowing))
	}
	v.except = resolve(SettingExcept, r.Except)
	if len(r.Write) > 0 {
		v.write = resolve(SettingWrite, r.Write)
	}
	return v, problems
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

// placed is something in a collection.
type placed struct {
	CollectionID string `json:"collectionId"`
}

// templateItem: a template for all collections is outside if only some are inside.
func templateItem(ctx context.Context, e *exchange, data json.RawMessage) (bool, error) {
	var t placed
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
	var f placed
	if err := decode(data, &f); err != nil {
		return false, err
	}
	if e.view.showsAll() {
		return true, nil
	}
	return e.view.shows(f.CollectionID), nil
}
