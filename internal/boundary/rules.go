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
// the name of a collection. One that matches no collection, or several, allows nothing.
// The zero value hides the caller's own drafts and limits nothing else.
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

// isID reports whether an entry can be an ID. Outline makes URL ids at random: none is a
// word, such as Operations.
func isID(entry string) bool {
	last := entry[strings.LastIndexByte(entry, '-')+1:]
	return outline.IsUUID(entry) || urlID().MatchString(last) && !word().MatchString(last)
}

var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]?[a-z]+$`) })

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

// Names returns the entries that can only be names, which have no effect on a server that
// acts with the keys of its callers only: any of them could choose what a name means.
func (r Rules) Names() []Contradiction {
	var found []Contradiction
	for _, choice := range r.choices() {
		for _, entry := range choice.entries {
			if !isID(entry) {
				found = append(found, Contradiction{choice.setting, fmt.Sprintf("%q is a name, which any member can give to a collection, and which the server cannot look up without OUTLINE_API_KEY; "+
					"use the UUID or the URL id (the end of its address) of the collection", entry)})
			}
		}
	}
	return found
}

// A choice is what one setting names.
type choice struct {
	setting string
	entries []string
}

func (r Rules) choices() []choice {
	return []choice{{SettingOnly, r.Only}, {SettingExcept, r.Except}, {SettingWrite, r.Write}}
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

// resolve returns the rules with the UUID of a collection in place of each entry that
// means one of those given. What a name has meant once, as known has it, it goes on to
// mean: nobody can take it over. What it means now is excluded as well.
func (r Rules) resolve(among []Collection, known map[string]string) (Rules, []problem) {
	var problems []problem
	resolved := func(setting string, entries []string) (in []string) {
		for _, entry := range entries {
			found := Match(entry, among)
			if setting == SettingExcept && known[entry] != "" {
				in = append(in, known[entry])
			}
			switch {
			case outline.IsUUID(entry):
				in = append(in, entry)
			case known[entry] != "" && setting != SettingExcept:
				in = append(in, known[entry])
			case len(found) == 1:
				in = append(in, found[0].ID)
				if found[0].Name == entry && known != nil {
					known[entry] = found[0].ID
				}
			default: // of several, none is allowed, and all are excluded
				problems = append(problems, problem{setting, entry, len(found)})
				in = append(in, entry)
				for _, c := range found {
					if setting == SettingExcept {
						in = append(in, c.ID)
					}
				}
			}
		}
		return in
	}
	r.Only, r.Except, r.Write = resolved(SettingOnly, r.Only), resolved(SettingExcept, r.Except), resolved(SettingWrite, r.Write)
	return r, problems
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

// template checks the template that the parameters name.
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
	if e.text("collectionId") == unusedID {
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
	for _, choice := range r.choices() {
		for _, entry := range choice.entries {
			report.Findings = append(report.Findings, Finding{choice.setting, entry, Match(entry, collections)})
		}
	}
	resolved, _ := r.resolve(collections, nil)
	v := newView(resolved, nil, slices.Concat([]Collection{}, collections), true)
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
