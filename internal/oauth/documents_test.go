package oauth_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/oauth"
)

// documentID is the URL of the document in most tests. The certificate of httptest is for
// example.com and its subdomains.
const documentID = "https://www.example.com/client.json"

var publicAddress = netip.MustParseAddr("93.184.216.34")

// An internet is one TLS server that has all names, each at the same public address.
type internet struct {
	oauth.ClientNetwork
	fetches atomic.Int64
	dialled atomic.Int64
}

// newInternet starts the server on a listener, or on the loopback interface if it is nil.
func newInternet(t *testing.T, listener net.Listener, handler http.HandlerFunc) *internet {
	t.Helper()
	in := &internet{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.fetches.Add(1)
		handler(w, r)
	}))
	if listener != nil {
		server.Listener.Close()
		server.Listener = listener
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	in.Roots = x509.NewCertPool()
	in.Roots.AddCert(server.Certificate())
	in.Lookup = func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{publicAddress}, nil }
	in.Dial = func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
		in.dialled.Add(1)
		if address != netip.AddrPortFrom(publicAddress, 443) {
			return nil, fmt.Errorf("dialled %s", address)
		}
		if pipes, ok := listener.(pipeListener); ok {
			return pipes.dial(ctx)
		}
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return in
}

// A pipeListener serves connections within the process, for tests with their own clock.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   *sync.Once
}

func newPipeListener() pipeListener {
	return pipeListener{make(chan net.Conn), make(chan struct{}), new(sync.Once)}
}

