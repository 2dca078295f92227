package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

func listDocuments() mcptool.Tool {
	return mcptool.Spec[listDocumentsIn, documentListing]{
		Name:  "list_documents",
		Title: "List documents",
		Description: "Lists Outline documents with authors and dates, latest change first. " +
			"Dates: 2026-05-31, 12h, 7d, 3m or 1y ago, last week.[ To find text, use search_documents.]",
		Endpoints: []string{"documents.list"},
		Effect:    mcptool.Reads,
		View:      views.Finding,
		Run: func(ctx context.Context, env mcptool.Env, in listDocumentsIn) (documentListing, error) {
			env.Collections.Begin(ctx)
			params, who, err := in.params(ctx, env)
			if err != nil {
				return documentListing{}, err
			}
			page, err := env.Outline.Documents(ctx, params)
			if err != nil {
				return documentListing{}, err
			}
			where := pathsOf(ctx, env, page.Items)
			parents := where.parents(ctx, env, page.Items)
			listing := documentListing{
				Documents: entriesOf(page.Items, func(d outline.DocumentSummary) listedDocument {
					return listedDocument{
						documentLink: linkTo(env, d), Status: d.Status(), location: where.locate(d), parentName: parentNameOf(parents[d.ParentDocumentID]),
						CreatedAt: d.CreatedAt, CreatedBy: output.Excerpt(d.CreatedBy.Name, longestTitle),
						UpdatedAt: d.UpdatedAt, UpdatedBy: output.Excerpt(d.UpdatedBy.Name, longestTitle), Revision: d.Revision, siblings: params.ParentDocumentID != "",
					}
				}),
				Count: len(page.Items), Limit: in.Limit, Offset: in.Offset, Collaborator: output.Excerpt(who.Name, longestTitle), Incomplete: page.Incomplete, status: in.Status, shared: in.SharedWithMe,
			}
			if in.Changes {
				mcptool.Parallel(env.BatchConcurrency, len(page.Items), func(i int) {
					listing.Documents[i].Changes = digestOf(ctx, env, page.Items[i], params.UpdatedAfter)
				})
			}
			if page.Total >= 0 {
				listing.Total = &page.Total
			}
			if page.More {
				listing.endAt(len(page.Items))
			}
			unlisted := notListed(ctx, env, params.CollectionID, page.Items...)
			var parentErr error
			if len(page.Items) == 0 && params.ParentDocumentID != "" {
				_, parentErr = env.Outline.Document(outline.WithCallOptions(ctx, outline.NoRetries()), params.ParentDocumentID)
			}
			switch {
			case page.Incomplete && in.SharedWithMe:
				listing.Note = "documents may be missing: " + outline.ErrSharedMissing.Error()
			case page.Incomplete:
				listing.Note = fmt.Sprintf("Outline cannot filter like this, and there are too many documents to look through: documents beyond the %d searched are missing. Narrow the dates or give collection_id", page.Searched)
			case page.NoDrafts:
				listing.Note = "your drafts in no collection may be missing: Outline lists them by documents.drafts, which this key may not call"
			case page.Alike:
				listing.Note = onlyAlike
			case unlisted != "" && in.Offset == 0 && !in.SharedWithMe:
				listing.Note = unlisted
			case errors.Is(parentErr, outline.ErrNotFound):
				return listing, output.Failure{Code: output.NotFound, DocumentID: params.ParentDocumentID, Cause: parentErr,
					Sentence: "parent_document_id: no document has this ID.", Next: "[Find it with get_document_id_from_title.]"}
			case parentErr != nil:
				listing.Note = "parent_document_id may be wrong: Outline does not give this document to this key"
			case len(page.Items) == 0 && who.ID != "" && who.Name == "":
				listing.Note = notLookedUp
			case len(page.Items) == 0 && in.Offset == 0 && !in.SharedWithMe:
				params.SharedWithMe = true
				if shared, err := env.Outline.Documents(outline.WithCallOptions(ctx, outline.NoRetries()), params); err == nil && len(shared.Items) > 0 {
					listing.Note = "documents that are shared with you one by one are not in this list: shared_with_me true lists them"
				}
			}
			return listing, nil
		},
	}
}

