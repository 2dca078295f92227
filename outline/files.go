package outline

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"

	"outline-mcp/outline/transport"
)

// A FileLink is a link to a stored file, as Outline signs it: whoever has it can read
// the file for a while, without a key.
type FileLink string

// A File is a stored file that is being read. The caller closes it.
type File struct {
	io.ReadCloser
	Name        string // "" if it is not known
	ContentType string // the media type, as the server declares it; "" without one
	Size        int64  // in bytes; -1 if it is not known
}

// fileLink returns the link that an endpoint redirects to.
func (c *Client) fileLink(ctx context.Context, r request) (FileLink, error) {
	answer, err := c.ask(ctx, r)
	if err != nil {
		return "", err
	}
	defer answer.done()
	if answer.status == http.StatusFound {
		if to := answer.header.Get("Location"); to != "" {
			return FileLink(to), nil
		}
	}
	return "", wrongShape(r.endpoint, "it does not redirect to a file")
}

// OpenFile starts to read a stored file. The request never carries the token: the
// link is signed. RequestTimeout applies until the answer begins, then only the
// deadline of the context. A file that is not in the storage fails with ErrNotFound.
//
// What Outline itself stores is read from BaseURL, whatever the host of the link. Of
// other hosts only the one in the link is asked: further redirects are not followed,
// and neither is a link to localhost or to a private address unless BaseURL is one.
func (c *Client) OpenFile(ctx context.Context, link FileLink) (*File, error) {
	from, err := c.fileAddress(string(link))
	if err != nil {
		return nil, err
	}
	var file *File
	failure := c.repeat(ctx, reading.request(FilesGet, nil), func(string, func()) *Error {
		var failure *Error
		file, failure = c.openFile(ctx, from)
		return failure
	})
	if failure != nil {
		return nil, failure
	}
	return file, nil
}

func (c *Client) openFile(ctx context.Context, from *url.URL) (*File, *Error) {
	r, failure := c.transfer(ctx, http.MethodGet, from, FilesGet, func(r *http.Request) {
		r.Header.Set("Accept-Encoding", "identity") // so that the size is known, and limits are those of what is sent
	})
	if failure != nil {
		return nil, failure
	}
	place, done := c.placeOf(ctx, reading.request(FilesGet, nil))
	body := &fileBody{ReadCloser: r.Body, done: done, takePlace: func(bytes int64) *Error {
		if err := c.takePlace(ctx, place, bytes, reading); err != nil {
			return &Error{Endpoint: FilesGet, Message: err.Error(), Err: err, kind: ErrTimeout}
		}
		return nil
	}, explain: func(err error) error {
		return c.fileFailure(ctx, FilesGet, from.Hostname(), false, err)
	}}
	size := r.ContentLength
	if size < 0 {
		size = largeAnswer // for all that wait for more at once, what they have read would be much
	}
	if failure := body.takePlace(size); failure != nil { // before callers allocate as much
		body.Close()
		return nil, failure
	}
	file := &File{ReadCloser: body, ContentType: mediaType(r.Header), Size: r.ContentLength}
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition")); err == nil {
		file.Name = params["filename"]
	}
	if file.Name == "" && !strings.HasSuffix(from.Path, filesGet) {
		file.Name = path.Base(from.Path)
	}
	return file, nil
}

// closing is a body whose request ends when it is closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c closing) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// fileBody is the body of a file. Its errors are those of a call, and it takes its place
// among large answers as it is read.
type fileBody struct {
	io.ReadCloser
	takePlace func(bytes int64) *Error
	done      func() // with the place, unless it is kept
	explain   func(error) error
	read      int64
}

