package outline

import (
	"io"
	"net/http"
	"strings"

	"github.com/go-resty/resty/v2"
)

// A request is one call of an endpoint.
type request struct {
	endpoint string
	params   any // of an upload, those in its form
	kind     kind
	version  string  // of the API; "" is the server's default
	upload   *upload // the body, which has params in it; it can be sent once only
	about    any     // what Bounds are told beside params; not sent
}

// A kind is what calls have in common.
type kind int

const (
	reading  kind = iota // returns what is kept as long as [KeepAnswers] says
	listing              // returns what little is kept of when it has been decoded
	scanning             // returns a page that is kept only until the next one arrives
	linking              // returns a redirect to a file
	asking               // waits for a language model, without RequestTimeout
	changing             // is a command: it changes something
	// changingAlone is a command that is sent one at a time, for all subjects together:
	// Outline deadlocks when several moves or permanent deletes run at once. A call that
	// waits for a rate limit, which concerns one subject, does not hold up the others.
	changingAlone
)

// request returns a request of the kind.
func (k kind) request(endpoint string, params any) request {
	return request{endpoint: endpoint, params: params, kind: k}
}

// linkTo requests return a redirect to a file. about is what [Bounds] are told beside
// params.
func linkTo(endpoint string, params, about any) request {
	return request{endpoint: endpoint, params: params, kind: linking, about: about}
}

// uploadTo requests are commands with a body that is read while it is sent, without
// RequestTimeout.
func uploadTo(endpoint string, params any, body *upload) request {
	return request{endpoint: endpoint, params: params, kind: changing, upload: body}
}

// command reports whether the request changes something.
func (r request) command() bool { return r.kind >= changing }

// unlimited reports whether RequestTimeout does not apply.
func (r request) unlimited() bool { return r.kind == asking || r.upload != nil }

// optional reports whether not every server has the endpoint.
func (r request) optional() bool {
	return r.endpoint == "documents.answerQuestion" || strings.HasPrefix(r.endpoint, "oauthClients.")
}

// An upload is a body that is read while it is sent.
type upload struct {
	reader      io.Reader
	contentType string
	size        int64 // in bytes
}

// uploading is the key of an upload in the context of its request.
type uploading struct{}

// sendUpload gives a request its upload as the body: resty would hold the whole of it
// in memory.
func sendUpload(_ *resty.Client, r *http.Request) error {
	if u, ok := r.Context().Value(uploading{}).(*upload); ok {
		r.Body, r.ContentLength, r.GetBody = io.NopCloser(u.reader), u.size, nil
	}
	return nil
}
