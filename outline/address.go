package outline

import (
	"fmt"
	"strings"
)

// AbsoluteURL returns the address of a page of the instance, such as
// /doc/slug-1FF9VyHA4X in an answer. An instance below a path
// (https://example.com/wiki/api) has its pages there, too. An absolute URL
// keeps its scheme and host, and "" stays "".
//
// What a path, query or fragment must not hold is percent-encoded as UTF-8
// (RFC 3986, sections 2.1 and 3.3 to 3.5); what is encoded already stays so.
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

// percentEncode makes a path with what may follow it fit for a URI. It is not
// made of url.URL, which leaves a query and square brackets as they are, and
// encodes the percent signs of %20 again when there is a lone one elsewhere.
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
