package outline

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"
)

// SearchParams describe a search.
type SearchParams struct {
	// Query is words. All must occur, unless | or "or" is between them. A word after - must
	// not, word* also finds longer words, and a text in double quotes must occur as it is.
	// With "", Search lists documents without ranking and context.
	Query          string    `json:"query,omitempty"`
	CollectionID   string    `json:"collectionId,omitempty"` // UUID (see Client.ResolveCollectionID); "" for all collections
	Below          string    `json:"documentId,omitempty"`   // UUID of a document: only it and all documents below it
	CollaboratorID string    `json:"userId,omitempty"`       // UUID of a user who created or changed the document
	UpdatedAfter   time.Time `json:"-"`                      // changed at that time or later; zero for any time. SearchTitles ignores it
	StatusFilter   []string  `json:"statusFilter"`           // any of draft, archived, published; the default is published
	Limit          int       `json:"limit,omitempty"`        // 1–100; 0 is Outline's default, 25
	Offset         int       `json:"offset,omitempty"`       // of the first hit, 0 or more
}

// page returns the parameters for a page. Without a status filter Outline would
// return drafts and archived documents as well.
func (p SearchParams) page(page ListParams) SearchParams {
	if len(p.StatusFilter) == 0 {
		p.StatusFilter = []string{"published"}
	}
	p.Limit, p.Offset = page.Limit, page.Offset
	return p
}

// A SearchHit is a result of a search.
type SearchHit struct {
	Ranking  float64  `json:"ranking"`
	Context  string   `json:"context"` // text around the match, as sent: with <b> around the words and line breaks
	Document Document `json:"document"`
}

// A SearchPage is a page of hits.
type SearchPage struct {
	Page[SearchHit]
	// Incomplete: Outline cannot filter by UpdatedAfter, and there were too many hits to
	// look through all of them. Hits may be missing, and Total is too small.
	Incomplete bool
	Searched   int // number of hits that were looked through; 0 if Outline has filtered
}

// Search returns a page of the documents whose title or text match, best first
// (documents.search).
//
// For UpdatedAfter, Search looks through up to maxHits hits of the last day, week, month
// or year. As in [Client.Documents], each hit is held against what was asked for.
func (c *Client) Search(ctx context.Context, p SearchParams) (SearchPage, error) {
	request := searchRequest{SearchParams: p.page(ListParams{p.Limit, p.Offset})}
	if p.UpdatedAfter.IsZero() {
		page, err := counted(ctx, c, listing.request("documents.search", request), SearchHit.incomplete)
		if err != nil || !slices.ContainsFunc(page.Items, func(hit SearchHit) bool { return !p.accepts(hit) }) {
			return SearchPage{Page: page}, err
		}
	}
	return c.filterSearch(ctx, request)
}

func (hit SearchHit) incomplete() string { return hit.Document.incomplete() }

func (hit SearchHit) id() string { return hit.Document.ID }

// accepts reports whether a hit has the collaborator and the time that are asked for.
func (p SearchParams) accepts(hit SearchHit) bool {
	return DocumentFilter{CollaboratorID: p.CollaboratorID, UpdatedAfter: p.UpdatedAfter, Statuses: []string{hit.Document.Status()}}.Accepts(hit.Document.DocumentSummary)
}

// searchRequest are the parameters of documents.search.
type searchRequest struct {
	SearchParams
	DateFilter string `json:"dateFilter,omitempty"` // day, week, month or year: how long ago the last change may be
}

// maxHits is how many hits are looked through that Outline cannot filter.
const maxHits = 1000