func (b *fileBody) Read(p []byte) (int, error) {
	if failure := b.takePlace(b.read); failure != nil {
		return 0, failure
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err != nil && err != io.EOF {
		err = b.explain(err)
	}
	return n, err
}

func (b *fileBody) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// FilesGet is the endpoint of an [Attempt] to read a stored file, wherever it is stored.
// Such requests are sent without the credential.
const FilesGet = "files.get"

// The endpoints for files that Outline stores itself.
const (
	filesGet    = "/" + FilesGet
	filesCreate = "/files.create"
)

// fileAddress returns where to send a request for a stored file, given the address
// that Outline names.
func (c *Client) fileAddress(named string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, &Error{Endpoint: FilesGet, Message: "Outline names a place for the file that " + why, kind: ErrBadAnswer}
	}
	base, err := url.Parse(c.base)
	if err != nil {
		return refuse("cannot be read")
	}
	u, err := base.Parse(named)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return refuse("is not a web address")
	}
	for _, own := range []string{filesGet, filesCreate} {
		if strings.HasSuffix(u.Path, "/api"+own) {
			base.Path, base.RawQuery = base.Path+own, u.RawQuery
			return base, nil
		}
	}
	switch host := u.Hostname(); {
	case u.Host == base.Host:
		return refuse("is a page of its own: something in front of it may ask to log in")
	case isLocal(host) && !isLocal(base.Hostname()):
		return refuse("is a private address (" + presentable(host, "") + "), which is not followed")
	}
	return u, nil
}

// sharedAddresses is the network of carriers and clouds that is not public (RFC 6598).
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// isLocal reports whether a host is localhost or the address of a network that is not
// public (RFC 6890). Names in the DNS are not looked up.
func isLocal(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (!ip.Unmap().IsGlobalUnicast() || ip.Unmap().IsPrivate() || sharedAddresses.Contains(ip.Unmap()))
}

// transfer sends a request for a stored file, without a token, and returns an answer
// with status 2xx. RequestTimeout applies from when the request is written until the
// answer begins.
func (c *Client) transfer(ctx context.Context, method string, to *url.URL, endpoint string, prepare func(*http.Request)) (*http.Response, *Error) {
	if err := ctxErr(ctx); err != nil {
		return nil, unsentEndError(endpoint, err)
	}
	start := time.Now()
	attempt, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(attempt, method, to.String(), nil)
	if err != nil {
		cancel()
		return nil, &Error{Endpoint: endpoint, Message: "the place of the file is not a web address", kind: ErrBadAnswer}
	}
	r.Header.Set("User-Agent", c.http.Header.Get("User-Agent"))
	prepare(r)
	late := time.AfterFunc(c.requestTimeout, cancel)
	if r.Body != nil {
		late.Stop()
		r.Body = reportingBody{r.Body, func() { late.Reset(c.requestTimeout) }}
	}
	answer, err := c.http.GetClient().Do(r)
	timedOut := !late.Stop() && ctx.Err() == nil && err != nil
	if err != nil {
		cancel()
		failure := c.fileFailure(ctx, endpoint, to.Hostname(), timedOut, err)
		c.record(ctx, endpoint, 0, start, failure)
		return nil, failure
	}
	answer.Body = closing{answer.Body, cancel}
	if answer.StatusCode/100 == 2 {
		c.record(ctx, endpoint, answer.StatusCode, start, nil)
		return answer, nil
	}
	defer answer.Body.Close()
	failure := &Error{Endpoint: endpoint, Status: answer.StatusCode, transient: isTransient(answer.StatusCode), sent: true}
	buf := c.buffers.Get()
	defer c.buffers.Put(buf)
	if buf.Read(answer, maxErrorBytes, nil) != nil || !isJSON(answer.Header) || !outlineError(buf.Bytes, "", failure) {
		failure.Message = fmt.Sprintf("%s, where Outline stores the file, answered with status %d", presentable(to.Hostname(), ""), answer.StatusCode)
		if failure.Status/100 == 3 || failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden || failure.Status == http.StatusBadRequest {
			failure.kind = ErrBadAnswer // it says nothing of the key, nor of the arguments
		}
	}
	c.record(ctx, endpoint, answer.StatusCode, start, failure)
	return nil, failure
}

