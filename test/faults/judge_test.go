package faults

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"outline-mcp/output"
)

// damaged returns a snapshot with a changed tree of a document.
func damaged(t *testing.T, s snapshot, name, old, new string) snapshot {
	t.Helper()
	blocks := strings.Join(s.blocks[name], "\n")
	if !strings.Contains(blocks, old) {
		t.Fatalf("%s does not hold %s", name, old)
	}
	damage := func(text string) string { return strings.Replace(text, old, new, 1) }
	s = altered(s, name, damage(s.objects[name][0]))
	s.blocks = maps.Clone(s.blocks)
	s.blocks[name] = strings.Split(damage(blocks), "\n")
	return s
}

// altered returns a snapshot with a changed object.
func altered(s snapshot, name string, values ...string) snapshot {
	s.objects = maps.Clone(s.objects)
	s.objects[name] = values
	return s
}

func TestAnUntrueAnswerIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A server remembers what its Outline can do.
		benches := map[version]*bench{}
		modelOn := func(v version, name string) run {
			if benches[v] == nil {
				benches[v] = newBench(t)
			}
			list := writes()
			return benches[v].model(t, v, list[slices.IndexFunc(list, func(w write) bool { return w.name == name })])
		}
		model := func(name string) run { return modelOn(version{}, name) }
		old := of("1.9.2")
		edited, severalAppended := model("edit"), model("append to several")
		create, appended, batch, gone := model("create a document"), model("append"), model("archive several"), model("delete for good what is not in the trash")
		editedOld, retitledOld, severalOld := modelOn(old, "edit"), modelOn(old, "retitle"), modelOn(old, "append to several")
		restored := model("restore a revision")
		unread := func(r *run) {
			r.answer.Text += "\nOutline accepted the change, but reading the document again failed"
			r.answer.Structured = with(r.answer.Structured, "verified", "false")
		}
		overwritten := func(r *run) { r.accepted = []string{"HUMAN-1"} }
		claim := func(from, to string) func(*run) {
			return func(r *run) {
				overwritten(r)
				r.answer.Structured = bytes.Replace(r.answer.Structured, []byte(from), []byte(to), 1)
			}
		}
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
			"success, and something else is done":            {appended, func(r *run) { r.after = altered(r.after, beta, r.after.objects[beta][0]+"\n\nOne more line.") }},
			"success, and another document is changed":       {appended, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"success, and another document is new":           {appended, func(r *run) { r.after = altered(r.after, "document Another", "") }},
			"success, and a document is gone":                {appended, func(r *run) { r.after = altered(r.after, gamma) }},
			"success, and a neighbor loses its color":        {edited, func(r *run) { r.after = damaged(t, r.after, alpha, `"#FDEA9B"`, "null") }},
			"success, and a neighbor loses a comment":        {edited, func(r *run) { r.after = damaged(t, r.after, alpha, alphaRemark, "new") }},
			"success, and a table loses a width":             {appended, func(r *run) { r.after = damaged(t, r.after, beta, "[137]", "null") }},
			"success, and another document loses its color":  {edited, func(r *run) { r.after = damaged(t, r.after, bystander, `"#FDEA9B"`, "null") }},
			"a batch says done, and a table loses its width": {severalAppended, func(r *run) { r.after = damaged(t, r.after, gamma, "[138]", "null") }},
			"a loss that is none":                            {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "lost", `{"column_widths":2}`) }},
			"a comment that is not lost": {edited, func(r *run) {
				r.answer.Structured = with(r.answer.Structured, "lost", `{"comment_anchors":["`+alphaRemark+`"]}`)
			}},
			"a success that is not verified":                     {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "verified", "false") }},
			"a restore is verified, and could not be read again": {restored, func(r *run) { unread(r); r.answer.Structured = with(r.answer.Structured, "verified", "true") }},
			"a restore is not verified":                          {restored, func(r *run) { r.answer.Structured = with(r.answer.Structured, "verified", "false") }},
			"a restore that could not be read again names a loss that is none": {restored, func(r *run) {
				unread(r)
				r.answer.Structured = with(r.answer.Structured, "lost", `{"comment_anchors":["`+alphaRemark+`"]}`)
			}},
			"a restore that could not be read again has another revision": {restored, func(r *run) { unread(r); r.revision += 2 }},
			"success, with another revision":                              {appended, func(r *run) { r.revision += 2 }},
			"failure, and it is done":                                     {create, func(r *run) { r.answer.Code = output.Unreachable }},
			"failure, and it is done in part":                             {gone, func(r *run) { r.answer.Code, r.answer.Text, r.after = output.Unreachable, "failed", r.steps[1] }},
			"doubt without a reason":                                      {create, func(r *run) { r.answer.Code, r.answer.Text = output.OutcomeUnknown, "look with read_document" }},
			"doubt without help": {create, func(r *run) {
				r.answer.Code, r.answer.Text, r.exchanges = output.OutcomeUnknown, "who knows", []*exchange{lost}
			}},
			"another user's edit is lost":                              {appended, func(r *run) { r.accepted = []string{"HUMAN-1"} }},
			"another user's edit is lost, and it could not be guarded": {edited, func(r *run) { overwritten(r); r.answer.Structured = with(r.answer.Structured, "guarded", "false") }},
			"a change of a release is guarded":                         {editedOld, func(r *run) { r.answer.Structured = with(r.answer.Structured, "guarded", "true") }},
			"a change of a release is guarded, or is not":              {editedOld, claim(`"guarded":false`, `"other":false`)},
			"a change is not guarded, and it is":                       {edited, func(r *run) { r.answer.Structured = with(r.answer.Structured, "guarded", "false") }},
			"another name costs another user's edit":                   {retitledOld, overwritten},
			"another user is said to have changed it": {edited, func(r *run) {
				r.answer.Text += "\nanother user changed the document while this call was under way"
			}},
			"an item of a batch is guarded on a release":     {severalOld, claim(`"guarded":false`, `"guarded":true`)},
			"a document that no item is about loses an edit": {severalOld, func(r *run) { overwritten(r); r.write.edited = alpha }},
			"a batch says done of what is not":               {batch, func(r *run) { r.after = altered(r.after, gamma, r.steps[0].objects[gamma]...) }},
			"a batch is in a state of its own":               {batch, func(r *run) { r.after = altered(r.after, gamma, "") }},
			"a batch says not done of what is":               {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 3) }},
			"a batch has doubts without a reason":            {batch, func(r *run) { r.answer.Structured = failedItems(output.OutcomeUnknown, 3) }},
			"a batch is silent of an item":                   {batch, func(r *run) { r.answer.Structured = failedItems(output.Unreachable, 2) }},
			"a batch changes what it has not to do":          {batch, func(r *run) { r.after = altered(r.after, alpha, "") }},
		} {
			r := lie.model
			lie.by(&r)
			if outcomes, wrong := judge(lie.model, r); wrong == "" {
				t.Errorf("%s: not seen, but taken for %q", name, outcomes)
			}
		}
		for _, loss := range []run{editedOld, severalOld} {
			overwritten(&loss)
			if outcomes, wrong := judge(loss, loss); wrong != "" || !slices.Contains(outcomes, over) {
				t.Errorf("%s, and an edit is lost that was not guarded: %q %s", loss.write.name, outcomes, wrong)
			}
		}
		notRead := restored
		unread(&notRead)
		for _, truth := range []run{restored, notRead, create, appended, edited, batch, severalAppended, gone, editedOld, retitledOld, severalOld} {
			outcomes, wrong := judge(truth, truth)
			if wrong != "" || slices.ContainsFunc(outcomes, func(o outcome) bool { return o != done }) {
				t.Errorf("%s: %q %s", truth.write.name, outcomes, wrong)
			}
		}
	})
}

// with returns an answer with one value replaced.
func with(answer []byte, name, value string) []byte {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		panic(err)
	}
	fields[name] = json.RawMessage(value)
	changed, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return changed
}

// failedItems is the answer of a batch in which every item failed this way.
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
