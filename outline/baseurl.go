package outline

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

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
