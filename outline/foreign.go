package outline

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"outline-mcp/internal/text"
)

// A ForeignKind is a kind of server that answers in place of Outline.
type ForeignKind string

// What answers in place of Outline.
const (
	CloudflareAccess ForeignKind = "a login of Cloudflare Access"
	CloudflareBlock  ForeignKind = "a block of Cloudflare"
	Challenge        ForeignKind = "a challenge for browsers"
	LoginRedirect    ForeignKind = "a redirect to a login"
	HTTPSRedirect    ForeignKind = "a redirect to https://"
	HTTPRedirect     ForeignKind = "a redirect to http://"
	PathRedirect     ForeignKind = "a redirect on the same host"
	HostRedirect     ForeignKind = "a redirect to another host"
	ProxyLogin       ForeignKind = "a proxy that asks for a user name and password"
	PlainHTTPRefused ForeignKind = "a server that speaks HTTPS only"
	PasswordLogin    ForeignKind = "a gateway that asks for a user name and password"
	GatewayRateLimit ForeignKind = "the rate limit of a gateway"
	GatewaySizeLimit ForeignKind = "the size limit of a gateway"
	Unavailable      ForeignKind = "a gateway that cannot reach Outline"
	LoginPage        ForeignKind = "a login page"
	Refusal          ForeignKind = "a gateway that refuses requests"
	WebPage          ForeignKind = "a web page"
	OtherAPI         ForeignKind = "another API"
	Nothing          ForeignKind = "nothing at this path"
	Other            ForeignKind = "another server"
)

// Foreign describes an answer that is not from Outline. Its Kind is "" if the answer is
// from Outline.
type Foreign struct {
	Kind    ForeignKind
	Remedy  Remedy
	Finding string // the kind as a sentence, without the status
	Status  int
	Address string // where a redirect leads, for Options.BaseURL; "" if it leads nowhere else
	Title   string // of a page: text from outside, of any length
}

// String returns the finding with the status, such as "a login page answers with
// text/html instead of Outline (status 200 OK)".
func (f Foreign) String() string {
	return f.Finding + " (status " + strings.TrimSpace(strconv.Itoa(f.Status)+" "+http.StatusText(f.Status)) + ")"
}

// Identify tells what answered a request to the API at base. The body may be cut off or
// missing. Finding and Address contain text of the answer, of limited length.
func Identify(base string, status int, header http.Header, body []byte) Foreign {
	if isJSON(header) && fromOutline(status, body) {
		return Foreign{}
	}
	title := ""
	if isHTML(header, body) {
		title = pageTitle(body)
	}
	f := identify(base, status, header, body, title)
	f.Status, f.Title = status, title
	return f
}

// fromOutline reports whether JSON is a success or an error of Outline. The JSON of most
// other servers has no "ok".
func fromOutline(status int, body []byte) bool {
	var answer struct {
		OK *bool `json:"ok"`
	}
	if decode(body, &answer) != nil || answer.OK == nil {
		return false
	}
	return *answer.OK && status/100 == 2 || !*answer.OK && status >= 400
}

