package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/oauth"
	"outline-mcp/internal/oauth/client"
)

const public = "https://mcp.example.com"

func newServer(change func(*oauth.Options)) *oauth.Server {
	o := oauth.Options{PublicURL: public, Path: "/mcp", Secret: "a secret of at least thirty-two bytes", Outline: oauth.Outline{Origin: "https://wiki.example.com", ClientID: "id", ClientSecret: "secret"}}
	if change != nil {
		change(&o)
	}
	return oauth.New(o)
}

func TestMetadataLeadsFromTheEndpointToTheLogin(t *testing.T) {
	server := newServer(nil)
	for path, want := range map[string]map[string]any{
		"/.well-known/oauth-protected-resource":      {"resource": public + "/mcp", "authorization_servers": []any{public}, "scopes_supported": []any{"read", "write"}},
		"/.well-known/oauth-protected-resource/mcp":  {"resource": public + "/mcp"},
		"/.well-known/oauth-protected-resource/mcp/": {"resource": public + "/mcp"},
		"/.well-known/oauth-authorization-server": {
			"issuer": public, "authorization_endpoint": public + "/oauth/authorize", "token_endpoint": public + "/oauth/token",
			"token_endpoint_auth_methods_supported": []any{"none"}, "code_challenge_methods_supported": []any{"S256"},
			"authorization_response_iss_parameter_supported": true,
		},
	} {
		if !server.Serves(path) {
			t.Errorf("%s is not served", path)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v %v", path, w.Code, w.Header(), err)
		}
		for key, value := range want {
			if diff := cmp.Diff(value, got[key]); diff != "" {
				t.Errorf("%s: %s: %s", path, key, diff)
			}
		}
	}
}

func TestMetadataOffersClientsWhatTheyCanUse(t *testing.T) {
	for name, test := range map[string]struct {
		documents *client.Documents
		want      bool
	}{
		"no documents":            {nil, false},
		"built-in documents only": {client.NewDocuments(client.DocumentsOptions{}), false},
		"any document":            {client.NewDocuments(client.DocumentsOptions{Fetch: true}), true},
	} {
		w := httptest.NewRecorder()
		newServer(func(o *oauth.Options) { o.Documents = test.documents }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-authorization-server", nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got["client_id_metadata_document_supported"] != test.want {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestAChallengeSaysWhereToLogIn(t *testing.T) {
	const metadata = `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	server := newServer(nil)
	for want, got := range map[string]string{
		metadata + `, scope="read write"`: server.Challenge(oauth.Write, "", ""),
		metadata + `, scope="read", error="invalid_token", error_description="it has expired"`: server.Challenge(oauth.Read, "invalid_token", "it\r\n has \"expired\""),
		metadata: server.Challenge("", "", ""),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
