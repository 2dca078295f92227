package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"outline-mcp/outline/transport"
)

// OutlineAddress returns the address of Outline in what a person pastes, such as
// the URL of a page. A path in front of that of a page is kept. A host without a
// scheme gets one.
func OutlineAddress(pasted string) (string, error) {
	address := strings.Trim(pasted, " \t\r\n\"'`“”‘’<>")
	if strings.HasPrefix(address, "ol_api_") {
		return "", errors.New("this is an API key; give the address of your Outline, such as https://wiki.example.com")
	}
	if host := WithoutScheme(address); host != "" {
		address = "https://" + address
		if transport.IsLoopback(host) {
			address = "http://" + strings.TrimPrefix(address, "https://")
		}
	}
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i] // it belongs to a page, and may hold a secret
	}
	address, err := CheckURL(address)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	segments := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	if i := slices.IndexFunc(segments, isPage); i >= 0 {
		segments = segments[:i]
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+"/"+strings.Join(segments, "/"), "/"), nil
}

// WithoutScheme returns the host of an address that has no scheme and otherwise
// looks like one, or "".
func WithoutScheme(address string) string {
	if strings.Contains(address, "://") || strings.ContainsAny(address, "@$ ") {
		return ""
	}
	u, err := url.Parse("//" + address)
	if err != nil || !strings.Contains(u.Hostname(), ".") && !transport.IsLoopback(u.Hostname()) {
		return ""
	}
	return u.Hostname()
}

// isPage reports whether a segment begins the path of Outline's pages or of its
// APIs.
func isPage(segment string) bool {
	pages := []string{"api", "archive", "auth", "collection", "create", "doc", "drafts", "home", "login", "logout", "mcp", "oauth", "s", "search", "settings", "share", "starred", "templates", "trash"}
	return slices.Contains(pages, strings.ToLower(segment))
}

// correctAddress replaces the address of a page or of Outline's own MCP endpoint by
// that of Outline. It returns a warning if it did.
func (c *Config) correctAddress() []Problem {
	u, err := url.Parse(strings.Trim(c.APIURL, " \t\r\n\"'`“”‘’<>"))
	if err != nil || u.Host == "" {
		return nil
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	if !slices.ContainsFunc(segments, isPage) || strings.EqualFold(segments[len(segments)-1], "api") {
		return nil
	}
	corrected, err := OutlineAddress(c.APIURL)
	if err != nil {
		return nil // checkReach says what is wrong
	}
	c.APIURL = corrected
	return []Problem{{Setting: "OUTLINE_API_URL", Text: "it is the address of a page or an endpoint of Outline; " + shownURL(corrected) + " is used instead; set that"}}
}
