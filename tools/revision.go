package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/views"
)

func readRevision() mcptool.Tool {
	return mcptool.Spec[readRevisionIn, output.Result]{
		Name:        "read_revision",
		Title:       "Read revision",
		Description: "Shows an earlier text of an Outline document, or what changed: for the last change, give document_id and compare_with previous.",
		Endpoints:   []string{"revisions.info"},
		Effect:      mcptool.Reads,
		Shapes:      []output.Result{revisionText{}, revisionDiff{}},
		View:        views.Difference,
		Run: func(ctx context.Context, env mcptool.Env, in readRevisionIn) (output.Result, error) {
			current, revision, err := in.read(ctx, env)
			if err != nil {
				return nil, err
			}
			document := nameOf(current.DocumentSummary)
			var name sync.WaitGroup
			if document.URLID == "" {
				name.Go(func() { document = findName(ctx, env, revision.DocumentID) })
			}
			var other comparedState
			// Outline saves a revision five minutes after the last change.
			unsaved := in.CompareWith == "previous" && in.RevisionID == "" && !sameText(current, revision)
			switch {
			case unsaved:
				other = currentState(current)
			case in.CompareWith != "":
				other, err = in.other(ctx, env, revision)
			}
			name.Wait()
			if err != nil {
				return nil, err
			}
			document.Title = output.Label(revision.Title)
			head := revisionHead{factsOf(revision.Revision), document}
			if in.CompareWith == "" {
				text, lines, err := output.LinesOf(prosemirror.Unpadded(revision.Text), in.window())
				return revisionText{head, text, lines}, err
			}
			diff, err := compareRevision(head, stateOfRevision(revision), other, in.window())
			diff.unsaved = unsaved
			return diff, err
		},
	}
}

type readRevisionIn struct {
	RevisionID  string `json:"revision_id,omitempty" jsonschema:"UUID or URL"`
	DocumentID  string `json:"document_id,omitempty" jsonschema:"Without revision_id: the latest"`
	CompareWith string `json:"compare_with,omitempty" jsonschema:"current, previous or a revision_id"`
	windowIn
}

// Validate asks for a revision.
func (in readRevisionIn) Validate() error {
	if in.RevisionID == "" && in.DocumentID == "" {
		failure := output.Invalid("give a revision_id, or the document_id for the document's latest revision")
		failure.Next = "[; list_revisions lists the revisions of a document]"
		return failure
	}
	return nil
}

// read reads the revision that is asked for, and its document if given.
func (in readRevisionIn) read(ctx context.Context, env mcptool.Env) (document outline.Document, revision outline.RevisionContent, err error) {
	if in.DocumentID != "" {
		if document, err = fetchDocument(ctx, env, in.DocumentID); err != nil {
			return document, revision, err
		}
	}
	if in.RevisionID != "" {
		revision, err = revisionOf(ctx, env, document.ID, in.RevisionID)
		return document, revision, err
	}
	for latest, err := range history(ctx, env, document.ID) {
		if err == nil {
			revision, err = env.Outline.RevisionText(ctx, latest.ID)
		}
		return document, revision, err
	}
	return document, revision, output.Failure{Code: output.NotFound, DocumentID: document.ID,
		Sentence: "Outline keeps no revision of the document yet: it does when a document is published, and some minutes after a change.", Next: "read_document reads it as it is now."}
}

// revisionOf reads a revision by any form of its ID. documentID is the document that
// it must belong to, or "".
func revisionOf(ctx context.Context, env mcptool.Env, documentID, given string) (outline.RevisionContent, error) {
	id, err := outline.ParseRevisionID(given)
	if err != nil {
		return outline.RevisionContent{}, err
	}
	revision, err := env.Outline.RevisionText(ctx, id)
	if err == nil && documentID != "" && revision.DocumentID != documentID {
		err = ofAnother(revision.Revision, documentID)
	}
	return revision, err
}

// ofAnother is the failure of a revision that does not belong to a document.
func ofAnother(revision outline.Revision, documentID string) output.Failure {
	return output.Failure{Code: output.InvalidArguments, DocumentID: documentID,
		Sentence: fmt.Sprintf("revision %s belongs to another document, %s, not to %s.", revision.ID, output.OneLine(revision.DocumentID), documentID),
		Next:     "list_revisions lists those of a document."}
}

// other returns the state to compare a revision with.
func (in readRevisionIn) other(ctx context.Context, env mcptool.Env, revision outline.RevisionContent) (comparedState, error) {
	switch in.CompareWith {
	case "current":
		document, err := env.Outline.Document(ctx, revision.DocumentID)
		return currentState(document), err
	case "previous":
		previous, err := revisionBefore(ctx, env, revision.Revision)
		if err != nil {
			return comparedState{}, err
		}
		content, err := env.Outline.RevisionText(ctx, previous.ID)
		other := stateOfRevision(content)
		other.before = true
		return other, err
	}
	other, err := revisionOf(ctx, env, revision.DocumentID, in.CompareWith)
	if wrong, ok := errors.AsType[*outline.IdentifierError](err); ok {
		return comparedState{}, output.Invalid("compare_with takes current, previous or a revision_id, not %q", wrong.Value)
	}
	return stateOfRevision(other), err
}

