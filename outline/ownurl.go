package outline

import (
	"net/url"
	"slices"
	"strings"

	"outline-mcp/internal/text"
)

// ParseDocumentID is like the function of that name, but rejects the URL of
// another instance: its document is not the one of this instance with that id.
func (c *Client) ParseDocumentID(s string) (string, error) { return c.parseOwn("document", s) }

// ParseCollectionID is like the function of that name, but rejects the URL of
// another instance.
func (c *Client) ParseCollectionID(s string) (string, error) { return c.parseOwn("collection", s) }

func (c *Client) parseOwn(kind, s string) (string, error) {
	id, err := parseID(kind, s)
	if err != nil {
		return id, err
	}
	host := hostOf(s)
	if host == "" || c.isOwn(host) {
		return id, nil
	}
	host = text.Truncate(Redact(host), 80)
	return "", &IdentifierError{
		Kind: kind, Value: text.Truncate(Redact(trimQuotes(s)), 80), ForeignHost: host,
		Hint: "it is an address of " + host + ", not of " + c.host,
	}
}

// hosted is the domain of the service that Outline's makers run. Each workspace
// there has its own name in it, and ids are unique across all of them.
const hosted = ".getoutline.com"

// isOwn reports whether a host is that of the instance, or one of its aliases.
// An alias without a port stands for any.
func (c *Client) isOwn(host string) bool {
	own, name := hostOf(c.base), host
	if u, err := url.Parse("//" + host); err == nil {
		name = u.Hostname()
	}
	return host == own || strings.HasSuffix(host, hosted) && strings.HasSuffix(own, hosted) ||
		slices.ContainsFunc(c.aliases, func(alias string) bool { return alias == host || alias == name })
}

// hostOf returns the host of a URL, in lower case and with its port unless that
// is the default, or "" for an identifier without a host. It also returns an
// invalid host as it is.
func hostOf(identifier string) string {
	address := trimQuotes(identifier)
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	scheme, rest, isURL := strings.Cut(address, "://")
	switch {
	case isURL:
		address = strings.TrimLeft(rest, "/") // as browsers do
	case strings.HasPrefix(address, "//"):
		address = strings.TrimLeft(address, "/")
	}
	host, _, hasPath := strings.Cut(address, "/")
	if !isURL && (!hasPath || !strings.ContainsAny(host, `.:@\`) && host != "localhost") {
		return "" // not in front of a path, or a part of that
	}
	u, err := url.Parse("//" + host)
	if err != nil {
		return host
	}
	host = strings.ToLower(u.Host)
	for usual, port := range map[string]string{"https": ":443", "http": ":80"} {
		if strings.EqualFold(scheme, usual) {
			host = strings.TrimSuffix(host, port)
		}
	}
	return host
}