// filterSearch filters the hits that Outline cannot filter.
func (c *Client) filterSearch(ctx context.Context, r searchRequest) (SearchPage, error) {
	found := []SearchHit{}
	r.DateFilter = dateFilter(time.Since(r.UpdatedAfter))
	limit, offset := cmp.Or(r.Limit, 25), r.Offset
	listed, err := readPages(ctx, maxHits, func(page ListParams) (Page[SearchHit], error) {
		r.Limit, r.Offset = page.Limit, page.Offset
		return list[SearchHit](ctx, c, listing.request("documents.search", r), SearchHit.incomplete)
	}, SearchHit.id, func(hit SearchHit) bool {
		if r.accepts(hit) {
			found = append(found, hit)
		}
		return false
	})
	if err != nil {
		return SearchPage{}, err
	}
	first := min(offset, len(found))
	return SearchPage{
		Page:       Page[SearchHit]{Items: found[first:min(first+limit, len(found))], Limit: limit, Offset: offset, Total: len(found)},
		Incomplete: listed.incomplete, Searched: listed.searched,
	}, nil
}

// dateFilter returns the shortest time that includes an age, with some room for
// clocks that differ, or "" if none does.
func dateFilter(age time.Duration) string {
	const day = 24 * time.Hour
	switch age += time.Hour; {
	case age < day:
		return "day"
	case age < 7*day:
		return "week"
	case age < 28*day:
		return "month"
	case age < 365*day:
		return "year"
	}
	return ""
}

// SearchTitles yields all documents whose title matches
// (documents.search_titles). Pages are fetched as the loop needs them; Limit and
// Offset are ignored. An error is yielded once and ends the loop.
func (c *Client) SearchTitles(ctx context.Context, p SearchParams) iter.Seq2[DocumentSummary, error] {
	return All(ctx, func(ctx context.Context, page ListParams) (Page[DocumentSummary], error) {
		one := p
		one.Limit, one.Offset = page.Limit, page.Offset
		return c.TitlesLike(ctx, one)
	}, Paging{})
}

// TitlesLike returns a page of the documents whose title contains the query, in any
// case (documents.search_titles). Total is -1, because Outline does not send it.
func (c *Client) TitlesLike(ctx context.Context, p SearchParams) (Page[DocumentSummary], error) {
	return list(ctx, c, listing.request("documents.search_titles", p.page(ListParams{p.Limit, p.Offset})), DocumentSummary.incomplete)
}

// QuestionParams describe a question.
type QuestionParams struct {
	Query        string `json:"query"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; "" for all collections
	DocumentID   string `json:"documentId,omitempty"`   // UUID; "" for all documents
}

// An Answer is an answer to a question in natural language.
type Answer struct {
	Text      string            // Markdown; "" if Outline found no answer
	Documents []DocumentSummary // the sources of the answer; never nil
}

// AnswerQuestion has Outline answer a question from the documents that the caller
// can see (documents.answerQuestion). Because this takes longer than any other
// call, [Options].RequestTimeout does not apply: only the context limits an
// attempt.
//
// The endpoint exists in the cloud and in the licensed editions if AI answers are
// switched on; elsewhere the call fails with ErrNotFound.
func (c *Client) AnswerQuestion(ctx context.Context, p QuestionParams) (Answer, error) {
	var answer questionAnswer
	if err := c.call(ctx, asking.request("documents.answerQuestion", p), &answer); err != nil {
		return Answer{}, err
	}
	result := answer.result()
	return Answer{Text: result.Search.Answer, Documents: append([]DocumentSummary{}, result.Documents...)}, nil
}

// questionAnswer is the answer of documents.answerQuestion. Unlike for every
// other endpoint, the API describes its content beside ok and not in data. Both
// are accepted.
type questionAnswer struct {
	OK bool `json:"ok"`
	questionResult
	Data questionResult `json:"data"`
}

type questionResult struct {
	Search *struct {
		Answer string `json:"answer"`
	} `json:"search"`
	Documents []DocumentSummary `json:"documents"`
}

func (a *questionAnswer) result() questionResult {
	if a.Search == nil {
		return a.Data
	}
	return a.questionResult
}

func (a *questionAnswer) lacks() string {
	result := a.result()
	switch {
	case !a.OK:
		return `it lacks "ok": true`
	case result.Search == nil:
		return `it has no "search"`
	}
	return incompleteAmong(result.Documents, DocumentSummary.incomplete)
}
