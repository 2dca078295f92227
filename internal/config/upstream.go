package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// checkKey reports an API key that cannot be one. If a file is named, it reads
// the key from there.
func (c *Config) checkKey(found *problems) {
	if err := validateKey(c.APIKey); err != nil {
		found.add("OUTLINE_API_KEY", "%s", err)
	}
	found.readFile("OUTLINE_API_KEY", c.APIKeyFile, c.APIKey != "", func() error {
		key, err := readKeyFile(c.APIKeyFile)
		if err != nil {
			return fmt.Errorf("%w; set the path of a file that contains only the key", err)
		}
		if err = validateKey(key); err == nil {
			c.APIKey = key
		}
		return err
	})
}

// readFile reads a setting from the file at a path, which is the value of the setting with
// _FILE at the end of its name, or "". Only one of the two may be set.
func (p *problems) readFile(setting, path string, isSet bool, read func() error) {
	if path == "" {
		return
	}
	err := errors.New(setting + " is also set; set only one of them")
	if !isSet {
		err = read()
	}
	if err != nil {
		p.add(setting+"_FILE", "%s", err)
	}
}

// maxKeyFile is the size of the largest key file, in bytes.
const maxKeyFile = 4 << 10

// readKeyFile returns the key in a file, without the newline at its end. The
// file may be a pipe. Errors name the file, unless its name may be a key.
func readKeyFile(path string) (Secret, error) {
	if outline.Redact(path) != path && !strings.ContainsAny(path, `/\`) {
		return "", errors.New("is a key, not a path; set it as OUTLINE_API_KEY")
	}
	content, err := readLimited(path, "key", maxKeyFile, ", too long for a key")
	if err != nil {
		return "", err
	}
	key := Secret(strings.TrimSpace(content))
	if key == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return key, nil
}

// readLimited returns the content of a file, which may be a pipe, of at most
// limit bytes. Errors name the file, unless its name may be a key, and what it
// holds; that of a larger file ends with reason.
func readLimited(path, what string, limit int64, reason string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the %s cannot be read: %w", what, withoutKey(err, path))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return "", fmt.Errorf("the %s cannot be read: %w", what, err)
	}
	if int64(len(content)) > limit {
		return "", fmt.Errorf("%s is longer than %d bytes%s", path, limit, reason)
	}
	return string(content), nil
}

// validateKey returns an error that says why a key cannot be one and what to
// do, without showing it. An empty key is valid.
func validateKey(key Secret) error {
	value := key.Reveal()
	lower := strings.ToLower(value)
	switch {
	case strings.ContainsAny(value, "${}"):
		return errors.New("contains a variable that the client did not expand; replace it with the actual key, or set the variable in the client's environment")
	case strings.ContainsAny(value, "<>") || strings.Contains(lower, "your-api-key") || strings.Contains(lower, "your_api_key") || strings.HasSuffix(value, "..."):
		return errors.New("contains a placeholder; replace it with the actual key, created in Outline under " + outline.KeysPage)
	case strings.Contains(value, "://"):
		return errors.New("is an address; the key begins with ol_api_")
	case strings.HasPrefix(lower, "bearer "):
		return errors.New("begins with Bearer, which is not part of a key; remove Bearer")
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("contains spaces or characters that no key contains; copy it again, on one line")
	}
	return nil
}

const outlineHeaders = "OUTLINE_HEADERS"

// Limits of the headers for Outline.
const (
	maxHeaders     = 20
	maxHeadersFile = 16 << 10 // bytes
)

// checkHeaders reports headers that cannot be sent to Outline. If a file is named, it
// reads them from there.
func (c *Config) checkHeaders(found *problems) {
	if c.HeadersFile == "" {
		if _, err := parseHeaders(c.Headers.Reveal(), ";\n"); err != nil {
			found.add(outlineHeaders, "%s", err)
		}
	}
	found.readFile(outlineHeaders, c.HeadersFile, c.Headers != "", func() error {
		content, err := readLimited(c.HeadersFile, "headers", maxHeadersFile, "")
		if err == nil && strings.TrimSpace(content) == "" {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return fmt.Errorf("%w; set the path of a file with one header per line, as Name: value", err)
		}
		if _, err = parseHeaders(content, "\n"); err == nil {
			c.Headers = Secret(content)
		}
		return err
	})
}

// OutlineHeaders returns the headers that OUTLINE_HEADERS names or, with again, that its
// file holds now. Errors show no values.
func (c Config) OutlineHeaders(again bool) (http.Header, error) {
	if c.HeadersFile == "" {
		return parseHeaders(c.Headers.Reveal(), ";\n")
	}
	if again {
		c.Headers = ""
		var found problems
		if c.checkHeaders(&found); len(found) > 0 {
			return nil, found[0]
		}
	}
	return parseHeaders(c.Headers.Reveal(), "\n")
}

// parseHeaders reads headers, each as Name: value, with one of the separators between
// them. Errors show names of headers, but no values.
func parseHeaders(written, separators string) (http.Header, error) {
	headers, n := http.Header{}, 0
	for line := range strings.FieldsFuncSeq(written, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		n++
		name, value, found := strings.Cut(line, ":")
		name, value = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch {
		case !found || !isToken(name):
			return nil, fmt.Errorf("entry %d is not a header; write each as Name: value, and values that contain a semicolon in the file of OUTLINE_HEADERS_FILE", n)
		case n > maxHeaders:
			return nil, fmt.Errorf("there are more than %d headers; remove those that no gateway in front of Outline needs", maxHeaders)
		case isOurs(name):
			return nil, fmt.Errorf("%s cannot be set, because this server or the connection sets it; leave it out", name)
		case headers[name] != nil:
			return nil, fmt.Errorf("%s appears twice; set it once", name)
		case value == "":
			return nil, fmt.Errorf("%s has no value; add one, or leave it out", name)
		case strings.Contains(value, "${"), strings.Contains(value, "{{"), strings.HasPrefix(value, "$"), strings.HasSuffix(value, "..."),
			strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">"):
			return nil, fmt.Errorf("the value of %s is a placeholder or an unexpanded variable; replace it with the actual value", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }):
			return nil, fmt.Errorf("the value of %s contains a character that no header contains; copy it again", name)
		}
		headers[name] = []string{value}
	}
	return headers, nil
}

// isToken reports whether a header can have a name (RFC 9110, section 5.6.2).
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// isOurs reports whether a header belongs to a request as it is sent without any
// settings: to what this server sends, to the body, or to the connection.
func isOurs(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc([]string{"Accept", "Content-", "Proxy-", "X-Outline-", "X-Mcp-"}, begins) || slices.Contains([]string{
		"Authorization", "Cookie", "Host", "User-Agent", "X-Api-Version", "Traceparent", "Tracestate", "Baggage",
		"Connection", "Expect", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings",
	}, name)
}

// withoutKey returns the error of opening a file, without the file's name if
// that may be a key: a long name without a folder.
func withoutKey(err error, path string) error {
	var failure *fs.PathError
	if errors.As(err, &failure) && utf8.RuneCountInString(path) >= 20 && !strings.ContainsAny(path, `/\`) {
		return fmt.Errorf("%s the file: %w", failure.Op, failure.Err)
	}
	return err
}

// checkReach reports an address of Outline or a file of certificates that cannot
// be used.
func (c *Config) checkReach(found *problems) {
	if err := validateURL(c.APIURL); err != nil {
		found.add("OUTLINE_API_URL", "%s", err)
	} else if _, err := outline.ParseBaseURL(c.APIURL); err != nil {
		found.add("OUTLINE_API_URL", "%s", err)
	}
	checkHosts(found, "OUTLINE_URL_ALIASES", c.URLAliases)
	if c.CAFile != "" {
		if err := checkCertificates(c.CAFile); err != nil {
			found.add("OUTLINE_CA_FILE", "%s; set the path of a PEM file", err)
		}
	}
	checkPair(found, "OUTLINE_CLIENT_CERT", c.ClientCert, "OUTLINE_CLIENT_KEY", c.ClientKey)
	c.checkHeaders(found)
}

// validateURL returns an error that says why an address cannot be one and what
// to do, without showing it: it may hold a password.
func validateURL(address string) error {
	address = strings.Trim(address, " \t\r\n\"'`“”‘’")
	scheme, rest, found := strings.Cut(address, "://")
	switch {
	case strings.HasPrefix(address, "$"), strings.Contains(address, "${"), strings.Contains(address, "{{"):
		return errors.New("contains a variable that the client did not expand; replace it with the actual address, or set the variable in the client's environment")
	case !found && strings.Contains(address, "@"):
		return errors.New("the address contains a user name or password and has no scheme; remove everything up to the @ and put https:// in front")
	case !found && transport.IsLoopback(WithoutScheme(address)):
		return errors.New("the address has no scheme; write http:// in front of it")
	case !found:
		return errors.New("the address has no scheme; write https:// in front of it")
	case !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http"):
		return errors.New("the address must begin with https:// (or http://)")
	case strings.ContainsAny(rest, "?#"):
		return errors.New("the address has a query or a fragment; remove everything from ? or # on")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("the address is not a valid URL; use one such as https://wiki.example.com")
	case u.User != nil:
		return errors.New("the address contains a user name or password; remove everything up to the @")
	case u.Hostname() == "":
		return errors.New("the address has no host; use one such as https://wiki.example.com")
	}
	return nil
}

// checkCertificates returns an error if a file cannot be read or holds no
// certificate.
func checkCertificates(path string) error {
	pem, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the certificates cannot be read: %w", withoutKey(err, path))
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s contains no PEM certificate", path)
	}
	return nil
}

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
