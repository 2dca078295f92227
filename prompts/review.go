package prompts

import (
	"cmp"
	"context"
	"time"
)

func reviewDocument() Spec {
	return Spec{
		Name:        "review_document",
		Title:       "Review a document",
		Description: "Reviews an Outline document: style, gaps, and comments that are still open.",
		Arguments: []Argument{
			{"document", "Its title, ID or URL", true},
			{"focus", "What to look at most, such as a reader or a question", false},
		},
		Group: "comments",
		Tools: []string{"read_document"},
		write: func(ctx context.Context, p *page, in arguments) error {
			d, err := p.document(ctx, in["document"])
			if err != nil {
				return err
			}
			p.say("Review the document %s of the Outline wiki.", d)
			if in["focus"] != "" {
				p.say("Look most at: %s", quoted(in["focus"]))
			}
			p.say("")
			p.say("- Style: what is hard to follow, wordy or ambiguous. Quote the passage and give a better one, in the language and tone of the document.")
			p.say("- Gaps: what a reader needs and does not find, what is out of date, what contradicts itself.")
			p.say("- Open comments: what each asks for, and how to settle it.")
			p.say("- Sort by importance. If a part is good, say so briefly. Do not change anything yet.")
			p.advise("[- Once I agree, make the changes with edit_document.]")
			p.advise("[- Once I agree, reply to comments with add_comment.]")
			_, err = p.add(ctx,
				source{tool: "read_document", arguments: map[string]any{"document_id": d.id}, uri: documentURI(d.uuid), share: 80},
				source{tool: "list_document_comments", arguments: map[string]any{"document_id": d.id, "include_anchor_text": true, "limit": 50}, uri: documentURI(d.uuid) + "/comments", share: 20, optional: true},
			)
			return err
		},
	}
}

// mostSummarized is how many documents of a collection are read. Each shows at least a
// few lines, and takes a request.
const mostSummarized = 20

func summarizeCollection() Spec {
	return Spec{
		Name:        "summarize_collection",
		Title:       "Summarize a collection",
		Description: "Says what an Outline collection contains, and where to begin.",
		Arguments: []Argument{
			{"collection", "Its name, ID or URL", true},
			{"focus", "What you are most interested in", false},
		},
		Group: "collections",
		Tools: []string{"get_collection_structure", "batch_read_documents"},
		write: func(ctx context.Context, p *page, in arguments) error {
			c, err := p.collection(ctx, in["collection"])
			if err != nil {
				return err
			}
			p.say("Summarize the collection %s of the Outline wiki.", c)
			if in["focus"] != "" {
				p.say("I am most interested in: %s", quoted(in["focus"]))
			}
			answers, err := p.add(ctx, source{tool: "get_collection_structure", arguments: map[string]any{"collection_id": c.id}, uri: "outline://collections/" + c.uuid, share: 25})
			if err != nil {
				return err
			}
			var tree struct {
				Documents []node `json:"documents"`
			}
			if err := answers[0].Decode(&tree); err != nil {
				return err
			}
			ids := nearTop(tree.Documents)
			if len(ids) == 0 {
				p.say("It has no published documents that I can see: say so.")
				return nil
			}
			p.say("Below are the tree of its documents, and the text of those near the top, of which long ones show their beginning.")
			p.say("")
			p.say("- Begin with two or three sentences on what the collection is for, and for whom.")
			p.say("- Then its main subjects, each with the titles of the documents about it.")
			p.say("- Name the documents to read first, and what seems missing, repeated or out of date.")
			p.say("- Say which documents you have not read in full.")
			p.advise("[- batch_read_documents reads the others, and the rest of long ones.]")
			_, err = p.add(ctx, source{tool: "batch_read_documents", arguments: map[string]any{"document_ids": ids[:min(mostSummarized, len(ids))]}, share: 95})
			return err
		},
	}
}

// node is a document in the answer of get_collection_structure.
type node struct {
	ID       string `json:"id"`
	URLID    string `json:"url_id"`
	Children []node `json:"children"`
}

// nearTop returns the IDs of all documents of a tree, level by level.
func nearTop(level []node) []string {
	var ids []string
	for len(level) > 0 {
		var below []node
		for _, n := range level {
			ids, below = append(ids, named{n.ID, n.URLID}.id()), append(below, n.Children...)
		}
		level = below
	}
	return ids
}

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
