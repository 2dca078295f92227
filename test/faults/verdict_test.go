package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/output"
)

// An outcome is the outcome of a call, in the words of the documentation.
type outcome string

// The outcomes. In all of them, what the tool says is true.
const (
	done    outcome = "done"      // once, and reported as done
	over    outcome = "overwrote" // done, and another user's edit is lost, which is reported as possible
	partly  outcome = "in part"   // and the part is reported
	refused outcome = "not done"  // and reported as not done
	unknown outcome = "unknown"   // reported as unknown, with how to find out
)

// outcomes are all outcomes, best first.
var outcomes = []outcome{done, over, partly, refused, unknown}

// judge compares the answer of a call with the state of the workspace. It returns
// the outcome of the call, or of each item of a batch, and what is wrong with the
// answer, or "".
func judge(model, r run) (results []outcome, wrong string) {
	overwritten := ""
	for _, mark := range r.accepted {
		switch n := r.after.human[mark]; {
		case n == 0 && r.write.guarded(r.version):
			return nil, fmt.Sprintf("what another user wrote, %s, is not there", mark)
		case n == 0:
			overwritten = mark
		case n > 1:
			return nil, fmt.Sprintf("what another user wrote, %s, is there %d times", mark, n)
		}
	}
	if wrong := r.untouched(model); wrong != "" {
		return nil, wrong
	}
	if r.err != nil {
		return nil, "the client got no answer"
	}
	if len(r.write.items) > 0 {
		results, wrong = r.judgeBatch(model)
	} else {
		var one outcome
		one, wrong = r.judgeOne(model)
		results = []outcome{one}
	}
	if wrong == "" {
		wrong = r.wrongAboutOthers()
	}
	if wrong == "" && overwritten != "" {
		wrong = r.overwrites(overwritten, results)
	}
	return results, wrong
}

// untouched checks the objects that a call must not change.
func (r run) untouched(model run) string {
	before, after := r.steps[0], r.after
	for name, values := range before.objects {
		if len(model.steps[0].differs(model.after)) > 0 && slices.Contains(model.changed(), name) {
			continue
		}
		if !slices.Equal(values, after.objects[name]) {
			return fmt.Sprintf("%s was changed, with which the call has nothing to do", name)
		}
		if before.revisions[name] != after.revisions[name] && len(r.accepted) == 0 && !model.revised(name) {
			return fmt.Sprintf("%s has another revision, though the call has nothing to do with it", name)
		}
	}
	for name := range after.objects {
		if _, there := before.objects[name]; !there && !slices.Contains(model.changed(), name) {
			return fmt.Sprintf("%s is there, with which the call has nothing to do", name)
		}
	}
	return ""
}

// changed returns the names of the objects that a call changes.
func (r run) changed() []string { return r.steps[0].differs(r.after) }

// revised reports whether a call raises the revision of a document.
func (r run) revised(id string) bool { return r.steps[0].revisions[id] != r.after.revisions[id] }

// reached returns how many steps of a call are done. It reports false if the state
// is that of no step.
func (r run) reached(model run) (int, bool) {
	for n := len(model.steps) - 1; n >= 0; n-- {
		if r.after.same(model.steps[n]) {
			return n, true
		}
	}
	return 0, false
}

// legal reports whether an object is in its state at one of the steps of a call.
func (r run) legal(model run, name string) bool {
	return slices.ContainsFunc(model.steps, func(s snapshot) bool { return slices.Equal(r.after.objects[name], s.objects[name]) })
}

func (r run) judgeOne(model run) (outcome, string) {
	step, ok := r.reached(model)
	all := len(model.steps) - 1
	if !ok && len(r.accepted) > 0 && r.answer.Code == output.OutcomeUnknown && (r.write.arguments["title"] != nil || r.write.name == "restore a revision") {
		return unknown, "" // Outline saves title and text separately
	}
	if !ok {
		return "", "the workspace is in a state that the call does not lead to"
	}
	switch code := r.answer.Code; {
	case code == "" && step == all:
		return done, r.wrongClaims()
	case code == "":
		return "", "success is claimed, and it is not done"
	case code == output.OutcomeUnknown:
		return unknown, r.wrongDoubt(r.answer.Text)
	case code == output.WriteMismatch, code == output.Internal:
		return "", "the answer is a " + string(code)
	case step == 0:
		return refused, ""
	case (step < all || strings.Contains(r.answer.Text, "may be left without its file")) && tellsParts(r.answer.Text):
		return partly, ""
	}
	return "", fmt.Sprintf("%s says that nothing was done, and something is", r.answer.Code)
}

