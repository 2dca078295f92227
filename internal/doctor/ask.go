package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// maxBody is the maximum number of bytes read from a response.
const maxBody = 256 << 10

// An asker sends requests to Outline. It does not retry or follow redirects.
type asker struct {
	transport   http.RoundTripper
	connections *http.Transport // of transport; nil if Outline is embedded
	added       []string        // values of headers that are added to requests
	base        string
	agent       string
	key         config.Secret
	timeout     time.Duration // for one request

	proxyAnswer *atomic.Int32 // the status that a proxy returned for CONNECT, or 0
	refused     *sync.Map     // the endpoints that the key's scopes did not allow
}

func newAsker(o app.Reached, timeout time.Duration) asker {
	a := asker{
		transport: o.Transport, base: o.BaseURL, agent: o.UserAgent, key: o.Key,
		timeout: min(timeout, requestTimeout), proxyAnswer: new(atomic.Int32), refused: new(sync.Map),
	}
	if way, ok := o.Transport.(*transport.Upstream); ok {
		now, over := way.Outline()
		own := now.Clone()
		own.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
			a.proxyAnswer.Store(int32(answer.StatusCode))
			return nil
		}
		a.connections, a.transport = own, over(own)
		for _, values := range way.Added() {
			a.added = append(a.added, values...)
		}
	}
	return a
}

// close closes idle connections.
func (a asker) close() {
	if a.connections != nil {
		a.connections.CloseIdleConnections()
	}
}

// answer is the response to a request, or the error in its place.
type answer struct {
	url     string
	status  int                  // 0 if there was no response
	secure  *tls.ConnectionState // nil without TLS
	header  http.Header
	body    []byte
	foreign outline.Foreign // of what is not from Outline
	outline envelope
	err     error
}

// envelope is the JSON object that Outline wraps each response in.
type envelope struct {
	OK      *bool           `json:"ok"`
	Error   string          `json:"error"`
	Message untrusted       `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// ask posts a body to an endpoint, with the key.
func (a asker) ask(ctx context.Context, endpoint, body string) answer {
	return a.request(ctx, a.base, endpoint, body, a.key)
}

// request posts a body to an endpoint of the API at base, with a key unless that
// is "".
func (a asker) request(ctx context.Context, base, endpoint, body string, key config.Secret) answer {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {a.agent}}
	if key != "" {
		header.Set("Authorization", "Bearer "+key.Reveal())
	}
	got := send(ctx, a.transport, http.MethodPost, base+"/"+endpoint, body, header)
	if got.status == 0 {
		return got
	}
	// Before anything is truncated: part of a key would not be recognized.
	got.body = []byte(a.withoutSecrets(string(got.body)))
	for _, values := range got.header {
		for i := range values {
			values[i] = a.withoutSecrets(values[i])
		}
	}
	got.foreign = outline.Identify(base, got.status, got.header, got.body)
	if got.foreign.Kind != "" || json.Unmarshal(got.body, &got.outline) != nil {
		got.outline = envelope{}
	}
	if got.beyondScopes() {
		a.refused.Store(endpoint, true)
	}
	return got
}

// send makes a request. A redirect is not followed.
func send(ctx context.Context, way http.RoundTripper, method, url, body string, header http.Header) answer {
	got := answer{url: url}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		got.err = err
		return got
	}
	request.Header = header
	response, err := way.RoundTrip(request)
	if err != nil {
		got.err = err
		return got
	}
	defer response.Body.Close()
	if !transport.Switched(response) {
		got.body, got.err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	}
	got.status, got.header, got.secure = response.StatusCode, response.Header, response.TLS
	return got
}

// withoutSecrets returns a text with **** in place of the key and of the values of
// headers.
func (a asker) withoutSecrets(text string) string {
	for _, value := range a.added {
		text = withoutKeyIn(text, value)
	}
	return withoutKeyIn(text, a.key.Reveal())
}

// succeeded reports whether Outline carried out the request.
func (a answer) succeeded() bool {
	return a.err == nil && a.status == http.StatusOK && a.outline.OK != nil && *a.outline.OK
}

// fromOutline reports whether the answer is a success or an error of Outline.
func (a answer) fromOutline() bool {
	return a.err == nil && a.foreign.Kind == "" && a.outline.OK != nil
}

// isRefused reports whether the key's scopes did not allow a request to an endpoint.
func (a asker) isRefused(endpoint string) bool {
	_, is := a.refused.Load(endpoint)
	return is
}

// beyondScopes reports whether Outline refused because of the key's scopes.
func (a answer) beyondScopes() bool {
	return a.status == http.StatusForbidden && strings.Contains(string(a.outline.Message), "API key does not have access")
}

// read decodes the data of a success, and reports whether it could.
func (a answer) read(data any) bool {
	return a.succeeded() && json.Unmarshal(a.outline.Data, data) == nil
}

// whyNot returns why an answer is of no use, as the second half of a sentence.
func (a answer) whyNot(timeout time.Duration) string {
	switch {
	case isTimeout(a.err):
		return "no answer came within " + timeout.String()
	case a.err != nil:
		return "the connection was lost (" + cause(a.err) + ")"
	case a.status == http.StatusTooManyRequests:
		return "Outline's rate limit was reached (429)"
	case a.fromOutline():
		return "Outline answered with status " + statusText(a.status) + quoted(string(a.outline.Message))
	}
	return a.foreign.String()
}

const (
	maxText      = 2000 // characters of a finding
	maxURL       = 200  // characters of a URL from a server
	maxUntrusted = 60   // characters of any other text from a server
)

// untrusted is a text from a server. Decoding makes it safe to show.
type untrusted string

// UnmarshalJSON implements json.Unmarshaler. A value that is no
// string counts as "".
func (o *untrusted) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*o = untrusted(short(text))
	}
	return nil
}

// short returns an untrusted text on one line, truncated.
func short(text string) string { return tidy(text, "", maxUntrusted) }

// tidy returns s on one line of at most limit characters, without keys and
// without characters that control a terminal or the direction of text.
func tidy(s, key string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return text.Truncate(outline.Redact(withoutKeyIn(strings.Join(strings.Fields(s), " "), key)), limit)
}

// withoutKeyIn returns a text with **** in place of the key.
func withoutKeyIn(text, key string) string {
	if len(key) < 8 {
		return text // too short for a key, and perhaps a word
	}
	return strings.ReplaceAll(text, key, "****")
}

// count returns a number with a noun, such as "1 key" or "no keys".
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
