// Package bounds limits the server to some collections of its Outline. It stands in
// the Outline client (outline.Bounds), below everything that answers callers: what is
// outside looks as if it did not exist, to tools, resources, prompts and completions
// alike.
//
// Every endpoint that the client calls has an entry in one table. A call of any other
// endpoint is refused while callers are limited.
package bounds

import (
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
	return len(r.Only) > 0 || len(r.Except) > 0 || len(r.Write) > 0 || !r.Drafts
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