type listDocumentsIn struct {
	CollectionID     string `json:"collection_id,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty" jsonschema:"Only its direct subpages"`
	Collaborator     string `json:"collaborator,omitempty" maxLength:"1000" jsonschema:"Name, e-mail or ID"`
	SharedWithMe     bool   `json:"shared_with_me,omitempty" jsonschema:"Only pages shared with you individually"`
	Status           string `json:"status,omitempty" enum:"published,draft,archived,any" default:"published" jsonschema:"draft: your own"`
	TitleContains    string `json:"title_contains,omitempty" maxLength:"1000"`
	UpdatedAfter     string `json:"updated_after,omitempty"`
	UpdatedBefore    string `json:"updated_before,omitempty"`
	CreatedAfter     string `json:"created_after,omitempty"`
	CreatedBefore    string `json:"created_before,omitempty"`
	Sort             string `json:"sort,omitempty" enum:"updated,created,published,title,popularity" default:"updated"`
	Changes          bool   `json:"changes,omitempty" jsonschema:"Show changed lines since updated_after"`
	Direction        string `json:"direction,omitempty" enum:"asc,desc" jsonschema:"Default: asc for title, else desc"`
	paging
}

// params returns the request, and the collaborator as far as known.
func (in listDocumentsIn) params(ctx context.Context, env mcptool.Env) (p outline.DocumentListParams, who outline.User, err error) {
	updated, updatedErr := spanOf(env, "updated", in.UpdatedAfter, in.UpdatedBefore)
	created, createdErr := spanOf(env, "created", in.CreatedAfter, in.CreatedBefore)
	if err = cmp.Or(updatedErr, createdErr); err != nil {
		return p, who, err
	}
	if who, err = optionalPerson(ctx, env, in.Collaborator); err != nil {
		return p, who, err
	}
	p = outline.DocumentListParams{
		DocumentFilter: outline.DocumentFilter{
			CollaboratorID: who.ID, TitleContains: in.TitleContains,
			UpdatedAfter: updated.after, UpdatedBefore: updated.before, CreatedAfter: created.after, CreatedBefore: created.before,
		},
		SharedWithMe: in.SharedWithMe,
		Sort: map[string]string{
			"updated": "updatedAt", "created": "createdAt", "published": "publishedAt", "title": "title", "popularity": "popularityScore",
		}[in.Sort],
		Ascending: in.Direction == "asc" || in.Direction == "" && in.Sort == "title",
		Limit:     in.Limit, Offset: in.Offset,
	}
	if p.Statuses = []string{in.Status}; in.Status == "any" {
		p.Statuses = []string{"published", "draft", "archived"}
	}
	if p.CollectionID, err = optionalCollection(ctx, env, in.CollectionID); err != nil {
		return p, who, err
	}
	p.ParentDocumentID, err = optionalDocument(ctx, env, in.ParentDocumentID)
	return p, who, err
}

type listedDocument struct {
	documentLink
	Status string `json:"status" enum:"draft,published,archived,deleted"`
	location
	parentName
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
	UpdatedAt time.Time `json:"updated_at"`
	UpdatedBy string    `json:"updated_by"`
	Revision  int       `json:"revision"`
	Changes   string    `json:"changes,omitempty" jsonschema:"Lines removed (-) and added (+)"`

	siblings bool // all documents of the list have this parent
}

// write leaves out the parent if the heading names it.
func (d listedDocument) write(t *output.Text) {
	t.Printf("%s%s", d.documentName, d.location.without(d.parentName).inShort())
	t.If(!d.siblings).Printf("%s", d.after(" below "))
	t.Printf(", %s", day(d.UpdatedAt))
	t.If(d.UpdatedBy != "").Printf(" by %s", output.Quote(d.UpdatedBy))
	t.Printf(", %s", day(d.CreatedAt))
	t.If(d.CreatedBy != "" && d.CreatedBy != d.UpdatedBy).Printf(" by %s", output.Quote(d.CreatedBy))
	t.Printf(", %d", d.Revision)
	t.If(d.Status != "published").Printf(", %s", d.Status)
	t.If(d.Changes != "").Printf("\n%s", strings.TrimSuffix(d.Changes, "\n"))
}

