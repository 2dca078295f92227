package prosemirror

import (
	"strconv"
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
	if isPlainURL(url) {
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

// isPlainURL reports whether normalizing leaves a URL unchanged: a path, or an
// http URL with a simple host.
func isPlainURL(url string) bool {
	rest := url
	if after, ok := strings.CutPrefix(url, "https://"); ok {
		rest = after
	} else if after, ok := strings.CutPrefix(url, "http://"); ok {
		rest = after
	} else if strings.HasPrefix(url, "//") || strings.IndexByte(url, ':') >= 0 {
		return false
	}
	if len(rest) < len(url) {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if end > 63 {
			return false
		}
		for i := range end {
			if c := rest[i]; !isAlphanumeric(c) && c != '.' && c != '-' {
				return false
			}
		}
		rest = rest[end:]
	}
	for i := range len(rest) {
		if !isURLSafe(rest[i]) {
			return false
		}
	}
	return true
}

// isURLSafe reports the bytes that need no encoding in a URL.
func isURLSafe(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte(";/?:@&=+$,-_.!~*'()#", c) >= 0
}

func percentEncode(s string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch c := s[i]; {
		case isURLSafe(c), c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			out.WriteByte(c)
		case r == utf8.RuneError && size == 1:
			out.WriteString("%EF%BF%BD")
		default:
			for j := i; j < i+size; j++ {
				out.WriteByte('%')
				out.WriteByte(digits[s[j]>>4])
				out.WriteByte(digits[s[j]&15])
			}
		}
		i += size
	}
	return out.String()
}

// percentDecode decodes everything except reserved characters. Bytes that are
// not UTF-8 become U+FFFD.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '%' || i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			out.WriteByte(s[i])
			i++
			continue
		}
		begin := i
		var raw []byte
		for i+2 < len(s) && s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2]) {
			value, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			raw = append(raw, byte(value))
			i += 3
		}
		for j := 0; j < len(raw); {
			r, size := utf8.DecodeRune(raw[j:])
			if size == 1 && raw[j] < utf8.RuneSelf && strings.IndexByte(";/?:@&=+$,#%", raw[j]) >= 0 {
				out.WriteString(strings.ToUpper(s[begin+3*j : begin+3*j+3]))
			} else {
				out.WriteRune(r)
			}
			j += size
		}
	}
	return out.String()
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

func splitURL(url string) urlParts {
	var u urlParts
	rest := trimSpace(url)
	for i := range len(rest) {
		if rest[i] == ':' && i > 0 {
			u.scheme, rest = rest[:i+1], rest[i+1:]
			break
		}
		if !isAlphanumeric(rest[i]) && rest[i] != '.' && rest[i] != '+' && rest[i] != '-' {
			break
		}
	}
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
		ascii := len(part)
		for at, r := range part {
			if r < utf8.RuneSelf && !isAlphanumeric(byte(r)) && r != '+' && r != '_' && r != '-' && ascii == len(part) {
				ascii = at
			}
		}
		if ascii == len(part) && length16(part) <= 63 {
			continue
		}
		// The part kept is the ASCII characters at its start.
		kept := 0
		for kept < len(part) && kept < 63 && (isAlphanumeric(part[kept]) || strings.IndexByte("+_-", part[kept]) >= 0) {
			kept++
		}
		head := append(append([]string{}, parts[:i]...), part[:kept])
		tail := append([]string{part[kept:]}, parts[i+1:]...)
		return strings.Join(head, "."), strings.Join(tail, ".") + rest
	}
	return host, rest
}
