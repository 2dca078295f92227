package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// A page is a document of a call that edits several, with the edits that are for it.
type page struct {
	id     string
	edits  []int
	before outline.Document
	err    error // why it cannot be found or read
}

// pages returns the documents that the edits name, in the order of their first edits. One
// that is not found has the reason.
func (in editDocumentIn) pages(ctx context.Context, env mcptool.Env) (pages []page) {
	ids := map[string]string{} // by what was given
	for i, e := range in.Edits {
		given := cmp.Or(e.DocumentID, in.DocumentID)
		id, known := ids[given]
		var err error
		if !known {
			if id, err = documentID(ctx, env, given); err != nil {
				id = given
			}
			ids[given] = id
		}
		at := slices.IndexFunc(pages, func(p page) bool { return p.id == id })
		if at < 0 {
			at, pages = len(pages), append(pages, page{id: id, err: err})
		}
		pages[at].edits = append(pages[at].edits, i)
	}
	return pages
}

// mostText is how much text the documents of a call may have together before no more are
// read, in bytes. With their trees and plans they take many times that.
const mostText = 8 << 20

// readPages reads the documents, side by side. The edits of one that is named in two
// forms are put together.
func (b *documentBatch) readPages(ctx context.Context, pages []page) (read []page) {
	var together atomic.Int64
	mcptool.Parallel(b.Env.BatchConcurrency, len(pages), func(i int) {
		p := &pages[i]
		if p.err != nil {
			return
		}
		if p.err = b.MayNotStart(ctx); p.err != nil {
			return
		}
		if together.Load() > mostText {
			p.err = output.Failure{Code: output.TooLarge, Sentence: "nothing was written: the documents before it in this call have too much text to edit more. Edit it in another call."}
			return
		}
		p.before, p.err = b.Env.Outline.DocumentToUpdate(ctx, p.id, true)
		together.Add(int64(len(p.before.Text)))
	})
	for _, p := range pages {
		same := slices.IndexFunc(read, func(other page) bool { return p.err == nil && other.before.ID == p.before.ID })
		if same < 0 {
			read = append(read, p)
			continue
		}
		read[same].edits = append(read[same].edits, p.edits...)
		slices.Sort(read[same].edits)
	}
	return read
}

// runPages makes edits of several documents: all that are for one of them, or none. What
// is refused for one does not keep the others from being written. The notes are added to those on
// the edits.
func (in editDocumentIn) runPages(ctx context.Context, env mcptool.Env, pages []page, notes ...string) (output.Result, error) {
	b := newBatch(ctx, env, "update", entriesOf(pages, func(p page) string { return p.id }))
	pages = b.readPages(ctx, pages)
	if len(pages) > 1 && in.ExpectedRevision != 0 {
		return nil, output.Invalid("nothing was written: expected_revision is the revision of one document, and the edits name %d. Leave it out, or edit them in calls of their own.", len(pages))
	}
	if in.CollectionID == "" {
		absent := in.Except
		for _, p := range pages {
			if absent = missing(absent, p.before.Text); p.err != nil {
				absent = nil // it may be in there
			}
		}
		if err := checkExcept(absent); err != nil {
			return nil, err
		}
	}
	b.results, b.Total = b.results[:len(pages)], len(pages)
	all := make([]*editing, len(pages))
	mcptool.Parallel(env.BatchConcurrency, len(pages), func(i int) {
		p := pages[i]
		all[i] = &editing{env: env, in: in, own: p.edits}
		b.results[i].ID = cmp.Or(p.before.ID, p.id)
		err := p.err
		if err == nil {
			b.results[i].Title = &p.before.Title
			err = all[i].adapt(ctx, p.before)
		}
		if err == nil {
			err = all[i].prepare(ctx, p.before)
		}
		if err != nil {
			b.fail(i, err)
		}
	})
	if !in.DryRun {
		if err := b.confirmEdits(ctx, all); err != nil {
			return nil, err
		}
	}
	answers, failed := make([]editedDocument, len(pages)), make([]writeProblem, len(pages))
	b.run(ctx, mcptool.SideBySide, func(ctx context.Context, i int) (outline.Document, error) {
		if in.DryRun {
			answer, err := all[i].preview()
			answers[i] = answer
			return all[i].Before, err
		}
		answer, err := all[i].apply(ctx)
		answers[i] = answer
		failed[i], _ = errors.AsType[writeProblem](err)
		return all[i].Before, err
	})
	answer := editedDocuments{Documents: make([]editedPage, len(pages)), Notes: append(b.notesOnWords(in, all), notes...), dryRun: in.DryRun}
	for i, p := range pages {
		answer.Documents[i] = newEditedPage(env, p, b.results[i], answers[i], failed[i])
	}
	return answer.counted(), nil
}

// confirmEdits asks the user once for all documents, who is shown each diff and which
// documents stay as they are.
func (b *documentBatch) confirmEdits(ctx context.Context, all []*editing) error {
	var bounds []string
	var details output.Text
	writes, first := 0, ""
	for i, e := range all {
		name := titleOf(cmp.Or(e.title(), b.results[i].ID))
		if b.results[i].Status != "" {
			details.Line("Not edited: %s: %s", name, output.OneLine(b.results[i].Error))
			continue
		}
		bounds = append(bounds, boundTo(e.Before))
		name = called(ctx, b.Env, e.Before)
		details.Line("%s", name)
		change := e.describe(&details)
		details.Blank()
		if len(e.First.Steps) == 0 {
			continue
		}
		if writes++; writes == 1 {
			first = name + ": " + change
		}
	}
	if writes == 0 {
		return nil
	}
	err := b.Env.Person.Confirm(ctx, func(context.Context) (elicit.Question, error) {
		if writes > 1 {
			first = output.Count(writes, "document", "documents") + ", the first is " + first
		}
		return elicit.Question{Text: first, Details: details.String(), Bound: strings.Join(bounds, "\n")}, nil
	})
	for i, e := range all {
		if b.Env.Person.Approved() && b.results[i].Status == "" {
			e.in.ExpectedRevision = e.Before.Revision
		}
	}
	return err
}

