package outline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// The lengths of answers, in bytes, from which they are read a few at a time, and one
// at a time: a document takes about five times its answer's length, as text, as a tree,
// in which each word may be its own node, and while a change of it is planned. The answers
// to the same work count together.
const (
	largeAnswer, largeTogether = 256 << 10, 1 << 20
	hugeAnswer, hugeTogether   = 2 << 20, 4 << 20
	maxLarge                   = 6
)

// largeAnswers bounds the memory that answers to all callers take together. Those that
// are not large never wait. Subjects take turns.
//
// What has a place must not wait for what waits for one, or both wait until they time
// out. Therefore the requests of some work share its place. Look-ups in passing, which
// other work may wait for, have their own place, only until they are decoded.
type largeAnswers struct{ large, huge, passing *transport.FairQueue }

func newLargeAnswers() largeAnswers {
	return largeAnswers{transport.NewFairQueue(maxLarge, false), transport.NewFairQueue(1, false), transport.NewFairQueue(1, false)}
}

// WithPlace returns a context for work that keeps what Outline answers, as an edit
// keeps the document that it reads. If its answers are large, they share one place among
// those that are allowed at once, until done is called. Without it, each has a place until
// it is decoded. If ctx is part of such work, done does nothing: the work keeps its place.
func WithPlace(ctx context.Context) (_ context.Context, done func()) {
	if p, ok := ctx.Value(placeKey{}).(*memoryPlace); ok && !p.ended() {
		return ctx, func() {}
	}
	p := newMemoryPlace()
	return context.WithValue(ctx, placeKey{}, p), p.release
}

// ErrBusy is the cause of an ErrTimeout if the time ran out because the answers to other
// calls took the memory that is allowed for large ones.
var ErrBusy = errors.New("other large answers are being read")

type placeKey struct{}

// A memoryPlace is that of the answers to some work. It is empty until one of them is large.
type memoryPlace struct {
	turn    chan struct{} // held while one of the answers waits for a place
	passing bool          // it is a look-up in passing

	mu       sync.Mutex
	lists    int                  // that are being read or decoded
	large    bool                 // the place is needed without them, too
	bytes    int64                // of the answers that have arrived
	queue    *transport.FairQueue // in which it was taken; nil if the answers are small
	leave    func()               // gives it back
	released bool
}

func newMemoryPlace() *memoryPlace { return &memoryPlace{turn: make(chan struct{}, 1)} }

// placeOf returns the place for the answer to a request until done is called, and longer if
// it is part of work that has a place.
func (c *Client) placeOf(ctx context.Context, r request) (p *memoryPlace, done func()) {
	passing := optionsOf(ctx).inPassing
	if p, ok := ctx.Value(placeKey{}).(*memoryPlace); ok && !passing {
		if r.kind != listing {
			return p, func() {}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lists++
		return p, sync.OnceFunc(p.listed)
	}
	p = newMemoryPlace()
	p.passing = passing
	return p, p.release
}

// listed ends a list, and gives the place back if only lists needed it.
func (p *memoryPlace) listed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lists--; p.lists == 0 && !p.large {
		p.change(nil, nil)
	}
}

// add counts an answer that has arrived.
func (p *memoryPlace) add(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += bytes
}

func (p *memoryPlace) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.released
}

func (p *memoryPlace) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.change(nil, nil)
}

func (p *memoryPlace) change(queue *transport.FairQueue, leave func()) {
	if p.queue != nil {
		p.leave()
	}
	p.queue, p.leave = queue, leave
}

// needs returns the queue in which an answer of so many bytes needs a place, or nil if it
// needs no other than p.
func (p *memoryPlace) needs(all largeAnswers, bytes int64, of kind) *transport.FairQueue {
	p.mu.Lock()
	defer p.mu.Unlock()
	together := p.bytes + bytes
	large := bytes >= largeAnswer || together >= largeTogether
	p.large = p.large || large && of != listing
	switch {
	case p.queue == all.huge:
		return nil
	case bytes >= hugeAnswer, together >= hugeTogether:
		return all.huge
	case p.queue != nil || !large:
		return nil
	case p.passing:
		return all.passing
	}
	return all.large
}