func identify(base string, status int, header http.Header, body []byte, title string) Foreign {
	location, html := header.Get("Location"), isHTML(header, body)
	schemes := authenticationSchemes(header)
	const front, webPage = " in front of Outline ", "a web page answers with text/html"
	is := func(kind ForeignKind, remedy Remedy, finding string) Foreign {
		return Foreign{Kind: kind, Remedy: remedy, Finding: finding}
	}
	elsewhere := func(kind ForeignKind, remedy Remedy, finding string) Foreign {
		return is(kind, remedy, "there is no Outline API at "+base+": "+finding)
	}
	switch {
	case strings.Contains(location, "cloudflareaccess.com"), strings.Contains(location, "/cdn-cgi/access/"), header.Get("Cf-Access-Domain") != "",
		schemes["cloudflare-access"], html && bytes.Contains(body, []byte("Cloudflare Access")):
		return is(CloudflareAccess, PassGateway, "Cloudflare Access"+front+"requires a login")
	case challenger(header, title) != "":
		return is(Challenge, ExemptAPI, challenger(header, title)+front+"blocks programs with a challenge for browsers")
	case status/100 == 4 && status != http.StatusTooManyRequests && cloudflareBlock(body, title) != "":
		return is(CloudflareBlock, ExemptAPI, "Cloudflare"+front+"blocks this server with "+cloudflareBlock(body, title))
	case status/100 == 3:
		return redirect(base, location)
	case status == http.StatusProxyAuthRequired:
		return is(ProxyLogin, CheckProxy, "the proxy asks for a user name and password")
	case status == http.StatusBadRequest && strings.HasPrefix(base, "http:") && bytes.Contains(body, []byte("HTTPS")):
		return is(PlainHTTPRefused, CheckAddress, "the server at "+base+" speaks HTTPS, not HTTP")
	case passwordScheme(schemes) != "":
		return is(PasswordLogin, PassGateway, "a gateway"+front+"asks for a user name and password by HTTP "+passwordScheme(schemes))
	case status == http.StatusTooManyRequests:
		return is(GatewayRateLimit, CheckGateway, "a gateway"+front+"limits the rate of requests")
	case status == http.StatusRequestEntityTooLarge:
		return is(GatewaySizeLimit, CheckGateway, "a gateway"+front+"refuses requests of this size")
	case status/100 == 5 && status != http.StatusNotImplemented:
		return is(Unavailable, CheckGateway, "Outline is not available: a gateway in front of it answers")
	case html && isLoginPage(body, title):
		return is(LoginPage, PassGateway, "a login page answers with text/html instead of Outline")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return is(Refusal, PassGateway, "a gateway"+front+"refuses requests to "+base)
	case html && status == http.StatusNotFound:
		return elsewhere(WebPage, CheckAddress, webPage)
	case html:
		return elsewhere(WebPage, CheckAddressOrGateway, webPage)
	case isJSON(header):
		return elsewhere(OtherAPI, CheckAddress, "the server answers with JSON, but is not Outline")
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return elsewhere(Nothing, CheckAddress, "there is nothing at this path")
	}
	return elsewhere(Other, CheckAddress, "the server is not Outline and sends "+cmp.Or(text.Truncate(mediaType(header), 60), "no content type"))
}

// authenticationSchemes returns the schemes that an answer offers, in lower case. It may
// offer several in one field, and in several fields.
func authenticationSchemes(header http.Header) map[string]bool {
	schemes := map[string]bool{}
	for _, challenge := range header.Values("Www-Authenticate") {
		for part := range strings.SplitSeq(strings.ToLower(challenge), ",") {
			scheme, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			schemes[scheme] = true
		}
	}
	return schemes
}

// passwordScheme returns the scheme by which a gateway asks for a password, or "".
func passwordScheme(schemes map[string]bool) string {
	for _, name := range []string{"Basic", "Digest", "Negotiate", "NTLM"} {
		if schemes[strings.ToLower(name)] {
			return name
		}
	}
	return ""
}

// isLogin reports whether the answer to a request for a file leads to a login, not to the
// file. The address of a file can have any words in its path, but is signed or has no query.
func isLogin(base string, header http.Header) bool {
	location := header.Get("Location")
	switch identify(base, http.StatusFound, header, nil, "").Kind {
	case CloudflareAccess:
		return true
	case LoginRedirect:
		return strings.Contains(location, "?") && !strings.Contains(location, "ignature=") && !strings.Contains(location, "sig=")
	}
	return false
}