type documentListing struct {
	Documents    []listedDocument `json:"documents"`
	Count        int              `json:"count"`
	Total        *int             `json:"total,omitempty" jsonschema:"Absent if unknown"`
	Limit        int              `json:"limit"`
	Offset       int              `json:"offset"`
	NextOffset   int              `json:"next_offset,omitempty"`
	Collaborator string           `json:"collaborator,omitempty" jsonschema:"The name"`
	Incomplete   bool             `json:"incomplete,omitempty" jsonschema:"Documents may be missing"`
	Note         string           `json:"note,omitempty"`

	status string // that was asked for
	shared bool   // only with the caller
}

// endAt records that n documents are shown and more follow.
func (l *documentListing) endAt(n int) { l.Count, l.NextOffset = n, l.Offset+n }

// Cuts implements output.Cuttable.
func (l *documentListing) Cuts() []output.Cut { return cutEntries(&l.Documents, l.endAt) }

func (l documentListing) WriteText(t *output.Text) {
	with := ""
	if l.shared {
		with = " shared with you"
	}
	if l.Count > 0 && l.Documents[0].siblings {
		with += l.Documents[0].after(" below ")
	}
	if l.Collaborator != "" {
		with += " that " + output.Quote(l.Collaborator) + " worked on"
	}
	heading := output.Count(l.Count, "document", "documents") + with
	switch {
	case l.Total != nil:
		heading = output.Count(*l.Total, "document", "documents") + with + rangeShown(l.Offset, l.Count, *l.Total)
	case l.Count > 0:
		heading = fmt.Sprintf("Documents%s, %d–%d", with, l.Offset+1, l.Offset+l.Count)
	}
	writeList(t, heading, "Each line: title, document_id in collection, updated (by), created (by, if another user), revision", l.Documents)
	switch {
	case l.Count > 0:
	case l.Offset > 0:
		writePastTheEnd(t, l.Offset, *cmp.Or(l.Total, new(int)))
	default:
		t.Printf("Nothing found.")
		t.If(l.status != "any").Printf(" Documents of any status are listed with status any.")
		t.Blank()
	}
	writeNotes(t, l.Note)
	writeHomes(t, entriesOf(l.Documents, func(d listedDocument) home { return d.home }))
	writeNextOffset(t, l.NextOffset)
}

// optionalDate reads an argument that is a date, and returns the zero time for "".
func optionalDate(env mcptool.Env, argument, given string) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	date, err := output.ParseDate(given, env.Now())
	if err != nil {
		return time.Time{}, output.Invalid("%s: %s %s.", argument, output.Quote(output.Excerpt(given, 40)), err)
	}
	return date, nil
}

// span is a time from a first moment on and before a second. A zero time does not
// restrict it.
type span struct{ after, before time.Time }

// endOf returns the end of the day, week, month or year that begins at t, if given names one.
func endOf(given string, t time.Time) time.Time {
	given = strings.ToLower(strings.TrimSpace(given))
	if _, err := time.Parse("2006-01", given); err == nil || strings.HasSuffix(given, " month") {
		return t.AddDate(0, 1, 0)
	}
	_, err := time.Parse(time.DateOnly, given)
	switch {
	case err == nil || given == "today" || given == "yesterday":
		return t.AddDate(0, 0, 1)
	case strings.HasSuffix(given, " week"):
		return t.AddDate(0, 0, 7)
	case strings.HasSuffix(given, " year"):
		return t.AddDate(1, 0, 0)
	}
	return t
}

// spanOf reads the arguments NAME_after and NAME_before, of which each may be "". If both name
// the same period, they mean all of it.
func spanOf(env mcptool.Env, name, after, before string) (s span, err error) {
	var afterErr, beforeErr error
	s.after, afterErr = optionalDate(env, name+"_after", after)
	s.before, beforeErr = optionalDate(env, name+"_before", before)
	if err := cmp.Or(afterErr, beforeErr); err != nil {
		return s, err
	}
	if s.before.Equal(s.after) {
		s.before = endOf(before, s.before)
	}
	if !s.after.IsZero() && !s.before.IsZero() && !s.after.Before(s.before) {
		return s, output.Invalid("nothing can match: %[1]s_after, %[2]s, is not before %[1]s_before, %[3]s. Give an earlier %[1]s_after or a later %[1]s_before; a date stands for the beginning of its day.",
			name, stamp(s.after), stamp(s.before))
	}
	return s, nil
}
