// Package httpd is the HTTP side of the server: authentication, allowed hosts and
// origins, limits, TLS, health and shutdown. It passes the body of each request
// that may be served to an [Endpoint]. Of MCP it knows only the form of errors.
//
// Where people can log in, it serves the paths of the authorization server beside that of
// MCP, and gets from it the principal of each of its tokens. While a request with such a
// token is served, an auth.Challenge in its context notes what the client has to be told
// in place of the result: 403 if a tool writes and the user has only allowed reading,
// before the tool runs, and 401 if Outline rejects the token inside, so that the client
// renews it and repeats the request. But there is no 401 if a request to Outline may have
// changed something, nor once events have been sent. Then the result says what failed.
package httpd

import (
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/text"
	"outline-mcp/outline/transport"
)

// An Endpoint answers a POST to the MCP endpoint, whose body has been read. The
// request's context holds the principal that it acts for (see
// [auth.FromContext]), and is done when the client has gone.
type Endpoint func(w http.ResponseWriter, r *http.Request, body []byte)

// Options configure a [Server].
type Options struct {
	Path    string       // of the MCP endpoint, served with and without a slash at its end; "" means /mcp
	MCP     Endpoint     // required
	Metrics http.Handler // served at /metrics without authentication; nil disables it

	// Ready returns an error if Outline cannot be reached. The error is shown
	// without authentication. nil means that it can always be reached.
	Ready func(context.Context) error

	Tokens        []string // every request needs one of them; if empty, none is needed
	TokenOptional bool     // tokens are recognized, but not needed
	// TokensFile is where the tokens come from, and ReadTokens reads them again when it
	// has changed. Its errors must show no token. "" means that they never change.
	TokensFile string
	ReadTokens func() ([]string, error)
	// Fallback is who requests without a key act for; nil refuses them.
	Fallback *auth.Principal

	// Login lets people log in with Outline. Requests without any credential are then
	// asked to, unless they are Anonymous: they act for Fallback. nil disables it.
	Login     Login
	Anonymous bool

	AllowedOrigins []string // scheme://host[:port] of web pages that may call
	AllowedHosts   []string // host[:port] under which the server may be called
	PublicHost     string   // host[:port] that is allowed in addition, wherever the server listens; may be ""

	// Accepted reports whether Outline has lately accepted the key of a request.
	// All others send large bodies one at a time. nil means that it has accepted
	// none.
	Accepted func(auth.Principal) bool

	MaxBody        int64 // bytes of a request; 0 means 8 MiB. All together: three times that
	MaxCalls       int   // in flight; 0 means 256
	MaxCallsPerKey int   // in flight for one subject; 0 means 64

	HeaderTimeout time.Duration // for the header of a request to arrive; 0 means 10 s
	BodyTimeout   time.Duration // for a request to arrive completely; 0 means 30 s
	WriteTimeout  time.Duration // for a client to read some of an answer; 0 means 30 s
	IdleTimeout   time.Duration // of a connection without requests; 0 means 120 s
	// ShutdownGrace is how long calls in flight may take to end after the
	// context of Serve is done.
	ShutdownGrace time.Duration

	CertFile, KeyFile string             // of TLS, in PEM; "" means plain HTTP
	Files             *transport.FileSet // gets the certificate and the tokens; may be nil

	// Refused is called with the reason of each request that is refused; nil
	// disables the callback.
	Refused func(reason string)

	Log *slog.Logger // nil discards. Never gets a key or a token
}

// Server serves an MCP endpoint over HTTP.
type Server struct {
	options Options
	guard   guard
	limiter *limiter
	bodies  bodies
	unread  *unreadAnswers

	requests chan struct{} // holds one for each that is under way
	health   *health
	stop     context.CancelFunc                     // refuses bodies that have not arrived, and ends probes
	tls      *transport.FromFiles[*tls.Certificate] // nil for plain HTTP
	log      *slog.Logger
}

// maxHeader bounds the header of the first request of a connection, in bytes. net/http
// accepts headerSlack more than it is told. On a kept connection, it accepts headerSlack more
// again, because it may have read the beginning of the next header before it counts.
const maxHeader, headerSlack = 16 << 10, 4 << 10

// allowedMethods are the methods of the MCP endpoint. There is no stream to GET
// and no session to DELETE.
const allowedMethods = "POST, OPTIONS"

