package doctor_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// An exchange is a request that a server got, and the status it answered.
type exchange struct {
	endpoint, key, body string
	status              int
}

// A recorder keeps what a handler was asked.
type recorder struct {
	http.Handler
	mu        sync.Mutex
	exchanges []exchange
}

// ServeHTTP implements http.Handler.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	request.Body = io.NopCloser(bytes.NewReader(body))
	answer := &statusWriter{ResponseWriter: w}
	r.Handler.ServeHTTP(answer, request)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, exchange{filepath.Base(request.URL.Path), request.Header.Get("Authorization"), string(body), answer.status})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func TestDoctorWritesNothingAndAsksNoAI(t *testing.T) {
	for _, options := range []fakeoutline.Options{{Answers: true}, {NoPatches: true}} {
		for _, key := range []string{fakeoutline.AdminKey, fakeoutline.MemberKey, fakeoutline.ViewerKey, fakeoutline.ScopedKey} {
			asked := &recorder{Handler: sample(t, options)}
			if code, report := doctorSays(t, false, []string{"OUTLINE_API_URL=" + serveHandler(t, asked), "OUTLINE_API_KEY=" + key}); code != 0 {
				t.Fatalf("exit code %d:\n%s", code, report)
			}
			for _, one := range asked.exchanges {
				if !slices.Contains([]string{"auth.info", "apiKeys.list", "installation.info"}, one.endpoint) && one.status < 400 {
					t.Errorf("%s of %s was carried out (%d)", one.endpoint, one.body, one.status)
				}
			}
			if len(asked.exchanges) < 7 {
				t.Errorf("only %d requests", len(asked.exchanges))
			}
		}
	}
}

func TestDoctorSendsTheKeyToOutlineAlone(t *testing.T) {
	elsewhere := &recorder{Handler: sample(t, fakeoutline.Options{Answers: true})}
	address := serveHandler(t, elsewhere)
	for name, handler := range map[string]http.Handler{
		"a redirect": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, address+r.URL.Path, http.StatusTemporaryRedirect)
		}),
		"a redirect of requests with the key": withKey(sample(t, fakeoutline.Options{Answers: true}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, address+r.URL.Path, http.StatusPermanentRedirect)
		})),
	} {
		if code, report := doctorSays(t, false, at(serveHandler(t, handler))); code != 1 || len(elsewhere.exchanges) > 0 {
			t.Errorf("%s is followed, exit code %d:\n%s", name, code, report)
		}
	}
	for name, handler := range map[string]http.Handler{
		"a login page":    says(http.StatusOK, `<title>Login</title>`, "Content-Type", html),
		"another program": says(http.StatusOK, `{}`, "Content-Type", asJS),
		"another path":    below("/wiki", sample(t, fakeoutline.Options{Answers: true})),
	} {
		asked := &recorder{Handler: handler}
		doctorSays(t, false, at(serveHandler(t, asked)))
		for _, one := range asked.exchanges {
			if one.key != "" {
				t.Errorf("%s gets the key, for %s", name, one.endpoint)
			}
		}
	}
}

func TestDoctorShowsNothingThatControlsATerminal(t *testing.T) {
	const nasty = `\u001b[31mred\u0007\u202egnp.exe\u200b\r\nline two ol_api_fake_of_admin ` + "ol_api_demo_admin"
	hostile := func(text string) http.Handler {
		return instead(instead(instead(sample(t, fakeoutline.Options{Answers: true}),
			"auth.info", withKey(says(http.StatusUnauthorized, `{"ok":false,"error":"authentication_required","status":401,"message":"x"}`, "Content-Type", asJS),
				says(http.StatusOK, `{"ok":true,"status":200,"data":{"user":{"id":"1","name":"`+text+strings.Repeat("x", 5000)+`","role":"`+text+`"},"team":{"id":"1","name":"`+text+`"}}}`, "Content-Type", asJS))),
			"apiKeys.list", says(http.StatusOK, `{"ok":true,"status":200,"data":[{"userId":"1","last4":"dmin","scope":["`+text+`","*"],"expiresAt":null}]}`, "Content-Type", asJS)),
			"installation.info", says(http.StatusOK, `{"ok":true,"status":200,"data":{"version":"`+text+`"}}`, "Content-Type", asJS))
	}
	for name, handler := range map[string]http.Handler{
		"names":        hostile(nasty),
		"a message":    withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusUnauthorized, `{"ok":false,"error":"authentication_required","status":401,"message":"`+nasty+`"}`, "Content-Type", asJS)),
		"a title":      says(http.StatusOK, "<title>\x1b[31mred\x07\u202e\x00 ol_api_demo_admin</title>", "Content-Type", html),
		"a type":       says(http.StatusOK, "x", "Content-Type", "text/ol_api_demo_admin"),
		"a Location":   says(http.StatusFound, "", "Location", "https://ol_api_demo_admin.example.com/"),
		"a wait":       instead(sample(t, fakeoutline.Options{Answers: true}), "installation.info", says(http.StatusTooManyRequests, "", "Retry-After", "ol_api_demo_admin "+strings.Repeat("9", 999))),
		"a wrong type": instead(sample(t, fakeoutline.Options{Answers: true}), "installation.info", says(http.StatusOK, `{"ok":true,"data":{"version":{"a":1},"versionsBehind":"many"}}`, "Content-Type", asJS)),
	} {
		for _, args := range [][]string{nil, {"--json"}} {
			_, report := doctorSays(t, false, at(serveHandler(t, handler)), args...)
			for _, wrong := range []string{"\x1b", "\x07", "\x00", "\r", "\u202e", "\u200b", "ol_api_", `\u001b`, strings.Repeat("x", 100), strings.Repeat("9", 100)} {
				if strings.Contains(report, wrong) {
					t.Errorf("%s: the report of %v has %q:\n%s", name, args, wrong, report)
				}
			}
			if len(args) == 0 {
				linesOf(t, report)
			}
		}
	}
}

