package config

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"

	"outline-mcp/internal/netaddr"
)

// maxTokensFile bounds a file of tokens, in bytes.
const maxTokensFile = 64 << 10

// checkHTTP reports what cannot work over HTTP, or would let strangers use the
// operator's key.
func (c *Config) checkHTTP(before []string) []string {
	complaints := c.checkTokens()
	complain := func(name, format string, arguments ...any) {
		complaints = append(complaints, name+": "+fmt.Sprintf(format, arguments...))
	}
	if taken := map[string]bool{"/health": true, "/ready": true, "/metrics": true}; !strings.HasPrefix(c.Path, "/") || path.Clean(c.Path) != c.Path || taken[c.Path] || strings.ContainsAny(c.Path, "?#% ") {
		complain("MCP_PATH", "%q is no path for the endpoint; write one such as /mcp, other than /health, /ready and /metrics", shorten(c.Path))
	}
	for _, origin := range c.AllowedOrigins {
		if _, ok := netaddr.ParseOrigin(origin); !ok {
			complain("MCP_ALLOWED_ORIGINS", "%q is no origin; write each as https://app.example.com, with its port if it has one and without a path", shorten(origin))
		}
	}
	for _, host := range c.AllowedHosts {
		if u, err := url.Parse("//" + host); err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "* ") {
			complain("MCP_ALLOWED_HOSTS", "%q is no host; write each as mcp.example.com, or with a port as mcp.example.com:3000", shorten(host))
		}
	}
	if c.MetricsAddr != "" {
		_, port, err := net.SplitHostPort(c.MetricsAddr)
		if _, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil {
			complain("MCP_METRICS_ADDR", "%q is no address with a port; write one such as 127.0.0.1:9090", shorten(c.MetricsAddr))
		}
	}
	if wrong := c.checkTLS(); wrong != "" {
		complaints = append(complaints, wrong)
	}
	if _, err := netip.ParseAddr(strings.Trim(c.Host, "[]")); err != nil && strings.ContainsAny(c.Host, ":/ ") {
		complain("MCP_HOST", "%q is no address; write one such as 0.0.0.0, the port belongs in MCP_PORT", shorten(c.Host))
	}
	if c.Transport == HTTP && c.APIKey != "" && !netaddr.IsLoopback(c.Host) && !c.guarded(append(before, complaints...)) {
		complain("MCP_HOST", "on %s everyone who reaches the server could act with OUTLINE_API_KEY; set MCP_AUTH_TOKENS, "+
			"or leave out the key so that each request brings its own, or set MCP_ALLOW_ANONYMOUS=true if that is meant", shorten(c.Host))
	}
	return complaints
}

// guarded tells whether the operator saw to who may use the key, or tried to.
func (c Config) guarded(complaints []string) bool {
	return len(c.AuthTokens) > 0 || c.AllowAnonymous || mentions(complaints, "MCP_AUTH_TOKENS") ||
		mentions(complaints, "MCP_AUTH_TOKENS_FILE") || mentions(complaints, "MCP_ALLOW_ANONYMOUS")
}

// checkTokens reports tokens that cannot be sent, or that are no secret, after
// reading them from their file where one is named. It never shows one.
func (c *Config) checkTokens() []string {
	name := "MCP_AUTH_TOKENS"
	if c.AuthTokensFile != "" {
		name = "MCP_AUTH_TOKENS_FILE"
		if len(c.AuthTokens) > 0 {
			return []string{name + ": MCP_AUTH_TOKENS is set as well; set one of the two"}
		}
		tokens, err := readTokens(c.AuthTokensFile)
		if err != nil {
			return []string{fmt.Sprintf("%s: %s; write the path of a file with one token a line", name, err)}
		}
		c.AuthTokens = tokens
	}
	for _, token := range c.AuthTokens {
		value := token.Reveal()
		switch {
		case strings.ContainsAny(value, "${}<>"):
			return []string{name + ": a token is a placeholder or a variable that nobody replaced; write the tokens themselves"}
		case strings.ContainsFunc(value, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=", r)
		}):
			return []string{name + ": a token holds a character that cannot be sent; use letters, digits and -._~+/="}
		case len(value) < 16 || len(value) > 1024:
			return []string{name + ": a token has fewer than 16 or more than 1024 characters; make one with: openssl rand -hex 32"}
		case token == c.APIKey:
			return []string{name + ": a token is OUTLINE_API_KEY itself, which would be handed to everyone; make one with: openssl rand -hex 32"}
		}
	}
	return nil
}

func readTokens(path string) (Secrets, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", withoutKey(err, path))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxTokensFile+1))
	if err != nil {
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	if len(content) > maxTokensFile {
		return nil, fmt.Errorf("%s is longer than %d bytes", path, maxTokensFile)
	}
	tokens, err := ParseSecrets(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s holds no token: %w", path, err)
	}
	return tokens, nil
}

// checkTLS reports a certificate that cannot be used.
func (c Config) checkTLS() string {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return ""
	case c.TLSCert == "":
		return "MCP_TLS_CERT: MCP_TLS_KEY is set without it; set both, or none"
	case c.TLSKey == "":
		return "MCP_TLS_KEY: MCP_TLS_CERT is set without it; set both, or none"
	}
	for _, one := range []struct{ name, path string }{{"MCP_TLS_CERT", c.TLSCert}, {"MCP_TLS_KEY", c.TLSKey}} {
		if _, err := os.Stat(one.path); err != nil {
			return fmt.Sprintf("%s: the file cannot be read: %s; write the path of a PEM file", one.name, withoutKey(err, one.path))
		}
	}
	if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
		return fmt.Sprintf("MCP_TLS_CERT: it cannot be used with MCP_TLS_KEY: %s; write the paths of a certificate in PEM form and of its key", err)
	}
	return ""
}
