package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"outline-mcp/outline/transport"
)

// maxTokensFile is the size of the largest file of tokens, in bytes.
const maxTokensFile = 64 << 10

const redisURL = "MCP_REDIS_URL"

// checkHTTP reports settings that cannot work over HTTP or would let strangers
// use the operator's key.
func (c *Config) checkHTTP(found *problems) {
	c.checkTokens(found)
	c.checkSecret(found, "MCP_STATE_SECRET", &c.StateSecret, c.StateSecretFile, leastSecret)
	c.checkLogin(found)
	c.checkSecret(found, redisURL, &c.RedisURL, c.RedisURLFile, 0)
	if !found.concern(redisURL, redisURL+"_FILE") && c.RedisURL != "" {
		if err := transport.CheckRedisURL(c.RedisURL.Reveal()); err != nil {
			found.add(redisURL, "%s", err)
		}
	}
	if taken := map[string]bool{"/health": true, "/ready": true, "/metrics": true}; !strings.HasPrefix(c.Path, "/") || path.Clean(c.Path) != c.Path || taken[c.Path] || strings.ContainsAny(c.Path, "?#% ") {
		found.add("MCP_PATH", "%q is not a valid endpoint path; use one such as /mcp, but not /health, /ready or /metrics", shorten(c.Path))
	}
	for _, origin := range c.AllowedOrigins {
		if _, ok := transport.ParseOrigin(origin); !ok {
			found.add("MCP_ALLOWED_ORIGINS", "%q is not an origin; write each as https://app.example.com, with the port if there is one and without a path", shorten(origin))
		}
	}
	checkHosts(found, "MCP_ALLOWED_HOSTS", c.AllowedHosts)
	if c.MetricsAddr != "" {
		_, port, err := net.SplitHostPort(c.MetricsAddr)
		if _, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil {
			found.add("MCP_METRICS_ADDR", "%q is not an address with a port; use one such as 127.0.0.1:9090", shorten(c.MetricsAddr))
		}
	}
	checkPair(found, "MCP_TLS_CERT", c.TLSCert, "MCP_TLS_KEY", c.TLSKey)
	if _, err := netip.ParseAddr(strings.Trim(c.Host, "[]")); err != nil && strings.ContainsAny(c.Host, ":/ ") {
		found.add("MCP_HOST", "%q is not an address; use one such as 0.0.0.0, and set the port with MCP_PORT", shorten(c.Host))
	}
	// Tokens that cannot be used show that the operator means to ask for some.
	guarded := len(c.AuthTokens) > 0 || c.AllowAnonymous || c.PublicURL != "" || found.concern("MCP_AUTH_TOKENS", "MCP_AUTH_TOKENS_FILE", "MCP_ALLOW_ANONYMOUS", "MCP_PUBLIC_URL")
	if hasKey := c.APIKey != "" || c.APIKeyFile != ""; hasKey && c.Transport == HTTP && !transport.IsLoopback(c.Host) && !guarded {
		found.add("MCP_HOST", "on %s, everyone who can reach the server could act with OUTLINE_API_KEY; set MCP_AUTH_TOKENS or MCP_PUBLIC_URL, "+
			"remove the key so that each request brings its own, or set MCP_ALLOW_ANONYMOUS=true if you want that", shorten(c.Host))
	}
}

// checkHosts reports what is not a host in a list.
func checkHosts(found *problems, setting string, hosts Names) {
	for _, host := range hosts {
		if u, err := url.Parse("//" + host); err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "* ") {
			found.add(setting, "%q is not a host; write each as mcp.example.com, or with a port as mcp.example.com:3000", shorten(host))
		}
	}
}

// checkTokens reports tokens that cannot be sent or are not secret. If a file is
// named, it reads them from there.
func (c *Config) checkTokens(found *problems) {
	if err := c.validateTokens(c.AuthTokens); err != nil {
		found.add("MCP_AUTH_TOKENS", "%s", err)
	}
	found.readFile("MCP_AUTH_TOKENS", c.AuthTokensFile, len(c.AuthTokens) > 0, func() error {
		tokens, err := c.ReadTokens()
		if err == nil {
			c.AuthTokens = tokens
		}
		return err
	})
}

// ReadTokens returns the tokens in MCP_AUTH_TOKENS_FILE. Errors show no token.
func (c *Config) ReadTokens() (Secrets, error) {
	const advice = "set the path of a file with one token per line"
	content, err := readLimited(c.AuthTokensFile, "tokens", maxTokensFile, "")
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, advice)
	}
	tokens, err := ParseSecrets(content)
	if err != nil {
		return nil, fmt.Errorf("%s contains no token: %w; %s", c.AuthTokensFile, err, advice)
	}
	return tokens, c.validateTokens(tokens)
}