func TestDoctorEndsWhenItIsInterrupted(t *testing.T) {
	running := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, running, fixtures.ClosingConnections()) })
	for name, handler := range map[string]func(http.Handler, http.Handler) http.Handler{
		"at the first request": func(_, hang http.Handler) http.Handler { return hang },
		"at the key":           withKey,
		"in the middle":        func(h, hang http.Handler) http.Handler { return instead(h, "installation.info", hang) },
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			interrupt()
			_, _ = io.ReadAll(r.Body) // to be told when the client leaves
			<-r.Context().Done()
		})
		var out bytes.Buffer
		start := time.Now()
		code := examine(ctx, &out, at(serveHandler(t, handler(sample(t, fakeoutline.Options{Answers: true}), hang))))
		if took := time.Since(start); code != 1 || fixtures.Thorough() && took > 8*time.Second || !strings.Contains(out.String(), "✗ time: interrupted before everything was checked; run doctor again\n") || strings.Count(out.String(), "✗") != 1 {
			t.Errorf("%s: exit code %d after %s:\n%s", name, code, took, out.String())
		}
		interrupt()
	}
}

func TestDoctorKnowsAServerOfItsOwn(t *testing.T) {
	_, port, _ := net.SplitHostPort(freeAddress(t))
	environ := []string{"MCP_PORT=" + port, "MCP_TRANSPORT=http"}
	settings, err := config.Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: settings, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	listener, err := server.ListenHTTP(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeHTTP(ctx, listener) }()
	code, report := doctorSays(t, false, environ, "--demo")
	if code != 0 || !strings.Contains(report, "✓ listen: an outline-mcp server is already running on 127.0.0.1:"+port) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the server ends with %v", err)
	}
}

func TestDoctorShowsNoPartOfAKeyThatAServerEchoes(t *testing.T) {
	const key = "qwertyuiopasdfghjklzxcvbnmQWERTYUIOPASDFGHJKLZXCVBNM0123456789-_qwer"
	echo := `{"ok":false,"error":"authentication_required","status":401,"message":"no: ` + key + `"}`
	for name, handler := range map[string]http.Handler{
		"a message":  withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusUnauthorized, echo, "Content-Type", asJS)),
		"a page":     withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusForbidden, "<title>no "+key+"</title>", "Content-Type", html)),
		"a header":   withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusTooManyRequests, "", "Retry-After", "no "+key)),
		"a name":     withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusOK, `{"ok":true,"status":200,"data":{"user":{"id":"1","name":"the `+key+`"}}}`, "Content-Type", asJS)),
		"a Location": withKey(sample(t, fakeoutline.Options{Answers: true}), says(http.StatusFound, "", "Location", "https://"+key+".example.com/")),
	} {
		for _, args := range [][]string{nil, {"--json"}} {
			_, report := doctorSays(t, false, []string{"OUTLINE_API_URL=" + serveHandler(t, handler), "OUTLINE_API_KEY=" + key}, args...)
			if strings.Contains(report, key[:8]) {
				t.Errorf("%s: the report of %v has a part of the key:\n%s", name, args, report)
			}
		}
	}
}

// An expiring context is past its deadline when done is closed.
type expiring struct {
	context.Context
	done chan struct{}
}

// Done implements context.Context.
func (e expiring) Done() <-chan struct{} { return e.done }

// Err implements context.Context.
func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestDoctorSaysWhereNoTimeWasLeft(t *testing.T) {
	// The time is over as soon as all that comes before has been asked.
	ctx := expiring{t.Context(), make(chan struct{})}
	expire := sync.OnceFunc(func() { close(ctx.done) })
	late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expire()
		silent(w, r)
	})
	var out bytes.Buffer
	code := examine(ctx, &out, at(serveHandler(t, instead(sample(t, fakeoutline.Options{Answers: true}), "installation.info", late))))
	if report := out.String(); code != 1 || !contains(report, []string{"✓ scopes: unrestricted", "- tools, version,", ": skipped because time ran out\n", "✗ time: time ran out before everything was checked; run doctor again\n"}) {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
