package faults

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What an answer says of the changes of others, and whether it is so.

// A guard is what the answer to a change of a document, or one item of it, says of
// whether Outline refuses to overwrite what others write.
type guard struct {
	ID      string
	Status  string // of an item
	Guarded *bool
}

// claims returns what an answer says, for the document or for each item.
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

// unconfirmed reports whether an answer says that the change was accepted, but may have
// been overwritten since.
func unconfirmed(text string) bool {
	return strings.Contains(text, "reading the document again failed")
}

// changed is how an answer says that somebody else has changed the document.
var changed = regexp.MustCompile(`(somebody else|somebody|Human|Server)(, at \S+,)? (changed|wrote over)|the document was changed between`)

// wrongAboutOthers checks that a change of a document that is told to be done says
// whether it was guarded, as it was, and that no answer tells of changes that nobody
// made.
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

// overwrites judges a call during which an edit of somebody else's was lost: on a
// release that does not guard it, and if the answer says so of the document that they
// edited, whose text the call changes.
func (r run) overwrites(mark string, results []outcome) string {
	about, last := r.write.edited, 0
	if len(r.write.items) > 0 {
		last = slices.Index(r.write.items, about)
	}
	switch {
	case wanted(r.write.name)[about] == nil || last < 0:
		return fmt.Sprintf("what somebody else wrote, %s, is not there, and the call does not change the text", mark)
	case results[last] == done && !slices.ContainsFunc(r.claims(), func(g guard) bool { return g.ID == about && !*g.Guarded }):
		return fmt.Sprintf("what somebody else wrote, %s, is not there, and no answer says that this is possible", mark)
	case results[last] == done:
		results[last] = over
	}
	return ""
}
