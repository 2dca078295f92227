package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/outline"
)

// largeBody is the length, in bytes, from which a body counts as large.
const largeBody = 256 << 10

// The bytes that count for each value in a body, and for each line or Markdown
// mark in its texts, in addition to their length: each takes memory when it is
// decoded.
const (
	perValue = 16
	perMark  = 128
)

// bodies reads the bodies of requests. Until their calls end, all bodies
// together take a limited amount of memory. It is counted as they arrive: a
// length that a request only announces, or has not sent yet, takes nothing from
// the others. Large bodies have their own limit, so that they never cause a
// small one to be refused, and so have large bodies from strangers, apart from
// those with keys that Outline accepts.
//
// A call takes about six times the length of its body, in copies that are
// decoded and sent on.
type bodies struct {
	most     int64                     // bytes of one body
	lane     int64                     // bytes that large bodies take together
	accepted func(auth.Principal) bool // whether Outline has accepted the key lately
	small    *semaphore.Weighted
	large    *semaphore.Weighted
	stranger *semaphore.Weighted // large bodies with keys that are not known; half as much
	stopping context.Context     // when it is done, bodies that have not arrived are refused
}

func newBodies(most int64, accepted func(auth.Principal) bool, stopping context.Context) bodies {
	one := most + perValue*wire.MaxValues
	return bodies{
		most: most, lane: one, accepted: accepted, stopping: stopping,
		small: semaphore.NewWeighted(max(most, 6<<20)), large: semaphore.NewWeighted(one), stranger: semaphore.NewWeighted(one / 2),
	}
}

// A share is the part of a lane's memory that one body takes.
type share struct {
	lane *semaphore.Weighted
	held int64
}

func (s *share) take(n int64) bool {
	if !s.lane.TryAcquire(n) {
		return false
	}
	s.held += n
	return true
}

func (s *share) free() {
	s.lane.Release(s.held)
	s.held = 0
}

// read returns a request's body and a function that releases its memory. The
// server's read timeout bounds how long a body may take to arrive.
func (b bodies) read(w http.ResponseWriter, r *http.Request, who auth.Principal) (body []byte, free func(), problem *refusal) {
	if r.ContentLength > b.most {
		return nil, nil, b.tooLarge()
	}
	defer b.cutWhenStopping(w)()
	memory := &share{lane: b.small}
	body, problem = b.receive(w, r, who, memory)
	if problem == nil {
		problem = b.weigh(body, who, memory)
	}
	if problem != nil {
		memory.free()
		return nil, nil, problem
	}
	return body, memory.free, nil
}

// cutWhenStopping ends a body when the server stops, until the function that it
// returns is called. After that w is not used: it may be gone.
func (b bodies) cutWhenStopping(w http.ResponseWriter) (arrived func()) {
	cut := make(chan struct{})
	stop := context.AfterFunc(b.stopping, func() {
		defer close(cut)
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	})
	return func() {
		if !stop() {
			<-cut
		}
	}
}

