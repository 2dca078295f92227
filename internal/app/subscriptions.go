package app

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/jsonrpc"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/notify"
	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/stdio"
	"outline-mcp/internal/subscriptions"
	"outline-mcp/outline"
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
	service *subscriptions.Service
	items   func(uri string) (pipeline.Item, subscriptions.Target, error)
	pipe    pipeline.Pipeline
	log     *slog.Logger
}

func newUpdates(o Options, client *outline.Client, chosen []mcptool.Tool, pipe pipeline.Pipeline) *updates {
	most := mostListeners
	if o.Config.TLSCert != "" {
		most = mostSecureListeners
	}
	u := &updates{items: subscribable(client, chosen), pipe: pipe, log: o.Log}
	u.service = subscriptions.New(subscriptions.Options{Outline: client, MostListeners: most, Log: o.Log})
	return u
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
// It delivers nothing itself, because only sessions of its own transports can subscribe.
func (u *updates) listen(ctx context.Context, _ any, request *mcp.SubscriptionsListenRequest) {
	wanted := &request.Params.Notifications
	uris := wanted.ResourceSubscriptions
	wanted.ResourceSubscriptions = nil
	open, session := notify.ListeningFrom(ctx), server.ClientSessionFromContext(ctx)
	if open == nil || session == nil || len(uris) == 0 {
		return
	}
	listener, err := u.service.Listen(ctx)
	if err != nil {
		u.refused(ctx, err)
		return
	}
	var adding errgroup.Group
	adding.SetLimit(opening)
	accepted := make([]bool, len(uris))
	for i, uri := range uris {
		adding.Go(func() error {
			ctx, _ := jsonrpc.Failing(ctx) // what fails for one resource does not end the request
			accepted[i] = u.add(ctx, request.Params.Meta, mcp.MethodSubscriptionsListen, listener, uri) == nil
			return nil
		})
	}
	_ = adding.Wait() // what is not accepted is not acknowledged
	for i, uri := range uris {
		if accepted[i] {
			wanted.ResourceSubscriptions = append(wanted.ResourceSubscriptions, uri)
		}
	}
	if len(wanted.ResourceSubscriptions) == 0 {
		listener.Close()
		return
	}
	httpd.Release(ctx)
	go u.deliver(ctx, listener, open, session.NotificationChannel())
}

// deliver sends the notifications of a listener until it ends or the client has gone,
// and then ends the request.
func (u *updates) deliver(ctx context.Context, listener *subscriptions.Listener, open *notify.Listening, to chan<- mcp.JSONRPCNotification) {
	defer open.End()
	defer listener.Close()
	select {
	case <-open.Acknowledged():
	case <-ctx.Done():
		return
	}
	for {
		uri, err := listener.Next(ctx)
		if err != nil {
			return
		}
		select {
		case to <- updated(uri):
		case <-ctx.Done():
			return
		}
	}
}

// add subscribes a listener to one resource, through the pipeline.
func (u *updates) add(ctx context.Context, meta *mcp.Meta, method mcp.MCPMethod, listener *subscriptions.Listener, uri string) error {
	item, target, err := u.items(uri)
	if err != nil {
		item = pipeline.Item{Name: "other"}
	}
	item.Method = method
	return u.pipe.Subscription(ctx, item, meta, func(ctx context.Context) error {
		if err != nil {
			return err
		}
		return listener.Add(ctx, uri, target)
	})
}

func (u *updates) refused(ctx context.Context, err error) {
	principal, _ := auth.FromContext(ctx)
	u.log.InfoContext(ctx, "subscriptions refused", "key", principal.ID(), "reason", err.Error())
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
	listener *subscriptions.Listener // nil until the first subscription
}

func (u *updates) subscriber(send func(mcp.JSONRPCNotification)) stdio.Subscriber {
	return &subscriber{updates: u, send: send}
}

// Add implements stdio.Subscriber.
func (s *subscriber) Add(ctx context.Context, uri string) error {
	listener, err := s.open(ctx)
	if err != nil {
		return err
	}
	return s.updates.add(ctx, nil, mcp.MethodResourcesSubscribe, listener, uri)
}

// open returns the listener, a new one if Outline has rejected the key meanwhile.
func (s *subscriber) open(ctx context.Context) (*subscriptions.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil && !s.listener.Ended() {
		return s.listener, nil
	}
	listener, err := s.updates.service.Listen(ctx)
	if err != nil {
		return nil, err
	}
	s.listener = listener
	go func() {
		for { // until the listener ends
			uri, err := listener.Next(context.Background())
			if err != nil {
				return
			}
			s.send(updated(uri))
		}
	}()
	return listener, nil
}

// Remove implements stdio.Subscriber.
func (s *subscriber) Remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.listener.Remove(uri)
	}
}

// Close implements stdio.Subscriber.
func (s *subscriber) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.listener.Close()
	}
}
