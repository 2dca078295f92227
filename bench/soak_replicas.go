package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A fleet is some replicas of the server behind one address, with a trail for each.
type fleet struct {
	lab       *lab
	environ   []string // but for what differs between the replicas
	listener  net.Listener
	address   string // of the balancer
	next      atomic.Int64
	client    *http.Client // opens a connection for each request
	replicas  []*replica
	connected sync.WaitGroup
}

// A replica is one server. All of its processes have the same port and trail.
type replica struct {
	*httpServer
	port, trail string
}

// startFleet starts that many replicas. Only the first is never killed.
func (l *lab) startFleet(ctx context.Context, dir string, listener net.Listener, count int, environ []string) (*fleet, error) {
	f := &fleet{lab: l, environ: environ, listener: listener, address: listener.Addr().String()}
	f.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for n := range count {
		port, err := freePort()
		if err != nil {
			return f, err
		}
		f.replicas = append(f.replicas, &replica{port: port, trail: filepath.Join(dir, fmt.Sprintf("audit-%d.jsonl", n))})
		if err := f.start(ctx, f.replicas[n]); err != nil {
			return f, err
		}
	}
	go f.balance()
	return f, nil
}

func (f *fleet) start(ctx context.Context, r *replica) (err error) {
	r.httpServer, err = f.lab.serveHTTP(ctx, product, r.port, append([]string{"MCP_AUDIT_LOG=" + r.trail}, f.environ...)...)
	return err
}

// kill ends a replica without a warning and starts it again.
func (f *fleet) kill(ctx context.Context, r *replica) error {
	_ = r.cmd.Process.Kill()
	_ = r.process.end() // an error tells of the signal
	return f.start(ctx, r)
}

// balance passes each connection to the replicas in turn, or to the next one while
// one is down.
func (f *fleet) balance() {
	for {
		from, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.connected.Go(func() {
			defer from.Close()
			n := f.next.Add(1)
			for i := range int64(len(f.replicas)) {
				to, err := net.Dial("tcp", "127.0.0.1:"+f.replicas[(n+i)%int64(len(f.replicas))].port)
				if err != nil {
					continue
				}
				go func() {
					_, _ = io.Copy(to, from)
					_ = to.Close()
				}()
				_, _ = io.Copy(from, to)
				return
			}
		})
	}
}

// end ends the replicas, so that their trails are complete.
func (f *fleet) end() error {
	var failures []error
	for _, r := range f.replicas {
		if r.httpServer != nil {
			failures = append(failures, r.process.end())
		}
	}
	_ = f.listener.Close()
	f.connected.Wait()
	return errors.Join(failures...)
}

// An upstream is a proxy in front of the workspace that fails as networks, gateways
// and Outline do: one API request in twenty, and all of them during an outage.
type upstream struct {
	to     string // the workspace, without a path
	client *http.Client
	server *http.Server
	url    string

	outage   atomic.Bool
	works    atomic.Bool // nothing fails any more
	failures atomic.Int64
}

// An upstreamFault answers a request. pass lets the workspace handle it to its end.
type upstreamFault func(w http.ResponseWriter, r *http.Request, pass func() (*http.Response, []byte, error))

// upstreamFaults are the kinds of failure, most of them with the request handled and
// not handled.
func upstreamFaults() []upstreamFault {
	const page = "<!doctype html><title>Gateway</title>"
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After", "1") // has a meaning for 429 and 503
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	reset := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	faults := []upstreamFault{
		// A rate limit is never exceeded by a request that is handled.
		func(w http.ResponseWriter, r *http.Request, _ func() (*http.Response, []byte, error)) {
			answer(http.StatusTooManyRequests, "application/json", `{"ok":false,"error":"rate_limit_exceeded","status":429}`)(w, r)
		},
		// The answer is cut in its body.
		func(w http.ResponseWriter, _ *http.Request, pass func() (*http.Response, []byte, error)) {
			if response, body, err := pass(); err == nil {
				w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				w.WriteHeader(response.StatusCode)
				_, _ = w.Write(body[:len(body)/2])
			}
			panic(http.ErrAbortHandler)
		},
	}
	for _, kind := range []http.HandlerFunc{
		reset, hang,
		answer(http.StatusInternalServerError, "application/json", `{"ok":false,"error":"internal_error","status":500}`),
		answer(http.StatusBadGateway, "text/html", page),
		answer(http.StatusServiceUnavailable, "application/json", `{"ok":false,"error":"request_timeout","status":503}`),
		answer(http.StatusGatewayTimeout, "text/html", page),
		answer(http.StatusOK, "text/html", page),
		answer(http.StatusOK, "application/json", `{"ok":true,"status":200,"data":{}}`),
	} {
		faults = append(faults,
			func(w http.ResponseWriter, r *http.Request, _ func() (*http.Response, []byte, error)) { kind(w, r) },
			func(w http.ResponseWriter, r *http.Request, pass func() (*http.Response, []byte, error)) {
				_, _, _ = pass()
				kind(w, r)
			})
	}
	return faults
}

// startUpstream starts the proxy at the listener.
func startUpstream(listener net.Listener, to string) *upstream {
	u := &upstream{to: to, client: newClient(64), url: "http://" + listener.Addr().String()}
	faults, files := upstreamFaults(), hostileFiles()
	u.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		pass := func() (*http.Response, []byte, error) { return u.pass(r, sent) }
		if !u.works.Load() && (u.outage.Load() || rand.IntN(20) == 0) {
			u.failures.Add(1)
			faults[rand.IntN(len(faults))](w, r, pass)
			return
		}
		if serveFile(w, r, sent, files) {
			return
		}
		response, body, err := pass()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(body)
	})}
	go func() { _ = u.server.Serve(listener) }()
	return u
}

// pass sends a request to the workspace, which handles it even if the client leaves.
func (u *upstream) pass(r *http.Request, sent []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, u.to+r.URL.RequestURI(), bytes.NewReader(sent))
	if err != nil {
		return nil, nil, err
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding") // the transport decodes what it asks for itself
	response, err := u.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

func (u *upstream) end() {
	_ = u.server.Close()
	u.client.CloseIdleConnections()
}