// title returns the title of the document, or "" if it could not be read.
func (e *editing) title() string {
	if e.Edits == nil {
		return ""
	}
	return e.Before.Title
}

// An editedPage is the outcome of the edits of one of several documents.
type editedPage struct {
	Status string `json:"status" enum:"success,failed"`
	Edits  []int  `json:"edits"`

	DocumentID   string `json:"document_id" jsonschema:"UUID, or as given"`
	Title        string `json:"title,omitempty"`
	URLID        string `json:"url_id,omitempty"`
	URL          string `json:"url,omitempty"`
	EditsApplied int    `json:"edits_applied"`
	Occurrences  int    `json:"occurrences,omitempty"`
	change

	Error             string      `json:"error,omitempty"`
	Code              output.Code `json:"code,omitempty"`
	RetryAfterSeconds float64     `json:"retry_after_seconds,omitempty"`
}

// newEditedPage returns the outcome for a page: an answer, or what a write that failed has
// changed nevertheless.
func newEditedPage(env mcptool.Env, p page, item batchItem, answer editedDocument, failed writeProblem) editedPage {
	shown := editedPage{
		Status: item.Status, Edits: p.edits, DocumentID: item.ID,
		EditsApplied: answer.EditsApplied, Occurrences: answer.Occurrences, change: answer.change,
		Error: item.Error, Code: item.Code, RetryAfterSeconds: item.RetryAfterSeconds,
	}
	if p.err == nil {
		name := nameOf(p.before.DocumentSummary)
		shown.Title, shown.URLID, shown.URL = name.Title, name.URLID, env.Outline.AbsoluteURL(p.before.URL)
	}
	if failed.Code != "" {
		shown.EditsApplied = failed.EditsApplied
		shown.change = change{Changed: failed.Diff != "", RevisionBefore: failed.RevisionBefore, Revision: failed.Revision, earlier: failed.earlier, diff: failed.shown()}
	}
	return shown
}

// document returns the outcome as the answer to edits of one document.
func (p editedPage) document(dryRun bool) editedDocument {
	return editedDocument{documentLink{documentName{p.DocumentID, p.Title, p.URLID}, p.URL}, p.EditsApplied, p.Occurrences, p.change, dryRun}
}

// editedDocuments is the result of edits of several documents.
type editedDocuments struct {
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Documents []editedPage `json:"documents"`
	Notes     []string     `json:"notes,omitempty"`
	Sentence  string       `json:"error,omitempty"`
	Code      output.Code  `json:"code,omitempty"`

	dryRun bool
}

// counted returns the result with what it says of all documents.
func (d editedDocuments) counted() editedDocuments {
	for _, p := range d.Documents {
		if p.Status == "success" {
			d.Succeeded++
		}
	}
	d.Failed = len(d.Documents) - d.Succeeded
	if first := d.Documents[0]; d.Succeeded == 0 {
		d.Code, d.Sentence = first.Code, fmt.Sprintf("None of %d documents was edited as asked. First error: %s", len(d.Documents), first.Error)
	}
	return d
}

// FailureCode returns the code of a call in which the edits of every document failed,
// otherwise "".
func (d editedDocuments) FailureCode() output.Code { return d.Code }

// Items returns how many documents were edited and how many were not.
func (d editedDocuments) Items() (succeeded, failed int) { return d.Succeeded, d.Failed }

// AllFailed reports whether the edits of every document failed.
func (d editedDocuments) AllFailed() bool { return d.Succeeded == 0 }

// WriteText implements output.Result.
func (d editedDocuments) WriteText(t *output.Text) {
	if d.dryRun {
		t.Line("# Dry run, nothing was written: edits of %s, %d would fail", output.Count(len(d.Documents), "document", "documents"), d.Failed)
	} else {
		t.Line("# %d of %s edited, %d failed", d.Succeeded, output.Count(len(d.Documents), "document", "documents"), d.Failed)
	}
	t.If(d.Sentence != "").Line("%s (code %s)", d.Sentence, d.Code)
	writeNotes(t, d.Notes...)
	for _, p := range d.Documents {
		document := p.document(d.dryRun)
		t.Blank()
		if p.Status == "success" {
			document.writeAmong(t)
			continue
		}
		t.Printf("FAILED %s, edits%v: %s (code %s", document.documentName, p.Edits, p.Error, p.Code)
		t.If(p.RetryAfterSeconds > 0).Printf(", retry_after_seconds %g", p.RetryAfterSeconds)
		t.Line(")")
		p.oneOfMany = d.dryRun
		p.change.rest(t, document.id(), d.dryRun)
	}
}

// Cuts implements output.Cuttable. All documents stay, with shorter diffs.
func (d *editedDocuments) Cuts() []output.Cut {
	longest := 0
	for _, p := range d.Documents {
		longest = max(longest, len(p.Diff))
	}
	return []output.Cut{{Units: longest, Keep: func(n int) {
		d.Documents = slices.Clone(d.Documents)
		for i := range d.Documents {
			document := d.Documents[i].document(d.dryRun)
			document.Cuts()[0].Keep(n)
			d.Documents[i].diff = document.diff
		}
	}}}
}
