package login_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/login"
)

const isla = "ol_api_demo_admin" // the key of the user with the browser

// A wiki is an Outline that counts the requests of its clients by method and path.
type wiki struct {
	*fakeoutline.Workspace
	address string

	mu       sync.Mutex
	requests []string
}

func newWiki(t *testing.T, o fakeoutline.Options) *wiki {
	t.Helper()
	workspace, err := fakeoutline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w := &wiki{Workspace: workspace}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r.Method+" "+r.URL.Path)
		w.mu.Unlock()
		workspace.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	w.address = server.URL
	return w
}

// count returns how many requests begin with a text.
func (w *wiki) count(prefix string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, one := range w.requests {
		if strings.HasPrefix(one, prefix) {
			n++
		}
	}
	return n
}

func (w *wiki) outline() login.Outline {
	return login.Outline{BaseURL: w.address + "/api", Transport: http.DefaultTransport, UserAgent: "outline-mcp/test"}
}

// flow returns a login in a home, with free ports.
func (w *wiki) flow(t *testing.T, home string) login.Flow {
	t.Helper()
	return login.Flow{
		Outline: w.outline(), Store: storeIn(t, home), Scope: "read write", NoKeyring: true, Timeout: 20 * time.Second,
		Ports: freePorts(t, 2), Visit: w.agree(t),
	}
}

// agree is a person who agrees in the browser.
func (w *wiki) agree(t *testing.T) func(context.Context, string) error {
	return func(ctx context.Context, page string) error {
		go func() { _, _ = browse(ctx, w.back(t, page)) }()
		return nil
	}
}

// back returns where Outline sends the browser of a person who agrees on a page.
func (w *wiki) back(t *testing.T, page string, more ...string) string {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	form := u.Query()
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	session, err := w.Session(isla)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.address+u.Path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer "+session)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	to := response.Header.Get("Location")
	if to == "" {
		text, _ := io.ReadAll(response.Body)
		t.Errorf("the page answers %d: %s", response.StatusCode, text)
	}
	return to
}

// browse opens a page and returns its status and text.
func browse(ctx context.Context, page string) (int, string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return 0, err.Error()
	}
	return fetch(request)
}

func fetch(request *http.Request) (int, string) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

func storeIn(t *testing.T, home string) *login.Store {
	t.Helper()
	store, err := login.Open("linux", func(name string) string { return map[string]string{"HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func (w *wiki) source(t *testing.T, home string) *login.Source {
	return login.NewSource(w.outline(), storeIn(t, home), slog.New(slog.DiscardHandler))
}

// logIn logs the user in.
func (w *wiki) logIn(t *testing.T, home string) login.Account {
	t.Helper()
	account, err := w.flow(t, home).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// call makes a request with a source, as the server does: it renews what is rejected.
func (w *wiki) call(ctx context.Context, source *login.Source) (int, error) {
	for range 4 {
		token, err := source.Credential(ctx)
		if err != nil {
			return 0, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address+"/api/auth.info", strings.NewReader("{}"))
		if err != nil {
			return 0, err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		status, _ := fetch(request)
		if status != http.StatusUnauthorized {
			return status, nil
		}
		if err := source.Renew(ctx, token); err != nil {
			return status, err
		}
	}
	return http.StatusUnauthorized, nil
}

func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var all []int
	for range n {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		all = append(all, listener.Addr().(*net.TCPAddr).Port)
	}
	return all
}

// filesIn returns the paths of the files and folders below a folder.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if path != folder {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// entryIn returns the path and the text of the only login in a home.
func entryIn(t *testing.T, home string) (path, text string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home, ".config", "outline-mcp", "*.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d logins, %v", len(found), err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return found[0], string(content)
}
