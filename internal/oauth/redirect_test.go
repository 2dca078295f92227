package oauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/oauth"
)

const ownCallback = "https://outline.example.com/oauth/callback"

func TestRedirectURIsOfRealClientsCanBeRegistered(t *testing.T) {
	for _, uri := range []string{
		"https://claude.ai/api/mcp/auth_callback",
		"https://claude.com/api/mcp/auth_callback",
		"https://chatgpt.com/connector_platform_oauth_redirect",
		"https://chatgpt.com/connector/oauth/BKj9umzr4ef_",
		"https://vscode.dev/redirect",
		"https://insiders.vscode.dev/redirect",
		"https://www.cursor.com/agents/mcp/oauth/callback",
		"https://client.example.co.uk:8443/cb?tenant=a%20b",
		"https://xn--bcher-kva.example/callback",
		"https://client.example",
		"https://client.example/.well-known/callback",
		"https://localhost:8443/callback",
		"http://127.0.0.1:33418",
		"http://127.0.0.1:33418/",
		"http://127.0.0.1/callback",
		"http://localhost/callback",
		"http://localhost:8787/callback",
		"http://[::1]:6276/oauth/callback",
		"http://127.0.0.1:6276/oauth/callback",
		"cursor://anysphere.cursor-mcp/oauth/callback",
		"com.example.app:/oauth2redirect",
		"vscode://vscode.github-authentication/did-authenticate",
		"zed://oauth/callback?x=1",
	} {
		if err := oauth.CheckRedirect(uri, ownCallback); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestTrickyRedirectURIsCannotBeRegistered(t *testing.T) {
	for name, uris := range map[string][]string{
		"empty or relative":           {"", " ", "callback", "/callback", "//client.example/cb", "?code", "client.example/cb", "https:", "https:/", "https://", "https:client.example", "https:/client.example/cb", "https:///client.example/cb", "://client.example/cb"},
		"a scheme that runs code":     {"javascript:alert(1)", "javascript://client.example/%0aalert(1)", "JavaScript://x/y", "vbscript:/x", "data:text/html,x", "data:/text", "livescript:/x"},
		"a scheme of the browser":     {"about:/blank", "blob:https://client.example/1", "blob:/x", "filesystem:/x", "view-source:/x", "chrome://settings/x", "chrome-extension://abc/x", "moz-extension://abc/x", "edge://settings/x", "googlechromes://client.example/x", "googlechrome://client.example/x", "microsoft-edge:/x", "firefox://open-url/x", "firefox-focus://open-url/x", "ucbrowser://client.example/x", "httpsx://client.example/x", "browser:/x", "android-app://com.android.chrome/https/client.example", "opera-https://client.example/x", "touch-https://client.example/x", "brave://open-url/x", "x-safari-https://client.example/x", "resource://x/y"},
		"a scheme of the system":      {"file:///etc/passwd", "file:/etc/passwd", "ftp://client.example/cb", "ldap://client.example/cb", "smb://client.example/cb", "mailto:/a", "tel:/1", "intent://x/y", "ms-settings:/x", "search-ms:/x", "jar:/x", "c:/windows/x", "ws://localhost/cb", "wss://client.example/cb", "urn:/x"},
		"http elsewhere":              {"http://client.example/cb", "http://192.168.1.10/cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb", "http://[::]/cb", "http://localhost.client.example/cb", "http://127.0.0.1.client.example/cb", "http://mylocalhost/cb", "http://localhost./cb", "http://[::ffff:127.0.0.1]/cb", "http://[0:0:0:0:0:0:0:1]/cb", "http://[::1%25lo]/cb", "http://[fe80::1%25eth0]/cb"},
		"other spellings of 127.1":    {"http://2130706433/cb", "http://0x7f000001/cb", "http://0x7f.1/cb", "http://0177.0.0.1/cb", "http://127.1/cb", "http://127.0.0.01/cb", "http://127.000.000.001/cb", "http://%31%32%37.0.0.1/cb", "http://①②⑦.⓪.⓪.①/cb", "https://2130706433/cb", "https://0x7f.0.0.0x1/cb"},
		"addresses as hosts":          {"https://10.0.0.1/cb", "https://169.254.169.254/cb", "https://[2001:db8::1]/cb", "https://client.example.1/cb", "https://[::ffff:a9fe:a9fe]/cb"},
		"user information":            {"https://claude.ai@client.example/cb", "https://claude.ai:443@client.example/cb", "https://@client.example/cb", "http://localhost@client.example/cb", "http://user:password@localhost/cb", "http://localhost:80@client.example/cb", "https://claude.ai%40client.example/cb", "https://claude.ai%2f@client.example/cb", "cursor://user@host/cb", "cursor://user:password@host/cb"},
		"backslashes":                 {`https://client.example\@claude.ai/cb`, `https:\\client.example\cb`, `https://claude.ai\.client.example/cb`, `http://localhost\.client.example/cb`, `https://client.example/\evil.example`, "https://client.example/%5cevil.example", `cursor:\\x`, `/\client.example`},
		"white space and control":     {"https://client.example/cb ", " https://client.example/cb", "https://client.example/c b", "java\tscript:/x", "https://client.example/cb\n", "https://cli\nent.example/cb", "\x00https://client.example/cb", "https://client.example/cb\x00.claude.ai", "https://client.example/cb%00", "https://client.example/%0d%0aSet-Cookie:x", "https://client.example/cb%7f", "https://client.example/cb\u00a0", "https://client.example/cb\u2028", "\ufeffhttps://client.example/cb"},
		"case":                        {"HTTPS://client.example/cb", "Https://client.example/cb", "https://CLIENT.example/cb", "http://LOCALHOST/cb", "http://Localhost:1/cb", "Cursor://x/cb"},
		"look-alikes and Unicode":     {"https://cläude.example/cb", "https://сlaude.ai/cb", "https://claude。ai/cb", "https://claude.ai\u2044cb.example/x", "https://claude.ai\uff0f.client.example/cb", "https://client.example/cäb", "http://ⓛocalhost/cb", "http://local\u00adhost/cb", "http://localhost\u200b/cb", "cursør://x/cb"},
		"dots and labels of hosts":    {"https://client.example./cb", "https://.client.example/cb", "https://client..example/cb", "https://-client.example/cb", "https://client-.example/cb", "https://intranet/cb", "https://cli_ent.example/cb", "https://" + strings.Repeat("a", 64) + ".example/cb"},
		"ports":                       {"https://client.example:/cb", "https://client.example:0/cb", "https://client.example:65536/cb", "https://client.example:99999/cb", "http://localhost:080/cb", "http://localhost:-1/cb", "http://localhost:+1/cb", "http://localhost:1e3/cb", "http://localhost:80:80/cb", "http://localhost:8080x/cb", "http://[::1]8080/cb"},
		"fragments":                   {"https://client.example/cb#", "https://client.example/cb#access", "https://client.example#/cb", "http://localhost#@client.example/cb", "cursor://x/cb#y"},
		"wildcards":                   {"https://*.client.example/cb", "https://client.example/*", "https://*/cb", "http://localhost:*/cb", "http://127.0.0.*/cb", "cursor://*/cb"},
		"paths that lead up":          {"https://client.example/cb/../admin", "https://client.example/./cb", "https://client.example/cb/..", "https://client.example/%2e%2e/cb", "https://client.example/.%2E/cb", "https://client.example/cb%2f..%2fadmin", "https://client.example/%2fevil.example", "https://client.example/..;/cb", "https://client.example/..;a=b/cb", "cursor://x/../y"},
		"broken encoding or brackets": {"https://client.example/%", "https://client.example/%zz", "https://client.example/%4", "https://[::1/cb", "https://::1/cb", "http://[localhost]/cb", "https://client.example/<script>", `https://client.example/"`, "https://client.example/{x}", "https://client.example/`x`", "https://client.example/a|b", "https://client.example/a^b"},
		"nothing behind the scheme":   {"cursor:", "cursor:/", "cursor:x", "1cursor://x/y", "-x://y/z"},
		"too long":                    {"https://client.example/" + strings.Repeat("a", 233)},
		"our own callback": {ownCallback, ownCallback + "?x=1", ownCallback + "/", "https://outline.example.com:443/oauth/callback", "https://outline.example.com/oauth//callback",
			"https://outline.example.com//oauth/callback", "https://outline.example.com/OAuth/Callback", "https://outline.example.com/oauth/%63allback"},
	} {
		for _, uri := range uris {
			err := oauth.CheckRedirect(uri, ownCallback)
			var refused *oauth.ClientError
			if !errors.As(err, &refused) || refused.Code != oauth.InvalidRedirectURI {
				t.Errorf("%s: %q: %v", name, uri, err)
			}
			if err != nil && len(uri) > 9 && strings.Contains(err.Error(), uri) {
				t.Errorf("%s: the error repeats %q", name, uri)
			}
		}
	}
}

func TestTheLongestRedirectURICanBeRegistered(t *testing.T) {
	uri := "https://client.example/" + strings.Repeat("a", 232)
	if err := oauth.CheckRedirect(uri, ""); len(uri) != 255 || err != nil {
		t.Errorf("%d bytes: %v", len(uri), err)
	}
}

func TestOurOwnCallbackOnThisMachineIsRefusedUnderEachNameOfIt(t *testing.T) {
	for _, uri := range []string{"http://127.0.0.1:8080/oauth/callback", "http://localhost:8080/oauth/callback", "http://[::1]:8080/oauth/callback"} {
		if oauth.CheckRedirect(uri, "http://127.0.0.1:8080/oauth/callback") == nil {
			t.Errorf("%s was allowed", uri)
		}
	}
	if err := oauth.CheckRedirect("http://127.0.0.1:6276/oauth/callback", "http://127.0.0.1:8080/oauth/callback"); err != nil {
		t.Errorf("the callback of another program: %v", err)
	}
}

func TestAClientGetsItsAnswersAtRegisteredURIsOnly(t *testing.T) {
	c := oauth.Client{RedirectURIs: []string{
		"https://client.example/cb", "https://client.example/cb?a=1", "http://127.0.0.1:33418/", "http://localhost/cb", "http://[::1]/cb?a=1",
		"https://localhost/secure", "cursor://anysphere.cursor-mcp/cb",
	}}
	for _, test := range []struct {
		asked string
		want  bool
	}{
		{"https://client.example/cb", true},
		{"https://client.example/cb?a=1", true},
		{"https://client.example/cb?a=2", false},
		{"https://client.example/cb?", false},
		{"https://client.example/cb/", false},
		{"https://client.example/CB", false},
		{"https://client.example/cb#", false},
		{"https://client.example/cb#x", false},
		{"https://client.example/cb/../cb", false},
		{"https://client.example/%63b", false},
		{"https://client.example:443/cb", false},
		{"https://client.example:8443/cb", false},
		{"https://client.example./cb", false},
		{"https://CLIENT.example/cb", false},
		{"HTTPS://client.example/cb", false},
		{"http://client.example/cb", false},
		{"https://www.client.example/cb", false},
		{"https://client.example.evil.example/cb", false},
		{"https://evilclient.example/cb", false},
		{"https://evil.example/cb", false},
		{"https://client.example@evil.example/cb", false},
		{"https://evil.example/?https://client.example/cb", false},
		{"https://client.example/cb\x00", false},
		{"https://client.example/cb ", false},
		{"https://client.example\\cb", false},
		{"//client.example/cb", false},
		{"", false},
		{"http://127.0.0.1:33418/", true},
		{"http://127.0.0.1:1/", true},
		{"http://127.0.0.1:65535/", true},
		{"http://127.0.0.1/", true},
		{"http://127.0.0.1:33418", false},
		{"http://127.0.0.1:0/", false},
		{"http://127.0.0.1:65536/", false},
		{"http://127.0.0.1:033418/", false},
		{"http://127.0.0.1:/", false},
		{"http://127.0.0.1:1:2/", false},
		{"http://127.0.0.1:1@evil.example/", false},
		{"http://127.0.0.1:1.evil.example/", false},
		{"http://127.0.0.1:1/x", false},
		{"http://127.0.0.1:1/?x", false},
		{"http://127.0.0.1:1/#x", false},
		{"http://127.0.0.1:1//", false},
		{"https://127.0.0.1:33418/", false},
		{"http://127.0.0.2:33418/", false},
		{"http://localhost:33418/", false},
		{"http://0.0.0.0:33418/", false},
		{"http://localhost:5000/cb", true},
		{"http://LOCALHOST:5000/cb", false},
		{"http://localhost.:5000/cb", false},
		{"http://localhost.evil.example:5000/cb", false},
		{"http://127.0.0.1:5000/cb", false},
		{"http://[::1]:5000/cb?a=1", true},
		{"http://[::1]:5000/cb", false},
		{"http://[0:0::1]:5000/cb?a=1", false},
		{"https://localhost/secure", true},
		{"https://localhost:5000/secure", false},
		{"cursor://anysphere.cursor-mcp/cb", true},
		{"cursor://anysphere.cursor-mcp:80/cb", false},
		{"cursor://anysphere.cursor-mcp/cb/", false},
		{"Cursor://anysphere.cursor-mcp/cb", false},
	} {
		if got := c.AllowsRedirect(test.asked); got != test.want {
			t.Errorf("%q: %t", test.asked, got)
		}
	}
}

func TestPeopleAreToldWhereAnswersGo(t *testing.T) {
	for _, test := range []struct {
		uri, place string
		local      bool
	}{
		{"https://claude.ai/api/mcp/auth_callback", "claude.ai", false},
		{"https://client.example:8443/cb", "client.example:8443", false},
		{"http://localhost:1/cb", "localhost:1", true},
		{"http://[::1]:1/cb", "[::1]:1", true},
		{"http://127.0.0.1/", "127.0.0.1", true},
		{"cursor://anysphere.cursor-mcp/cb", "cursor:", false},
		{"com.example.app:/cb", "com.example.app:", false},
	} {
		if place, local := oauth.Destination(test.uri); place != test.place || local != test.local {
			t.Errorf("%s: %q, %t", test.uri, place, local)
		}
	}
}

func TestRegistrationsOfRealClients(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       oauth.Registration
	}{
		{
			"VS Code, with a grant type that is unknown here",
			`{"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"redirect_uris":["https://insiders.vscode.dev/redirect","https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],"scope":"read write","token_endpoint_auth_method":"none","application_type":"native"}`,
			oauth.Registration{Name: "Visual Studio Code", URI: "https://code.visualstudio.com", RedirectURIs: []string{"https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"}},
		},
		{
			"Cursor, with three kinds of redirect URIs",
			`{"client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"]}`,
			oauth.Registration{Name: "Cursor", RedirectURIs: []string{"cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"}},
		},
		{
			"a client that asks for a secret gets none",
			`{"redirect_uris":["https://client.example/cb"],"token_endpoint_auth_method":"client_secret_basic","jwks_uri":"https://client.example/keys","contacts":["a@client.example"],"software_statement":"x"}`,
			oauth.Registration{RedirectURIs: []string{"https://client.example/cb"}},
		},
		{
			"a home page that is not a plain https address is left out",
			`{"redirect_uris":["https://client.example/cb"],"client_uri":"javascript:alert(1)"}`,
			oauth.Registration{RedirectURIs: []string{"https://client.example/cb"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := oauth.ParseRegistration([]byte(test.body), ownCallback)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, oauth.Registration{Name: got.Name, URI: got.URI, RedirectURIs: got.RedirectURIs}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheAnswerToARegistrationSaysWhatTheClientGets(t *testing.T) {
	r, err := oauth.ParseRegistration([]byte(`{"client_name":"A","redirect_uris":["https://client.example/cb"],"grant_types":["authorization_code","implicit"],"token_endpoint_auth_method":"client_secret_post","client_id_issued_at":"2025"}`), ownCallback)
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
	if _, err := oauth.ParseRegistration([]byte(`{"redirect_uris":`+uris(10)+`}`), ownCallback); err != nil {
		t.Errorf("ten redirect URIs: %v", err)
	}
	for _, test := range []struct{ name, body, code string }{
		{"no JSON", `redirect_uris=x`, oauth.InvalidClientMetadata},
		{"nothing", ``, oauth.InvalidClientMetadata},
		{"null", `null`, oauth.InvalidClientMetadata},
		{"a list", `[]`, oauth.InvalidClientMetadata},
		{"two objects", `{"redirect_uris":["https://client.example/cb"]}{}`, oauth.InvalidClientMetadata},
		{"a name that is a number", `{"client_name":1,"redirect_uris":["https://client.example/cb"]}`, oauth.InvalidClientMetadata},
		{"redirect URIs that are a string", `{"redirect_uris":"https://client.example/cb"}`, oauth.InvalidClientMetadata},
		{"grants without a code", `{"grant_types":["client_credentials"],"redirect_uris":["https://client.example/cb"]}`, oauth.InvalidClientMetadata},
		{"an implicit response", `{"response_types":["token"],"redirect_uris":["https://client.example/cb"]}`, oauth.InvalidClientMetadata},
		{"no redirect URIs", `{}`, oauth.InvalidRedirectURI},
		{"an empty list of redirect URIs", `{"redirect_uris":[]}`, oauth.InvalidRedirectURI},
		{"eleven redirect URIs", `{"redirect_uris":` + uris(11) + `}`, oauth.InvalidRedirectURI},
		{"a null among the redirect URIs", `{"redirect_uris":["https://client.example/cb",null]}`, oauth.InvalidRedirectURI},
		{"one bad redirect URI of two", `{"redirect_uris":["https://client.example/cb","javascript:alert(1)"]}`, oauth.InvalidRedirectURI},
		{"our own callback", `{"redirect_uris":["` + ownCallback + `"]}`, oauth.InvalidRedirectURI},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := oauth.ParseRegistration([]byte(test.body), ownCallback)
			var refused *oauth.ClientError
			if !errors.As(err, &refused) || refused.Code != test.code || !cmp.Equal(r, oauth.Registration{}) {
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
		if r, err := oauth.ParseRegistration(body, ""); err != nil || r.Name != test.want {
			t.Errorf("%q became %q: %v", test.name, r.Name, err)
		}
	}
}

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
