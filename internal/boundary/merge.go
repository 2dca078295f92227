package boundary

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/output"
)

const (
	// mostSources is how many collections a list is asked for one by one. The list of
	// more is read as a whole, without what is outside.
	mostSources = 10
	// mostItems is how many items of such a list are looked through.
	mostItems = 5000
)

// A source is a list that Outline can answer, with the parameters that make it one.
type source struct {
	params map[string]any
	// exact: all of it is inside, so that its total is that of Outline.
	exact bool
	// drafts: of its documents, only those outside of collections count. The others are
	// in another source.
	drafts bool
}

// byCollection are the lists that Outline can limit to one collection.
var byCollection = []string{"documents.list", "documents.archived", "documents.search", "documents.search_titles", "documents.drafts", "templates.list", "comments.list"}

// sources returns what a list is merged from. The collections that are inside are asked
// one by one if they are few: the totals are exact then, and nothing else is read.
func (e *exchange) sources(ctx context.Context) ([]source, error) {
	whole := []source{{}}
	if !slices.Contains(byCollection, e.Endpoint) || e.params["filters"] != nil {
		return whole, nil
	}
	inside, err := e.insideIDs(ctx)
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, id := range inside {
		sources = append(sources, source{params: map[string]any{"collectionId": id}, exact: true})
	}
	switch {
	case e.Endpoint == "comments.list": // which does not say in which collections they are
		return sources, nil
	case len(sources) > mostSources, e.Endpoint == "templates.list" && len(e.view.only) == 0: // some are for all collections
		return whole, nil
	case !e.listsDrafts():
		return sources, nil
	case e.params["statusFilter"] == nil:
		return append(sources, source{drafts: true}), nil
	}
	return append(sources, source{params: map[string]any{"statusFilter": e.otherStatuses()}, drafts: true}), nil
}

// otherStatuses returns the requested statuses that a document outside of collections
// can have.
func (e *exchange) otherStatuses() []string {
	var statuses []string
	_ = json.Unmarshal(e.params["statusFilter"], &statuses)
	return slices.DeleteFunc(statuses, func(status string) bool { return status == "published" })
}

// rank is what lists are ordered by. Times of Outline are all of one form, so that they
// sort as text.
type rank struct {
	Ranking         float64 `json:"ranking"`
	CreatedAt       string  `json:"createdAt"`
	UpdatedAt       string  `json:"updatedAt"`
	PublishedAt     *string `json:"publishedAt"`
	Title           string  `json:"title"`
	PopularityScore float64 `json:"popularityScore"`
	Document        *rank   `json:"document"`
}

// compare compares two items in the order of the list.
func (e *exchange) compare(a, b rank) int {
	if a.Document != nil && b.Document != nil { // hits of a search, best first
		return cmp.Or(cmp.Compare(b.Ranking, a.Ranking), cmp.Compare(b.Document.UpdatedAt, a.Document.UpdatedAt))
	}
	by := e.text("sort")
	if by == "" && e.Endpoint == "comments.list" {
		by = "createdAt"
	}
	c := 0
	switch by {
	case "createdAt":
		c = cmp.Compare(a.CreatedAt, b.CreatedAt)
	case "title":
		c = strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	case "popularityScore":
		c = cmp.Compare(a.PopularityScore, b.PopularityScore)
	case "publishedAt": // drafts have been published last, as PostgreSQL has it
		latest := "~"
		c = cmp.Compare(*cmp.Or(a.PublishedAt, &latest), *cmp.Or(b.PublishedAt, &latest))
	default:
		c = cmp.Compare(a.UpdatedAt, b.UpdatedAt)
	}
	if e.text("direction") != "ASC" {
		c = -c
	}
	return c
}

// entry is an item of a source.
type entry struct {
	data     json.RawMessage
	rank     rank
	position int // in the list as Outline has it
}

// A stream reads a source.
type stream struct {
	source
	e       *exchange
	is      item
	next    int // position of the next item to ask for
	at      int // number of items to ask for
	waiting []entry
	ended   bool
	found   int // items that are inside
	total   int // -1 if Outline does not say
}

// head returns the next item. It reports false at the end.
func (s *stream) head(ctx context.Context) (entry, bool, error) {
	for len(s.waiting) == 0 && !s.ended {
		if err := s.fill(ctx); err != nil {
			return entry{}, false, err
		}
	}
	if len(s.waiting) == 0 {
		return entry{}, false, nil
	}
	return s.waiting[0], true, nil
}

