package httpd

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// atOnce is the number of bytes that a client may take one deadline to read.
	atOnce = 16 << 10
	// sendBuffer is the size of the system's send buffer for a client, of which Linux
	// takes twice as much. The system lets the program write again only after the client
	// has read about a third of it, so a slow client must read that much within one
	// deadline.
	sendBuffer = 64 << 10
	// smallAnswer is the length, in bytes, up to which answers do not count as unread:
	// there are no more of them than calls.
	smallAnswer = 64 << 10
	// mostUnread limits the bytes of all other answers that clients have not read.
	mostUnread = 16 << 20
	// patience is how long a client may read nothing while others need the memory.
	patience = 250 * time.Millisecond
)

// An answer writes what a client reads, in pieces with a deadline each, and aborts if it
// does not.
type answer struct {
	http.ResponseWriter
	ctx    context.Context // of the request
	within time.Duration   // for some of the answer to be read
	unread *unread         // nil for what is short
	begun  func()          // called when the answer needs nothing else of what the call has taken; may be nil

	// Guarded by the mutex of unread, as long as it is one of its answers:
	moved time.Time // when some of it was read last
	cut   bool
}

// Write implements http.ResponseWriter. The deadline moves with what is written.
func (a *answer) Write(p []byte) (written int, err error) {
	counted := len(p) > smallAnswer && a.unread != nil
	if counted {
		defer a.unread.leave(a.unread.enter(a, int64(len(p))))
	}
	// A small event may be one of several.
	if a.begun != nil && (counted || a.Header().Get("Content-Type") != "text/event-stream") {
		a.begun()
	}
	for {
		piece := p[written:min(len(p), written+atOnce)]
		if !counted {
			a.deadline(time.Now().Add(a.within))
		} else if !a.unread.moves(a) {
			panic(http.ErrAbortHandler) // the client must not take what it has for the whole
		}
		n, err := a.ResponseWriter.Write(piece)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// deadline sets when the answer aborts if nothing of it is read. Writers other than a
// network's have no deadline. net/http clears it before the connection's next answer.
func (a *answer) deadline(at time.Time) {
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(at)
}

// FlushError sends what was written, for http.ResponseController. It clears the
// deadline, because HTTP/2 would end a stream whose deadline passes while nothing
// is written.
func (a *answer) FlushError() error {
	err := http.NewResponseController(a.ResponseWriter).Flush()
	a.deadline(time.Time{})
	return err
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// unread is the memory of answers that clients have not read. If there is too little for
// another one, it cuts off the client that has read nothing for longest.
type unread struct {
	mu      sync.Mutex
	free    int64
	answers list.List                 // of *answer, the one that has moved last at the end
	places  map[*answer]*list.Element // in answers
	freed   chan struct{}             // closed when there is more
}

func newUnread() *unread {
	return &unread{free: mostUnread, places: map[*answer]*list.Element{}, freed: make(chan struct{})}
}

// enter waits until there is memory for an answer, and returns how much it takes. It
// aborts the request if the client leaves, or there is none in the time for an answer.
func (u *unread) enter(a *answer, length int64) (_ *answer, takes int64) {
	takes = min(length, mostUnread)
	late := time.NewTimer(a.within)
	defer late.Stop()
	for {
		wait, freed := u.take(a, takes)
		if wait <= 0 {
			return a, takes
		}
		again := time.NewTimer(wait)
		select {
		case <-freed:
		case <-again.C:
		case <-a.ctx.Done():
			panic(http.ErrAbortHandler)
		case <-late.C:
			panic(http.ErrAbortHandler)
		}
		again.Stop()
	}
}

// take takes memory for an answer, or cuts off another one if it has to. Without memory it
// returns when to ask again, at the latest.
func (u *unread) take(a *answer, takes int64) (wait time.Duration, freed <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.free >= takes {
		u.free -= takes
		a.moved = time.Now()
		u.places[a] = u.answers.PushBack(a)
		return 0, nil
	}
	wait = patience
	if longest := u.answers.Front(); longest != nil {
		other := longest.Value.(*answer)
		if wait = patience - time.Since(other.moved); wait <= 0 {
			wait = patience
			other.cut = true
			u.forget(other)
			other.deadline(time.Unix(1, 0))
		}
	}
	return wait, u.freed
}

// moves notes that some of an answer was read, and reports whether it may go on.
func (u *unread) moves(a *answer) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if a.cut {
		return false
	}
	a.moved = time.Now()
	u.answers.MoveToBack(u.places[a])
	a.deadline(a.moved.Add(a.within))
	return true
}

// leave gives the memory of an answer back.
func (u *unread) leave(a *answer, takes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(a)
	u.free += takes
	close(u.freed)
	u.freed = make(chan struct{})
}

func (u *unread) forget(a *answer) {
	if place, ok := u.places[a]; ok {
		u.answers.Remove(place)
		delete(u.places, a)
	}
}

// limitSending limits the system's send buffer for a connection.
func limitSending(ctx context.Context, connection net.Conn) context.Context {
	if secure, ok := connection.(*tls.Conn); ok {
		connection = secure.NetConn()
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // without it slow clients have less time
	}
	return ctx
}
