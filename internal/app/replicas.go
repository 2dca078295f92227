package app

import (
	"crypto/rand"
	"io"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/config"
	"outline-mcp/internal/metrics"
	"outline-mcp/internal/replicas"
	"outline-mcp/outline/transport"
)

// callSlack is how long after its deadline a call may still count.
const callSlack = 10 * time.Second

// newReplicas returns the limits that servers over HTTP share, or nil if each has its own.
func newReplicas(o Options, m *metrics.Metrics) (*replicas.Limits, error) {
	if o.Config.RedisURL == "" || o.Config.Transport != config.HTTP || o.Demo {
		return nil, nil
	}
	limits, err := replicas.New(replicas.Options{
		URL: o.Config.RedisURL.Reveal(), Outline: o.Config.APIURL, CallTime: o.Config.CallTimeout + callSlack, AnswerTimeout: o.RedisTimeout,
		Log: o.Log, Failed: m.RedisFailed,
	})
	if err != nil {
		return nil, config.Problem{Setting: "MCP_REDIS_URL", Text: err.Error()}
	}
	return limits, nil
}

// limitedLogins sends the requests of logins to Outline, which allows a number of them an
// hour from one address. It answers like Outline those that Outline would refuse.
type limitedLogins struct {
	shared *replicas.Limits
	next   http.RoundTripper
}

// loginTransport returns how logins reach Outline.
func (u upstream) loginTransport() http.RoundTripper {
	if u.shared == nil {
		return u.Transport
	}
	return limitedLogins{u.shared, u.Transport}
}

// RoundTrip implements [http.RoundTripper].
func (l limitedLogins) RoundTrip(r *http.Request) (*http.Response, error) {
	// Each request is a subject of its own: all logins have the limit in common.
	what := transport.Limit{Subject: rand.Text(), Endpoint: "oauth." + path.Base(r.URL.Path)}
	if wait := l.shared.Admit(r.Context(), what); wait > 0 {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return &http.Response{
			Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{
				"Content-Type": {"application/json"},
				"Retry-After":  {strconv.Itoa(int(math.Ceil(wait.Seconds())))},
			},
			Body:    io.NopCloser(strings.NewReader(`{"ok":false,"error":"rate_limit_exceeded","status":429}`)),
			Request: r,
		}, nil
	}
	response, err := l.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		if wait := transport.RetryAfter(response.Header); wait > 0 {
			l.shared.Refused(r.Context(), what, transport.Refusal{Wait: wait, Requests: transport.RateLimit(response.Header)})
		}
	}
	return response, err
}