func (l pipeListener) dial(ctx context.Context) (net.Conn, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// document is a valid document for the URL of a request.
func document(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"client_id":"https://%s%s","client_name":"Test","client_uri":"https://www.example.com","redirect_uris":["https://www.example.com/cb"],
		"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"RSA"}]},"jwks_uri":"http://127.0.0.1/keys","logo_uri":"http://169.254.169.254/","grant_types":["authorization_code","x"]}`, r.Host, r.URL)
}

func newDocuments(in *internet) *oauth.Documents {
	return oauth.NewDocuments(oauth.DocumentsOptions{Fetch: true, OwnCallback: ownCallback, Network: in.ClientNetwork})
}

func TestADocumentIsFetchedOnceAndItsKeysAreIgnored(t *testing.T) {
	in := newInternet(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "application/json" || r.Header.Get("Cookie")+r.Header.Get("Authorization") != "" {
			t.Errorf("headers: %v", r.Header)
		}
		document(w, r)
	})
	documents := newDocuments(in)
	want := oauth.Client{ID: documentID, Name: "Test", RedirectURIs: []string{"https://www.example.com/cb"}, Source: oauth.Document}
	for range 3 {
		got, err := documents.Client(t.Context(), documentID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if n := in.fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

func TestWellKnownDocumentsAreNotFetched(t *testing.T) {
	documents := oauth.NewDocuments(oauth.DocumentsOptions{})
	for id, redirect := range map[string]string{
		"https://claude.ai/oauth/mcp-oauth-client-metadata":   "https://claude.ai/api/mcp/auth_callback",
		"https://claude.ai/oauth/claude-code-client-metadata": "http://localhost:49152/callback",
		"https://chatgpt.com/oauth/client.json":               "https://chatgpt.com/connector_platform_oauth_redirect",
		"https://chatgpt.com/oauth/codex/client.json":         "http://127.0.0.1:1455/callback",
		"https://vscode.dev/oauth/client-metadata.json":       "http://127.0.0.1:50000/",
		"https://zed.dev/oauth/client-metadata.json":          "http://127.0.0.1:50000/callback",
		"https://opencode.ai/oauth/opencode/client.json":      "http://127.0.0.1:19876/callback",
	} {
		c, err := documents.Client(t.Context(), id)
		if err != nil || c.ID != id || c.Name == "" || c.Source != oauth.BuiltIn || !c.AllowsRedirect(redirect) {
			t.Errorf("%s: %+v, %v", id, c, err)
		}
		for _, uri := range c.RedirectURIs {
			if err := oauth.CheckRedirect(uri, ownCallback); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	var refused *oauth.ClientError
	if _, err := documents.Client(t.Context(), documentID); !errors.As(err, &refused) {
		t.Errorf("another document, with fetching off: %v", err)
	}
}

func TestClientIDsThatAreNoURLOfADocument(t *testing.T) {
	in := newInternet(t, nil, document)
	documents := newDocuments(in)
	for _, id := range []string{
		"", "https://www.example.com", "https://www.example.com/", "http://www.example.com/c.json", "https://www.example.com:443/c.json", "https://www.example.com:8443/c.json",
		"https://user@www.example.com/c.json", "https://www.example.com/c.json#x", "https://www.example.com/a/../c.json", "https://www.example.com/%2e%2e/c.json", "https://WWW.example.com/c.json",
		"https://127.0.0.1/c.json", "https://localhost/c.json", "https://[::1]/c.json", "https://93.184.216.34/c.json", "https://2130706433/c.json", "https://intranet/c.json", "https://www.example.com./c.json",
		"https://www.example.com/" + strings.Repeat("a", 300), "file:///etc/passwd", "https://www.example.com\\@evil.example/c.json", "https://claude.ai:443/oauth/claude-code-client-metadata",
	} {
		var refused *oauth.ClientError
		if _, err := documents.Client(t.Context(), id); !errors.As(err, &refused) || refused.Code != oauth.InvalidClientMetadata {
			t.Errorf("%q: %v", id, err)
		}
	}
	if n := in.dialled.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	answer := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			fmt.Fprint(w, body)
		}
	}
	valid := `"client_id":"` + documentID + `","redirect_uris":["https://www.example.com/cb"]`
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		code    string // "" for ErrUnavailable
	}{
		{"another client's ID", answer("application/json", `{"client_id":"https://www.example.com/other.json","redirect_uris":["https://www.example.com/cb"]}`), oauth.InvalidClientMetadata},
		{"the ID in other spelling", answer("application/json", `{"client_id":"https://www.example.com:443/client.json","redirect_uris":["https://www.example.com/cb"]}`), oauth.InvalidClientMetadata},
		{"no ID", answer("application/json", `{"redirect_uris":["https://www.example.com/cb"]}`), oauth.InvalidClientMetadata},
		{"a secret", answer("application/json", `{"client_secret":"",`+valid+`}`), oauth.InvalidClientMetadata},
		{"authentication with a secret", answer("application/json", `{"token_endpoint_auth_method":"client_secret_post",`+valid+`}`), oauth.InvalidClientMetadata},
		{"no redirect URIs", answer("application/json", `{"client_id":"`+documentID+`"}`), oauth.InvalidRedirectURI},
		{"our own callback", answer("application/json", `{"client_id":"`+documentID+`","redirect_uris":["`+ownCallback+`"]}`), oauth.InvalidRedirectURI},
		{"no JSON", answer("application/json", `<html>`), oauth.InvalidClientMetadata},
		{"a page", answer("text/html; charset=utf-8", `{`+valid+`}`), ""},
		{"no content type", answer("", `{`+valid+`}`), ""},
		{"a long document", answer("application/json", `{`+valid+`,"x":"`+strings.Repeat("x", 5<<10)+`"}`), ""},
		{"a page of a bot check", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "{}", http.StatusForbidden) }, ""},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/client.json" {
				http.Redirect(w, r, "https://www.example.com/real.json", http.StatusFound)
				return
			}
			t.Error("followed a redirect")
		}, ""},
		{"an endless document", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, strings.Repeat(" ", 1<<10)); err != nil {
					return
				}
			}
		}, ""},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
			document(w, httptest.NewRequest(http.MethodGet, documentID, nil))
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := newDocuments(newInternet(t, nil, test.handler)).Client(t.Context(), documentID)
			var refused *oauth.ClientError
			switch {
			case !cmp.Equal(c, oauth.Client{}):
				t.Errorf("client %+v", c)
			case test.code == "" && !errors.Is(err, oauth.ErrUnavailable), test.code != "" && (!errors.As(err, &refused) || refused.Code != test.code):
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	for name, addresses := range map[string][]string{
		"this machine":     {"127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "::1", "::"},
		"private networks": {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd00:ec2::254", "fec0::1"},
		"link-local":       {"169.254.169.254", "169.254.170.2", "fe80::1", "fe80::1%eth0"},
		"shared or cloud":  {"100.64.0.1", "100.100.100.200", "100.127.255.255", "168.63.129.16", "192.0.0.192"},
		"multicast":        {"224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"},
		"reserved":         {"240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "100::1", "4000::1", "5f00::1"},
		"IPv4 in IPv6":     {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2001::1", "192.88.99.1"},
		"nothing":          {},
	} {
		in := newInternet(t, nil, document)
		in.Lookup = func(context.Context, string) (list []netip.Addr, _ error) {
			for _, address := range addresses {
				list = append(list, netip.MustParseAddr(address))
			}
			return list, nil
		}
		if _, err := newDocuments(in).Client(t.Context(), documentID); !errors.Is(err, oauth.ErrUnavailable) || in.dialled.Load() != 0 {
			t.Errorf("%s: %v, %d connections", name, err, in.dialled.Load())
		}
	}
}

func TestTheRealNetworkRefusesThisMachine(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer server.Close()
	documents := oauth.NewDocuments(oauth.DocumentsOptions{Fetch: true, Network: oauth.ClientNetwork{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}})
	if _, err := documents.Client(t.Context(), documentID); !errors.Is(err, oauth.ErrUnavailable) {
		t.Error(err)
	}
}

func TestANameIsResolvedOnceAndWithoutSearchDomains(t *testing.T) {
	in := newInternet(t, nil, document)
	lookups := 0
	in.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		if lookups++; host != "www.example.com." {
			t.Errorf("looked up %q", host)
		}
		if lookups > 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("10.0.0.1"), publicAddress}, nil
	}
	if _, err := newDocuments(in).Client(t.Context(), documentID); err != nil || lookups != 1 || in.dialled.Load() != 1 {
		t.Errorf("%v; %d lookups, %d connections", err, lookups, in.dialled.Load())
	}
}

func TestAnAddressMayBeInTheFormOfIPv6(t *testing.T) {
	in := newInternet(t, nil, document)
	in.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("::ffff:" + publicAddress.String())}, nil
	}
	if _, err := newDocuments(in).Client(t.Context(), documentID); err != nil {
		t.Error(err)
	}
}

