package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/bounds"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/reach"
	"outline-mcp/internal/reload"
	"outline-mcp/internal/replicas"
	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// An upstream is the Outline that the server connects to. The operator decides
// its address and how it is reached; each call brings its own credential.
type upstream struct {
	Reached
	shared *replicas.Limits // nil if the limits of replicas are their own
	client *outline.Client  // acts for the principal of each call's context
}

func newUpstream(o Options, shared *replicas.Limits, observe func(context.Context, outline.Attempt)) (upstream, error) {
	reached, err := Reach(o)
	if err != nil {
		return upstream{}, err
	}
	var limiter transport.Limiter
	if shared != nil {
		limiter = shared
	}
	u := upstream{Reached: reached, shared: shared}
	u.client, err = outline.New(outline.Options{
		BaseURL:        reached.BaseURL,
		URLAliases:     o.Config.URLAliases,
		Credentials:    credential,
		UserAgent:      reached.UserAgent,
		Transport:      reached.Transport,
		RequestTimeout: o.Config.RequestTimeout,
		MaxRetries:     o.Config.MaxRetries,
		MaxRetryWait:   o.Config.MaxRetryWait,
		MaxRequests:    o.Config.MaxRequests,
		Shared:         o.Config.Transport == config.HTTP,
		Limiter:        limiter,
		MaxAnswerBytes: int64(o.Config.MaxAnswerBytes),
		Bounds:         bounds.New(RulesOf(o.Config), o.Log),
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

	files *reload.Set // that are read again when they change
	demo  embedded    // nil unless Outline is embedded
}

// Reach returns how the settings reach Outline, without sending anything. Its
// error is a [config.Problem] if a setting cannot be used.
func Reach(o Options) (Reached, error) {
	reached := Reached{Key: o.Config.APIKey, UserAgent: "outline-mcp/" + o.Version, Transport: o.Transport, Now: o.Now, files: new(reload.Set)}
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
func newWay(o Options, to Reached) (*reach.Transport, error) {
	c, again := o.Config, false
	way, err := reach.New(reach.Options{
		BaseURL: to.BaseURL, CAFile: c.CAFile, CertFile: c.ClientCert, KeyFile: c.ClientKey, SkipVerify: !c.VerifySSL,
		HeadersFile: c.HeadersFile,
		Headers: func() (http.Header, error) {
			read := again // at first, the settings hold what is in the file, which may be a pipe
			again = true
			return c.OutlineHeaders(read)
		},
		Files: to.files, Log: o.Log,
	})
	var failure *reach.FileError
	if errors.As(err, &failure) {
		setting := map[reach.File]string{reach.CA: "OUTLINE_CA_FILE", reach.Certificate: "OUTLINE_CLIENT_CERT", reach.Headers: "OUTLINE_HEADERS"}[failure.File]
		return nil, config.Problem{Setting: setting, Text: err.Error()}
	}
	return way, err
}

// credential returns the credential of the principal that ctx acts for. Without a
// principal there is none: the operator's is never a substitute.
func credential(ctx context.Context) (outline.Credential, error) {
	principal, _ := auth.FromContext(ctx)
	token, err := principal.Credential(ctx)
	return outline.Credential{Token: token, Subject: principal.Subject}, err
}

// maxProbe limits how much of the answer to a probe is read, in bytes.
const maxProbe = 64 << 10

// reachable returns an error if Outline does not answer. Any JSON counts as an
// answer: without a key, Outline sends a JSON error, whereas a proxy does not.
func (u upstream) reachable(ctx context.Context) error {
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
		body, _ = io.ReadAll(io.LimitReader(response.Body, maxProbe)) // what is not complete is not JSON
	}
	if !json.Valid(body) {
		return fmt.Errorf("%s answers in place of Outline (status %d); check OUTLINE_API_URL", outline.Identify(response.StatusCode, response.Header, body), response.StatusCode)
	}
	return nil
}