// reportingBody calls sent whenever a part of a body has been read, so that the time
// for the answer begins with the last part.
type reportingBody struct {
	io.ReadCloser
	sent func()
}

func (s reportingBody) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.sent()
	return n, err
}

func (c *Client) fileFailure(ctx context.Context, endpoint, host string, timedOut bool, err error) *Error {
	if err := ctxErr(ctx); err != nil {
		return sentEndError(endpoint, err)
	}
	_, connecting := transport.Diagnose(err)
	e := &Error{Endpoint: endpoint, kind: ErrUnreachable, transient: true, sent: !connecting, Err: transport.Cause(err, func(s string) string { return presentable(s, "") })}
	e.Message = fmt.Sprintf("no connection to %s, where Outline stores the file (%s)", presentable(host, ""), e.Err)
	if timedOut {
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = fmt.Sprintf("no answer from %s, where Outline stores the file, within %s", presentable(host, ""), c.requestTimeout)
	}
	return e
}

// A FileOperation is an export that Outline prepares in the background.
type FileOperation struct {
	ID           string    `json:"id"`           // UUID
	State        string    `json:"state"`        // creating, uploading, complete, error or expired
	Type         string    `json:"type"`         // export, or import
	Format       string    `json:"format"`       // outline-markdown, json or html
	Name         string    `json:"name"`         // of the collection or the file
	Error        string    `json:"error"`        // reason for the state error; "" otherwise
	Size         int64     `json:"-"`            // in bytes; 0 until it is complete
	CollectionID string    `json:"collectionId"` // UUID; "" for all collections
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// UnmarshalJSON implements [json.Unmarshaler] for the API's form, in which the
// size is a string.
func (f *FileOperation) UnmarshalJSON(data []byte) error {
	type Fields FileOperation
	return unmarshalSized(data, (*Fields)(f), &f.Size)
}

func (f FileOperation) incomplete() string {
	if f.ID == "" {
		return "the file operation has no id"
	}
	return ""
}

// exportAnswer is the answer to the start of an export.
type exportAnswer struct {
	FileOperation FileOperation `json:"fileOperation"`
}

// ExportCollection starts the export of a collection (collections.export). The
// id is as for [Client.Collection]. The format is outline-markdown, json or
// html; "" leaves it to Outline. An unknown id, or a caller that may not export
// it, fails with ErrForbidden.
func (c *Client) ExportCollection(ctx context.Context, id, format string) (FileOperation, error) {
	return c.startExport(ctx, "collections.export", struct {
		ID     string `json:"id"`
		Format string `json:"format,omitempty"`
	}{id, format})
}

// ExportAllCollections starts an export of the whole workspace
// (collections.export_all), which only an administrator may do. The format is
// as for [Client.ExportCollection].
func (c *Client) ExportAllCollections(ctx context.Context, format string) (FileOperation, error) {
	return c.startExport(ctx, "collections.export_all", struct {
		Format string `json:"format,omitempty"`
	}{format})
}

func (c *Client) startExport(ctx context.Context, endpoint string, params any) (FileOperation, error) {
	answer, err := fetch(ctx, c, changing.request(endpoint, params), func(answer exportAnswer) string {
		return answer.FileOperation.incomplete()
	})
	return answer.FileOperation, err
}

// FileOperation returns the current state of an export by its UUID
// (fileOperations.info).
func (c *Client) FileOperation(ctx context.Context, id string) (FileOperation, error) {
	return query(ctx, c, "fileOperations.info", byID{id}, FileOperation.incomplete)
}

// ExportLink returns a link to the file of a complete export by its UUID
// (fileOperations.redirect). An export that is not complete fails with ErrInvalid.
func (c *Client) ExportLink(ctx context.Context, id string) (FileLink, error) {
	return c.fileLink(ctx, linkTo("fileOperations.redirect", byID{id}, nil))
}
