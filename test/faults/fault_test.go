// Package faults tests the outcome of writes when the network or Outline fails
// partway through.
//
// A wire between the server and an embedded workspace injects faults into requests.
// After each call, the contents of the workspace are compared with the tool's
// answer: documents by their trees, block by block, including what Markdown cannot
// express. The package is its own module, so that its dependencies do not become
// dependencies of the program.
package faults

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// A fault is one way in which a request goes wrong.
type fault struct {
	name        string
	late        bool // the request arrives after its connection was abandoned
	lost        bool // afterwards the server cannot know whether a write was done
	stays       bool // it can affect every later request, including reads
	human       bool // another user changes something during the request, which must not happen during a read
	overlaps    bool // another user reads the document before one of both saves it, and saves it after
	unconnected bool // the request gets no connection
	breaks      func(*passage) (*http.Response, error)
}

// healthy is the absence of a fault.
var healthy = fault{breaks: (*passage).pass}

// late is how long a request is in transit after its connection was abandoned.
var late = []time.Duration{100 * time.Millisecond, 3 * time.Second}

// faults are all faults, in the order of the documentation.
func faults() []*fault {
	json := "application/json; charset=utf-8"
	page := "<!doctype html><html><head><title>Gateway</title></head><body><h1>Gateway</h1></body></html>"
	failure := func(status int, name string) string {
		return fmt.Sprintf(`{"ok":false,"error":%q,"status":%d,"message":"Something went wrong"}`, name, status)
	}
	before := func(status int, contentType, body string, headers ...string) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) { return p.answer(status, contentType, body, headers...) }
	}
	after := func(status int, contentType, body string) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) {
			p.handle()
			return p.answer(status, contentType, body)
		}
	}
	reset := func(p *passage) (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	wait := func(p *passage) (*http.Response, error) {
		<-p.request.Context().Done()
		return nil, p.request.Context().Err()
	}
	handled := func(then func(*passage) (*http.Response, error)) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) {
			p.handle()
			return then(p)
		}
	}
	// endsFirst and endsLast make another user's edit overlap with an update.
	endsFirst := func(then func(*passage) (*http.Response, error)) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) {
			p.wire.late.Go(p.wire.anotherUser)
			time.Sleep(updateTime / 2)
			return then(p)
		}
	}
	endsLast := func(then func(*passage) (*http.Response, error)) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) {
			p.wire.late.Go(func() {
				time.Sleep(updateTime / 2)
				p.wire.anotherUser()
			})
			return then(p)
		}
	}
	edited := func(then func(*passage) (*http.Response, error)) func(*passage) (*http.Response, error) {
		return func(p *passage) (*http.Response, error) {
			p.wire.anotherUser()
			return then(p)
		}
	}
	const limit = "rate_limit_exceeded"
	list := []*fault{
		{name: "connection refused", stays: true, unconnected: true, breaks: func(p *passage) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}},
		{name: "no connection in time", stays: true, unconnected: true, breaks: wait},
		{name: "reset before it was read", lost: true, stays: true, breaks: reset},
		{name: "reset after it was carried out", lost: true, stays: true, breaks: handled(reset)},
		{name: "reset in the middle of the answer", lost: true, stays: true, breaks: func(p *passage) (*http.Response, error) {
			return cut(p.handle(), &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}), nil
		}},
		{name: "answer cut short", lost: true, stays: true, breaks: func(p *passage) (*http.Response, error) {
			return cut(p.handle(), io.ErrUnexpectedEOF), nil
		}},
		{name: "answer silently cut short", lost: true, stays: true, breaks: func(p *passage) (*http.Response, error) {
			response := cut(p.handle(), io.EOF)
			response.ContentLength = -1
			return response, nil
		}},
		{name: "no answer, not carried out", lost: true, stays: true, breaks: wait},
		{name: "no answer, carried out", lost: true, stays: true, breaks: handled(wait)},
		{name: "answer that trickles in", lost: true, stays: true, breaks: func(p *passage) (*http.Response, error) {
			response := p.handle()
			response.Body = &dribble{response.Body, p.request}
			return response, nil
		}},
	}
	for i, delay := range late {
		list = append(list, &fault{name: fmt.Sprintf("reset, carried out %s later", delay), late: true, lost: true, breaks: func(p *passage) (*http.Response, error) {
			p.wire.late.Go(func() {
				// A call may delete what it has just sent. Of requests of the same
				// instant, those with the short delay arrive in their order, and those
				// with the long one overtake each other.
				apart := time.Duration(p.exchange.number) * time.Microsecond
				if i > 0 {
					apart = -apart
				}
				time.Sleep(delay + apart)
				p.handle()
			})
			return reset(p)
		}})
	}
	return append(list,
		&fault{name: "429, 2 s", stays: true, breaks: before(429, json, failure(429, limit), "Retry-After", "2")},
		&fault{name: "429, until a date", stays: true, breaks: func(p *passage) (*http.Response, error) {
			return p.answer(429, json, failure(429, limit), "Retry-After", time.Now().Add(3*time.Second).UTC().Format(http.TimeFormat))
		}},
		&fault{name: "429 with RateLimit-Reset alone", stays: true, breaks: before(429, json, failure(429, limit), "RateLimit-Reset", "4")},
		&fault{name: "429, 10 min", stays: true, breaks: before(429, json, failure(429, limit), "Retry-After", "600")},
		&fault{name: "500, not carried out", lost: true, stays: true, breaks: before(500, json, failure(500, "internal_error"))},
		&fault{name: "500, carried out", lost: true, stays: true, breaks: after(500, json, failure(500, "internal_error"))},
		&fault{name: "502, not carried out", lost: true, stays: true, breaks: before(502, "text/html", page)},
		&fault{name: "502, carried out", lost: true, stays: true, breaks: after(502, "text/html", page)},
		&fault{name: "503, not carried out", lost: true, stays: true, breaks: before(503, json, failure(503, "request_timeout"))},
		&fault{name: "503, carried out", lost: true, stays: true, breaks: after(503, json, failure(503, "request_timeout"))},
		&fault{name: "504, not carried out", lost: true, stays: true, breaks: before(504, "text/html", page)},
		&fault{name: "504, carried out", lost: true, stays: true, breaks: after(504, "text/html", page)},
		&fault{name: "499, not carried out", lost: true, stays: true, breaks: before(499, json, failure(499, "client_closed_request"))},
		&fault{name: "499, carried out", lost: true, stays: true, breaks: after(499, json, failure(499, "client_closed_request"))},
		&fault{name: "a web page instead, not carried out", lost: true, stays: true, breaks: before(200, "text/html", page)},
		&fault{name: "a web page instead, carried out", lost: true, stays: true, breaks: after(200, "text/html", page)},
		&fault{name: "other JSON instead, not carried out", lost: true, stays: true, breaks: before(200, json, `{"ok":true}`)},
		&fault{name: "other JSON instead, carried out", lost: true, stays: true, breaks: after(200, json, `{"ok":true,"status":200,"data":{}}`)},
		&fault{name: "403 from a gateway", breaks: before(403, "text/html", page)},
		&fault{name: "409 without a reason", breaks: before(409, json, failure(409, "document_conflict"))},
		&fault{name: "another user's edit just before", human: true, breaks: edited(healthy.breaks)},
		&fault{name: "another user's edit, then reset before it was read", lost: true, human: true, breaks: edited(reset)},
		&fault{name: "carried out, then another user's edit and a reset", lost: true, human: true, breaks: handled(edited(reset))},
		&fault{name: "another user's edit at the same time, which ends first", human: true, overlaps: true, breaks: endsFirst(healthy.breaks)},
		&fault{name: "another user's edit at the same time, which ends last", human: true, overlaps: true, breaks: endsLast(healthy.breaks)},
		&fault{name: "another user's edit at the same time, which ends last, and a reset", lost: true, human: true, overlaps: true, breaks: endsLast(handled(reset))},
		&fault{name: "call cancelled, not carried out", lost: true, breaks: taken(wait)},
		&fault{name: "call cancelled, carried out", lost: true, breaks: handled(taken(wait))},
	)
}

// taken cancels the whole call.
func taken(then func(*passage) (*http.Response, error)) func(*passage) (*http.Response, error) {
	return func(p *passage) (*http.Response, error) {
		p.wire.cancel()
		return then(p)
	}
}

// faultNamed returns the fault with a name.
func faultNamed(name string) *fault {
	for _, f := range faults() {
		if f.name == name {
			return f
		}
	}
	panic("no fault is named " + name)
}

// cut delivers half of an answer, followed by an error.
func cut(response *http.Response, end error) *http.Response {
	whole, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), failing{end}))
	return response
}

// failing is a reader that always fails.
type failing struct{ with error }

func (f failing) Read([]byte) (int, error) { return 0, f.with }

// A dribble is the body of an answer that arrives at one byte per second.
type dribble struct {
	io.ReadCloser
	request *http.Request
}

// Read implements [io.Reader].
func (d *dribble) Read(b []byte) (int, error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-d.request.Context().Done():
		return 0, d.request.Context().Err()
	case <-timer.C:
		return d.ReadCloser.Read(b[:min(len(b), 1)])
	}
}
