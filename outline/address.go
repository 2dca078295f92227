package outline

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"outline-mcp/internal/text"
)

// AbsoluteURL returns the address of a page of the instance, given the path of an
// answer such as /doc/slug-1FF9VyHA4X. The pages of an instance below a path
// (https://example.com/wiki/api) are below that path, too. An absolute URL keeps
// its scheme and host, and "" stays "".
//
// Characters that are not allowed in a path, query or fragment are
// percent-encoded as UTF-8 (RFC 3986, sections 2.1 and 3.3 to 3.5); existing
// percent-encodings are kept.
func (c *Client) AbsoluteURL(path string) string {
	if path == "" {
		return ""
	}
	if origin := absoluteURL().FindString(path); origin != "" {
		return origin + percentEncode(path[len(origin):])
	}
	return strings.TrimSuffix(c.base, "/api") + "/" + percentEncode(strings.TrimPrefix(path, "/"))
}

// absoluteURL matches the scheme and the host of an absolute URL.
var absoluteURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^/?#]*`) })

// encodedOrNot matches what is percent-encoded and what is not allowed.
var encodedOrNot = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[[:xdigit:]]{2}|[^-.~!$&'()*+,;=:@/?\w]`) })

// percentEncode encodes a path with an optional query and fragment. It does not
// use url.URL, which leaves a query and square brackets as they are, and encodes
// the percent sign of %20 again if there is a stray one elsewhere.
func percentEncode(s string) string {
	if !strings.ContainsFunc(s, mayNeedEncoding) {
		return s
	}
	path, fragment, found := strings.Cut(s, "#")
	encoded := encodedOrNot().ReplaceAllStringFunc(path, func(match string) string {
		if len(match) == 3 && match[0] == '%' {
			return match
		}
		return url.PathEscape(match)
	})
	if !found {
		return encoded
	}
	return encoded + "#" + percentEncode(strings.ReplaceAll(fragment, "#", "%23"))
}

// mayNeedEncoding reports whether r is anything but a letter, a digit, a hyphen or a slash,
// of which nearly all of Outline's paths consist.
func mayNeedEncoding(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '/')
}

var errNoURL = errors.New("the Outline address is not a valid URL: write one such as https://app.getoutline.com/api")

// ParseBaseURL returns the base of the API for the address of an Outline instance
// as a person writes it. The result ends in /api without a slash.
//
// Surrounding spaces and quotes and trailing slashes are removed, /api is added if
// it is missing, and a path in front of it is kept (https://example.com/wiki
// becomes https://example.com/wiki/api). Schemes other than http and https, a
// missing scheme or host, user information, a query and a fragment are errors. The
// errors do not repeat the value, which may contain a password.
func ParseBaseURL(s string) (string, error) {
	s = strings.Trim(s, " \t\r\n\"'`“”‘’")
	if s == "" {
		return "", errors.New("the Outline address is empty: write one such as https://app.getoutline.com/api")
	}
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return "", errors.New("the Outline address has no scheme: write https:// in front of it")
	}
	scheme = strings.ToLower(scheme)
	if scheme != "https" && scheme != "http" {
		return "", errors.New("the Outline address must begin with https:// (or http://)")
	}
	// url.Parse does not report an empty fragment.
	if strings.ContainsAny(rest, "?#") {
		return "", errors.New("the Outline address must not have a query or a fragment: leave out everything from ? or # on")
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil {
		return "", errNoURL
	}
	if u.User != nil {
		return "", errors.New("the Outline address must not hold a user name or password: leave out everything up to the @")
	}
	if u.Hostname() == "" {
		return "", errors.New("the Outline address has no host: write one such as https://app.getoutline.com/api")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "", fmt.Errorf("the Outline address has the port %s, which is not between 1 and 65535", port)
		}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if last := strings.LastIndexByte(path, '/'); last >= 0 && strings.EqualFold(path[last:], "/api") {
		path = path[:last]
	}
	origin := url.URL{Scheme: scheme, Host: strings.TrimSuffix(strings.ToLower(u.Host), ":")}
	base := origin.String() + strings.TrimRight(path, "/") + "/api"
	// A zone or a host in another encoding is lost in String.
	if _, err := url.Parse(base); err != nil {
		return "", errNoURL
	}
	return base, nil
}

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
	host := hostOf(bareAddress(s))
	if host == "" || c.isOwn(host) {
		return id, nil
	}
	return "", c.foreignID(kind, bareAddress(s), host)
}

// foreignID returns the error for an address of another instance.
func (c *Client) foreignID(kind, value, host string) error {
	host = text.Truncate(Redact(host), 80)
	return &IdentifierError{
		Kind: kind, Value: shownID(value), ForeignHost: host,
		Hint: "it is an address of " + host + ", not of " + c.host,
	}
}

// cloudDomain is the domain of the service that Outline's makers run. Each workspace
// there has its own name in it, and ids are unique across all of them.
const cloudDomain = ".getoutline.com"

// isOwn reports whether a host is that of the instance, or one of its aliases.
// An alias without a port stands for any.
func (c *Client) isOwn(host string) bool {
	own, name := hostOf(c.base), host
	if u, err := url.Parse("//" + host); err == nil {
		name = u.Hostname()
	}
	return host == own || strings.HasSuffix(host, cloudDomain) && strings.HasSuffix(own, cloudDomain) ||
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