// New returns a server. It fails if the certificate cannot be used.
func New(o Options) (*Server, error) {
	o.Path = cmp.Or(o.Path, "/mcp")
	o.MaxBody = cmp.Or(o.MaxBody, 8<<20)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 10*time.Second)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 120*time.Second)
	stopping, stop := context.WithCancel(context.Background())
	s := &Server{
		options:  o,
		stop:     stop,
		limiter:  newLimiter(cmp.Or(o.MaxCalls, 256), cmp.Or(o.MaxCallsPerKey, 64)),
		health:   &health{ask: o.Ready, stopping: stopping},
		requests: make(chan struct{}, mostRequests),
		unread:   newUnread(),
		bodies:   newBodies(o.MaxBody, o.Accepted, stopping),
		log:      cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
	}
	var err error
	if s.guard, err = newGuard(o); err != nil {
		return nil, err
	}
	if o.CertFile != "" {
		if s.tls, err = newCertificate(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Serve serves until ctx is done. Then it reports that it is not ready, refuses
// further calls, waits up to ShutdownGrace for those in flight, cuts off the rest
// and returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	host, _ := splitHost(listener.Addr().String())
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	most := mostConnections
	if s.tls != nil {
		most = mostSecureConnections
	}
	server := NewServer(s.Handler(transport.IsLoopback(host)), most, s.log)
	server.ReadHeaderTimeout, server.ReadTimeout, server.IdleTimeout = s.options.HeaderTimeout, s.options.BodyTimeout, s.options.IdleTimeout
	server.BaseContext = func(net.Listener) context.Context { return calls }
	ended := make(chan error, 1)
	go func() {
		if s.tls == nil {
			ended <- server.Serve(listener)
			return
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return s.tls.Get(), nil
		}}
		ended <- server.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	drained := s.limiter.stop()
	s.stop()
	s.log.Info("stopping", "grace", s.options.ShutdownGrace)
	grace, cancel := context.WithTimeout(calls, s.options.ShutdownGrace)
	defer cancel()
	// The listener stays open meanwhile, so that probes see the shutdown.
	server.SetKeepAlivesEnabled(false)
	select {
	case <-drained:
	case <-grace.Done():
	}
	if err := server.Shutdown(grace); err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stop serving HTTP: %w", err)
		}
		s.log.Warn("calls did not finish in time and were cut off")
		_ = server.Close() // its error is that of a connection nobody waits for
	}
	<-ended
	return nil
}

// NewServer returns a server with the limits that every listener needs against strangers:
// on headers, connections and what clients leave unread.
func NewServer(handler http.Handler, connections int, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    maxHeader - headerSlack,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what strangers send
		ConnContext:       limitSending,
		ConnState:         newConnections(connections).changed,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 64, MaxReceiveBufferPerConnection: 64 << 10},
	}
}

// Handler returns the server's handler. If it is for a loopback listener, only
// the names of this machine and AllowedHosts are served.
func (s *Server) Handler(loopback bool) http.Handler {
	hosts := hosts{loopback, s.options.AllowedHosts, s.options.PublicHost}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recoverPanic(w, r)
		s.admit(w, r, hosts)
	})
}

// recoverPanic answers a request whose handler panicked.
func (s *Server) recoverPanic(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.log.ErrorContext(r.Context(), "panic while handling a request", "panic", text.OfPanic(p), "stack", string(debug.Stack()))
	s.refuse(w, r, &refusal{status: http.StatusInternalServerError, reason: reasonPanic, message: "internal error of this server; its log has the details"})
}

// newCertificate reads the pair of PEM files of TLS, which may be replaced while the
// server runs, when the certificate is renewed.
func newCertificate(o Options) (*transport.FromFiles[*tls.Certificate], error) {
	read := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		return &pair, err
	}
	certificate, err := transport.ReadFiles(transport.FileOptions{What: "TLS certificate", Files: []string{o.CertFile, o.KeyFile}, Set: o.Files, Log: o.Log}, read)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of MCP_TLS_CERT and MCP_TLS_KEY: %w", err)
	}
	return certificate, nil
}

// mostConnections limits the number of connections. Each takes memory, even if
// it sends nothing or never completes a header.
const mostConnections = 1024

// mostSecureConnections limits those with TLS, and so perhaps HTTP/2, which keeps
// several buffers for each.
const mostSecureConnections = 512

// connections limits the number of connections. If there is one too many, it
// closes the one that has been idle for longest, so that idle connections do
// not keep others out.
type connections struct {
	most int

	mu      sync.Mutex
	open    int
	waiting list.List // of net.Conn without a request, the longest first
	places  map[net.Conn]*list.Element
}

func newConnections(most int) *connections {
	return &connections{most: most, places: map[net.Conn]*list.Element{}}
}

// changed is called when a connection changes its state, for http.Server. A
// connection is new or idle until the header of a request has arrived.
func (c *connections) changed(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(connection)
	switch state {
	case http.StateNew:
		c.open++
		c.places[connection] = c.waiting.PushBack(connection)
		if c.open > c.most {
			longest := c.waiting.Front().Value.(net.Conn)
			c.forget(longest)
			closeAtOnce(longest)
		}
	case http.StateIdle:
		c.places[connection] = c.waiting.PushBack(connection)
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
}

// forget removes a connection from the idle ones.
func (c *connections) forget(connection net.Conn) {
	if place, ok := c.places[connection]; ok {
		c.waiting.Remove(place)
		delete(c.places, connection)
	}
}

// closeAtOnce closes a connection without the closing message of TLS, which
// could block.
func closeAtOnce(connection net.Conn) {
	if secure, ok := connection.(*tls.Conn); ok {
		connection = secure.NetConn()
	}
	_ = connection.Close()
}
