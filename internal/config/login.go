package config

import (
	"errors"
	"net/url"
	"strings"

	"outline-mcp/internal/oauth"
	"outline-mcp/outline/transport"
)

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
	for _, uri := range c.OAuthRedirects {
		if problem, ok := errors.AsType[*oauth.ClientError](oauth.CheckRedirect(uri, "")); ok {
			found.add("MCP_OAUTH_REDIRECTS", "%q: %s", shorten(uri), problem.Description)
		}
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
		", too (outline-mcp oauth setup creates the values), or none of them"}}
}
