package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

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