// takePlace waits until there is a place for an answer of so many bytes. It fails with
// ErrBusy if ctx ends first.
//
// The answer to a command does not wait: what the place is taken by may wait for the
// command. A huge one in passing fails at once.
func (c *Client) takePlace(ctx context.Context, p *memoryPlace, bytes int64, of kind) error {
	if p.needs(c.large, bytes, of) == nil {
		return nil
	}
	atOnce, cancel := context.WithCancel(ctx)
	cancel()
	command, waits := of >= changing, ctx
	if command {
		waits = atOnce
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-waits.Done():
		if command {
			return nil
		}
		return ErrBusy
	}
	queue := p.needs(c.large, bytes, of)
	if queue == nil {
		return nil
	}
	if p.passing && queue == c.large.huge {
		waits = atOnce
	}
	subject := ""
	if credential, failure := c.credential(ctx, ""); failure == nil {
		subject = credential.subject()
	}
	leave, _, err := queue.Acquire(waits, subject)
	switch {
	case err != nil && command:
		return nil
	case err != nil:
		return ErrBusy
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released {
		leave()
		return nil
	}
	p.change(queue, leave)
	return nil
}

// maxValues limits the values of an answer before it is decoded: an empty object becomes
// a structure of some hundred bytes. Values outside of the trees of documents count twice.
// The list of 25,000 documents of a collection, and a document of 100,000 words, of which
// half are emphasized, still fit.
const maxValues = 500_000

// The bytes that a value takes, and a line or a Markdown mark of its texts when a tool parses
// them, in addition to those of the answer, as one of the largeAnswers.
const (
	perValue = 16
	perMark  = 64
)

// MarksInJSON returns the lines and Markdown marks of all texts in JSON, which need not be
// valid. It allocates nothing.
func MarksInJSON(body []byte) int {
	var c prosemirror.MarkCounter
	within := false
	for i := 0; i < len(body); i++ {
		b := body[i]
		switch {
		case b == '"':
			within = !within
		case !within:
			continue
		case b == '\\' && i+1 < len(body):
			i++
			switch body[i] {
			case 'n', 'r':
				b = '\n'
			case '"', '/':
				b = body[i]
			case 't':
				b = '\t'
			case 'u':
				code, _ := strconv.ParseUint(string(body[i+1:min(i+5, len(body))]), 16, 16)
				b, i = byte(min(code, 0xFF)), i+4
			}
		}
		c.Add(b)
	}
	return c.Marks
}

// countValues estimates the values in JSON, which need not be valid. It allocates nothing.
func countValues(body []byte) (values int, problem string) {
	depth, tree := 0, math.MaxInt // tree is the depth of the member that holds the tree
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			name := i + 1
			for i = name; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
			if depth > 1 && depth < tree && bytes.HasPrefix(body[name:], []byte(`data":{`)) {
				tree = depth
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= tree {
				tree = math.MaxInt
			}
			continue
		case ',':
			if depth <= tree {
				tree = math.MaxInt
			}
		default:
			continue
		}
		values++
		if depth <= tree {
			values++
		}
		if values > maxValues {
			return values, fmt.Sprintf("the answer has more than %d values", maxValues/2)
		}
	}
	return values, ""
}

// maxItems is how many items of a page are read. Outline sends at most maxPage.
const maxItems = 10 * maxPage

// items are those of a page. A longer list is not decoded to its end.
type items[T any] []T

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (s *items[T]) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() != '[' {
		return json.UnmarshalDecode(in, (*[]T)(s)) // says what is wrong
	}
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for *s = []T{}; in.PeekKind() != ']'; {
		if len(*s) == maxItems {
			return errTooManyItems
		}
		var item T
		if err := json.UnmarshalDecode(in, &item); err != nil {
			return err
		}
		*s = append(*s, item)
	}
	_, err := in.ReadToken()
	return err
}

var errTooManyItems = fmt.Errorf("a page has more than %d items", maxItems)
