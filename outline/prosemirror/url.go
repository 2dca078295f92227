package prosemirror

import (
	"encoding/hex"
	neturl "net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// allowedURL reports whether a normalized URL may be a link or an image.
func allowedURL(url string) bool {
	url = strings.ToLower(trimSpace(url))
	scheme, rest, found := strings.Cut(url, ":")
	if !found {
		return true
	}
	switch scheme {
	case "vbscript", "javascript", "file":
		return false
	case "data":
		for _, kind := range []string{"image/gif;", "image/png;", "image/jpeg;", "image/webp;"} {
			if strings.HasPrefix(rest, kind) {
				return true
			}
		}
		return false
	}
	return true
}

// normalizeURL writes a URL as markdown-it does: unsafe characters are
// percent-encoded, international host names become Punycode.
func normalizeURL(url string) string {
	if plainURL.get().MatchString(url) {
		return url
	}
	u := splitURL(url)
	u.translateHost(idna.Punycode.ToASCII)
	return percentEncode(u.String())
}

// urlText is the text that an autolink shows for a URL: decoded where that
// cannot change its meaning.
func urlText(url string) string {
	u := splitURL(url)
	u.translateHost(idna.Punycode.ToUnicode)
	return percentDecode(u.String())
}

// The bytes that need no encoding in a URL, and those of them that are not decoded.
const (
	urlSafe  = `0-9A-Za-z;?@&=+$,._!~*'()#-`
	reserved = ";/?:@&=+$,#%"
)

var (
	// plainURL matches what normalizing leaves unchanged: a path, or an http URL with a
	// simple host.
	plainURL = pattern{expression: `^(?:https?://[0-9A-Za-z.-]{0,63}(?:[/?#][:/` + urlSafe + `]*)?|/?(?:[` + urlSafe + `][/` + urlSafe + `]*)?)$`}
	// encodedOrUnsafe matches what is encoded and what must be.
	encodedOrUnsafe = pattern{expression: `%[0-9A-Fa-f]{2}|[^:/` + urlSafe + `]`}
	encoded         = pattern{expression: `(?:%[0-9A-Fa-f]{2})+`} // a run of encoded bytes
	// encodedURL matches what has nothing to encode, in one pass.
	encodedURL = pattern{expression: `^[:/` + urlSafe + `]*$`}
)

// percentEncode encodes what may not stand in a URL.
func percentEncode(s string) string {
	if encodedURL.get().MatchString(s) {
		return s
	}
	return encodedOrUnsafe.get().ReplaceAllStringFunc(s, func(part string) string {
		if len(part) == 3 && part[0] == '%' {
			return part
		}
		return neturl.PathEscape(strings.ToValidUTF8(part, "\uFFFD"))
	})
}

// percentDecode decodes everything except reserved characters. Bytes that are
// not UTF-8 become U+FFFD.
func percentDecode(s string) string {
	return encoded.get().ReplaceAllStringFunc(s, func(run string) string {
		raw, _ := hex.DecodeString(strings.ReplaceAll(run, "%", ""))
		var out strings.Builder
		for i := 0; i < len(raw); {
			r, size := utf8.DecodeRune(raw[i:])
			if strings.IndexByte(reserved, raw[i]) >= 0 {
				out.WriteString(strings.ToUpper(run[3*i : 3*i+3]))
			} else {
				out.WriteRune(r)
			}
			i += size
		}
		return out.String()
	})
}

// urlParts are the parts of a URL as Node's old parser splits it, which
// markdown-it uses. It is lenient: an invalid host becomes part of the path.
type urlParts struct {
	scheme, auth, host, port, rest string
	slashes                        bool
}

func (u urlParts) String() string {
	s := u.scheme
	if u.slashes {
		s += "//"
	}
	if u.auth != "" {
		s += u.auth + "@"
	}
	if strings.IndexByte(u.host, ':') >= 0 {
		s += "[" + u.host + "]"
	} else {
		s += u.host
	}
	if u.port != "" {
		s += ":" + u.port
	}
	return s + u.rest
}

// translateHost rewrites an international host name of a scheme that has some.
func (u *urlParts) translateHost(translate func(string) (string, error)) {
	switch u.scheme {
	case "", "http:", "https:", "mailto:":
		host := strings.NewReplacer("\u3002", ".", "\uFF0E", ".", "\uFF61", ".").Replace(u.host)
		if host, err := translate(host); err == nil {
			u.host = host
		}
	}
}

var protocol = pattern{expression: `^[0-9A-Za-z.+-]+:`}

func splitURL(url string) urlParts {
	var u urlParts
	rest := trimSpace(url)
	u.scheme = protocol.get().FindString(rest)
	rest = rest[len(u.scheme):]
	script := u.scheme == "javascript:"
	slashes := strings.HasPrefix(rest, "//")
	if slashes && !script {
		rest = rest[2:]
		u.slashes = true
	}
	web := false
	switch u.scheme {
	case "http:", "https:", "ftp:", "gopher:", "file:":
		web = true
	}
	if script || !slashes && (u.scheme == "" || web) {
		u.rest = rest
		return u
	}
	at := -1
	if end := strings.IndexAny(rest, "/?#"); end < 0 {
		at = strings.LastIndexByte(rest, '@')
	} else {
		at = strings.LastIndexByte(rest[:end+1], '@')
	}
	if at >= 0 {
		u.auth, rest = rest[:at], rest[at+1:]
	}
	end := strings.IndexAny(rest, "%/?;#'{}|\\^`<>\" \r\n\t")
	if end < 0 {
		end = len(rest)
	}
	if end > 0 && rest[end-1] == ':' {
		end--
	}
	host := rest[:end]
	rest = rest[end:]
	if digits := strings.TrimRight(host, "0123456789"); strings.HasSuffix(digits, ":") {
		u.port = host[len(digits):]
		host = digits[:len(digits)-1]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		u.host = host[1 : len(host)-1]
	} else {
		u.host, rest = validHost(host, rest)
	}
	if length16(u.host) > 255 {
		u.host = ""
	}
	u.rest = rest
	return u
}

// validHost cuts a host name at the first invalid part, and puts the remainder
// in front of rest.
func validHost(host, rest string) (valid, remainder string) {
	parts := strings.Split(host, ".")
	for i, part := range parts {
		if length16(part) <= 63 && hostPart.get().MatchString(part) {
			continue
		}
		// The part kept is the ASCII characters at its start.
		kept := len(hostPartStart.get().FindString(part))
		head := append(append([]string{}, parts[:i]...), part[:kept])
		tail := append([]string{part[kept:]}, parts[i+1:]...)
		return strings.Join(head, "."), strings.Join(tail, ".") + rest
	}
	return host, rest
}

// hostPart matches a part of a host name of any length.
var hostPart = pattern{expression: `^[+0-9A-Za-z_\x{80}-\x{10FFFF}-]*$`}

var hostPartStart = pattern{expression: `^[+0-9A-Za-z_-]{0,63}`}
