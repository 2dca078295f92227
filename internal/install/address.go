package install

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/internal/netaddr"
)

// outlineAddress returns the address of Outline in what a person pastes, such as
// the URL of a page. A path in front of that of a page is kept. A host without a
// scheme gets one.
func outlineAddress(pasted string) (string, error) {
	address := strings.Trim(pasted, " \t\r\n\"'`“”‘’<>")
	if strings.HasPrefix(address, "ol_api_") {
		return "", errors.New("this is an API key; give the address of your Outline, such as https://wiki.example.com")
	}
	if host := withoutScheme(address); host != "" {
		address = "https://" + address
		if netaddr.IsLoopback(host) {
			address = "http://" + strings.TrimPrefix(address, "https://")
		}
	}
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i] // it belongs to a page, and may hold a secret
	}
	address, err := config.CheckURL(address)
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

// withoutScheme returns the host of an address that has no scheme and otherwise
// looks like one, or "".
func withoutScheme(address string) string {
	if strings.Contains(address, "://") || strings.ContainsAny(address, "@$ ") {
		return ""
	}
	u, err := url.Parse("//" + address)
	if err != nil || !strings.Contains(u.Hostname(), ".") && !netaddr.IsLoopback(u.Hostname()) {
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
