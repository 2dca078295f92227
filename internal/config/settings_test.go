package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

func TestHeadersForOutline(t *testing.T) {
	for _, test := range []struct {
		name, written string
		file          bool
		want          map[string]string
		refused       string
	}{
		{"a service token, separated by a semicolon", "CF-Access-Client-Id: abc.access; CF-Access-Client-Secret: 0123:4567", false, map[string]string{"Cf-Access-Client-Id": "abc.access", "Cf-Access-Client-Secret": "0123:4567"}, ""},
		{"on lines", "x-one: 1\r\nx-two:2\n", false, map[string]string{"X-One": "1", "X-Two": "2"}, ""},
		{"a semicolon in the value, in a file", "X-Gate: a; b=$c\n\nX-Two: 2\n", true, map[string]string{"X-Gate": "a; b=$c", "X-Two": "2"}, ""},
		{"a semicolon in the value, in the setting", "X-Gate: one; hunter2", false, nil, "entry 2 is not a header"},
		{"a value alone", "hunter2", true, nil, "entry 1 is not a header"},
		{"a name with a space", "X Gate: hunter2", false, nil, "entry 1 is not a header"},
		{"the key", "authorization: Basic hunter2", false, nil, "Authorization cannot be set"},
		{"a cookie", "Cookie: session=hunter2", false, nil, "Cookie cannot be set"},
		{"the host", "Host: hunter2", false, nil, "Host cannot be set"},
		{"the length of the body", "Content-Length: 2", false, nil, "Content-Length cannot be set"},
		{"one of the connection", "Transfer-Encoding: hunter2", false, nil, "Transfer-Encoding cannot be set"},
		{"the password of a proxy", "Proxy-Authorization: Basic hunter2", false, nil, "Proxy-Authorization cannot be set"},
		{"a token of this server", "X-MCP-Token: hunter2", false, nil, "X-Mcp-Token cannot be set"},
		{"one twice", "X-Gate: hunter2; x-gate: 3", false, nil, "X-Gate appears twice"},
		{"no value", "X-Gate:", false, nil, "X-Gate has no value"},
		{"an unexpanded variable", "X-Gate: ${hunter2}", false, nil, "placeholder"},
		{"a placeholder", "X-Gate: <hunter2>", false, nil, "placeholder"},
		{"a carriage return in a value", "X-Gate: hunter2\rX-Other: 1", true, nil, "contains a character"},
		{"a letter outside ASCII", "X-Gate: hunter2é", false, nil, "contains a character"},
		{"too many", strings.Repeat("X-Gate: hunter2;", 1) + manyHeaders(20), false, nil, "more than 20"},
		{"an empty file", "\n", true, nil, "is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			setting := "OUTLINE_HEADERS=" + test.written
			if test.file {
				path := filepath.Join(t.TempDir(), "headers")
				if err := os.WriteFile(path, []byte(test.written), 0o600); err != nil {
					t.Fatal(err)
				}
				setting = "OUTLINE_HEADERS_FILE=" + path
			}
			c, err := config.Load([]string{setting})
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error %v, want %s", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, again := range []bool{false, true} {
				headers, err := c.OutlineHeaders(again)
				got := map[string]string{}
				for name := range headers {
					got[name] = headers.Get(name)
				}
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("read again %t: %q, %v; want %q", again, got, err, test.want)
				}
			}
		})
	}
	if _, err := config.Load([]string{"OUTLINE_HEADERS=X-Gate: 1", "OUTLINE_HEADERS_FILE=/nowhere"}); err == nil || !strings.Contains(err.Error(), "set only one of them") {
		t.Errorf("both set: %v", err)
	}
}

func manyHeaders(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("X-" + strings.Repeat("a", i+1) + ": 1;")
	}
	return b.String()
}

func TestHeadersAreNotShown(t *testing.T) {
	for _, one := range config.Examine([]string{"OUTLINE_HEADERS=X-Gate: correct-horse-battery"}).Settings {
		if one.Name == "OUTLINE_HEADERS" && one.Value != "****tery" {
			t.Errorf("shown as %q", one.Value)
		}
	}
}

const token = "MCP_AUTH_TOKENS=0123456789abcdef,fedcba9876543210"

