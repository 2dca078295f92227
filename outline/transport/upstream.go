package transport

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
)

// UpstreamOptions say how to reach Outline behind a gateway: with headers and a client
// certificate for the gateway, which go to no other server. They configure [NewUpstream].
type UpstreamOptions struct {
	BaseURL           string // of Outline's API
	CAFile            string // PEM file of certificates to trust in addition to the system's; "" adds none
	CertFile, KeyFile string // PEM files of the client certificate for Outline, and for an https:// proxy; "" sends none
	SkipVerify        bool   // accept any certificate

	// Headers returns the headers for each request to Outline, and reads them from
	// HeadersFile if there is one. Its errors must not show values. nil adds none.
	Headers     func() (http.Header, error)
	HeadersFile string

	Files *FileSet     // gets what is read from files; may be nil
	Log   *slog.Logger // nil discards
}

// An Upstream makes the requests to Outline and to the servers where it stores files. It
// reads its files again when they change: requests that are under way end on their old
// connection, and later ones use a new one. It is safe for concurrent use.
type Upstream struct {
	origin  string
	headers *FromFiles[http.Header]
	outline *FromFiles[*http.Transport]
	others  *FromFiles[*http.Transport] // without the client certificate
}

// NewUpstream returns a transport. It fails with a [*FileError] if a file cannot be used.
func NewUpstream(o UpstreamOptions) (*Upstream, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	t := &Upstream{origin: origin(base)}
	headers, files := o.Headers, []string(nil)
	if headers == nil {
		headers = func() (http.Header, error) { return nil, nil }
	} else if o.HeadersFile != "" {
		files = RegularFiles(o.HeadersFile)
	}
	t.headers, err = ReadFiles(FileOptions{What: "header file for Outline", Files: files, Set: o.Files, Log: o.Log}, headers)
	if err != nil {
		return nil, &FileError{FileHeaders, err}
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

// The files of [UpstreamOptions].
const (
	FileCA File = iota
	FileCertificate
	FileHeaders
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
func connections(o UpstreamOptions, certified bool) (*FromFiles[*http.Transport], error) {
	what, files := "certificates to trust", []string(nil)
	if o.CAFile != "" {
		files = append(files, o.CAFile)
	}
	if certified {
		what, files = "client certificate", append(files, o.CertFile, o.KeyFile)
	}
	var last *http.Transport
	return ReadFiles(FileOptions{What: what + " for Outline", Files: RegularFiles(files...), Set: o.Files, Log: o.Log}, func() (*http.Transport, error) {
		next, err := New(Options{CAFile: o.CAFile, SkipVerify: o.SkipVerify})
		if err != nil {
			return nil, &FileError{FileCA, err}
		}
		if certified {
			pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
			if err != nil {
				return nil, &FileError{FileCertificate, err}
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
func (t *Upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.isOutline(r.URL) {
		return t.others.Get().RoundTrip(r)
	}
	return t.outline.Get().RoundTrip(t.withHeaders(r))
}

// CloseIdleConnections closes the connections that are not in use.
func (t *Upstream) CloseIdleConnections() {
	t.outline.Get().CloseIdleConnections()
	t.others.Get().CloseIdleConnections()
}

// Outline returns the connections to Outline as they are now, and a transport that makes
// all requests to Outline over those that it is given.
func (t *Upstream) Outline() (now *http.Transport, over func(*http.Transport) http.RoundTripper) {
	return t.outline.Get(), func(own *http.Transport) http.RoundTripper {
		return &Upstream{origin: t.origin, headers: t.headers, outline: &FromFiles[*http.Transport]{current: own}, others: t.others}
	}
}

// Added returns the headers that requests to Outline get.
func (t *Upstream) Added() http.Header { return t.headers.Get() }

func (t *Upstream) withHeaders(r *http.Request) *http.Request {
	add := t.headers.Get()
	if len(add) == 0 {
		return r
	}
	r = r.Clone(r.Context()) // a RoundTripper must not change the request
	maps.Copy(r.Header, add)
	return r
}

func (t *Upstream) isOutline(u *url.URL) bool { return origin(u) == t.origin }

// origin returns the origin of an address, always with a port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// A FileSet holds values read from files that can all be read again at once. The zero value is empty. It is
// safe for concurrent use.
type FileSet struct {
	mu  sync.Mutex
	all []func()
}

// Reload reads the files of all values again, changed or not.
func (s *FileSet) Reload() {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	for _, reload := range all {
		reload()
	}
}

// FileOptions say what [FromFiles] is read from.
type FileOptions struct {
	What  string       // for the log, such as "TLS certificate"
	Files []string     // none for a value that never changes
	Set   *FileSet     // nil if nothing but a change of the files has them read again
	Log   *slog.Logger // nil discards. Gets the errors of reading
}

// FromFiles is what files hold: certificates, tokens and other secrets that are replaced
// while the program runs. It is safe for concurrent use.
type FromFiles[T any] struct {
	o    FileOptions
	read func() (T, error)

	mu      sync.Mutex
	seen    []os.FileInfo // of the files that were last read, or tried to be read
	current T
}

// ReadFiles returns the value that read returns. Errors of read are logged later on, so they
// must not show secrets.
func ReadFiles[T any](o FileOptions, read func() (T, error)) (*FromFiles[T], error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	v := &FromFiles[T]{o: o, read: read}
	v.seen = v.stat() // before reading, so that a later change is noticed
	var err error
	if v.current, err = read(); err != nil {
		return nil, err
	}
	if o.Set != nil && len(o.Files) > 0 {
		o.Set.mu.Lock()
		o.Set.all = append(o.Set.all, v.reload)
		o.Set.mu.Unlock()
	}
	return v, nil
}

// Get returns the value. If a file has been changed or replaced since it was last read,
// Get reads the files first. While they cannot be used, for example because only one of
// two has been replaced, Get returns the last value that could.
func (v *FromFiles[T]) Get() T {
	if len(v.o.Files) == 0 {
		return v.current
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := v.stat(); changed(v.seen, now) {
		v.update(now)
	}
	return v.current
}

func (v *FromFiles[T]) reload() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.update(v.stat())
}

func (v *FromFiles[T]) update(now []os.FileInfo) {
	v.seen = now
	next, err := v.read()
	if err != nil {
		v.o.Log.Warn("cannot use the new "+v.o.What+"; keeping the old one", "error", err)
		return
	}
	v.current = next
	v.o.Log.Info(v.o.What + " reloaded")
}

// stat returns what tells each file from its replacement, nil for one that is missing.
func (v *FromFiles[T]) stat() []os.FileInfo {
	found := make([]os.FileInfo, len(v.o.Files))
	for i, file := range v.o.Files {
		if info, err := os.Stat(file); err == nil {
			found[i] = info
		}
	}
	return found
}

func changed(before, now []os.FileInfo) bool {
	return !slices.EqualFunc(before, now, func(b, n os.FileInfo) bool {
		if b == nil || n == nil {
			return b == n
		}
		return b.ModTime().Equal(n.ModTime()) && b.Size() == n.Size() && os.SameFile(b, n)
	})
}

// RegularFiles returns the files if all of them can be read more than once, and none if one
// of them is a pipe.
func RegularFiles(files ...string) []string {
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	return files
}
