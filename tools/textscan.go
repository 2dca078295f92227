package tools

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
)

// A textScan goes through the published documents of a collection, or of the whole
// workspace, with their texts, oldest first. Pages are requested side by side.
//
// Outline pages by offset, so what disappears or comes back during a scan moves the
// documents behind it. Pages therefore overlap: the scan goes back where two do not,
// and leaves out what it has had. Whether a document has its turn is decided by when
// it was created, which never changes, and among equal times by its ID.
type textScan struct {
	client       *outline.Client
	collectionID string // "" for all
	concurrency  int    // pages requested at a time
	from         *listPlace
	// look reads a document as soon as its page is there, side by side with other
	// pages. What it returns goes with the document; true if ctx ended it.
	look func(context.Context, outline.Document) bool

	total   int  // documents in the list
	changed bool // documents have come or gone since the scan began
	ended   bool // the page that was yielded is the last one

	at      time.Time       // when the latest document was created
	had     map[string]bool // IDs of the documents created then that had their turn
	pending bool            // the place to continue from was not met yet
	returns int             // how often the scan went back
}

// listPlace is a place in the list of a scan, as a cursor keeps it.
type listPlace struct {
	Created int64    // of the document, in microseconds since 1970
	ID      [16]byte // of the document
	Index   uint32   // of the document, from 0
	Total   uint32   // documents in the list
	After   bool     // whether the document has had its turn
}

// listedText is a document at its place in the list.
type listedText struct {
	outline.Document
	index  int
	looked bool // what the look at it returned
}

const (
	scanPage    = 100     // documents in a page: Outline's maximum
	scanOverlap = 4       // documents that a page has in common with the one before
	scanReturns = 3       // a list that changes faster is read without going back
	largePage   = 2 << 20 // bytes of text in a page from which on pages are requested one by one
)

func newTextScan(env mcptool.Env, collectionID string, from *listPlace, look func(context.Context, outline.Document) bool) *textScan {
	w := &textScan{client: env.Outline, collectionID: collectionID, concurrency: max(1, env.BatchConcurrency), from: from, look: look, had: map[string]bool{}}
	if from != nil {
		w.at, w.pending = time.UnixMicro(from.Created), true
	}
	return w
}

// pages yields the documents page by page. An error ends the scan.
func (w *textScan) pages(ctx context.Context) iter.Seq2[[]listedText, error] {
	return func(yield func([]listedText, error) bool) {
		q := &pageQueue{scan: w, size: scanPage, slots: make(chan struct{}, w.concurrency)}
		defer q.stop()
		offset := 0
		if w.from != nil {
			offset = max(0, int(w.from.Index)-scanOverlap)
		}
		q.restart(ctx, offset)
		for {
			taken := q.take()
			page, offset, err := taken.page, taken.offset, taken.err
			switch {
			case errors.Is(err, outline.ErrAnswerTooLarge) && q.size > 1:
				q.size /= 2
				q.restart(ctx, offset)
				continue
			case err != nil:
				yield(nil, err)
				return
			}
			w.count(page.Total)
			if offset > 0 && q.overlap() > 0 && w.returns < scanReturns && (len(page.Items) == 0 || page.Items[0].CreatedAt.After(w.at)) {
				w.changed = true
				w.returns++
				q.restart(ctx, max(0, offset-q.size))
				continue
			}
			w.ended = len(page.Items) < q.size || offset+len(page.Items) >= page.Total
			if !yield(w.unseen(taken), nil) || w.ended {
				return
			}
		}
	}
}

// count takes note of the length of the list.
func (w *textScan) count(total int) {
	before := w.total
	if before == 0 && w.from != nil {
		before = int(w.from.Total)
	}
	w.changed = w.changed || before > 0 && before != total
	w.total = total
}

