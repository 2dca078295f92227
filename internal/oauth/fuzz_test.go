package oauth_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"outline-mcp/internal/oauth"
)

// FuzzAllowsRedirect says with other means than the code what may be allowed: the
// registered URI, or that of a loopback host with another number for its port.
func FuzzAllowsRedirect(f *testing.F) {
	for _, seed := range [][2]string{
		{"http://127.0.0.1:33418/", "http://127.0.0.1:5/"}, {"http://localhost/cb?a=1", "http://localhost:5/cb?a=1"}, {"http://[::1]/cb", "http://[::1]:5/cb"},
		{"https://client.example/cb", "https://client.example:443/cb"}, {"http://localhost", "http://localhost@evil.example"}, {"cursor://x/y", "cursor://x/y"},
	} {
		f.Add(seed[0], seed[1])
	}
	port := regexp.MustCompile(`^(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$`)
	f.Fuzz(func(t *testing.T, registered, asked string) {
		if !(oauth.Client{RedirectURIs: []string{registered}}).AllowsRedirect(asked) || asked == registered {
			return
		}
		if a, b := port.FindStringSubmatch(registered), port.FindStringSubmatch(asked); a == nil || b == nil || !slices.Equal(a[1:], b[1:]) {
			t.Errorf("a client with %q is allowed %q", registered, asked)
		}
		if oauth.CheckRedirect(registered, "") == nil && oauth.CheckRedirect(asked, "") != nil && len(asked) <= 255 {
			t.Errorf("%q can be registered, %q not, but is allowed", registered, asked)
		}
	})
}

func FuzzParseRegistration(f *testing.F) {
	f.Add([]byte(`{"redirect_uris":["https://client.example/cb"],"client_name":"A\u202eB","grant_types":["authorization_code","x"]}`))
	f.Add([]byte(`{"redirect_uris":["http://localhost/cb","cursor://x/y"],"client_uri":"https://client.example"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := oauth.ParseRegistration(body, ownCallback)
		if err != nil {
			return
		}
		if len(r.RedirectURIs) == 0 || len(r.RedirectURIs) > 10 || utf8.RuneCountInString(r.Name) > 60 || len(r.URI) > 255 {
			t.Errorf("over the limits: %+v", r)
		}
		again, err := json.Marshal(map[string]any{"redirect_uris": r.RedirectURIs, "client_name": r.Name, "client_uri": r.URI})
		if err != nil {
			t.Fatal(err)
		}
		if second, err := oauth.ParseRegistration(again, ownCallback); err != nil || second.Name != r.Name || second.URI != r.URI {
			t.Errorf("%+v became %+v: %v", r, second, err)
		}
	})
}
