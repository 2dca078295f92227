package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
	"outline-mcp/internal/observe"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
	"outline-mcp/outline/transport"
)

// An upstream is the Outline that the server connects to. The operator decides
// its address and how it is reached; each call brings its own credential.
type upstreamClient struct {
	Reached
	shared *transport.RedisLimiter // nil if the limits of replicas are their own
	client *outline.Client         // acts for the principal of each call's context
}

func newUpstreamClient(o Options, shared *transport.RedisLimiter, known *acceptedSubjects, observe func(context.Context, outline.Attempt)) (upstreamClient, error) {
	reached, err := Reach(o)
	if err != nil {
		return upstreamClient{}, err
	}
	var limiter transport.Limiter
	if shared != nil {
		limiter = shared
	}
	u := upstreamClient{Reached: reached, shared: shared}
	var operator *auth.Principal // on stdio, every caller is
	if o.Config.Transport == config.HTTP {
		operator = new(operatorOf(o, u))
	}
	u.client, err = outline.New(outline.Options{
		BaseURL:        reached.BaseURL,
		URLAliases:     o.Config.URLAliases,
		Credentials:    known.credential,
		UserAgent:      reached.UserAgent,
		Transport:      reached.Transport,
		RequestTimeout: o.Config.RequestTimeout,
		MaxRetries:     o.Config.MaxRetries,
		MaxRetryWait:   o.Config.MaxRetryWait,
		MaxRequests:    o.Config.MaxRequests,
		Shared:         o.Config.Transport == config.HTTP,
		Limiter:        limiter,
		MaxAnswerBytes: int64(o.Config.MaxAnswerBytes),
		Bounds:         boundary.New(RulesOf(o.Config), operator, o.Log),
		Log:            o.Log,
		Observe:        observe,
	})
	return u, err
}

// Reached is how a server with these settings reaches Outline.
type Reached struct {
	BaseURL   string        // of the API
	Key       config.Secret // the operator's; "" if there is none
	UserAgent string
	Transport http.RoundTripper
	Now       func() time.Time // Outline's clock, as far as it is known; nil means time.Now

	files *transport.FileSet // that are read again when they change
	demo  demoWorkspace      // nil unless Outline is embedded
}

// Reach returns how the settings reach Outline, without sending anything. Its
// error is a [config.Problem] if a setting cannot be used.
func Reach(o Options) (Reached, error) {
	reached := Reached{Key: o.Config.APIKey, UserAgent: "outline-mcp/" + o.Version, Transport: o.Transport, Now: o.Now, files: new(transport.FileSet)}
	if o.Demo {
		reached.demo = newEmbedded(o.Config)
		reached.BaseURL, reached.Key, reached.Transport = fakeoutline.BaseURL, fakeoutline.AdminKey, reached.demo
		if reached.Now == nil {
			reached.Now = reached.demo.now
		}
		return reached, nil
	}
	var err error
	if reached.BaseURL, err = outline.ParseBaseURL(o.Config.APIURL); err != nil {
		return Reached{}, config.Problem{Setting: "OUTLINE_API_URL", Text: err.Error()}
	}
	if reached.Transport == nil {
		if reached.Transport, err = newWay(o, reached); err != nil {
			return Reached{}, err
		}
	}
	return reached, nil
}

// newWay returns the connections to Outline. Its error is a [config.Problem].
func newWay(o Options, to Reached) (*transport.Upstream, error) {
	c, again := o.Config, false
	way, err := transport.NewUpstream(transport.UpstreamOptions{
		BaseURL: to.BaseURL, CAFile: c.CAFile, CertFile: c.ClientCert, KeyFile: c.ClientKey, SkipVerify: !c.VerifySSL,
		HeadersFile: c.HeadersFile,
		Headers: func() (http.Header, error) {
			read := again // at first, the settings hold what is in the file, which may be a pipe
			again = true
			return c.OutlineHeaders(read)
		},
		Files: to.files, Log: o.Log,
	})
	var failure *transport.FileError
	if errors.As(err, &failure) {
		setting := map[transport.File]string{transport.FileCA: "OUTLINE_CA_FILE", transport.FileCertificate: "OUTLINE_CLIENT_CERT", transport.FileHeaders: "OUTLINE_HEADERS"}[failure.File]
		return nil, config.Problem{Setting: setting, Text: err.Error()}
	}
	return way, err
}