func TestAKeyThatStrangersCouldUseIsRefused(t *testing.T) {
	key := "OUTLINE_API_KEY=ol_api_test_key"
	for _, test := range []struct {
		name     string
		settings []string
		refused  bool
	}{
		{"on all addresses", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", key}, true},
		{"on all addresses of IPv6", []string{"MCP_TRANSPORT=streamable-http", "MCP_HOST=::", key}, true},
		{"under a name", []string{"MCP_TRANSPORT=http", "MCP_HOST=wiki.internal", key}, true},
		{"guarded by tokens", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", key, token}, false},
		{"guarded by the login", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", key, publicURL}, false},
		{"for everyone on purpose", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", key, "MCP_ALLOW_ANONYMOUS=true"}, false},
		{"without a key", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0"}, false},
		{"on loopback", []string{"MCP_TRANSPORT=http", "MCP_HOST=127.0.0.2", key}, false},
		{"on loopback of IPv6", []string{"MCP_TRANSPORT=http", "MCP_HOST=[::1]", key}, false},
		{"on localhost", []string{"MCP_TRANSPORT=http", "MCP_HOST=localhost", key}, false},
		{"on stdio", []string{"MCP_HOST=0.0.0.0", key}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Load(test.settings)
			if refused := err != nil && strings.Contains(err.Error(), "everyone who can reach the server could act with OUTLINE_API_KEY"); refused != test.refused || !refused && err != nil {
				t.Errorf("refused %t: %v", refused, err)
			}
		})
	}
}

func TestTokensComeFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	write := func(content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0123456789abcdef\r\n\nfedcba9876543210\n")
	c, err := config.Load([]string{"MCP_AUTH_TOKENS_FILE=" + path})
	if err != nil || len(c.AuthTokens) != 2 || c.AuthTokens[0].Reveal() != "0123456789abcdef" || c.AuthTokens[1].Reveal() != "fedcba9876543210" {
		t.Errorf("%d tokens, error %v", len(c.AuthTokens), err)
	}
	if _, err := config.Load([]string{"MCP_AUTH_TOKENS_FILE=" + path, token}); err == nil || !strings.Contains(err.Error(), "set only one of them") {
		t.Errorf("both set: %v", err)
	}
	for content, says := range map[string]string{"\n": "contains no token", strings.Repeat("x", 1<<17): "longer than", "a secret that is long enough": "cannot be sent"} {
		write(content)
		if _, err := config.Load([]string{"MCP_AUTH_TOKENS_FILE=" + path}); err == nil || !strings.Contains(err.Error(), "MCP_AUTH_TOKENS_FILE: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "a secret") {
			t.Errorf("%.10q: %v", content, err)
		}
	}
}

func TestATokenThatIsTheKeyIsRefused(t *testing.T) {
	_, err := config.Load([]string{"MCP_AUTH_TOKENS=ol_api_test_0123456789", "OUTLINE_API_KEY=ol_api_test_0123456789"})
	if err == nil || !strings.Contains(err.Error(), "a token is the same as OUTLINE_API_KEY") || strings.Contains(err.Error(), "0123456789") {
		t.Errorf("%v", err)
	}
}

func TestACertificateThatCannotWorkIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tls.pem")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, settings := range map[string][]string{
		"MCP_TLS_KEY: MCP_TLS_CERT is set without it":      {"MCP_TLS_CERT=" + file},
		"MCP_TLS_CERT: it cannot be used with MCP_TLS_KEY": {"MCP_TLS_CERT=" + file, "MCP_TLS_KEY=" + file},
		"MCP_TLS_KEY: the file cannot be read":             {"MCP_TLS_CERT=" + file, "MCP_TLS_KEY=/nowhere.pem"},
	} {
		if _, err := config.Load(settings); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", settings, err)
		}
	}
}

func TestAProblemWithKeyOrTokensDoesNotHideThatStrangersCouldUseTheKey(t *testing.T) {
	for _, test := range []struct{ setting, want string }{
		{"OUTLINE_API_KEY_FILE=/nowhere/at/all", "OUTLINE_API_KEY_FILE MCP_HOST"},
		{"OUTLINE_API_KEY=<key>", "OUTLINE_API_KEY MCP_HOST"},
		{"OUTLINE_API_KEY=ol_api_fake|MCP_AUTH_TOKENS=short", "MCP_AUTH_TOKENS"}, // tokens are meant to be asked for
		{"OUTLINE_API_KEY=ol_api_fake|MCP_AUTH_TOKENS=,", "MCP_AUTH_TOKENS"},
		{"OUTLINE_API_KEY=ol_api_fake|MCP_AUTH_TOKENS_FILE=/nowhere/at/all", "MCP_AUTH_TOKENS_FILE"},
		{"OUTLINE_API_KEY=ol_api_fake|MCP_ALLOW_ANONYMOUS=maybe", "MCP_ALLOW_ANONYMOUS"},
	} {
		var got []string
		for _, problem := range config.Examine(append(strings.Split(test.setting, "|"), "MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0")).Problems {
			got = append(got, problem.Setting)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: the problems are with %q, want %q", test.setting, got, test.want)
		}
	}
}

const (
	publicURL    = "MCP_PUBLIC_URL=https://mcp.example.com"
	clientID     = "MCP_OAUTH_CLIENT_ID=1k40ntqamqptjspcrski"
	clientSecret = "MCP_OAUTH_CLIENT_SECRET=ol_sk_fake"
	oauthSecret  = "MCP_OAUTH_SECRET=0123456789abcdef0123456789abcdef"
)

func TestTheLoginIsOnOnlyWithAllOfItsSettingsAndOverHTTP(t *testing.T) {
	const http = "MCP_TRANSPORT=http"
	for _, test := range []struct {
		name     string
		settings []string
		demo, on bool
		missing  string // what the problem names; "" if there is none
	}{
		{"nothing is set", []string{http}, false, false, ""},
		{"all is set", []string{http, publicURL, clientID, clientSecret, oauthSecret}, false, true, ""},
		{"all is set, on stdio", []string{publicURL, clientID, clientSecret, oauthSecret}, false, false, ""},
		{"only the address is set", []string{http, publicURL}, false, false, "MCP_OAUTH_CLIENT_ID, MCP_OAUTH_CLIENT_SECRET, MCP_OAUTH_SECRET, too"},
		{"only the secret is set", []string{oauthSecret}, false, false, "MCP_PUBLIC_URL, MCP_OAUTH_CLIENT_ID, MCP_OAUTH_CLIENT_SECRET, too"},
		{"the client ID is missing", []string{http, publicURL, clientSecret, oauthSecret}, false, false, "set MCP_OAUTH_CLIENT_ID, too"},
		{"a secret is too short", []string{http, publicURL, clientID, clientSecret, "MCP_OAUTH_SECRET=short"}, false, false, ""},
		{"only the address is set, in the demo", []string{http, publicURL}, true, true, ""},
		{"nothing is set, in the demo", []string{http}, true, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := config.Examine(test.settings)
			if on := report.Config.LoginEnabled(test.demo); on != test.on {
				t.Errorf("on: %t", on)
			}
			if test.demo {
				return
			}
			_, err := config.Load(test.settings, config.CheckLogin)
			if found := err != nil && strings.Contains(err.Error(), "other settings of the login are set"); found != (test.missing != "") || found && !strings.Contains(err.Error(), test.missing) {
				t.Error(err)
			}
		})
	}
}

