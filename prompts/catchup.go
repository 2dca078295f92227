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
	named
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
