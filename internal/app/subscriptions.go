package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/resources"
)

const (
	// mostListeners limits the listeners of a server, and so the connections that they
	// keep. The rest of those that it allows are for calls.
	mostListeners, mostSecureListeners = 512, 256
	// opening is how many resources of a listener are looked up at a time.
	opening = 4
)

// updates tells clients which of the resources that they have subscribed to changed.
type updates struct {
	service *resources.Subscriptions
	pipe    mcptool.Pipeline
}

func newUpdates(o Options, client *outline.Client, pipe mcptool.Pipeline) *updates {
	most := mostListeners
	if o.Config.TLSCert != "" {
		most = mostSecureListeners
	}
	return &updates{
		service: resources.NewSubscriptions(resources.SubscriptionOptions{Outline: client, MostListeners: most, Log: o.Log}),
		pipe:    pipe,
	}
}

// serve adds what the library needs to serve subscriptions. Its own capability does not
// depend on the era, but without a session only subscriptions/listen can be served.
func (u *updates) serve(transport config.Transport, hooks *server.Hooks) {
	hooks.AddBeforeSubscriptionsListen(u.listen)
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		if resources := result.Capabilities.Resources; resources != nil && transport == config.HTTP {
			without := *resources
			without.Subscribe = false
			result.Capabilities.Resources = &without
		}
	})
}

// listen opens the subscriptions of a request, and leaves in it only those that can be
// served: the library acknowledges these, and keeps the request open if there are any.
// If there are none, the request fails as the first of them. The library itself would
// deliver nothing, because only sessions of its own transports can subscribe.
func (u *updates) listen(ctx context.Context, _ any, request *mcp.SubscriptionsListenRequest) {
	wanted := &request.Params.Notifications
	uris := distinct(wanted.ResourceSubscriptions, resources.MostSubscriptions)
	wanted.ResourceSubscriptions = nil
	open := wire.ListeningFrom(ctx)
	if open == nil || len(uris) == 0 {
		return
	}
	listener, err := u.open(ctx, request.Params.Meta, mcp.MethodSubscriptionsListen, func(uri string) { open.Notify(updated(uri)) }, open.End)
	if err != nil {
		open.Refuse()
		return
	}
	var adding errgroup.Group
	adding.SetLimit(opening)
	failures := make([]*wire.Failure, len(uris))
	for i, uri := range uris {
		own, failure := wire.Failing(ctx, nil)
		failures[i] = failure
		adding.Go(func() error {
			_ = u.add(own, request.Params.Meta, mcp.MethodSubscriptionsListen, listener, uri) // and failure says why
			return nil
		})
	}
	_ = adding.Wait()
	for i, uri := range uris {
		if failures[i].Code == 0 {
			wanted.ResourceSubscriptions = append(wanted.ResourceSubscriptions, uri)
		}
	}
	if len(wanted.ResourceSubscriptions) == 0 {
		listener.Close()
		open.Refuse()
		wire.Fail(ctx, *failures[0])
		return
	}
	httpd.Release(ctx)
	expire := endWithCredential(ctx, open)
	open.Keep(func() {
		expire()
		listener.Close()
	})
}

// endWithCredential ends a request that is kept open when the credential of its caller
// expires, unless the returned function is called first.
func endWithCredential(ctx context.Context, open *wire.Listening) (stop func()) {
	who, _ := auth.FromContext(ctx)
	if who.Expires.IsZero() {
		return func() {}
	}
	timer := time.AfterFunc(time.Until(who.Expires), open.End)
	return func() { timer.Stop() }
}

// open returns a new listener. If there is none, the pipeline records the failure and
// answers the request.
func (u *updates) open(ctx context.Context, meta *mcp.Meta, method mcp.MCPMethod, changed func(uri string), ended func()) (*resources.Listener, error) {
	listener, err := u.service.Listen(ctx, changed, ended)
	if err != nil {
		return nil, u.pipe.Subscription(ctx, mcptool.Item{Name: "listener", Method: method}, "", meta, func(context.Context) error { return err })
	}
	return listener, nil
}

// distinct returns the first URIs, each once: each costs requests to Outline, even one
// that nobody can subscribe to.
func distinct(uris []string, most int) []string {
	var first []string
	for _, uri := range uris {
		if len(first) == most {
			break
		}
		if !slices.Contains(first, uri) {
			first = append(first, uri)
		}
	}
	return first
}

// add subscribes a listener to one resource, through the pipeline.
func (u *updates) add(ctx context.Context, meta *mcp.Meta, method mcp.MCPMethod, listener *resources.Listener, uri string) error {
	named, _ := resources.Parse(uri) // Add says what is wrong with it
	item := named.Item()
	item.Method = method
	return u.pipe.Subscription(ctx, item, uri, meta, func(ctx context.Context) error { return listener.Add(ctx, uri) })
}

func updated(uri string) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: mcp.MethodNotificationResourceUpdated,
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
	}}
}

// A subscriber serves resources/subscribe for the client on stdio.
type subscriber struct {
	updates *updates
	send    func(mcp.JSONRPCNotification)

	mu       sync.Mutex
	listener *resources.Listener // nil until the first subscription
}

func (u *updates) subscriber(send func(mcp.JSONRPCNotification)) wire.Subscriber {
	return &subscriber{updates: u, send: send}
}

// Add implements wire.Subscriber.
func (s *subscriber) Add(ctx context.Context, uri string) error {
	listener, err := s.open(ctx)
	if err != nil {
		return err
	}
	return s.updates.add(ctx, nil, mcp.MethodResourcesSubscribe, listener, uri)
}

// open returns the listener, a new one if Outline has rejected the key meanwhile.
func (s *subscriber) open(ctx context.Context) (*resources.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil && !s.listener.HasEnded() {
		return s.listener, nil
	}
	listener, err := s.updates.open(ctx, nil, mcp.MethodResourcesSubscribe, func(uri string) { s.send(updated(uri)) }, nil)
	if err != nil {
		return nil, err
	}
	s.listener = listener
	return listener, nil
}

// Remove implements wire.Subscriber.
func (s *subscriber) Remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.listener.Remove(uri)
	}
}

// Close implements wire.Subscriber.
func (s *subscriber) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.listener.Close()
	}
}
