package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

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
		return
	}
	if c.Headers != "" {
		found.add(outlineHeaders+"_FILE", "%s is also set; set only one of them", outlineHeaders)
		return
	}
	content, err := readLimited(c.HeadersFile, "headers", maxHeadersFile, "")
	if err == nil && strings.TrimSpace(content) == "" {
		err = errors.New("the file is empty")
	}
	if err != nil {
		found.add(outlineHeaders+"_FILE", "%s; set the path of a file with one header per line, as Name: value", err)
		return
	}
	if _, err := parseHeaders(content, "\n"); err != nil {
		found.add(outlineHeaders+"_FILE", "%s", err)
		return
	}
	c.Headers = Secret(content)
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
			return nil, fmt.Errorf("there are more than %d headers; leave out those that nothing in front of Outline needs", maxHeaders)
		case isOurs(name):
			return nil, fmt.Errorf("%s cannot be set, because this server or the connection sets it; leave it out", name)
		case headers[name] != nil:
			return nil, fmt.Errorf("%s is there twice; set it once", name)
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
	for _, prefix := range []string{"Accept", "Content-", "Proxy-", "X-Outline-", "X-Mcp-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{
		"Authorization", "Cookie", "Host", "User-Agent", "X-Api-Version", "Traceparent", "Tracestate", "Baggage",
		"Connection", "Expect", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings",
	}, name)
}
