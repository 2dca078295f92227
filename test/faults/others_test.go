package faults

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// This file checks what an answer says about changes by others.

// A guard is what the answer to a change, or an item of it, says about whether
// Outline refuses to overwrite changes by others.
type guard struct {
	ID      string
	Status  string // of an item
	Guarded *bool
}

// claims returns the guards in an answer, for the document or for each item.
func (r run) claims() []guard {
	var answer struct {
		DocumentID string `json:"document_id"`
		Guarded    *bool
		Results    []guard
	}
	if r.answer.Code != "" && len(r.write.items) == 0 || json.Unmarshal(r.answer.Structured, &answer) != nil {
		return nil
	}
	if len(r.write.items) == 0 {
		return []guard{{answer.DocumentID, "success", answer.Guarded}}
	}
	return slices.DeleteFunc(answer.Results, func(g guard) bool { return g.Status != "success" })
}

// changed matches how an answer says that another user changed the document.
var changed = regexp.MustCompile(`(another user|somebody|Human|Server)(, at \S+,)? (changed|overwrote)|the document was changed between`)

// wrongAboutOthers checks that a reported change says correctly whether it was
// guarded, and that no answer reports changes that nobody made.
func (r run) wrongAboutOthers() string {
	if !r.write.updates() {
		return ""
	}
	if said := changed.FindString(r.answer.Text); said != "" && len(r.accepted) == 0 {
		return fmt.Sprintf("it says that %q, and nobody else changed anything", said)
	}
	for _, g := range r.claims() {
		switch {
		case g.Guarded == nil:
			return fmt.Sprintf("it does not say whether the change of %s was guarded", g.ID)
		case *g.Guarded != r.write.guarded(r.version):
			return fmt.Sprintf("it says that the change of %s was guarded: %t", g.ID, *g.Guarded)
		}
	}
	return ""
}

// overwrites judges a call during which another user's edit was lost. That is
// acceptable only on a release that does not guard it, if the answer says so about
// the document that they edited, and if the call changes its text.
func (r run) overwrites(mark string, results []outcome) string {
	about, last := r.write.edited, 0
	if len(r.write.items) > 0 {
		last = slices.Index(r.write.items, about)
	}
	switch {
	case wanted(r.write.name)[about] == nil || last < 0:
		return fmt.Sprintf("what another user wrote, %s, is not there, and the call does not change the text", mark)
	case results[last] == done && !slices.ContainsFunc(r.claims(), func(g guard) bool { return g.ID == about && !*g.Guarded }):
		return fmt.Sprintf("what another user wrote, %s, is not there, and no answer says that this is possible", mark)
	case results[last] == done:
		results[last] = over
	}
	return ""
}