// tellsParts reports whether a failure says which parts were done.
func tellsParts(text string) bool {
	for _, words := range []string{"is in the trash", "was in the trash", "stand", "were made", "was made", "applied", "was replaced, but", "was changed, but", "may be left without its file", "is uploaded as attachment"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// lost is what kept text has lost, according to an edit.
type lost struct {
	CommentAnchors  []string `json:"comment_anchors"`
	HighlightColors int      `json:"highlight_colors"`
	ColumnWidths    int      `json:"column_widths"`
}

// wrongClaims checks what a success says about revisions and losses.
func (r run) wrongClaims() string {
	var claims struct {
		DocumentID     string `json:"document_id"`
		Changed        *bool  `json:"changed"`
		Verified       *bool  `json:"verified"`
		RevisionBefore *int   `json:"revision_before"`
		Revision       *int   `json:"revision"`
		Lost           lost   `json:"lost"`
	}
	if err := json.Unmarshal(r.answer.Structured, &claims); err != nil {
		return err.Error()
	}
	before := r.steps[0].revisions[claims.DocumentID]
	had, has := extrasOf(r.steps[0].blocks[claims.DocumentID]), extrasOf(r.after.blocks[claims.DocumentID])
	gone := slices.DeleteFunc(had.anchors, func(id string) bool { return slices.Contains(has.anchors, id) })
	edited := r.write.tool == "edit_document" || r.write.restores()
	loses := edited || r.write.arguments["insert"] == "after"
	switch {
	case claims.Changed != nil && !*claims.Changed:
		return "it says that nothing changed"
	case (edited || r.write.tool == "update_document") && claims.Verified == nil:
		return "it does not say whether what is stored was verified"
	case claims.Verified != nil && !*claims.Verified:
		return "it says that verified is false"
	case loses && !slices.Equal(slices.Sorted(slices.Values(claims.Lost.CommentAnchors)), gone):
		return fmt.Sprintf("it says that the comments %q lost their passages, and %q did", claims.Lost.CommentAnchors, gone)
	case loses && (claims.Lost.HighlightColors > 0) != (has.colors < had.colors), loses && (claims.Lost.ColumnWidths > 0) != (has.widths < had.widths):
		return fmt.Sprintf("it says that %+v is lost: there was %+v and is %+v", claims.Lost, had, has)
	case len(r.accepted) > 0:
		return "" // whether the revisions are from before or after another user's change is undefined
	case claims.Revision != nil && *claims.Revision != r.revision && *claims.Revision != r.revision-1: // a written revision raises it
		return fmt.Sprintf("it says that the revision is %d, which is %d", *claims.Revision, r.revision)
	case claims.RevisionBefore != nil && *claims.RevisionBefore != before && *claims.RevisionBefore != before+1:
		return fmt.Sprintf("it says that the revision was %d, which was %d", *claims.RevisionBefore, before)
	}
	return ""
}

// wrongDoubt checks a failure with an unknown outcome.
func (r run) wrongDoubt(text string) string {
	overlapped := len(r.accepted) > 0 && (strings.Contains(text, "at the same time") || strings.Contains(text, "may have overwritten"))
	unread := strings.Contains(text, "reading the document again failed") && slices.ContainsFunc(r.exchanges, func(x *exchange) bool { return !x.writes && x.fault != nil })
	if !overlapped && !unread && !slices.ContainsFunc(r.exchanges, (*exchange).lost) {
		return "it says that it does not know, and no answer was lost"
	}
	for _, tool := range r.tools {
		if tool != r.write.tool && strings.Contains(text, tool) {
			return ""
		}
	}
	return "it says that it does not know, and not how to find out"
}

// batchAnswer is the part of a batch's structured content that is checked.
type batchAnswer struct {
	Succeeded int
	Failed    int
	Results   []struct {
		Index  int
		ID     string
		Status string
		Error  string
		Code   output.Code
	}
}

func (r run) judgeBatch(model run) ([]outcome, string) {
	var answer batchAnswer
	if err := json.Unmarshal(r.answer.Structured, &answer); err != nil {
		return nil, err.Error()
	}
	if len(answer.Results) == 0 && r.answer.Code != "" {
		// Refused as a whole, before any item.
		if len(r.steps[0].differs(r.after)) > 0 {
			return nil, "the whole batch was refused, and something is done"
		}
		return []outcome{refused}, ""
	}
	if len(answer.Results) != len(r.write.items) {
		return nil, fmt.Sprintf("%d items are answered of %d", len(answer.Results), len(r.write.items))
	}
	var results []outcome
	succeeded := 0
	for i, item := range answer.Results {
		name := r.write.items[i]
		values := r.after.objects[name]
		is := func(s snapshot) bool { return slices.Equal(values, s.objects[name]) }
		switch {
		case !r.legal(model, name):
			return nil, fmt.Sprintf("%s is in a state that the call does not lead to: %q", name, values)
		case item.Status == "success" && !is(model.after):
			return nil, fmt.Sprintf("success is claimed for %s, and it is not done", name)
		case item.Status == "success":
			results = append(results, done)
			succeeded++
		case item.Code == output.OutcomeUnknown:
			if wrong := r.wrongDoubt(item.Error); wrong != "" {
				return nil, name + ": " + wrong
			}
			results = append(results, unknown)
		case is(model.steps[0]):
			results = append(results, refused)
		case !is(model.after) && tellsParts(item.Error):
			results = append(results, partly)
		default:
			return nil, fmt.Sprintf("%s says that %s is not done, and something is", item.Code, name)
		}
	}
	if succeeded != answer.Succeeded || answer.Succeeded+answer.Failed != len(answer.Results) {
		return nil, fmt.Sprintf("the answer counts %d and %d", answer.Succeeded, answer.Failed)
	}
	// A move that arrives after its retry puts the document last again.
	ordered := len(r.accepted) == 0 && !slices.ContainsFunc(r.exchanges, func(x *exchange) bool { return x.fault != nil && x.fault.late })
	if succeeded == len(results) && ordered && !r.after.same(model.after) {
		return nil, fmt.Sprintf("all is done, in another order: %q", r.after.shapes())
	}
	return results, ""
}
