package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

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
		"MCP_OAUTH_REDIRECTS=app.example.com":                                  "redirect URI refused: use https",
		"MCP_OAUTH_REDIRECTS=https://app.example.com/#x":                       "redirect URI refused: it has a fragment",
		"MCP_OAUTH_REDIRECTS=http://app.example.com/callback":                  "http is for loopback hosts",
		"MCP_OAUTH_REDIRECTS=javascript:alert(1)//":                            "redirect URI refused: use https",
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
