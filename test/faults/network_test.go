package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"outline-mcp/internal/fakeoutline"
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
	fresh := func() *bench { // whose server knows of no earlier run
		b := newBench(t, "OUTLINE_REQUEST_TIMEOUT=0.4", "OUTLINE_CALL_TIMEOUT=6", "OUTLINE_MAX_RETRIES=1")
		b.rest = 0
		return b
	}
	model := fresh().model(t, v, w)
	for _, toxic := range toxics() {
		for _, attempts := range []int{1, math.MaxInt} {
			b := fresh()
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

// program returns the path of outline-mcp: OUTLINE_MCP_BINARY or, if it is not set,
// a program built for the test.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("OUTLINE_MCP_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "outline-mcp")
	if printed, err := exec.Command("go", "build", "-C", "../..", "-o", path, "./cmd/outline-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build outline-mcp: %v\n%s", err, printed)
	}
	return path
}

// An outlineProcess is an embedded workspace in its own process.
type outlineProcess struct {
	program string // outline-mcp
	base    string // of the API
	client  *http.Client
}

// startOutline starts a workspace. It ends with the test.
func startOutline(t *testing.T, program string, flags ...string) outlineProcess {
	t.Helper()
	cmd := exec.Command(program, append([]string{"workspace", "--listen", "127.0.0.1:0"}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	connections := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(func() {
		connections.CloseIdleConnections()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("start the workspace: %v %s", err, &stderr)
	}
	_, base, _ := strings.Cut(strings.TrimSpace(line), "=")
	return outlineProcess{program, base, &http.Client{Transport: connections}}
}

// call calls an endpoint, without any protection.
func (o outlineProcess) call(key, endpoint string, arguments, data any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, o.base+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", endpoint, response.StatusCode, answer)
	}
	return json.Unmarshal(answer, &struct{ Data any }{data})
}

// connect starts outline-mcp for this Outline, with the key of a member. It ends
// with the test.
func (o outlineProcess) connect(t *testing.T, member int) *client.Client {
	t.Helper()
	c, err := client.NewStdioMCPClientWithOptions(o.program, []string{
		"OUTLINE_API_URL=" + o.base, "OUTLINE_API_KEY=" + memberKey(member), "OUTLINE_STRUCTURED_OUTPUT=on",
	}, []string{"serve", "--transport", "stdio"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "faults", Version: "test"}
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return c
}

// memberKey is the key of one of the members of the sample workspace.
func memberKey(n int) string { return fmt.Sprintf("ol_api_demo_user_%d", n) }

const adminKey = fakeoutline.AdminKey