// fill reads the next page.
func (s *stream) fill(ctx context.Context) error {
	if !s.exact && s.next >= mostItems {
		failure := output.Failure{Code: output.TooLarge, Sentence: "this server shows only a part of the workspace, and the list is too long to find that part.",
			Next: "Name one collection with collection_id, or ask for less."}
		if !slices.Contains(byCollection, s.e.Endpoint) {
			failure.Next = fmt.Sprintf("Ask for less, nearer to the beginning of the list: of Outline's whole list, the first %d entries are looked through.", mostItems)
		}
		return failure
	}
	asked := *s.e
	asked.params = map[string]json.RawMessage{}
	for name, value := range s.e.params {
		asked.params[name] = value
	}
	for name, value := range s.params {
		asked.set(name, value)
	}
	asked.set("limit", s.at)
	asked.set("offset", s.next)
	body, err := asked.send(ctx)
	if err != nil {
		if s.exact && outlineRefuses(err) { // a collection whose documents this caller cannot list
			s.ended, s.total = true, 0
			return nil
		}
		return err
	}
	var answer list
	if err := decode(body, &answer); err != nil {
		return err
	}
	s.total = -1
	if answer.Pagination.Total != nil {
		s.total = *answer.Pagination.Total
	}
	for i, data := range answer.Data {
		if inside, err := s.inside(ctx, data); err != nil {
			return err
		} else if !inside {
			continue
		}
		one := entry{data: data, position: s.next + i}
		if err := decode(data, &one.rank); err != nil {
			return err
		}
		s.waiting = append(s.waiting, one)
		s.found++
	}
	s.next += len(answer.Data)
	s.ended = len(answer.Data) < s.at
	return nil
}

func (s *stream) inside(ctx context.Context, data json.RawMessage) (bool, error) {
	if s.drafts {
		if d, err := documentOf(data); err != nil || d.CollectionID != "" {
			return false, err
		}
	}
	return s.is(ctx, s.e, data)
}

// position returns where the next item is.
func (s *stream) position() int {
	if len(s.waiting) > 0 {
		return s.waiting[0].position
	}
	return s.next
}

// length returns the number of items that are inside. A source that is not exact is read
// to its end.
func (s *stream) length(ctx context.Context) (int, error) {
	if s.exact {
		return s.total, nil
	}
	for !s.ended {
		s.waiting = nil
		if err := s.fill(ctx); err != nil {
			return 0, err
		}
	}
	return s.found, nil
}

// merge makes a page of several lists the answer.
func (e *exchange) merge(ctx context.Context, is item, sources []source) error {
	limit, offset := e.number("limit", 25), e.number("offset", 0)
	known := e.bounds.recall(e.listKey(), offset, len(sources))
	skip := 0
	if known.positions == nil {
		known.positions, skip = make([]int, len(sources)), offset
	}
	streams := make([]*stream, len(sources))
	for i, source := range sources {
		streams[i] = &stream{source: source, e: e, is: is, next: known.positions[i], at: maxPage, total: -1}
		if source.exact {
			streams[i].at = min(maxPage, max(1, skip+limit))
		}
	}
	kept := []json.RawMessage{}
	for n := 0; n < skip+limit; n++ {
		first := -1
		var least rank
		for i, s := range streams {
			head, ok, err := s.head(ctx)
			if err != nil {
				return err
			}
			if ok && (first < 0 || e.compare(head.rank, least) < 0) {
				first, least = i, head.rank
			}
		}
		if first < 0 {
			break
		}
		if n >= skip {
			kept = append(kept, streams[first].waiting[0].data)
		}
		streams[first].waiting = streams[first].waiting[1:]
	}
	following := make([]int, len(streams))
	for i, s := range streams {
		following[i] = s.position()
	}
	total, err := e.total(ctx, streams, known.total)
	if err != nil {
		return err
	}
	e.bounds.remember(e.listKey(), offset+len(kept), following, total)
	return e.answerPage(kept, limit, offset, total)
}

// total returns how long the lists are together, or nil if Outline does not say.
func (e *exchange) total(ctx context.Context, streams []*stream, known *int) (*int, error) {
	if known != nil {
		return known, nil
	}
	sum := 0
	for _, s := range streams {
		if s.total < 0 {
			return nil, nil
		}
		n, err := s.length(ctx)
		if err != nil {
			return nil, err
		}
		sum += n
	}
	return &sum, nil
}