// receive reads a body and takes the memory for it.
func (b bodies) receive(w http.ResponseWriter, r *http.Request, who auth.Principal, memory *share) ([]byte, *refusal) {
	const first = 4 << 10 // most requests are shorter
	var buffer bytes.Buffer
	if 0 <= r.ContentLength && r.ContentLength <= first {
		buffer.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	source := http.MaxBytesReader(w, r.Body, b.most)
	for piece := int64(first); ; piece = 64 << 10 {
		if memory.lane == b.small && buffer.Len() >= largeBody {
			length := b.most
			if r.ContentLength > 0 {
				length = r.ContentLength
			}
			if problem := b.enlarge(length, who, memory); problem != nil {
				return nil, problem
			}
			buffer.Grow(int(memory.held) - buffer.Len() + bytes.MinRead)
		} else if memory.lane == b.small && !memory.take(piece) {
			return nil, b.full(memory.lane)
		}
		_, err := io.CopyN(&buffer, source, piece)
		switch {
		case err == io.EOF:
			return buffer.Bytes(), nil
		case err != nil:
			return nil, b.broken(err)
		}
	}
}

// enlarge makes a body take its memory as a large one.
func (b bodies) enlarge(weight int64, who auth.Principal, memory *share) *refusal {
	large := &share{lane: b.stranger}
	if b.accepted != nil && b.accepted(who) {
		large.lane = b.large
	}
	if !large.take(weight) {
		return b.full(large.lane)
	}
	memory.free()
	*memory = *large
	return nil
}

// full returns the refusal of a body for which a lane has no memory.
func (b bodies) full(lane *semaphore.Weighted) *refusal {
	message := "the server is busy; try again shortly"
	if lane == b.stranger {
		message = "the server accepts only a few large requests with keys that it does not know yet; call a tool that reads first, then try again"
	}
	return &refusal{status: http.StatusServiceUnavailable, reason: reasonBusy, retry: 1, close: true, message: message}
}

// weigh takes the memory for decoding a body. One that takes much of it counts as
// large, however short it is. With a key that Outline accepts, one that would take
// more than there is may be alone.
func (b bodies) weigh(body []byte, who auth.Principal, memory *share) *refusal {
	values, err := wire.Values(body)
	if err != nil {
		return &refusal{status: http.StatusRequestEntityTooLarge, reason: reasonSize, message: "the request cannot be read: " + err.Error() + "; send less at a time"}
	}
	weight := int64(len(body) + values*perValue + outline.MarksInJSON(body)*perMark)
	if b.accepted != nil && b.accepted(who) {
		weight = min(weight, b.lane)
	}
	if memory.lane == b.small && weight > 4*largeBody {
		return b.enlarge(weight, who, memory)
	}
	if !memory.take(max(0, weight-memory.held)) {
		return b.full(memory.lane)
	}
	return nil
}

func (b bodies) tooLarge() *refusal {
	return &refusal{status: http.StatusRequestEntityTooLarge, reason: reasonSize, close: true,
		message: "the request is larger than the " + strconv.FormatInt(b.most, 10) + " bytes that this server accepts; send less at a time"}
}

// broken returns the refusal of a body that did not arrive.
func (b bodies) broken(err error) *refusal {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return b.tooLarge()
	case b.stopping.Err() != nil:
		return stoppingRefusal()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{status: http.StatusRequestTimeout, reason: reasonBody, close: true, message: "the request did not arrive completely in time; send it again"}
	}
	return &refusal{status: http.StatusBadRequest, reason: reasonBody, close: true, message: "the request did not arrive completely; send it again"}
}

// A limiter limits the calls in flight.
type limiter struct {
	most, mostPerSubject int

	mu         sync.Mutex
	total      int
	perSubject map[string]int
	stopping   chan struct{} // nil until stop; closed when total is 0
}

func newLimiter(most, mostPerSubject int) *limiter {
	return &limiter{most: most, mostPerSubject: mostPerSubject, perSubject: map[string]int{}}
}

// strangers stands for all subjects whose key Outline has not accepted, and who together
// get half of the calls. It is no subject: those are hashes.
const strangers = "strangers"

// acquire counts a call of a subject until release is called. It refuses a call
// that is over a limit.
func (l *limiter) acquire(subject string, stranger bool) (release func(), problem *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stopping != nil:
		return nil, stoppingRefusal()
	case l.perSubject[subject] >= l.mostPerSubject:
		return nil, &refusal{status: http.StatusTooManyRequests, reason: reasonKeyBusy, retry: 1, message: "too many concurrent calls with this key; wait for some to finish, then try again"}
	case l.total >= l.most, stranger && l.perSubject[strangers] >= max(1, l.most/2):
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: reasonBusy, retry: 1, message: "the server is busy with the maximum number of calls; try again shortly"}
	}
	l.total++
	counted := []string{subject}
	if stranger {
		counted = append(counted, strangers)
	}
	for _, name := range counted {
		l.perSubject[name]++
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.total--
		for _, name := range counted {
			if l.perSubject[name]--; l.perSubject[name] == 0 {
				delete(l.perSubject, name)
			}
		}
		if l.total == 0 && l.stopping != nil {
			close(l.stopping)
		}
	}, nil
}

// stop refuses all further calls. The channel that it returns is closed when
// those in flight have ended.
func (l *limiter) stop() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = make(chan struct{})
	if l.total == 0 {
		close(l.stopping)
	}
	return l.stopping
}

func stoppingRefusal() *refusal {
	return &refusal{status: http.StatusServiceUnavailable, reason: reasonStopping, retry: 1, close: true, message: "the server is stopping; try again to reach another one"}
}