// credential returns the credential of the principal that ctx acts for. Without a
// principal there is none: the operator's is never a substitute. Keys that Outline has not
// accepted share the part of one: anybody can make up many.
func (a *acceptedSubjects) credential(ctx context.Context) (outline.Credential, error) {
	principal, _ := auth.FromContext(ctx)
	token, err := principal.Credential(ctx)
	c := outline.Credential{Token: token, Subject: principal.Subject, Renew: principal.Renewal(token)}
	if principal.Kind == auth.KindAPIKey && !a.has(principal) {
		c.Group = "not accepted"
	}
	return c, err
}

// maxProbe limits how much of the answer to a probe is read, in bytes.
const maxProbe = 64 << 10

// reachable returns an error if Outline does not answer. Without a key, it sends an error
// as JSON.
func (u upstreamClient) reachable(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.BaseURL+"/auth.info", strings.NewReader("{}"))
	if err != nil {
		return errors.New("cannot make a request to OUTLINE_API_URL; check the address")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", u.UserAgent)
	response, err := u.Transport.RoundTrip(request)
	if err != nil {
		// The cause names hosts, and anyone may ask.
		return errors.New("no answer from Outline; check OUTLINE_API_URL and the network")
	}
	defer response.Body.Close()
	var body []byte
	if !transport.Switched(response) {
		body, _ = io.ReadAll(io.LimitReader(response.Body, maxProbe)) // what is not complete is not from Outline
	}
	// The finding names hosts, the kind does not.
	if found := outline.Identify(u.BaseURL, response.StatusCode, response.Header, body); found.Kind != "" {
		return fmt.Errorf("%s answers in place of Outline (status %d); check OUTLINE_API_URL", found.Kind, found.Status)
	}
	return nil
}

// newReplicas returns the limits that servers over HTTP share, or nil if each has its own.
func newReplicas(o Options, m *observe.Metrics) (*transport.RedisLimiter, error) {
	if o.Config.RedisURL == "" || o.Config.Transport != config.HTTP || o.Demo {
		return nil, nil
	}
	limits, err := transport.NewRedisLimiter(transport.RedisOptions{
		URL: o.Config.RedisURL.Reveal(), Outline: o.Config.APIURL, AnswerTimeout: o.RedisTimeout,
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
	shared *transport.RedisLimiter
	next   http.RoundTripper
}

// loginTransport returns how logins reach Outline.
func (u upstreamClient) loginTransport() http.RoundTripper {
	if u.shared == nil {
		return u.Transport
	}
	return limitedLogins{u.shared, u.Transport}
}

// RoundTrip implements [http.RoundTripper].
func (l limitedLogins) RoundTrip(r *http.Request) (*http.Response, error) {
	// Each request is its own subject: all logins have the limit in common.
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

// acceptedFor is how long a key counts as accepted after Outline's last answer.
const acceptedFor = time.Hour

// acceptedSubjects remembers whose requests Outline has answered recently, by subject, which is a
// hash. It remembers only those, so that made-up keys take no memory.
type acceptedSubjects struct{ expiring.Map[string, struct{}] }

func newAccepted() *acceptedSubjects {
	return &acceptedSubjects{expiring.Map[string, struct{}]{Most: 4096}}
}

// note records an attempt of a request.
func (a *acceptedSubjects) note(ctx context.Context, attempt outline.Attempt) {
	if who, ok := auth.FromContext(ctx); ok && attempt.Status == http.StatusOK {
		a.Set(who.Subject, struct{}{}, acceptedFor)
	}
}

// has reports whether Outline has accepted a principal's credential lately.
func (a *acceptedSubjects) has(who auth.Principal) bool {
	_, ok := a.Get(who.Subject)
	return ok
}

// A demoWorkspace returns the workspace of the demo. Its first call loads the sample, for which
// the answer to initialize does not have to wait.
type demoWorkspace func() *fakeoutline.Workspace

// newEmbedded returns a workspace in which people can log in to a server with these
// settings. The sample is part of the program, so the settings cannot make it fail to load.
func newEmbedded(c config.Config) demoWorkspace {
	return sync.OnceValue(func() *fakeoutline.Workspace {
		demo, err := fakeoutline.New(fakeoutline.Options{Answers: true, OAuth: fakeoutline.Application{
			ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{oauth.Callback(c.PublicURL)},
		}})
		if err != nil {
			panic("load the sample workspace: " + err.Error())
		}
		return demo
	})
}

// RoundTrip implements http.RoundTripper.
func (e demoWorkspace) RoundTrip(r *http.Request) (*http.Response, error) {
	return e().Transport().RoundTrip(r)
}

// login serves the pages with which a person logs in to the workspace.
func (e demoWorkspace) login(w http.ResponseWriter, r *http.Request) {
	e().LoginHandler().ServeHTTP(w, r)
}

func (e demoWorkspace) now() time.Time { return e().Now() }
