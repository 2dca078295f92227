package httpd

import (
	"container/list"
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
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
	unread *unreadAnswers  // nil for what is short
	begun  func()          // called when the answer needs nothing else of what the call has taken; may be nil

	// Guarded by the mutex of unread:
	place *list.Element // among its answers; nil if it is not counted, or was cut off
	moved time.Time     // when some of it was read last
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

// unreadAnswers is the memory of answers that clients have not read. If there is too little for
// another one, it cuts off the client that has read nothing for longest.
type unreadAnswers struct {
	mu      sync.Mutex
	free    int64
	answers list.List     // of *answer, the one that has moved last at the end
	freed   chan struct{} // closed when there is more
}

func newUnread() *unreadAnswers {
	return &unreadAnswers{free: mostUnread, freed: make(chan struct{})}
}

// enter waits until there is memory for an answer, and returns how much it takes. It
// aborts the request if the client leaves, or there is none in the time for an answer.
func (u *unreadAnswers) enter(a *answer, length int64) (_ *answer, takes int64) {
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
func (u *unreadAnswers) take(a *answer, takes int64) (wait time.Duration, freed <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.free >= takes {
		u.free -= takes
		a.moved = time.Now()
		a.place = u.answers.PushBack(a)
		return 0, nil
	}
	wait = patience
	if longest := u.answers.Front(); longest != nil {
		other := longest.Value.(*answer)
		if wait = patience - time.Since(other.moved); wait <= 0 {
			wait = patience
			u.forget(other)
			other.deadline(time.Unix(1, 0))
		}
	}
	return wait, u.freed
}

// moves notes that some of an answer was read, and reports whether it may continue.
func (u *unreadAnswers) moves(a *answer) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if a.place == nil {
		return false
	}
	a.moved = time.Now()
	u.answers.MoveToBack(a.place)
	a.deadline(a.moved.Add(a.within))
	return true
}

// leave gives the memory of an answer back.
func (u *unreadAnswers) leave(a *answer, takes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(a)
	u.free += takes
	close(u.freed)
	u.freed = make(chan struct{})
}

func (u *unreadAnswers) forget(a *answer) {
	if a.place != nil {
		u.answers.Remove(a.place)
		a.place = nil
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

// A refusal is why a request is not served, and what to do about it.
type refusal struct {
	status  int
	reason  string // one of Reasons
	message string // for people; never holds a key or a token
	// wrong is the error code of RFC 6750, section 3.1, for clients that have logged in
	// or may; "" if the request brings no credential, or it has nothing to do with that.
	wrong     string
	challenge string // the value of WWW-Authenticate; "" means that of a server without a login
	allow     string // with a 405: the methods that are allowed
	retry     int    // with a 429 or 503: seconds until another try may succeed; 0 if unknown
	close     bool   // the rest of the request will not be read
}

// The reasons of refusals, for metrics.
const (
	reasonHost     = "host"     // the host is not served
	reasonOrigin   = "origin"   // the web page is not allowed
	reasonPath     = "path"     // no such path
	reasonMethod   = "method"   // not POST
	reasonToken    = "token"    // missing or unknown token
	reasonKey      = "key"      // missing or malformed key
	reasonLogin    = "login"    // the token of a login is unknown or expired, or Outline rejects it
	reasonScope    = "scope"    // the user has not given this client that much
	reasonForeign  = "foreign"  // a token of Outline's, not of this server
	reasonHeader   = "header"   // another malformed header
	reasonKeyBusy  = "key_busy" // too many calls of one subject
	reasonBusy     = "busy"     // too many calls
	reasonStopping = "stopping" // the server is stopping
	reasonSize     = "size"     // too large
	reasonBody     = "body"     // the body did not arrive
	reasonPanic    = "panic"    // the server failed
)

// Reasons returns all values that [Options].Refused is called with.
func Reasons() []string {
	return []string{reasonHost, reasonOrigin, reasonPath, reasonMethod, reasonToken, reasonKey, reasonLogin, reasonScope, reasonForeign, reasonHeader,
		reasonKeyBusy, reasonBusy, reasonStopping, reasonSize, reasonBody, reasonPanic}
}

// codeRefused is the JSON-RPC code of all refusals, from the range that is left
// to implementations (JSON-RPC 2.0, section 5.1). The HTTP status tells them apart.
const codeRefused = -32000

// write sends the refusal as a JSON-RPC error without an ID, because MCP
// clients show the message of such a body to their users.
func (f *refusal) write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	switch {
	case f.challenge != "":
		header.Set("WWW-Authenticate", f.challenge)
	case f.status == http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="outline-mcp"`) // RFC 9110, section 15.5.2
	}
	if f.allow != "" {
		header.Set("Allow", f.allow)
	}
	if f.retry > 0 {
		header.Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.close {
		header.Set("Connection", "close")
	}
	writeJSON(w, f.status, mcp.NewJSONRPCError(mcp.NewRequestId(nil), codeRefused, f.message, nil))
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone needs no answer.
	_ = json.NewEncoder(w).Encode(body)
}
