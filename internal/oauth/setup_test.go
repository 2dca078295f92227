package oauth_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

const (
	publicURL           = "https://mcp.example.com"
	applicationRedirect = publicURL + "/oauth/callback"
)

const present = "0123456789abcdef0123456789abcdef"

// secrets is a folder with the secret of a server.
type secrets struct {
	t      *testing.T
	folder string
}

func (s secrets) path(name string) string { return filepath.Join(s.folder, name) }

func (s secrets) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(content+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// read returns the secret in a file, "" if there is none.
func (s secrets) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// names returns the files in the folder.
func (s secrets) names() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

// connect returns a client of an Outline that acts with a key.
func connect(t *testing.T, handler http.Handler, key string) *outline.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	way, err := transport.New(transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(way.CloseIdleConnections)
	client, err := outline.New(outline.Options{BaseURL: server.URL + "/api", Credentials: outline.StaticKey(key), Transport: way})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// sample returns an Outline with sample content.
func sample(t *testing.T) http.Handler {
	t.Helper()
	built, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// setup returns a setup with files in its own folder.
func setup(t *testing.T, client *outline.Client) (oauth.Setup, secrets) {
	t.Helper()
	s := secrets{t, t.TempDir()}
	return oauth.Setup{
		Outline: client, PublicURL: publicURL, Endpoint: "/mcp", Name: "Tide tables",
		ClientSecretFile: s.path("client-secret"), SecretFile: s.path("secret"),
	}, s
}

func TestASetupCreatesTheApplicationAndTheSecrets(t *testing.T) {
	client := connect(t, sample(t), fakeoutline.AdminKey)
	s, files := setup(t, client)
	created, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	app, err := client.OAuthClient(t.Context(), created.ClientID, applicationRedirect)
	if err != nil || app.Name != "Tide tables" || app.Type != "confidential" || string(app.Secret) != files.read("client-secret") || len(app.RedirectURIs) != 1 {
		t.Errorf("%+v, %v", app, err)
	}
	if len(files.read("secret")) != 64 || files.names() != "client-secret secret" {
		t.Errorf("secret of %d characters, files %s", len(files.read("secret")), files.names())
	}
	for _, name := range []string{"client-secret", "secret"} {
		if info, err := os.Stat(files.path(name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	var said bytes.Buffer
	if err := created.WriteText(&said); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"MCP_PUBLIC_URL=" + publicURL + "\n", "MCP_OAUTH_CLIENT_ID=" + created.ClientID + "\n", "MCP_OAUTH_CLIENT_SECRET_FILE=" + files.path("client-secret") + "\n",
		"MCP_OAUTH_SECRET_FILE=" + files.path("secret") + "\n", applicationRedirect, "add the URL " + publicURL + "/mcp",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
	for _, secret := range []string{files.read("client-secret"), files.read("secret")} {
		if strings.Contains(said.String(), secret) {
			t.Error("it prints a secret")
		}
	}
}

func TestASetupThatFailsLeavesNothingBehind(t *testing.T) {
	// appearing makes a file while the application is created.
	appearing := func(t *testing.T, path *string) http.Handler {
		outline := sample(t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".create") {
				if err := os.WriteFile(*path, []byte("of somebody else"), 0o600); err != nil {
					t.Error(err)
				}
			}
			outline.ServeHTTP(w, r)
		})
	}
	for name, test := range map[string]struct {
		outline func(*testing.T, *string) http.Handler // gets the path of the client secret
		key     string
		change  func(*oauth.Setup, secrets)
		says    string
		kind    error
		files   string
	}{
		"the key of a member":           {key: fakeoutline.MemberKey, says: "only admins manage applications", kind: outline.ErrForbidden},
		"a key that is limited":         {key: fakeoutline.ScopedKey, says: "limited to scopes", kind: outline.ErrForbidden},
		"an unknown key":                {key: "ol_api_unknown", says: "check OUTLINE_API_KEY", kind: outline.ErrUnauthorized},
		"no key":                        {says: "set OUTLINE_API_KEY to the key of an admin", kind: outline.ErrNoKey},
		"an Outline without OAuth":      {outline: func(*testing.T, *string) http.Handler { return notFound() }, key: fakeoutline.AdminKey, says: "has no OAuth applications", kind: outline.ErrNotFound},
		"a file that exists":            {change: func(_ *oauth.Setup, s secrets) { s.write("secret", present) }, key: fakeoutline.AdminKey, says: "exists already", files: "secret"},
		"another file that exists":      {change: func(_ *oauth.Setup, s secrets) { s.write("client-secret", present) }, key: fakeoutline.AdminKey, says: "exists already", files: "client-secret"},
		"one file for both":             {change: func(o *oauth.Setup, _ secrets) { o.SecretFile = o.ClientSecretFile }, key: fakeoutline.AdminKey, says: "name a file for each"},
		"no folder":                     {change: func(o *oauth.Setup, _ secrets) { o.SecretFile += "/x/y" }, key: fakeoutline.AdminKey, says: "make its folder"},
		"a file that appears meanwhile": {outline: appearing, key: fakeoutline.AdminKey, says: "the application was deleted again", files: "client-secret"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ""
			handler := sample(t)
			if test.outline != nil {
				handler = test.outline(t, &path)
			}
			s, files := setup(t, connect(t, handler, test.key))
			path = s.ClientSecretFile
			if test.change != nil {
				test.change(&s, files)
			}
			_, err := s.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.says) || test.kind != nil && !errors.Is(err, test.kind) {
				t.Errorf("error %v, want one that says %q", err, test.says)
			}
			if files.names() != test.files {
				t.Errorf("files %q, want %q", files.names(), test.files)
			}
			if all, err := connect(t, handler, fakeoutline.AdminKey).OAuthClients(t.Context()); err == nil && len(all) != 0 {
				t.Errorf("applications %v", all)
			}
		})
	}
}

// notFound is an Outline that knows none of the endpoints.
func notFound() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`))
	})
}

func TestASetupCreatesNoSecondApplication(t *testing.T) {
	outline := sample(t)
	first, _ := setup(t, connect(t, outline, fakeoutline.AdminKey))
	created, err := first.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, files := setup(t, first.Outline)
	if _, err := second.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "client ID "+created.ClientID) || !strings.Contains(err.Error(), "a new client secret") || files.names() != "" {
		t.Errorf("error %v, files %q", err, files.names())
	}
	second.PublicURL = "https://other.example.com"
	if _, err := second.Run(t.Context()); err != nil {
		t.Errorf("for another address: %v", err)
	}
}

func TestASetupReplacesFilesIfForced(t *testing.T) {
	s, files := setup(t, connect(t, sample(t), fakeoutline.AdminKey))
	files.write("secret", present)
	s.Force = true
	if _, err := s.Run(t.Context()); err != nil || files.read("secret") == present || files.names() != "client-secret secret" {
		t.Errorf("%v; files %q", err, files.names())
	}
}

func TestASetupKeepsModeAndLinkOfAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s, files := setup(t, connect(t, sample(t), fakeoutline.AdminKey))
	s.Force = true
	files.write("elsewhere", present)
	if err := os.Symlink("elsewhere", files.path("secret")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(files.path("elsewhere"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(files.path("elsewhere")); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(files.path("secret")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if files.read("elsewhere") == present {
		t.Error("the file behind the link was not replaced")
	}
}
