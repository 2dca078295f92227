package faults

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"outline-mcp/output"
)

// altered returns a snapshot in which an object is something else.
func altered(s snapshot, name string, values ...string) snapshot {
	s.objects = maps.Clone(s.objects)
	s.objects[name] = values
	return s
}

func TestAnUntrueAnswerIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		model := func(name string) run {
			list := writes()
			return b.model(t, version{}, list[slices.IndexFunc(list, func(w write) bool { return w.name == name })])
		}
		create, appended, batch, gone := model("create a document"), model("append"), model("archive several"), model("delete for good what is not in the trash")
		lost := &exchange{endpoint: "documents.create", writes: true, fault: faultNamed("reset before it was read")}
		page := "document New page"
		for name, lie := range map[string]struct {
			model run
			by    func(*run)
		}{
			"success, and nothing is done": {create, func(r *run) { r.after = r.steps[0] }},
			"success, and it is done twice": {create, func(r *run) {
				r.after = altered(r.after, page, append(r.after.objects[page], r.after.objects[page]...)...)
			}},
			"success, and something else is done":      {appended, func(r *run) { r.after = altered(r.after, beta, r.after.objects[beta][0]+"\n\nOne more line.") }},
			"success, and another document is changed": {appended, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"success, and another document is new":     {appended, func(r *run) { r.after = altered(r.after, "document Another", "") }},
			"success, and a document is gone":          {appended, func(r *run) { r.after = altered(r.after, gamma) }},
			"success, with another revision": {appended, func(r *run) {
				r.after.revisions = maps.Clone(r.after.revisions)
				r.after.revisions[beta]++
			}},
			"failure, and it is done":         {create, func(r *run) { r.answer.Code = output.Unreachable }},
			"failure, and it is done in part": {gone, func(r *run) { r.answer.Code, r.answer.Text, r.after = output.Unreachable, "failed", r.steps[1] }},
			"doubt without a reason":          {create, func(r *run) { r.answer.Code, r.answer.Text = output.OutcomeUnknown, "look with read_document" }},
			"doubt without help": {create, func(r *run) {
				r.answer.Code, r.answer.Text, r.exchanges = output.OutcomeUnknown, "who knows", []*exchange{lost}
			}},
			"somebody else's edit is lost":          {appended, func(r *run) { r.accepted = []string{"HUMAN-1"} }},
			"a batch says done of what is not":      {batch, func(r *run) { r.after = altered(r.after, gamma, r.steps[0].objects[gamma]...) }},
			"a batch is in a state of its own":      {batch, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"a batch says not done of what is":      {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 3) }},
			"a batch has doubts without a reason":   {batch, func(r *run) { r.answer.Structured = failedItems(output.OutcomeUnknown, 3) }},
			"a batch is silent of an item":          {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 2) }},
			"a batch changes what it has not to do": {batch, func(r *run) { r.after = altered(r.after, alpha, "") }},
		} {
			r := lie.model
			lie.by(&r)
			if outcomes, wrong := judge(lie.model, r); wrong == "" {
				t.Errorf("%s: not seen, but taken for %q", name, outcomes)
			}
		}
		for _, truth := range []run{create, appended, batch, gone} {
			outcomes, wrong := judge(truth, truth)
			if wrong != "" || slices.ContainsFunc(outcomes, func(o outcome) bool { return o != done }) {
				t.Errorf("%s: %q %s", truth.write.name, outcomes, wrong)
			}
		}
	})
}

// failedItems is the answer of a batch of which every item failed so.
func failedItems(code output.Code, n int) []byte {
	text := `{"succeeded":0,"failed":3,"results":[`
	for i := range n {
		if i > 0 {
			text += ","
		}
		text += `{"status":"failed","error":"see read_document","code":"` + string(code) + `"}`
	}
	return []byte(text + "]}")
}
