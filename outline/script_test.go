package outline_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline"
)

// limited is Outline's answer to one request too many.
func limited(headers ...string) *http.Response {
	return answered(429, jsonType, `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`, headers...)
}

// script is a server in memory that gives one answer after the other, and the
// last one for ever.
type script struct {
	steps []func(*http.Request) (*http.Response, error)
	calls int
	at    []time.Time
	sent  []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	step := s.steps[min(s.calls, len(s.steps)-1)]
	s.calls++
	s.at = append(s.at, time.Now())
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.sent = append(s.sent, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return step(r)
}

// gap is the time between attempt n and the one before it.
func (s *script) gap(n int) time.Duration { return s.at[n].Sub(s.at[n-1]) }

func gives(status int, contentType, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return answered(status, contentType, body, headers...), nil
	}
}

func rateLimits(headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return limited(headers...), nil }
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs never answers.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// stalls answers with the header and half of the body.
func stalls(r *http.Request) (*http.Response, error) {
	answer := answered(200, jsonType, "")
	answer.ContentLength = -1
	answer.Body = io.NopCloser(io.MultiReader(strings.NewReader(okDocument[:40]), waiting{r.Context()}))
	return answer, nil
}

type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// breaks answers with the header and half of the body, and loses the rest.
func breaks(*http.Request) (*http.Response, error) {
	answer := answered(200, jsonType, "")
	answer.ContentLength = int64(len(okDocument))
	answer.Body = io.NopCloser(io.MultiReader(strings.NewReader(okDocument[:40]), broken{}))
	return answer, nil
}

type broken struct{}

// scripted returns a client of a scripted server with 3 retries.
func scripted(t testing.TB, change func(*outline.Options), steps ...func(*http.Request) (*http.Response, error)) (*outline.Client, *script) {
	t.Helper()
	s := &script{steps: steps}
	return newClient(t, "https://wiki.example.com", func(o *outline.Options) {
		o.Transport, o.MaxRetries, o.RequestTimeout = s, 3, 5*time.Second
		if change != nil {
			change(o)
		}
	}), s
}

// orderly is a server that answers one endpoint by a script, knows all features
// and never changes: whatever is read back is as it was before.
type orderly struct {
	*script
	endpoint  string // "": all
	unchanged string // the data of what is read; "": there is nothing
}

func (o *orderly) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch endpoint := path.Base(r.URL.Path); {
	case asksWhatItKnows(body):
		return answered(400, jsonType, `{"ok":false,"error":"validation_error","message":"lastRevision: Invalid input"}`), nil
	case o.endpoint == "", endpoint == o.endpoint:
		return o.script.RoundTrip(r)
	case strings.HasSuffix(endpoint, ".list"), endpoint == "documents.drafts":
		return success(`[]`)(r)
	case o.unchanged == "":
		return gives(404, jsonType, `{"ok":false,"error":"not_found","message":"Resource not found"}`)(r)
	}
	return success(o.unchanged)(r)
}

// ordered returns a client of an orderly server with 3 retries.
func ordered(t testing.TB, endpoint string, change func(*outline.Options), steps ...func(*http.Request) (*http.Response, error)) (*outline.Client, *orderly) {
	t.Helper()
	o := &orderly{script: &script{steps: steps}, endpoint: endpoint, unchanged: unchanged(endpoint)}
	return newClient(t, "https://wiki.example.com", func(options *outline.Options) {
		options.Transport, options.MaxRetries, options.RequestTimeout = o, 3, 5*time.Second
		if change != nil {
			change(options)
		}
	}), o
}

// unchanged is what stands there as long as a command was not carried out.
func unchanged(endpoint string) string {
	switch endpoint {
	case "documents.create", "comments.create":
		return ""
	case "comments.unresolve":
		return `{` + complete + `,"resolvedAt":"2026-11-20T10:09:14.753Z"}`
	case "documents.restore", "documents.unarchive":
		return `{` + complete + `,"archivedAt":"2026-11-20T10:09:14.753Z"}`
	}
	return `{` + complete + `,"revision":1}`
}

// asksWhatItKnows reports whether a request only asks whether the server knows
// edit modes or revisions.
func asksWhatItKnows(body []byte) bool {
	const nobody = `"id":"00000000-0000-4000-8000-000000000000"`
	return string(body) == `{"editMode":"patch",`+nobody+`,"lastRevision":"x","text":"x"}`
}
