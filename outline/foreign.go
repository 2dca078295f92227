package outline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"outline-mcp/outline/transport"
)

// Foreign is what answers in place of Outline.
type Foreign string

// What answers in place of Outline.
const (
	CloudflareAccess    Foreign = "a login of Cloudflare Access"
	CloudflareChallenge Foreign = "a challenge of Cloudflare for browsers"
	LoginRedirect       Foreign = "a redirect to a login"
	Redirect            Foreign = "a redirect"
	ProxyLogin          Foreign = "a proxy that asks for a user name and password"
	PlainHTTPRefused    Foreign = "a server that speaks HTTPS only"
	BasicLogin          Foreign = "a gateway that asks for a user name and password"
	Unavailable         Foreign = "a gateway that cannot reach Outline"
	GatewayRateLimit    Foreign = "the rate limit of a gateway"
	LoginPage           Foreign = "a login page"
	WebPage             Foreign = "a web page"
	OtherAPI            Foreign = "another API"
	Nothing             Foreign = "nothing at this path"
	Other               Foreign = "another server"
)

// Identify tells by status, header and body what sent an answer that is not from
// Outline. The body may be cut off or missing.
func Identify(status int, header http.Header, body []byte) Foreign {
	location, challenge := header.Get("Location"), strings.ToLower(header.Get("Www-Authenticate"))
	html := isHTML(header, body)
	switch {
	case strings.Contains(location, "cloudflareaccess.com"), strings.Contains(location, "/cdn-cgi/access/"), header.Get("Cf-Access-Domain") != "",
		strings.HasPrefix(challenge, "cloudflare-access"), html && bytes.Contains(body, []byte("Cloudflare Access")):
		return CloudflareAccess
	case strings.EqualFold(header.Get("Cf-Mitigated"), "challenge"):
		return CloudflareChallenge
	case status/100 == 3 && isLoginAddress(location):
		return LoginRedirect
	case status/100 == 3:
		return Redirect
	case status == http.StatusProxyAuthRequired:
		return ProxyLogin
	case status == http.StatusBadRequest && bytes.Contains(body, []byte("HTTPS")):
		return PlainHTTPRefused
	case strings.HasPrefix(challenge, "basic"):
		return BasicLogin
	case status != http.StatusTooManyRequests && isTransient(status):
		return Unavailable
	case status == http.StatusTooManyRequests:
		return GatewayRateLimit
	case html && isLoginPage(body):
		return LoginPage
	case html:
		return WebPage
	case isJSON(header):
		return OtherAPI
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return Nothing
	}
	return Other
}

func isHTML(header http.Header, body []byte) bool {
	kind := mediaType(header)
	return kind == "text/html" || kind == "application/xhtml+xml" || bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(body)), []byte("<!doctype html"))
}

// isLoginPage reports whether a page asks the user to log in: it has a field for a
// password, or a title such as "Sign in".
func isLoginPage(page []byte) bool {
	text := strings.ToLower(string(page))
	words := regexp.MustCompile(`(^|\PL)(login|logon|signin|(log|sign)\PL+(in|on))(\PL|$)`)
	return strings.Contains(text, `type="password"`) || strings.Contains(text, "type=password") || words.MatchString(strings.ToLower(PageTitle(page)))
}

// PageTitle returns the title of an HTML page, or "".
func PageTitle(page []byte) string {
	lower := strings.ToLower(string(page))
	begin := strings.Index(lower, "<title>")
	if begin < 0 || len(lower) != len(page) {
		return ""
	}
	title, _, _ := strings.Cut(string(page[begin+len("<title>"):]), "<")
	return title
}

// isLoginAddress reports whether an address looks like that of a login.
func isLoginAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
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

// ctxErr is like ctx.Err, but also reports a deadline that has just passed: the
// network uses its own clock and can notice it a moment earlier.
func ctxErr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// ended returns the failure of a call whose context has ended.
func ended(endpoint string, err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Endpoint: endpoint, Message: "the call was cancelled", Err: err, kind: ErrCancelled}
	}
	return &Error{Endpoint: endpoint, Message: "the time for the call ran out before Outline answered", Err: err, kind: ErrTimeout}
}

// endedUnsent is ended for an attempt that sent nothing.
func endedUnsent(endpoint string, err error) *Error {
	failure := ended(endpoint, err)
	failure.unsent = true
	return failure
}

// transportFailure returns the failure of an attempt that got no answer or only
// a part of it, and notes whether anything was sent as far as the error tells.
func (c *Client) transportFailure(ctx, attempt context.Context, endpoint, token string, err error) *Error {
	if err := ctxErr(ctx); err != nil {
		e := ended(endpoint, err)
		e.sent = true
		return e
	}
	problem, connecting := transport.Diagnose(err)
	e := &Error{
		Endpoint: endpoint, kind: ErrUnreachable, transient: true, sent: !connecting,
		Err: transport.Cause(err, func(text string) string { return presentable(text, token) }),
	}
	if ctxErr(attempt) != nil {
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = fmt.Sprintf("no complete answer from %s within %s", c.host, c.requestTimeout)
		return e
	}
	switch problem {
	case transport.Late:
		e.kind, e.Err = ErrTimeout, context.DeadlineExceeded
		e.Message = "no answer from " + c.host + " in the time that the connection allows"
	case transport.Untrusted:
		e.transient, e.Remedy = false, TrustIssuer
		e.Message = fmt.Sprintf("the certificate of %s cannot be trusted (%s)", c.host, e.Err)
	case transport.NoTLS:
		e.transient, e.Remedy = false, CheckAddress
		e.Message = c.host + " speaks HTTP, not HTTPS"
	case transport.NoProxy:
		e.Remedy = CheckProxy
		e.Message = fmt.Sprintf("cannot connect to the proxy for %s (%s)", c.host, e.Err)
	case transport.UnknownHost:
		e.Remedy = CheckAddress
		reason := e.Err
		var lookup *net.DNSError
		if errors.As(err, &lookup) {
			reason = errors.New(lookup.Err)
		}
		e.Message = fmt.Sprintf("cannot find the host %s (%s)", c.host, reason)
	case transport.Silent:
		e.Remedy = CheckAddressNetwork
		e.Message = fmt.Sprintf("cannot connect to %s (it does not respond)", c.host)
	case transport.Unreachable:
		e.Remedy = CheckAddressServer
		e.Message = fmt.Sprintf("cannot connect to %s (%s)", c.host, e.Err)
	default:
		e.Message = fmt.Sprintf("the connection to %s failed before the answer was complete (%s)", c.host, e.Err)
	}
	return e
}
