package outline

import (
	"fmt"
	"strings"
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
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(path, scheme); ok {
			host := len(rest)
			if i := strings.IndexAny(rest, "/?#"); i >= 0 {
				host = i
			}
			return scheme + rest[:host] + percentEncode(rest[host:])
		}
	}
	return strings.TrimSuffix(c.base, "/api") + "/" + percentEncode(strings.TrimPrefix(path, "/"))
}

// percentEncode encodes a path with an optional query and fragment. It does not
// use url.URL, which leaves a query and square brackets as they are, and encodes
// the percent sign of %20 again if there is a stray one elsewhere.
func percentEncode(s string) string {
	var b strings.Builder
	inFragment := false
	for i := range len(s) {
		switch ch := s[i]; {
		case ch == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]),
			ch == '#' && !inFragment,
			isAlphanumeric(ch), strings.IndexByte("-._~!$&'()*+,;=:@/?", ch) >= 0:
			b.WriteByte(ch)
			inFragment = inFragment || ch == '#'
		default:
			fmt.Fprintf(&b, "%%%02X", ch)
		}
	}
	return b.String()
}