// validateTokens returns an error that says why one of the tokens cannot be used
// and what to do, without showing it.
func (c *Config) validateTokens(tokens Secrets) error {
	for _, token := range tokens {
		value := token.Reveal()
		switch {
		case strings.ContainsAny(value, "${}<>"):
			return errors.New("a token is a placeholder or an unexpanded variable; replace it with the actual token")
		case strings.ContainsFunc(value, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=", r)
		}):
			return errors.New("a token contains a character that cannot be sent; use letters, digits and -._~+/=")
		case len(value) < 16 || len(value) > 1024:
			return errors.New("a token has fewer than 16 or more than 1024 characters; create one with: openssl rand -hex 32")
		case token == c.APIKey:
			return errors.New("a token is the same as OUTLINE_API_KEY, which all callers would then know; create one with: openssl rand -hex 32")
		}
	}
	return nil
}

// checkPair reports a certificate or its private key that cannot be used. Neither can be
// used without the other.
func checkPair(found *problems, cert, certFile, key, keyFile string) {
	add := func(name, also, format string, args ...any) {
		*found = append(*found, Problem{Setting: name, Also: also, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case certFile == "" && keyFile == "":
		return
	case certFile == "":
		add(cert, key, "%s is set without it; set both or neither", key)
		return
	case keyFile == "":
		add(key, cert, "%s is set without it; set both or neither", cert)
		return
	}
	readable := true
	for _, one := range []struct{ name, also, path string }{{cert, key, certFile}, {key, cert, keyFile}} {
		if _, err := os.Stat(one.path); err != nil {
			add(one.name, one.also, "the file cannot be read: %s; set the path of a PEM file", withoutKey(err, one.path))
			readable = false
		}
	}
	if !readable {
		return
	}
	if _, err := tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		add(cert, key, "it cannot be used with %s: %s; set the paths of a PEM certificate and its key", key, err)
	}
}

// OTLPProtocol is how traces are sent: "http/protobuf".
type OTLPProtocol string

// OTelExporter says where traces go: "otlp" or "none".
type OTelExporter string

// TracesURL returns the address to which traces are sent, or "" if none are
// (OpenTelemetry Protocol Exporter, Endpoint URLs for OTLP/HTTP).
func (c *Config) TracesURL() string {
	switch {
	case c.OTelDisabled || c.OTelTraces == "none":
		return ""
	case c.OTLPTracesEndpoint != "":
		return c.OTLPTracesEndpoint
	case c.OTLPEndpoint != "":
		return strings.TrimSuffix(c.OTLPEndpoint, "/") + "/v1/traces"
	}
	return ""
}

// OTLPHeaderFields returns the headers of requests to the collector. The setting has
// the form of W3C Baggage (OpenTelemetry Protocol Exporter, Specifying headers).
func (c *Config) OTLPHeaderFields() (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(c.OTLPHeaders.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("it is not a list of headers; write api-key=..., separated by commas, with values URL-encoded")
		}
		headers[name] = value
	}
	return headers, nil
}

// checkTelemetry reports addresses and headers of a collector that cannot be used.
func (c *Config) checkTelemetry(found *problems) {
	for name, address := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":        c.OTLPEndpoint,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.OTLPTracesEndpoint,
	} {
		if address == "" {
			continue
		}
		if err := validateURL(address); err != nil {
			found.add(name, "%s", err)
		}
	}
	if _, err := c.OTLPHeaderFields(); err != nil {
		found.add("OTEL_EXPORTER_OTLP_HEADERS", "%s", err)
	}
	if c.OTLPCertificate != "" {
		if err := checkCertificates(c.OTLPCertificate); err != nil {
			found.add("OTEL_EXPORTER_OTLP_CERTIFICATE", "%s; set the path of a PEM file", err)
		}
	}
}

// The settings that the login cannot work without.
const (
	publicURL         = "MCP_PUBLIC_URL"
	oauthClientID     = "MCP_OAUTH_CLIENT_ID"
	oauthClientSecret = "MCP_OAUTH_CLIENT_SECRET"
	oauthSecret       = "MCP_OAUTH_SECRET"
	oauthPrevious     = "MCP_OAUTH_SECRET_PREVIOUS"
)