// revisionBefore returns the revision before another of the same document.
func revisionBefore(ctx context.Context, env mcptool.Env, revision outline.Revision) (outline.Revision, error) {
	found := false
	for r, err := range history(ctx, env, revision.DocumentID) {
		if err != nil || found {
			return r, err
		}
		found = r.ID == revision.ID
	}
	sentence := "there is no revision before it: it is the document's first."
	if !found {
		sentence = fmt.Sprintf("the revision before it cannot be told: it is not among the newest %d of the document. Give a revision_id to compare with.", maxHistory)
	}
	return outline.Revision{}, output.Failure{Code: output.NotFound, DocumentID: revision.DocumentID, Sentence: sentence}
}

func stateOfRevision(r outline.RevisionContent) comparedState {
	return comparedState{RevisionID: r.ID, Title: output.Label(r.Title), CreatedAt: r.CreatedAt, text: r.Text}
}

func currentState(d outline.Document) comparedState {
	return comparedState{Revision: d.Revision, Title: output.Label(d.Title), CreatedAt: d.UpdatedAt, text: d.Text}
}

// comparedState is a state of a document that is compared with another.
type comparedState struct {
	RevisionID string    `json:"revision_id,omitempty" format:"uuid"`
	Revision   int       `json:"revision,omitempty" jsonschema:"With current"`
	Title      string    `json:"title"`
	CreatedAt  time.Time `json:"created_at"`

	text   string
	before bool // it is known to be the older one, whatever the times say
}

// name names the state in one line.
func (s comparedState) name() string {
	if s.RevisionID == "" {
		return fmt.Sprintf("current, revision %d, %s", s.Revision, stamp(s.CreatedAt))
	}
	return fmt.Sprintf("revision_id %s, %s", s.RevisionID, stamp(s.CreatedAt))
}

// compareRevision returns the diff between a revision and another state, from the
// older to the newer.
func compareRevision(head revisionHead, revision, other comparedState, window output.Window) (revisionDiff, error) {
	// The lines above the diff give the IDs.
	older, newer := revision, other
	names := []string{"this revision, " + stamp(revision.CreatedAt), "compared_with, " + stamp(other.CreatedAt)}
	if other.before || other.RevisionID != "" && other.CreatedAt.Before(revision.CreatedAt) {
		older, newer = other, revision
		slices.Reverse(names)
	}
	unified := edit.Unified(prosemirror.Unpadded(older.text), prosemirror.Unpadded(newer.text), names[0], names[1])
	result := revisionDiff{revisionHead: head, ComparedWith: other}
	for n, line := range strings.Split(unified.Text, "\n") {
		switch {
		case n < 2: // the header
		case strings.HasPrefix(line, "+"):
			result.AddedLines++
		case strings.HasPrefix(line, "-"):
			result.RemovedLines++
		}
	}
	var err error
	result.Diff, result.Lines, err = output.LinesOf(strings.TrimSuffix(unified.Text, "\n"), window)
	return result, err
}

// revisionHead is what answers with a revision begin with.
type revisionHead struct {
	revisionFacts
	documentName // with the title of the revision
}

func (h revisionHead) write(t *output.Text) {
	t.Line("# %s", untitled(h.Title))
	t.Printf("document_id %s, revision_id ", h.id())
	h.revisionFacts.write(t)
	t.Blank()
}

type revisionText struct {
	revisionHead
	Text string `json:"text"`
	output.Lines
}

// WriteText implements output.Result.
func (r revisionText) WriteText(t *output.Text) {
	r.revisionHead.write(t)
	reading{Lines: r.Lines}.write(t, r.Text)
}

// Cuts implements output.Cuttable.
func (r *revisionText) Cuts() []output.Cut { return r.CutText(&r.Text) }

type revisionDiff struct {
	revisionHead
	ComparedWith comparedState `json:"compared_with"`
	Diff         string        `json:"diff" jsonschema:"From the older to the newer; empty if the texts are the same"`
	AddedLines   int           `json:"added_lines"`
	RemovedLines int           `json:"removed_lines"`
	output.Lines

	unsaved bool // the last change is not in a revision yet
}

// WriteText implements output.Result.
func (d revisionDiff) WriteText(t *output.Text) {
	d.revisionHead.write(t)
	t.If(d.unsaved).Line("Changed since the last revision; this is the diff to the current text.")
	t.Printf("Compared with %s", d.ComparedWith.name())
	t.If(d.ComparedWith.Title != d.Title).Printf(", titled %s", titleOf(d.ComparedWith.Title))
	t.Line(": added_lines %d, removed_lines %d", d.AddedLines, d.RemovedLines)
	d.Lines.Write(t)
	t.Blank()
	if d.Diff == "" {
		t.Line("The texts are the same.")
		return
	}
	t.Block(d.Diff)
	d.Lines.WriteNext(t)
}

// Cuts implements output.Cuttable.
func (d *revisionDiff) Cuts() []output.Cut { return d.CutText(&d.Diff) }