func TestAnAddressOfTheServerThatClientsCannotUseIsRefused(t *testing.T) {
	for address, says := range map[string]string{
		"https://mcp.example.com/mcp":        "set only scheme and host",
		"https://mcp.example.com/?a=b":       "query",
		"https://mcp.example.com#top":        "fragment",
		"http://mcp.example.com":             "others on the network could read the tokens",
		"mcp.example.com":                    "write https://",
		"https://ada:secret@mcp.example.com": "user name or password",
		"https://*.example.com":              "set only scheme and host",
		"${PUBLIC_URL}":                      "did not expand",
	} {
		_, err := config.Load([]string{"MCP_PUBLIC_URL=" + address})
		if err == nil || !strings.Contains(err.Error(), "MCP_PUBLIC_URL: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]string{
		"HTTPS://MCP.Example.com:443/": "https://mcp.example.com",
		"https://mcp.example.com:8443": "https://mcp.example.com:8443",
		"http://localhost:3000":        "http://localhost:3000",
		"http://[::1]:3000/":           "http://[::1]:3000",
	} {
		c, err := config.Load([]string{"MCP_PUBLIC_URL=" + address})
		if err != nil || c.PublicURL != want {
			t.Errorf("%s is %q, %v", address, c.PublicURL, err)
		}
	}
}

func TestSettingsOfTheLoginThatCannotBeUsedAreRefused(t *testing.T) {
	for variables, says := range map[string]string{
		"MCP_OAUTH_CLIENT_ID=<id>":                                             "no client ID contains",
		"MCP_OAUTH_CLIENT_SECRET=${SECRET}":                                    "MCP_OAUTH_CLIENT_SECRET: it is a placeholder",
		"MCP_OAUTH_SECRET=0123456789":                                          "MCP_OAUTH_SECRET: it has fewer than 32 characters; create one with: openssl rand -hex 32",
		"MCP_OAUTH_SECRET_PREVIOUS=0123456789":                                 "MCP_OAUTH_SECRET_PREVIOUS: it has fewer",
		"MCP_STATE_SECRET=0123456789":                                          "MCP_STATE_SECRET: it has fewer",
		oauthSecret + "|MCP_OAUTH_SECRET_FILE=/nowhere":                        "MCP_OAUTH_SECRET_FILE: MCP_OAUTH_SECRET is also set; set only one of them",
		"MCP_OAUTH_SECRET_FILE=/nowhere":                                       "MCP_OAUTH_SECRET_FILE: the value cannot be read",
		oauthSecret + "|OUTLINE_API_KEY=0123456789abcdef0123456789abcdef":      "it is the same as OUTLINE_API_KEY",
		oauthSecret + "|" + strings.Replace(oauthSecret, "=", "_PREVIOUS=", 1): "MCP_OAUTH_SECRET_PREVIOUS: it is the same as MCP_OAUTH_SECRET",
		"MCP_OAUTH_OUTLINE_URL=wiki.example.com":                               "has no scheme",
		"MCP_OAUTH_OUTLINE_URL=https://wiki.example.com/api":                   "has a path",
		publicURL + "|MCP_PATH=/oauth/mcp":                                     "MCP_PATH: paths that begin with /oauth/",
	} {
		if _, err := config.Load(strings.Split(variables, "|")); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", variables, err)
		}
	}
}

func TestSecretsComeFromFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c, err := config.Load([]string{
		"MCP_OAUTH_CLIENT_SECRET_FILE=" + write("client", "ol_sk_fake\n"),
		"MCP_OAUTH_SECRET_FILE=" + write("new", strings.Repeat("n", 32)+"\r\n"),
		"MCP_OAUTH_SECRET_PREVIOUS_FILE=" + write("old", strings.Repeat("o", 32)),
		"MCP_STATE_SECRET_FILE=" + write("state", strings.Repeat("s", 32)),
	})
	if err != nil || c.OAuthClientSecret.Reveal() != "ol_sk_fake" || c.OAuthSecret.Reveal() != strings.Repeat("n", 32) ||
		c.OAuthSecretPrevious.Reveal() != strings.Repeat("o", 32) || c.StateSecret.Reveal() != strings.Repeat("s", 32) {
		t.Errorf("%+v, %v", c, err)
	}
	for content, says := range map[string]string{"\n": "the file is empty", "short": "fewer than 32", strings.Repeat("x", 5000): "longer than"} {
		report := config.Examine([]string{"MCP_OAUTH_SECRET_FILE=" + write("new", content)})
		if len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Error(), says) || report.Config.OAuthSecret != "" {
			t.Errorf("%.10q: %v", content, report.Problems)
		}
	}
}

func TestRedirectURIsKeepTheirCase(t *testing.T) {
	c, err := config.Load([]string{"MCP_OAUTH_REDIRECTS= https://app.example.com/CallBack ,cursor://anysphere.cursor-mcp/oauth/callback,"})
	if want := []string{"https://app.example.com/CallBack", "cursor://anysphere.cursor-mcp/oauth/callback"}; err != nil || !slices.Equal(c.OAuthRedirects, want) {
		t.Errorf("%q, %v", c.OAuthRedirects, err)
	}
}

func TestTheDemoIgnoresTheApplicationInOutline(t *testing.T) {
	got := config.WithoutOutline([]string{publicURL, clientID, clientSecret, "MCP_OAUTH_CLIENT_SECRET_FILE=/nowhere", oauthSecret})
	if want := []string{publicURL, oauthSecret}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
