package prompts

import (
	"cmp"
	"context"
	"time"
)

const (
	mostStale     = 50 // documents that are listed
	mostStaleRead = 12 // of which the beginning is shown
)

// staleWords is what people write where a text is unfinished or no longer holds, in
// English.
const staleWords = `(?i)\b(?:todo|tbd|fixme|deprecated|obsolete|outdated|out of date|no longer|superseded|replaced by)\b`

func findOutdated() Spec {
	return Spec{
		Name:        "find_outdated",
		Title:       "Find outdated documents",
		Description: "Finds Outline documents that may be out of date, with reasons, and says what to do about each.",
		Arguments: []Argument{
			{"collection", "Only this collection: its name, ID or URL", false},
			{"older_than", "Last changed before: a date, or 6m, 1y back from now; 6m if empty", false},
		},
		Group: "lifecycle",
		Tools: []string{"list_documents"},
		write: func(ctx context.Context, p *page, in arguments) error {
			before, err := p.date("older_than", cmp.Or(in["older_than"], "6m"))
			if err != nil {
				return err
			}
			listed := map[string]any{"updated_before": before.Format(time.DateOnly), "sort": "updated", "direction": "asc", "limit": mostStale}
			marked := map[string]any{"query": staleWords, "regex": true, "in": "text", "limit": 40}
			p.say("Find documents of the Outline wiki that may be out of date. Today is %s.", p.Now().UTC().Format(time.DateOnly))
			if in["collection"] != "" {
				c, err := p.collection(ctx, in["collection"])
				if err != nil {
					return err
				}
				listed["collection_id"], marked["collection_id"] = c.id, c.id
				p.say("Look only at the collection %s.", c)
			}
			sources := []source{{tool: "list_documents", arguments: listed, share: 30}}
			if in["collection"] != "" { // a whole wiki would take too many requests
				sources = append(sources, source{tool: "find_in_documents", arguments: marked, share: 25, optional: true})
			}
			answers, err := p.add(ctx, sources...)
			if err != nil {
				return err
			}
			var stale struct {
				Documents []named `json:"documents"`
			}
			if err := answers[0].Decode(&stale); err != nil {
				return err
			}
			if len(stale.Documents) == 0 {
				p.say("None was last changed before %s: say so, and report what else the material shows.", before.Format(time.DateOnly))
				return nil
			}
			p.say("Below are those last changed before %s, oldest first.", before.Format(time.DateOnly))
			p.say("")
			p.say("- Age alone is no reason: rules, decisions and reports may stay as they are. Look for dates that have passed, names, versions and plans, words such as TODO, and duplicates.")
			p.say("- List the documents that need something, the most misleading first: title and ID, the reason with a quotation, and what to do.")
			p.say("- What to do is one of: correct it, merge it with another, archive it, or ask whoever changed it last.")
			p.say("- Name what is old but fine in one line at the end. Do not change anything yet.")
			p.advise("[- Once I agree, correct documents with edit_document.]")
			p.advise("[- Once I agree, archive documents with archive_document.]")
			p.advise("[- Once I agree, ask authors with add_comment.]")
			var ids []string
			for _, d := range stale.Documents[:min(mostStaleRead, len(stale.Documents))] {
				ids = append(ids, d.id())
			}
			_, err = p.add(ctx, source{tool: "batch_read_documents", arguments: map[string]any{"document_ids": ids, "max_chars_each": 2500}, share: 95, optional: true})
			return err
		},
	}
}