// redirect identifies an answer that redirects. A path is shown only if it is that of an
// API: others, and a query, may contain secrets.
func redirect(base, location string) Foreign {
	from, err := url.Parse(base)
	if err != nil {
		from = new(url.URL)
	}
	to, err := from.Parse(location)
	if location == "" || err != nil || to.Host == "" {
		return Foreign{Kind: PathRedirect, Remedy: CheckAddress, Finding: "the address redirects without saying where to"}
	}
	origin := text.Truncate(to.Scheme+"://"+to.Host, 200)
	address, path := origin, to.EscapedPath()
	api := strings.LastIndex(path, "/api/")
	if api >= 0 {
		address = text.Truncate(origin+path[:api], 200)
	}
	same := to.Hostname() == from.Hostname()
	switch {
	case same && from.Scheme == "http" && to.Scheme == "https":
		if api < 0 {
			address += strings.TrimSuffix(from.EscapedPath(), "/api")
		}
		return Foreign{Kind: HTTPSRedirect, Remedy: CheckAddress, Address: address, Finding: "http://" + from.Host + " redirects to " + address}
	case same && from.Scheme == "https" && to.Scheme == "http":
		return Foreign{Kind: HTTPRedirect, Remedy: CheckGateway, Finding: from.Host + " redirects from https:// to http://"}
	case isLoginAddress(to):
		return Foreign{Kind: LoginRedirect, Remedy: PassGateway, Finding: "a login at " + origin + " is in front of Outline"}
	case to.Host == from.Host:
		return Foreign{Kind: PathRedirect, Remedy: CheckAddress, Finding: "the address redirects to another path of the host"}
	}
	return Foreign{Kind: HostRedirect, Remedy: CheckAddressOrGateway, Address: address, Finding: from.Host + " redirects to " + address + ", and the key is not sent there"}
}

// isLoginAddress reports whether an address looks like that of a login.
func isLoginAddress(u *url.URL) bool {
	label, _, _ := strings.Cut(u.Hostname(), ".")
	if slices.Contains([]string{"login", "auth", "authenticate", "authelia", "authentik", "sso", "accounts", "idp", "keycloak", "okta", "signin", "id", "oauth"}, label) {
		return true
	}
	signs := []string{"login", "signin", "sign-in", "sign_in", "logon", "oauth", "oauth2", "sso", "auth", "saml", "saml2", "authorize", "adfs", "outpost"}
	path, _, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(u.Path, "/auth.info")), "/api/")
	for segment := range strings.SplitSeq(path, "/") {
		name, _, _ := strings.Cut(segment, ".") // login.php
		if slices.Contains(signs, name) {
			return true
		}
	}
	return false
}

// challenger returns what challenges browsers with an answer, or "".
func challenger(header http.Header, title string) string {
	action := strings.ToLower(header.Get("X-Amzn-Waf-Action"))
	switch {
	case strings.EqualFold(header.Get("Cf-Mitigated"), "challenge"), strings.HasPrefix(title, "Just a moment..."):
		return "Cloudflare"
	case action == "challenge", action == "captcha":
		return "AWS WAF"
	case strings.EqualFold(header.Get("X-Vercel-Mitigated"), "challenge"):
		return "Vercel"
	case strings.HasPrefix(title, "Making sure you"): // Anubis: … you're not a bot!
		return "a bot filter"
	}
	return ""
}

// cloudflareBlock returns why Cloudflare blocks a request, such as error 1010 for a program
// that it does not take for a browser, or "".
func cloudflareBlock(body []byte, title string) string {
	number := regexp.MustCompile(`(?i)\berror[ _]code(?:[":\s]|</?[^>]*>)*(1\d{3})\b|class="cf-error-code">(1\d{3})<`).FindSubmatch(body)
	switch {
	case number != nil:
		return "error " + cmp.Or(string(number[1]), string(number[2]))
	case strings.HasPrefix(title, "Attention Required! | Cloudflare"):
		return "a rule of its firewall"
	}
	return ""
}

func isHTML(header http.Header, body []byte) bool {
	kind := mediaType(header)
	return kind == "text/html" || kind == "application/xhtml+xml" || bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(body)), []byte("<!doctype html"))
}

// isLoginPage reports whether a page asks the user to log in: it has a field for a
// password, leads to a login, or has a title such as "Sign in".
func isLoginPage(page []byte, title string) bool {
	field := regexp.MustCompile(`(?i)type=["']?password|http-equiv=["']?refresh[^>]*(login|sign[_-]?in|/auth|oauth)`)
	words := regexp.MustCompile(`(?i)(^|\PL)(login|logon|signin|authentication required|(log|sign)\PL+(in|on))(\PL|$)`)
	return field.Match(page) || words.MatchString(title)
}

// pageTitle returns the title of an HTML page, or "".
func pageTitle(page []byte) string {
	if found := regexp.MustCompile(`(?i)<title[^>]*>([^<]*)`).FindSubmatch(page); found != nil {
		return strings.TrimSpace(string(found[1]))
	}
	return ""
}
