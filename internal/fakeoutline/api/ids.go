package api

import (
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// IsUUID reports whether s is a UUID in the text form of RFC 9562, in either
// case: one of version 1 to 8 and the RFC's variant, or the nil or max UUID.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	if s[14] >= '1' && s[14] <= '8' && strings.ContainsRune("89abAB", rune(s[19])) {
		return true
	}
	return s == "00000000-0000-0000-0000-000000000000" || strings.EqualFold(s, "ffffffff-ffff-ffff-ffff-ffffffffffff")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// URLID returns the URL ID in s, which is a URL ID or a slug that ends in one
// after a hyphen, or "" if s is neither. A URL ID is ten to fifteen ASCII
// letters and digits.
func URLID(s string) string {
	hyphen := strings.LastIndexByte(s, '-')
	name := s[hyphen+1:]
	if len(name) < 10 || len(name) > 15 {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		plain := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !plain && (i > hyphen || c != '-' && c != '_' && c != '~') {
			return ""
		}
	}
	return name
}

// DerivedUUID returns a UUID that depends only on a and b.
func DerivedUUID(a, b string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(a+"/"+b)).String()
}

// isEmail reports whether a text is an email address, as far as requests need.
func isEmail(text string) bool {
	name, host, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(host, ".")
}

// IsURL reports whether Outline takes a text for a URL.
func IsURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return false
	}
	return u.Host != "" || u.Scheme != "http" && u.Scheme != "https"
}
