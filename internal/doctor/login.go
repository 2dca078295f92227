package doctor

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// isLoginPage reports whether a page asks the user to log in.
func isLoginPage(page []byte) bool {
	text := strings.ToLower(string(page))
	return strings.Contains(text, `type="password"`) || strings.Contains(text, "type=password") || isLoginTitle(title(page))
}

// isLoginTitle reports whether a title has the words of a login, such as
// "Sign in".
func isLoginTitle(title string) bool {
	words := regexp.MustCompile(`(^|\PL)(login|logon|signin|(log|sign)\PL+(in|on))(\PL|$)`)
	return words.MatchString(strings.ToLower(title))
}

// isLoginAddress reports whether an address looks like that of a login.
func isLoginAddress(u *url.URL) bool {
	label, _, _ := strings.Cut(u.Hostname(), ".")
	if slices.Contains([]string{"login", "auth", "sso", "accounts", "idp", "signin", "id", "oauth"}, label) {
		return true
	}
	signs := []string{"login", "signin", "sign-in", "sign_in", "logon", "oauth", "oauth2", "sso", "auth", "saml", "saml2", "authorize", "adfs"}
	for segment := range strings.SplitSeq(strings.ToLower(strings.TrimSuffix(u.Path, "/auth.info")), "/") {
		name, _, _ := strings.Cut(segment, ".") // login.php
		if slices.Contains(signs, name) {
			return true
		}
	}
	return false
}
