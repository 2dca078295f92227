package faults

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	zerolog.SetGlobalLevel(zerolog.Disabled) // some toxics log past their proxy's logger
	// The proxy leaks the goroutines of connections that it breaks.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"), goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run"))
}

// A network is a workspace behind a proxy that breaks connections, both on
// loopback.
type network struct {
	server *httptest.Server
	proxy  *toxiproxy.Proxy
	client *http.Transport
}

func newNetwork(t *testing.T, handler http.Handler) *network {
	t.Helper()
	n := &network{server: httptest.NewServer(handler)}
	metrics := toxiproxy.NewMetricsContainer(prometheus.NewRegistry())
	n.proxy = toxiproxy.NewProxy(toxiproxy.NewServer(metrics, zerolog.Nop()), t.Name(), "127.0.0.1:0", strings.TrimPrefix(n.server.URL, "http://"))
	if err := n.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	// One connection per request, so that a toxic affects only one request.
	n.client = &http.Transport{DisableKeepAlives: true}
	return n
}

// RoundTrip implements [http.RoundTripper]: it goes through the proxy.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Host = n.proxy.Listen
	return n.client.RoundTrip(r)
}

// close closes the connections, waits for running requests, and stops the proxy and
// the server.
func (n *network) close() {
	n.proxy.Stop()
	n.client.CloseIdleConnections()
	n.server.Close() // waits for running requests
}

// A toxic is a way in which the proxy breaks a connection.
type toxic struct{ name, json string }

func toxics() []toxic {
	of := func(name, stream, kind, attributes string) toxic {
		return toxic{name, fmt.Sprintf(`{"name":"toxic","type":%q,"stream":%q,"attributes":{%s}}`, kind, stream, attributes)}
	}
	return []toxic{
		of("reset of the request", "upstream", "reset_peer", `"timeout":0`),
		of("reset of the answer", "downstream", "reset_peer", `"timeout":0`),
		of("request that hangs", "upstream", "timeout", `"timeout":0`),
		of("request that hangs, then is closed", "upstream", "timeout", `"timeout":30`),
		of("answer that hangs", "downstream", "timeout", `"timeout":0`),
		of("answer that hangs, then is closed", "downstream", "timeout", `"timeout":30`),
		of("request cut in its header", "upstream", "limit_data", `"bytes":60`),
		of("answer cut in its header", "downstream", "limit_data", `"bytes":30`),
		of("answer cut in its body", "downstream", "limit_data", `"bytes":300`),
		of("answer in slices", "downstream", "slicer", `"average_size":200,"size_variation":50,"delay":100`),
		of("answer in slices too slow", "downstream", "slicer", `"average_size":20,"size_variation":5,"delay":50000`),
		of("answer that is late", "downstream", "latency", `"latency":100,"jitter":50`),
		of("answer that is too late", "downstream", "latency", `"latency":2000`),
		of("narrow line", "upstream", "bandwidth", `"rate":2`),
	}
}

// fault returns the fault that a toxic causes.
func (n *network) fault(t *testing.T, toxic toxic) *fault {
	return &fault{name: toxic.name, lost: true, breaks: func(p *passage) (*http.Response, error) {
		if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(toxic.json)); err != nil {
			t.Error(err)
		}
		heal := sync.OnceFunc(func() { n.proxy.Toxics.ResetToxics(context.Background()) })
		response, err := p.pass()
		if err != nil {
			heal()
			return nil, err
		}
		response.Body = &closing{response.Body, heal}
		return response, nil
	}}
}

// closing is the body of an answer with an action on close.
type closing struct {
	io.ReadCloser
	end func()
}

// Close implements [io.Closer].
func (c *closing) Close() error {
	defer c.end()
	return c.ReadCloser.Close()
}

func TestNoConnectionThatBreaksMakesAnAnswerUntrue(t *testing.T) {
	names := []string{
		"create a document", "comment", "replace the text", "append", "edit", "move below another", "archive", "delete",
		"delete permanently", "create a collection", "rename a collection", "update several",
	}
	var group sync.WaitGroup
	for _, w := range writes() {
		if !slices.Contains(names, w.name) {
			continue
		}
		// In parallel, because they wait most of the time.
		group.Go(func() { t.Run(w.name, func(t *testing.T) { breakConnections(t, version{}, w) }) })
		if w.updates() {
			group.Go(func() {
				t.Run(w.name+" on 1.9.2", func(t *testing.T) { breakConnections(t, version{release: "1.9.2"}, w) })
			})
		}
	}
	group.Wait()
}

// breakConnections tries every toxic on a write, once and permanently.
func breakConnections(t *testing.T, v version, w write) {
	b := newBench(t, "OUTLINE_REQUEST_TIMEOUT=0.4", "OUTLINE_CALL_TIMEOUT=6", "OUTLINE_MAX_RETRIES=1")
	b.rest = 0
	model := b.model(t, v, w)
	for _, toxic := range toxics() {
		for _, attempts := range []int{1, math.MaxInt} {
			n := newNetwork(t, handlerOf(b.wire))
			f := n.fault(t, toxic)
			b.settled = n.close
			b.wire.network.Store(n) // lists that are read in the background may be under way
			r := b.do(t.Context(), v, w, func(x *exchange) *fault {
				if w.hits(x) && x.attempt <= attempts {
					return f
				}
				return nil
			})
			_, wrong := judge(model, r)
			if wrong == "" && !r.struck(f) {
				wrong = "the fault did not come to pass"
			}
			if wrong != "" {
				t.Errorf("%s, %d times: %s\n%s", toxic.name, attempts, wrong, r.report())
			}
		}
	}
}

// handlerOf is the workspace behind a wire, as a server.
func handlerOf(w *wire) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// It runs to its end even if the connection breaks.
		w.workspace.ServeHTTP(rw, r.WithContext(context.WithoutCancel(r.Context())))
	})
}