// checkLogin reports settings of the login that cannot be used, and reads secrets
// from the files that are named.
func (c *Config) checkLogin(found *problems) {
	c.checkPublicURL(found)
	if strings.Trim(c.OAuthClientID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~") != "" {
		found.add(oauthClientID, "it contains a character that no client ID contains; copy it again from the application in Outline")
	}
	c.checkOutlineURL(found)
	c.checkSecret(found, oauthClientSecret, &c.OAuthClientSecret, c.OAuthClientSecretFile, 0)
	c.checkSecret(found, oauthSecret, &c.OAuthSecret, c.OAuthSecretFile, leastSecret)
	c.checkSecret(found, oauthPrevious, &c.OAuthSecretPrevious, c.OAuthSecretPreviousFile, leastSecret)
	if c.OAuthSecretPrevious != "" && c.OAuthSecretPrevious == c.OAuthSecret {
		c.OAuthSecretPrevious = ""
		name := oauthPrevious
		if c.OAuthSecretPreviousFile != "" {
			name += "_FILE"
		}
		found.add(name, "it is the same as %s; set the former secret, or leave it out", oauthSecret)
	}
}

// checkPublicURL reports an address that clients could not use, and brings it into the
// form in which it is compared: an origin.
func (c *Config) checkPublicURL(found *problems) {
	if c.PublicURL == "" {
		return
	}
	if err := validateURL(c.PublicURL); err != nil {
		found.add(publicURL, "%s", err)
		return
	}
	origin, ok := transport.ParseOrigin(strings.TrimRight(c.PublicURL, "/"))
	u, err := url.Parse(origin)
	switch {
	case !ok || err != nil:
		found.add(publicURL, "the address has a path or is not valid; set only scheme and host, such as https://mcp.example.com: MCP_PATH is added to it")
	case u.Scheme == "http" && !transport.IsLoopback(u.Hostname()):
		found.add(publicURL, "the address begins with http://, so others on the network could read the tokens; use https:// (http is for loopback only)")
	case strings.HasPrefix(c.Path, "/oauth/") || strings.HasPrefix(c.Path, "/.well-known/"):
		found.add("MCP_PATH", "paths that begin with /oauth/ or /.well-known/ belong to the login; use one such as /mcp")
	default:
		c.PublicURL = origin
	}
}

// checkOutlineURL reports an address that browsers could not open, and brings it into
// the form of an origin.
func (c *Config) checkOutlineURL(found *problems) {
	if c.OAuthOutlineURL == "" {
		return
	}
	const name = "MCP_OAUTH_OUTLINE_URL"
	if err := validateURL(c.OAuthOutlineURL); err != nil {
		found.add(name, "%s", err)
		return
	}
	origin, ok := transport.ParseOrigin(strings.TrimRight(c.OAuthOutlineURL, "/"))
	if !ok {
		found.add(name, "the address has a path or is not valid; set only scheme and host, such as https://wiki.example.com")
		return
	}
	c.OAuthOutlineURL = origin
}

// LoginEnabled reports whether people can log in with Outline: over HTTP, with all
// settings that it needs. For the embedded workspace, an address is enough.
func (c Config) LoginEnabled(demo bool) bool {
	return c.Transport == HTTP && c.PublicURL != "" && (demo || len(c.missingForLogin()) == 0)
}

// missingForLogin returns the settings that the login needs and that are not set.
func (c Config) missingForLogin() []string {
	var missing []string
	for _, one := range []struct {
		name string
		set  bool
	}{
		{publicURL, c.PublicURL != ""},
		{oauthClientID, c.OAuthClientID != ""},
		{oauthClientSecret, c.OAuthClientSecret != "" || c.OAuthClientSecretFile != ""},
		{oauthSecret, c.OAuthSecret != "" || c.OAuthSecretFile != ""},
	} {
		if !one.set {
			missing = append(missing, one.name)
		}
	}
	return missing
}

// CheckLogin is the [Check] that the settings of the login are complete if one of them
// is set. It does not hold for the embedded workspace, which needs only an address, nor
// while the login is being set up.
func CheckLogin(c Config) []Problem {
	missing := c.missingForLogin()
	begun := c.PublicURL != "" || c.OAuthClientID != "" || c.OAuthClientSecret != "" || c.OAuthClientSecretFile != "" || c.OAuthSecret != "" || c.OAuthSecretFile != ""
	if !begun || len(missing) == 0 {
		return nil
	}
	return []Problem{{Setting: missing[0], Text: "other settings of the login are set; set " + strings.Join(missing, ", ") +
		", too (outline-mcp oauth setup creates the values), or unset the others"}}
}
