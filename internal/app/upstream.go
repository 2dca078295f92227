package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/workspace"
	"outline-mcp/outline"
)

// An upstream is the Outline that the server opens. Its address and how it is
// reached are the operator's; the key is the caller's.
type upstream struct {
	client    *outline.Client // with the operator's key, if there is one
	key       config.Secret   // the operator's
	base      string
	agent     string // User-Agent
	transport http.RoundTripper
}

func newUpstream(o Options, observe func(context.Context, outline.Attempt)) (upstream, error) {
	options := outline.Options{
		Key:            o.Config.APIKey.Reveal(),
		UserAgent:      agentOf(o),
		Transport:      o.Transport,
		RequestTimeout: o.Config.RequestTimeout,
		MaxRetries:     o.Config.MaxRetries,
		MaxRetryWait:   o.Config.MaxRetryWait,
		MaxAnswerBytes: int64(o.Config.MaxAnswerBytes),
		Log:            o.Log,
		Observe:        observe,
	}
	if err := reach(&options, o); err != nil {
		return upstream{}, err
	}
	client, err := outline.New(options)
	if err != nil {
		return upstream{}, err
	}
	return upstream{client: client, key: config.Secret(options.Key), base: options.BaseURL, agent: options.UserAgent, transport: options.Transport}, nil
}

// Reached is how the settings reach Outline: what a server of theirs uses.
type Reached struct {
	BaseURL   string        // of the API
	Key       config.Secret // the operator's, "" if there is none
	UserAgent string
	Transport http.RoundTripper
}

// Reach returns how the settings reach Outline, without sending anything. Its
// error is a [config.Problem] if a setting cannot be used.
func Reach(o Options) (Reached, error) {
	options := outline.Options{Key: o.Config.APIKey.Reveal(), Transport: o.Transport}
	if err := reach(&options, o); err != nil {
		return Reached{}, err
	}
	return Reached{options.BaseURL, config.Secret(options.Key), agentOf(o), options.Transport}, nil
}

// agentOf returns the User-Agent of requests to Outline.
func agentOf(o Options) string { return "outline-mcp/" + o.Version }

// reach sets where Outline is and how it is reached. Its error is a
// [config.Problem] if a setting cannot be used.
func reach(options *outline.Options, o Options) error {
	if o.Demo {
		demo, err := workspace.New(workspace.Options{})
		if err != nil {
			return err
		}
		options.BaseURL, options.Key, options.Transport = workspace.BaseURL, workspace.AdminKey, demo.Transport()
		return nil
	}
	base, err := outline.ParseBaseURL(o.Config.APIURL)
	if err != nil {
		return config.Problem{Setting: "OUTLINE_API_URL", Text: err.Error()}
	}
	options.BaseURL = base
	if options.Transport == nil {
		transport, err := outline.NewTransport(outline.TransportOptions{CAFile: o.Config.CAFile, SkipVerify: !o.Config.VerifySSL})
		if err != nil {
			return config.Problem{Setting: "OUTLINE_CA_FILE", Text: err.Error()}
		}
		options.Transport = transport
	}
	return nil
}

// actingFor returns the client that acts with the key of the request that ctx
// belongs to. A request that brought none, and what did not come over HTTP,
// acts with the operator's.
func (u upstream) actingFor(ctx context.Context) *outline.Client {
	return u.client.WithKey(u.keyFor(ctx))
}

// keyFor returns the key that actingFor uses, "" if there is none.
func (u upstream) keyFor(ctx context.Context) string {
	if caller, ok := httpd.CallerFrom(ctx); ok && caller.Key() != "" {
		return caller.Key()
	}
	return u.key.Reveal()
}

// maxProbe is as much of Outline's answer to a probe as is read, in bytes.
const maxProbe = 64 << 10

// reachable tells whether Outline answers. Any JSON will do: asked without a
// key, it answers with a JSON error. What comes of a proxy is no JSON.
func (u upstream) reachable(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.base+"/auth.info", strings.NewReader("{}"))
	if err != nil {
		return errors.New("no request can be made to OUTLINE_API_URL; check it")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", u.agent)
	response, err := u.transport.RoundTrip(request)
	if err != nil {
		// Without the cause, which names hosts: anyone may ask.
		return errors.New("no answer comes from Outline; check OUTLINE_API_URL and the network")
	}
	defer response.Body.Close()
	var answer json.RawMessage
	if err := json.NewDecoder(io.LimitReader(response.Body, maxProbe)).Decode(&answer); err != nil {
		return fmt.Errorf("what answers in Outline's place is not Outline (status %d); check OUTLINE_API_URL", response.StatusCode)
	}
	return nil
}
