package prompts

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/outline"
	"outline-mcp/output"
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
				p.say("Look most at: %s", quoteOf(in["focus"]))
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
				p.say("I am most interested in: %s", quoteOf(in["focus"]))
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
			ids, below = append(ids, namedDocument{n.ID, n.URLID}.id()), append(below, n.Children...)
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
				Documents []namedDocument `json:"documents"`
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

const (
	mostChanges = 50 // documents that are listed
	mostDiffs   = 6  // documents of which it is shown what changed
)

func catchUp() Spec {
	return Spec{
		Name:        "catch_up",
		Title:       "Catch up",
		Description: "Says what has changed in the Outline wiki, by whom, and what is worth reading.",
		Arguments: []Argument{
			{"since", "A date, or 12h, 7d, 3m back from now; 7d if empty", false},
			{"collection", "Only this collection: its name, ID or URL", false},
		},
		Group: "history",
		Tools: []string{"list_documents"},
		write: func(ctx context.Context, p *page, in arguments) error {
			since, err := p.date("since", cmp.Or(in["since"], "7d"))
			if err != nil {
				return err
			}
			listed := map[string]any{"updated_after": since.Format("2006-01-02T15:04Z"), "limit": mostChanges}
			who := p.caller(ctx)
			p.say("Tell me what has changed in the Outline wiki since %s.", since.Format("2006-01-02 15:04 UTC"))
			if in["collection"] != "" {
				c, err := p.collection(ctx, in["collection"])
				if err != nil {
					return err
				}
				listed["collection_id"] = c.id
				p.say("Only the collection %s is of interest.", c)
			}
			answers, err := p.add(ctx, source{tool: "list_documents", arguments: listed, share: 40})
			if err != nil {
				return err
			}
			var changed struct {
				Documents []changedDocument `json:"documents"`
			}
			if err := answers[0].Decode(&changed); err != nil {
				return err
			}
			name := who()
			if name != "" {
				p.say("I am %s: what I changed myself is no news to me.", output.Quote(name))
			}
			if len(changed.Documents) == 0 {
				p.say("Nothing has changed: say so.")
				return nil
			}
			diffs, err := p.diffs(ctx, changed.Documents, since, name)
			if err != nil {
				return err
			}
			p.say("")
			p.say("- Begin with what matters most: decisions, rules and plans that changed, and new documents. Leave out typing errors.")
			p.say("- Group the rest by collection. Say for each change who made it and when.")
			p.say("- End with the few documents that are worth reading, with their IDs and why.")
			if len(diffs) > 0 {
				p.say("- The diffs show how the documents changed last differ from what they were before that time.")
			}
			p.advise("[- list_revisions and read_revision show what changed in the others.]")
			p.advise("[- read_document reads them.]")
			_, err = p.add(ctx, diffs...)
			return err
		},
	}
}

// changedDocument is a document in the answer of list_documents.
type changedDocument struct {
	namedDocument
	CreatedAt time.Time `json:"created_at"`
	UpdatedBy string    `json:"updated_by"`
}

// date reads an argument that is a date.
func (p *page) date(argument, given string) (time.Time, error) {
	date, err := output.ParseDate(given, p.Now())
	if err != nil {
		return time.Time{}, output.Invalid("%s: %s %s.", argument, output.Quote(output.Excerpt(given, 40)), err)
	}
	return date, nil
}

// caller starts to ask who the caller is, and returns a function that waits for the
// name. It is a convenience: a key may lack the scope for it.
func (p *page) caller(ctx context.Context) func() string {
	ctx, cancel := context.WithTimeout(outline.WithCallOptions(ctx, outline.NoRetries()), 2*time.Second)
	var (
		wait sync.WaitGroup
		name string
	)
	wait.Go(func() {
		defer cancel()
		if info, err := p.Outline.AuthInfo(ctx); err == nil {
			name = output.Excerpt(info.User.Name, 100)
		}
	})
	return func() string {
		wait.Wait()
		return name
	}
}

// diffs returns the calls that show how documents differ from their last revision
// before a time. New documents have none, and those that the caller changed last are
// left out.
func (p *page) diffs(ctx context.Context, changed []changedDocument, since time.Time, caller string) ([]source, error) {
	list, ok := p.tools["list_revisions"]
	if _, both := p.tools["read_revision"]; !ok || !both {
		return nil, nil
	}
	var of []changedDocument
	for _, d := range changed {
		if d.CreatedAt.Before(since) && (caller == "" || d.UpdatedBy != caller) && len(of) < mostDiffs {
			of = append(of, d)
		}
	}
	before := make([]string, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, p.BatchConcurrency))
	for i, d := range of {
		group.Go(func() error {
			answer, err := list.Answer(ctx, map[string]any{"document_id": d.id(), "limit": 25})
			if err != nil {
				return ctx.Err() // the list says already that it changed
			}
			var found struct {
				Revisions []struct {
					RevisionID string    `json:"revision_id"`
					CreatedAt  time.Time `json:"created_at"`
				} `json:"revisions"`
			}
			if err := answer.Decode(&found); err != nil {
				return err
			}
			for _, r := range found.Revisions {
				if r.CreatedAt.Before(since) {
					before[i] = r.RevisionID
					break
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var calls []source
	for _, id := range before {
		if id != "" {
			calls = append(calls, source{tool: "read_revision", arguments: map[string]any{"revision_id": id, "compare_with": "current"}, optional: true})
		}
	}
	for i := range calls {
		calls[i].share = 95 / len(calls)
	}
	return calls, nil
}