func TestAServerWithoutTheCertificateOfTheHostIsRefused(t *testing.T) {
	in := newInternet(t, nil, document)
	if _, err := newDocuments(in).Client(t.Context(), "https://evil.test/client.json"); !errors.Is(err, oauth.ErrUnavailable) || in.fetches.Load() != 0 {
		t.Errorf("%v, %d fetches", err, in.fetches.Load())
	}
}

func TestANetworkThatHangsIsGivenUpAfterThreeSeconds(t *testing.T) {
	for name, hang := range map[string]func(*oauth.ClientNetwork){
		"the resolver": func(n *oauth.ClientNetwork) {
			n.Lookup = func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() }
		},
		"the connection": func(n *oauth.ClientNetwork) {
			n.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		},
		"the handshake": func(n *oauth.ClientNetwork) {
			n.Dial = func(context.Context, netip.AddrPort) (net.Conn, error) { near, _ := net.Pipe(); return near, nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
				in := newInternet(t, newPipeListener(), document)
				hang(&in.ClientNetwork)
				began := time.Now()
				_, err := newDocuments(in).Client(t.Context(), documentID)
				if took := time.Since(began); !errors.Is(err, oauth.ErrUnavailable) || took != 3*time.Second {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}

func TestASlowDocumentIsGivenUpAfterThreeSeconds(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"byte by byte": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second / 2):
				case <-r.Context().Done():
				}
			}
			panic(http.ErrAbortHandler) // or the document would be complete
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := newInternet(t, newPipeListener(), handler)
				began := time.Now()
				_, err := newDocuments(in).Client(t.Context(), documentID)
				if took := time.Since(began); !errors.Is(err, oauth.ErrUnavailable) || took != 3*time.Second {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}

func TestADocumentIsKeptAsLongAsItsHeadersSay(t *testing.T) {
	for _, test := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 5 * time.Minute},
		{http.Header{"Cache-Control": {"public, max-age=60"}}, time.Minute},
		{http.Header{"Cache-Control": {`Max-Age="60"`}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=99999999999999999999"}}, 0},
		{http.Header{"Cache-Control": {"max-age=31536000"}}, time.Hour},
		{http.Header{"Cache-Control": {"max-age=-1"}}, 0},
		{http.Header{"Cache-Control": {"max-age=600"}, "Age": {"540"}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=60"}, "Age": {"600"}}, 0},
		{http.Header{"Cache-Control": {"max-age=60", "no-store"}}, 0},
		{http.Header{"Cache-Control": {"no-cache"}}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
				for name, values := range test.header {
					w.Header()[name] = values
				}
				document(w, r)
			})
			documents := newDocuments(in)
			ask := func(wantFetches int64) {
				t.Helper()
				if _, err := documents.Client(t.Context(), documentID); err != nil || in.fetches.Load() != wantFetches {
					t.Errorf("%v: %v, %d fetches, want %d", test.header, err, in.fetches.Load(), wantFetches)
				}
			}
			ask(1)
			if test.want > 0 {
				time.Sleep(test.want - time.Millisecond)
				ask(1)
				time.Sleep(time.Millisecond)
			}
			ask(2)
		})
	}
}

func TestAFailureIsKeptForHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			if !up.Load() {
				http.Error(w, "down", http.StatusBadGateway)
				return
			}
			document(w, r)
		})
		documents := newDocuments(in)
		for range 3 {
			if _, err := documents.Client(t.Context(), documentID); !errors.Is(err, oauth.ErrUnavailable) || in.fetches.Load() != 1 {
				t.Errorf("%v, %d fetches", err, in.fetches.Load())
			}
		}
		up.Store(true)
		time.Sleep(30 * time.Second)
		if _, err := documents.Client(t.Context(), documentID); err != nil {
			t.Error(err)
		}
	})
}

func TestConcurrentRequestsForOneDocumentShareAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			document(w, r)
		})
		documents := newDocuments(in)
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := documents.Client(leaving, documentID); !errors.Is(err, context.Canceled) {
				t.Errorf("the one who leaves: %v", err)
			}
		})
		synctest.Wait()
		for range 20 {
			all.Go(func() {
				if _, err := documents.Client(t.Context(), documentID); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		leave()
		all.Wait()
		if n := in.fetches.Load(); n != 1 {
			t.Errorf("%d fetches", n)
		}
	})
}

func TestAtMostFourDocumentsOfAHostAreFetchedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		var counting sync.Mutex
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			counting.Lock()
			most.Store(max(most.Load(), now.Add(1)))
			counting.Unlock()
			time.Sleep(2 * time.Second)
			now.Add(-1)
			document(w, r)
		})
		documents := newDocuments(in)
		began := time.Now()
		var all sync.WaitGroup
		var failed atomic.Int64
		for i := range 8 {
			if i == 4 {
				time.Sleep(time.Second / 2)
			}
			all.Go(func() { // the last four wait for 1.5 s, and have 1.5 s left
				if _, err := documents.Client(t.Context(), fmt.Sprintf("%s?%d", documentID, i)); errors.Is(err, oauth.ErrUnavailable) {
					failed.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); most.Load() != 4 || failed.Load() != 4 || took != 3500*time.Millisecond {
			t.Errorf("%d at once, %d of 8 failed, after %s", most.Load(), failed.Load(), took)
		}
	})
}

func TestSlowDocumentsDoNotKeepThoseOfOthersFromBeingFetched(t *testing.T) {
	for name, slow := range map[string]func(n int) string{
		"of one host":                func(n int) string { return fmt.Sprintf("https://slow.example.com/%d.json", n) },
		"of many hosts of one site":  func(n int) string { return fmt.Sprintf("https://slow%d.site.example/c.json", n) },
		"of many hosts of few sites": func(n int) string { return fmt.Sprintf("https://slow%d.site%d.example/c.json", n, n%4) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := newInternet(t, newPipeListener(), document)
				lookUp := in.Lookup
				in.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
					if strings.HasPrefix(host, "slow") {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return lookUp(ctx, host)
				}
				documents := newDocuments(in)
				var all sync.WaitGroup
				for n := range 200 {
					all.Go(func() {
						if _, err := documents.Client(t.Context(), slow(n)); !errors.Is(err, oauth.ErrUnavailable) {
							t.Error(err)
						}
					})
				}
				synctest.Wait()
				began := time.Now()
				if _, err := documents.Client(t.Context(), documentID); err != nil || time.Since(began) > 0 {
					t.Errorf("another document: %v after %s", err, time.Since(began))
				}
				all.Wait()
				time.Sleep(time.Minute) // connecting continues for a while
			})
		})
	}
}

func TestAtMostAHundredDocumentsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			document(w, r)
		})
		documents := newDocuments(in)
		ask := func(i int) {
			if _, err := documents.Client(t.Context(), fmt.Sprintf("%s?%d", documentID, i)); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		for i := range 101 {
			ask(i)
		}
		ask(100) // the last is kept,
		ask(1)   // and the second,
		ask(0)   // but not the first
		if n := in.fetches.Load(); n != 102 {
			t.Errorf("%d fetches", n)
		}
	})
}
