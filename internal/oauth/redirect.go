package oauth

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"outline-mcp/outline/transport"
)

// The limits on redirect URIs.
const (
	maxRedirects   = 10  // of a client
	maxRedirectURI = 255 // bytes
)

// webURI matches an absolute URI of a host in the only spelling that CheckRedirect
// accepts: a scheme and a host name or IP address in lower-case ASCII, a port, a path, and
// a query. Browsers and Go read other spellings differently (backslashes, userinfo, tabs,
// numbers as hosts), so there are none.
var webURI = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(https?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(/[^?]*)?(\?.*)?$`)
})

// appURI matches a URI with a private-use scheme (RFC 8252, section 7.1), such as
// cursor://anysphere.cursor-mcp/oauth/callback or com.example.app:/callback.
// One letter is a drive of Windows.
var appURI = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z][a-z0-9+.-]+):/.+$`) })

// uriBytes matches the bytes of RFC 3986 without # and *, which no redirect URI has, and
// without encoded control characters.
var uriBytes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z0-9._~:/?\[\]@!$&'()+,;=-]|%[2-689A-Fa-f][0-9A-Fa-f]|%7[0-9A-Ea-e])+$`)
})

// reserved are schemes that no app can have for itself: they run code, show what the
// sender has written, open files or other protocols, or are those of the web.
var reserved = []string{
	"about", "android-app", "arc", "blob", "browser", "cid", "content", "data", "dns", "feed", "file", "filesystem", "ftp", "ftps", "gopher",
	"imap", "intent", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "mhtml", "mid", "mocha", "ms-its", "news",
	"nfs", "nntp", "pop", "resource", "rtsp", "sftp", "shell", "sip", "sips", "sms", "smb", "ssh", "tel", "telnet", "urn",
	"vbs", "vbscript", "view-source", "wais", "ws", "wss", "x-javascript",
}

// reservedPrefixes begin schemes of Windows, and those of browsers, which open a page of
// whoever wrote the URI.
var reservedPrefixes = []string{"brave", "chrome", "ddgquicklink", "dolphin", "duckduckgo", "edge", "firefox", "googlechrome", "http", "icab", "microsoft-edge",
	"mobilesafari", "moz", "mqqbrowser", "mttbrowser", "ms-", "opera", "puffin", "safari", "samsunginternet", "sbrowser", "search-ms", "touch-http", "ucbrowser", "ucweb",
	"vivaldi", "web+", "wyciwyg", "x-safari", "x-web-search", "yandexbrowser"}

// CheckRedirect returns nil if a client may register a redirect URI: https, http on a
// loopback host, or a private-use scheme; at most 255 bytes, without a fragment, user
// information, wildcards, and path segments that lead up; and not ownCallback, the
// address at which this server itself gets Outline's answers. The error is a *ClientError.
func CheckRedirect(uri, ownCallback string) error {
	switch {
	case uri == "":
		return badRedirect("it is empty")
	case len(uri) > maxRedirectURI:
		return badRedirect("it is longer than %d bytes", maxRedirectURI)
	case !uriBytes().MatchString(uri):
		return badRedirect("it has a fragment, a wildcard or characters that a URI cannot have")
	case hasDotSegments(uri):
		return badRedirect("its path has . or .. segments, or encoded slashes")
	}
	if web := webURI().FindStringSubmatch(uri); web != nil {
		return checkWeb(web[1], web[2], web[3], uri, ownCallback)
	}
	app := appURI().FindStringSubmatch(uri)
	if app == nil || isReserved(app[1]) {
		return badRedirect("use https, http on a loopback host, or the scheme of your app, in lower case and without user information")
	}
	if u, err := url.Parse(uri); err != nil || u.User != nil {
		return badRedirect("it has user information or is malformed")
	}
	return nil
}

func checkWeb(scheme, host, port, uri, ownCallback string) error {
	switch {
	case port != "" && !isPort(port):
		return badRedirect("its port is not a number from 1 to 65535")
	case isLoopback(host):
	case scheme == "http":
		return badRedirect("http is for loopback hosts (127.0.0.1, [::1], localhost) only; use https")
	case !isHostname(host):
		return badRedirect("its host must be a domain name in lower case")
	}
	if LeadsTo(uri, ownCallback) {
		return badRedirect("it is the address of this server's own callback")
	}
	return nil
}

// LeadsTo reports whether two URIs lead to the same place, if only the query, the case, the
// slashes or the name of the loopback host differ.
func LeadsTo(uri, place string) bool {
	a, err := url.Parse(uri)
	if err != nil {
		return false
	}
	b, err := url.Parse(place)
	if err != nil {
		return false
	}
	path := func(u *url.URL) string { return path.Clean("/" + u.Path) }
	sameHost := strings.EqualFold(a.Hostname(), b.Hostname()) || transport.IsLoopback(a.Hostname()) && transport.IsLoopback(b.Hostname())
	return a.Host != "" && a.Scheme == b.Scheme && sameHost && portOf(a) == portOf(b) && strings.EqualFold(path(a), path(b))
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// hasDotSegments reports whether the path of a URI has segments that browsers or servers resolve,
// some of them after decoding or without what follows a semicolon.
func hasDotSegments(uri string) bool {
	path, _, _ := strings.Cut(uri, "?")
	folded := strings.ToLower(path)
	if strings.Contains(folded, "%2f") || strings.Contains(folded, "%5c") {
		return true
	}
	_, path, _ = strings.Cut(strings.ReplaceAll(folded, "%2e", "."), ":")
	return slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		segment, _, _ = strings.Cut(segment, ";")
		return segment == "." || segment == ".."
	})
}

// isLoopback reports whether a host, as in a URI, is one of those that RFC 8252 names.
// Other addresses of 127.0.0.0/8 and other spellings are not.
func isLoopback(host string) bool {
	return host == "127.0.0.1" || host == "[::1]" || host == "localhost"
}

// isHostname reports whether a host is a domain name whose last label is not a number,
// which browsers read as an IP address.
func isHostname(host string) bool {
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	return len(labels) > 1 && last != "" && last[0] >= 'a' && last[0] <= 'z' && !slices.ContainsFunc(labels, func(label string) bool {
		return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-'
	})
}

func isPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

func isReserved(scheme string) bool {
	if slices.Contains(reserved, scheme) {
		return true
	}
	return slices.ContainsFunc(reservedPrefixes, func(prefix string) bool { return strings.HasPrefix(scheme, prefix) })
}

// sameButPort reports whether both URIs are http URIs of the same loopback host and
// differ in the port only.
func sameButPort(registered, asked string) bool {
	a, b := webURI().FindStringSubmatch(registered), webURI().FindStringSubmatch(asked)
	if a == nil || b == nil || a[1] != "http" || !isLoopback(a[2]) {
		return false
	}
	return a[1] == b[1] && a[2] == b[2] && a[4] == b[4] && a[5] == b[5] && (b[3] == "" || isPort(b[3]))
}

// Destination says for people where answers at a redirect URI go: a host, with its port
// unless it is the usual one, or the scheme of an app. local is true for a program on the
// user's own computer at an address that any program there can take.
func Destination(uri string) (place string, local bool) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", false
	case u.Scheme != "https" && u.Scheme != "http":
		return u.Scheme + ":", false
	}
	return u.Host, isLoopback(strings.TrimSuffix(u.Host, ":"+u.Port()))
}

func badRedirect(format string, args ...any) *ClientError {
	return &ClientError{InvalidRedirectURI, "redirect URI refused: " + fmt.Sprintf(format, args...)}
}
