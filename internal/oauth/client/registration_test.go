package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/oauth/client"
)

func TestRegistrationsOfRealClients(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       client.Registration
	}{
		{
			"VS Code, with a grant type that is unknown here",
			`{"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"redirect_uris":["https://insiders.vscode.dev/redirect","https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],"scope":"read write","token_endpoint_auth_method":"none","application_type":"native"}`,
			client.Registration{Name: "Visual Studio Code", URI: "https://code.visualstudio.com", RedirectURIs: []string{"https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"}},
		},
		{
			"Cursor, with three kinds of redirect URIs",
			`{"client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"]}`,
			client.Registration{Name: "Cursor", RedirectURIs: []string{"cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"}},
		},
		{
			"a client that asks for a secret gets none",
			`{"redirect_uris":["https://client.example/cb"],"token_endpoint_auth_method":"client_secret_basic","jwks_uri":"https://client.example/keys","contacts":["a@client.example"],"software_statement":"x"}`,
			client.Registration{RedirectURIs: []string{"https://client.example/cb"}},
		},
		{
			"a home page that is not a plain https address is left out",
			`{"redirect_uris":["https://client.example/cb"],"client_uri":"javascript:alert(1)"}`,
			client.Registration{RedirectURIs: []string{"https://client.example/cb"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := client.ParseRegistration([]byte(test.body), ownCallback)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheAnswerToARegistrationSaysWhatTheClientGets(t *testing.T) {
	r, err := client.ParseRegistration([]byte(`{"client_name":"A","redirect_uris":["https://client.example/cb"],"grant_types":["authorization_code","implicit"],"token_endpoint_auth_method":"client_secret_post"}`), ownCallback)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r.Information("omcp_client_x", time.Unix(1790000000, 0)))
	want := `{"client_id":"omcp_client_x","client_id_issued_at":1790000000,"client_name":"A","redirect_uris":["https://client.example/cb"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	uris := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("https://client.example/%d", i)
		}
		encoded, _ := json.Marshal(list)
		return string(encoded)
	}
	if _, err := client.ParseRegistration([]byte(`{"redirect_uris":`+uris(10)+`}`), ownCallback); err != nil {
		t.Errorf("ten redirect URIs: %v", err)
	}
	for _, test := range []struct{ name, body, code string }{
		{"no JSON", `redirect_uris=x`, client.InvalidClientMetadata},
		{"nothing", ``, client.InvalidClientMetadata},
		{"null", `null`, client.InvalidClientMetadata},
		{"a list", `[]`, client.InvalidClientMetadata},
		{"two objects", `{"redirect_uris":["https://client.example/cb"]}{}`, client.InvalidClientMetadata},
		{"a name that is a number", `{"client_name":1,"redirect_uris":["https://client.example/cb"]}`, client.InvalidClientMetadata},
		{"redirect URIs that are a string", `{"redirect_uris":"https://client.example/cb"}`, client.InvalidClientMetadata},
		{"grants without a code", `{"grant_types":["client_credentials"],"redirect_uris":["https://client.example/cb"]}`, client.InvalidClientMetadata},
		{"an implicit response", `{"response_types":["token"],"redirect_uris":["https://client.example/cb"]}`, client.InvalidClientMetadata},
		{"no redirect URIs", `{}`, client.InvalidRedirectURI},
		{"an empty list of redirect URIs", `{"redirect_uris":[]}`, client.InvalidRedirectURI},
		{"eleven redirect URIs", `{"redirect_uris":` + uris(11) + `}`, client.InvalidRedirectURI},
		{"a null among the redirect URIs", `{"redirect_uris":["https://client.example/cb",null]}`, client.InvalidRedirectURI},
		{"one bad redirect URI of two", `{"redirect_uris":["https://client.example/cb","javascript:alert(1)"]}`, client.InvalidRedirectURI},
		{"our own callback", `{"redirect_uris":["` + ownCallback + `"]}`, client.InvalidRedirectURI},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := client.ParseRegistration([]byte(test.body), ownCallback)
			var refused *client.Error
			if !errors.As(err, &refused) || refused.Code != test.code || !cmp.Equal(r, client.Registration{}) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestNamesOfClientsAreCleaned(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Claude", "Claude"},
		{"Клод 克劳德", "Клод 克劳德"},
		{"  a \t\n b  ", "a b"},
		{"a\u202eb\u2066c\u200bd\u00ade", "abcde"},
		{"a\u2028b\u00a0c", "a b c"},
		{"a\x00b\x1b[31mc\u007f", "ab[31mc"},
		{"a\u3164\u2800\ufe0f\U000e0041b", "ab"},
		{"e" + strings.Repeat("\u0301", 40), "e\u0301\u0301"},
		{strings.Repeat("n", 60), strings.Repeat("n", 60)},
		{strings.Repeat("n", 61), strings.Repeat("n", 59) + "…"},
		{"\u200b\u200b", ""},
	} {
		body, err := json.Marshal(map[string]any{"client_name": test.name, "redirect_uris": []string{"https://client.example/cb"}})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := client.ParseRegistration(body, ""); err != nil || r.Name != test.want {
			t.Errorf("%q became %q: %v", test.name, r.Name, err)
		}
	}
}
