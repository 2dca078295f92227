package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
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
	"outline-mcp/output"
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
	Message foreignText     `json:"message"`
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
		return "Outline answered with status " + statusText(a.status) + asQuote(string(a.outline.Message))
	}
	return a.foreign.String()
}

const (
	maxText      = 2000 // characters of a finding
	maxURL       = 200  // characters of a URL from a server
	maxUntrusted = 60   // characters of any other text from a server
)

// foreignText is a text from a server. Decoding makes it safe to show.
type foreignText string

// UnmarshalJSON implements json.Unmarshaler. A value that is no
// string counts as "".
func (o *foreignText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*o = foreignText(short(text))
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

// ping is a request that every MCP server answers, or rejects for want of credentials.
const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// ofClients returns the header of a request as clients send it, without a key.
func ofClients() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream, text/html"}}
}

// judge reports whether an answer to auth.info without a key is from Outline.
func (e *examination) judge(ctx context.Context, base *url.URL, got answer) {
	finding, elsewhere := e.notOutline(base, got)
	if finding == nil {
		e.reached = true
		if e.Demo {
			e.add(OK, "outline", "the built-in sample workspace", "")
			return
		}
		e.add(OK, "outline", "Outline's API answers at "+e.base, "", map[string]any{"url": e.base})
		return
	}
	if elsewhere {
		if right := e.findRoot(ctx, base); right != "" {
			e.add(Failure, "outline", fmt.Sprintf("Outline's API is at %s/api, not at %s", right, e.base), "set OUTLINE_API_URL="+right, map[string]any{"url": right + "/api"})
			return
		}
	}
	e.fail(finding.Name, finding.Finding, finding.Advice)
}

// notOutline returns what is wrong with an answer to auth.info, nil if nothing is, and
// whether Outline may be at the root of the host.
func (e *examination) notOutline(base *url.URL, got answer) (problem *Check, elsewhere bool) {
	const ofBrowser = "set OUTLINE_API_URL to the address of Outline in the browser, without the path of a page"
	found := got.foreign
	switch {
	case got.err != nil:
		return &Check{Name: "outline", Finding: "the answer to auth.info breaks off (" + cause(got.err) + ")", Advice: "try again, and check any proxy in front of Outline"}, false
	case found.Kind == "" && got.status == http.StatusNotFound:
		return &Check{Name: "outline", Finding: "Outline answers, but there is no API at " + e.base, Advice: ofBrowser}, true
	case found.Kind == "" && got.status >= 500:
		return &Check{Name: "outline", Finding: "Outline answers with an internal error (" + statusText(got.status) + ")", Advice: "check Outline's log"}, false
	case found.Kind == "":
		return nil, false
	}
	problem = &Check{Name: "outline", Finding: found.String(), Advice: output.Advice(found.Remedy)}
	if found.Kind == outline.LoginPage || found.Kind == outline.WebPage {
		problem.Finding = strings.TrimSuffix(problem.Finding, ")") + asQuote(found.Title) + ")"
	}
	switch found.Kind {
	case outline.HTTPSRedirect:
		problem.Advice = "use https:// in OUTLINE_API_URL: " + found.Address
	case outline.HTTPRedirect:
		problem.Advice = "change that in the proxy in front of Outline"
	case outline.HostRedirect:
		problem.Advice = "if that is where Outline is, set OUTLINE_API_URL=" + found.Address + "; if it is a login, " + output.Advice(outline.PassGateway)
	case outline.ProxyLogin:
		problem.Name, problem.Advice = "proxy", "set "+e.proxyVariable(base.Scheme)+" to http://user:password@host:port"
	case outline.PlainHTTPRefused:
		check := httpsOnHTTP(outlineAt(base))
		return &check, false
	case outline.GatewayRateLimit:
		problem.Advice = "wait, and raise its limit for /api"
	case outline.Unavailable:
		if wait := transport.RetryAfter(got.header); wait > 0 {
			problem.Finding += fmt.Sprintf(", try again in %.0f s", wait.Seconds())
		}
		problem.Advice = "unless this is planned maintenance, check the logs of Outline and of the proxy in front of it"
	case outline.PathRedirect, outline.WebPage:
		problem.Advice, elsewhere = ofBrowser, true
	case outline.Nothing, outline.OtherAPI, outline.Other:
		problem.Advice, elsewhere = "check host and port in OUTLINE_API_URL, its path, and any proxy in front of Outline", true
	case outline.LoginPage, outline.Refusal:
		elsewhere = true
	}
	return problem, elsewhere
}

// findRoot returns the address of the host without a path if Outline answers there,
// else "". Outline cannot be hosted below a path
// (https://github.com/outline/outline/issues/9161). The request has no key.
func (e *examination) findRoot(ctx context.Context, base *url.URL) string {
	root := base.Scheme + "://" + base.Host
	if root+"/api" == e.base || !e.isOutline(ctx, root+"/api") {
		return ""
	}
	return root
}

// isOutline reports whether Outline's API answers at base, without the key.
func (e *examination) isOutline(ctx context.Context, base string) bool {
	got := e.request(ctx, base, "auth.info", "{}", "")
	return got.fromOutline() && got.status != http.StatusNotFound && got.status < 500
}

// asQuote returns an untrusted text as an addition to a sentence.
func asQuote(text string) string {
	if text = short(text); text == "" {
		return ""
	}
	return ", “" + text + "”"
}

// statusText returns a status code with its name.
func statusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return strconv.Itoa(status)
}
