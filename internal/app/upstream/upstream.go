// Package upstream is the way to an Outline behind something: headers and a client
// certificate for what is in front of it, which go to no other server.
package upstream

import (
	"crypto/tls"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/config/reload"
	"outline-mcp/outline/transport"
)

// Options configure [New].
type Options struct {
	BaseURL           string // of Outline's API
	CAFile            string // PEM file of certificates to trust in addition to the system's; "" adds none
	CertFile, KeyFile string // PEM files of the client certificate for Outline, and for an https:// proxy; "" sends none
	SkipVerify        bool   // accept any certificate

	// Headers returns the headers for each request to Outline, and reads them from
	// HeadersFile if there is one. Its errors must not show values. nil adds none.
	Headers     func() (http.Header, error)
	HeadersFile string

	Files *reload.Set  // gets what is read from files; may be nil
	Log   *slog.Logger // nil discards
}

// A Transport makes the requests to Outline and to the servers where it stores files. It
// reads its files again when they change: requests that are under way end on their old
// connection, and later ones use a new one. It is safe for concurrent use.
type Transport struct {
	origin  string
	headers *reload.Value[http.Header]
	outline *reload.Value[*http.Transport]
	others  *reload.Value[*http.Transport] // without the client certificate
}

// New returns a transport. It fails with a [*FileError] if a file cannot be used.
func New(o Options) (*Transport, error) {
	t := &Transport{origin: originOf(o.BaseURL)}
	headers, files := o.Headers, []string(nil)
	if headers == nil {
		headers = func() (http.Header, error) { return nil, nil }
	} else if o.HeadersFile != "" {
		files = reload.Regular(o.HeadersFile)
	}
	var err error
	t.headers, err = reload.New(reload.Options{What: "file of headers for Outline", Files: files, Set: o.Files, Log: o.Log}, headers)
	if err != nil {
		return nil, &FileError{Headers, err}
	}
	if t.others, err = connections(o, false); err != nil {
		return nil, err
	}
	t.outline = t.others
	if o.CertFile != "" {
		t.outline, err = connections(o, true)
	}
	return t, err
}

// A File is what a file is for.
type File int

// The files of [Options].
const (
	CA File = iota
	Certificate
	Headers
)

// A FileError is why a file cannot be used.
type FileError struct {
	File File
	Err  error
}

// Error returns the error of reading the file.
func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the error of reading the file.
func (e *FileError) Unwrap() error { return e.Err }

// connections returns the connections to Outline or to others.
func connections(o Options, certified bool) (*reload.Value[*http.Transport], error) {
	what, files := "certificates to trust", []string(nil)
	if o.CAFile != "" {
		files = append(files, o.CAFile)
	}
	if certified {
		what, files = "client certificate", append(files, o.CertFile, o.KeyFile)
	}
	var last *http.Transport
	return reload.New(reload.Options{What: what + " for Outline", Files: reload.Regular(files...), Set: o.Files, Log: o.Log}, func() (*http.Transport, error) {
		next, err := transport.New(transport.Options{CAFile: o.CAFile, SkipVerify: o.SkipVerify})
		if err != nil {
			return nil, &FileError{CA, err}
		}
		if certified {
			pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
			if err != nil {
				return nil, &FileError{Certificate, err}
			}
			next.TLSClientConfig.Certificates = []tls.Certificate{pair}
		}
		if last != nil {
			last.CloseIdleConnections()
		}
		last = next
		return next, nil
	})
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.isOutline(r.URL) {
		return t.others.Get().RoundTrip(r)
	}
	return t.outline.Get().RoundTrip(t.withHeaders(r))
}

// CloseIdleConnections closes the connections that are not in use.
func (t *Transport) CloseIdleConnections() {
	t.outline.Get().CloseIdleConnections()
	t.others.Get().CloseIdleConnections()
}

// Outline returns the connections to Outline as they are now, and a transport that makes
// all requests to Outline over those that it is given.
func (t *Transport) Outline() (now *http.Transport, over func(*http.Transport) http.RoundTripper) {
	return t.outline.Get(), func(own *http.Transport) http.RoundTripper { return replaced{t, own} }
}

// Added returns the headers that requests to Outline get.
func (t *Transport) Added() http.Header { return t.headers.Get() }

// replaced is a Transport with other connections to Outline.
type replaced struct {
	*Transport
	own *http.Transport
}

func (p replaced) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.isOutline(r.URL) {
		return p.others.Get().RoundTrip(r)
	}
	return p.own.RoundTrip(p.withHeaders(r))
}

func (t *Transport) withHeaders(r *http.Request) *http.Request {
	add := t.headers.Get()
	if len(add) == 0 {
		return r
	}
	r = r.Clone(r.Context()) // a RoundTripper must not change the request
	maps.Copy(r.Header, add)
	return r
}

func (t *Transport) isOutline(u *url.URL) bool { return origin(u) == t.origin }

func originOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return origin(u)
}

// origin returns the origin of an address, always with a port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