// unseen returns the documents of a page that have not had their turn.
func (w *textScan) unseen(taken *pendingPage) []listedText {
	if w.pending {
		w.find(taken.page.Items, taken.offset)
	}
	var unseen []listedText
	for i, d := range taken.page.Items {
		if d.CreatedAt.Before(w.at) {
			continue
		}
		if d.CreatedAt.After(w.at) {
			w.at = d.CreatedAt
			clear(w.had)
		}
		if !w.had[d.ID] {
			w.had[d.ID] = true
			unseen = append(unseen, listedText{d, taken.offset + i, taken.looks[i]})
		}
	}
	return unseen
}

// find looks for the document to continue from, and takes note of those that were
// created at the same time and had their turn before.
func (w *textScan) find(page []outline.Document, offset int) {
	place := slices.IndexFunc(page, func(d outline.Document) bool { return idBytes(d.ID) == w.from.ID })
	had := place
	if place >= 0 && w.from.After {
		had++
	}
	if place < 0 {
		if len(page) == 0 || !page[len(page)-1].CreatedAt.After(w.at) {
			return // it may be on the next page
		}
		had = int(w.from.Index) - offset
	}
	w.pending = false
	w.changed = w.changed || offset+place != int(w.from.Index)
	for _, d := range page[:min(max(had, 0), len(page))] {
		if d.CreatedAt.Equal(w.at) {
			w.had[d.ID] = true
		}
	}
}

// place returns the place of a document that has had its turn or, if after is
// false, has it next.
func (w *textScan) place(d listedText, after bool) listPlace {
	return listPlace{d.CreatedAt.UnixMicro(), idBytes(d.ID), uint32(d.index), uint32(w.total), after}
}

// A pageQueue requests the pages of a scan ahead of their use. The first one comes
// alone: it may be all that is needed.
type pageQueue struct {
	scan  *textScan
	size  int           // of a page
	ahead int           // pages to request before they are needed
	slots chan struct{} // held while a page is requested

	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup
	next   int // offset of the page to request next
	pages  []*pendingPage
}

// pendingPage is a page that was requested.
type pendingPage struct {
	offset int
	page   outline.Page[outline.Document]
	looks  []bool // of each document
	err    error
	done   chan struct{}
}

func (q *pageQueue) overlap() int { return min(scanOverlap, q.size/2) }

// restart drops the pages that were requested and continues from an offset.
func (q *pageQueue) restart(ctx context.Context, offset int) {
	q.stop()
	q.ctx, q.cancel = context.WithCancel(ctx)
	q.pages, q.next, q.ahead = nil, offset, 0
}

// stop ends all requests and waits for that.
func (q *pageQueue) stop() {
	if q.cancel != nil {
		q.cancel()
	}
	q.wait.Wait()
}

// take returns the next page.
func (q *pageQueue) take() *pendingPage {
	for len(q.pages) == 0 || len(q.pages) <= q.ahead && q.next+q.overlap() < q.scan.total {
		p := &pendingPage{offset: q.next, done: make(chan struct{})}
		limit, ctx := q.size, q.ctx
		q.wait.Go(func() {
			defer close(p.done)
			select {
			case q.slots <- struct{}{}:
			case <-ctx.Done():
				p.err = ctx.Err()
				return
			}
			p.page, p.err = q.scan.client.DocumentTexts(ctx, q.scan.collectionID, outline.ListParams{Limit: limit, Offset: p.offset})
			<-q.slots
			defer func() {
				if reason := recover(); reason != nil { // a page that breaks the search ends this call alone
					p.err = fmt.Errorf("search the texts: %v", reason)
				}
			}()
			for _, d := range p.page.Items {
				p.looks = append(p.looks, q.scan.look(ctx, d) || ctx.Err() != nil)
			}
		})
		q.pages, q.next = append(q.pages, p), q.next+q.size-q.overlap()
	}
	first := q.pages[0]
	q.pages = q.pages[1:]
	<-first.done
	text := 0
	for _, d := range first.page.Items {
		text += len(d.Text)
	}
	q.ahead = 0
	switch {
	case text <= largePage/2:
		q.ahead = 2*q.scan.concurrency - 1 // so that a late page does not hold up the next requests
	case text <= largePage:
		q.ahead = q.scan.concurrency - 1
	}
	return first
}
