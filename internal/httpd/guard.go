package httpd

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// The headers that say who a request acts for and how it limits itself.
const (
	headerAuthorization = "Authorization"
	headerKey           = "X-Outline-API-Key"
	headerToken         = "X-MCP-Token"
	headerReadOnly      = "X-Outline-Read-Only"
	headerCollections   = "X-Outline-Collections"
)

// maxKey is the longest key or token that is accepted, in bytes. An Outline API
// key has 45, a sealed OAuth token that holds one of Outline's has 300 to 1,000.
const maxKey = 4096

// A guard decides who may call.
type guard struct {
	current  *transport.FromFiles[[][sha256.Size]byte] // tokens as hashes, which are of one length
	tokens   [][sha256.Size]byte                       // those that count for one request
	demanded bool                                      // no request without a token, unless the user has logged in
	fallback *auth.Principal                           // of requests without a key; nil refuses them

	login     Login // nil if nobody can log in
	anonymous bool  // with a login: requests without any credential get the fallback
}

func newGuard(o Options) (guard, error) {
	g := guard{demanded: len(o.Tokens) > 0 && !o.TokenOptional, fallback: o.Fallback, login: o.Login, anonymous: o.Anonymous}
	var files []string
	if o.TokensFile != "" && o.ReadTokens != nil {
		files = transport.RegularFiles(o.TokensFile)
	}
	var err error
	g.current, err = transport.ReadFiles(transport.FileOptions{What: "token file", Files: files, Set: o.Files, Log: o.Log}, func() (hashes [][sha256.Size]byte, err error) {
		tokens := o.Tokens
		if files != nil {
			if tokens, err = o.ReadTokens(); err != nil {
				return nil, err
			}
		}
		for _, token := range tokens {
			hashes = append(hashes, sha256.Sum256([]byte(token)))
		}
		return hashes, nil
	})
	return g, err
}

// isToken reports whether value is one of the tokens. The time it takes depends
// neither on which one it is nor on how much of it matches.
func (g guard) isToken(value string) bool {
	sum, found := sha256.Sum256([]byte(value)), 0
	for _, token := range g.tokens {
		found |= subtle.ConstantTimeCompare(sum[:], token[:])
	}
	return found == 1
}

// principal returns who a request acts for. A Bearer that equals a token is the
// token, one of a login stands for who has logged in, any other is an Outline key. A
// request that presents any key, even a
// malformed one, is never served with another.
func (g guard) principal(h http.Header) (auth.Principal, *refusal) {
	g.tokens = g.current.Get()
	bearer, problem := credentialIn(h, headerAuthorization)
	if problem != nil {
		return auth.Principal{}, problem
	}
	key, problem := credentialIn(h, headerKey)
	if problem != nil {
		return auth.Principal{}, problem
	}
	if g.login != nil {
		principal, brought, problem := g.loggedIn(h, bearer, key)
		if brought || problem != nil {
			return principal, problem
		}
	}
	tokened := bearer != "" && g.isToken(bearer)
	if tokened {
		bearer = ""
	}
	if g.demanded {
		token, problem := credentialIn(h, headerToken)
		switch {
		case problem != nil:
			return auth.Principal{}, problem
		case token != "" && !g.isToken(token):
			return auth.Principal{}, unauthorized(reasonToken, "unknown token in "+headerToken+"; ask the operator of this server for a valid one")
		case token == "" && !tokened:
			return auth.Principal{}, missingCredential(bearer+key, reasonToken, "this server requires a token: "+g.orLogIn()+"send it in "+headerToken+
				", or as Authorization: Bearer with your Outline key in "+headerKey)
		}
	}
	switch {
	case key != "" && g.isToken(key):
		return auth.Principal{}, unauthorized(reasonKey, headerKey+" contains a token of this server, not an Outline key; send the token in "+headerToken)
	case key != "" && bearer != "" && key != bearer:
		return auth.Principal{}, unauthorized(reasonKey, "Authorization and "+headerKey+" contain different keys; send only one")
	case key == "":
		key = bearer
	}
	var principal auth.Principal
	switch {
	case key != "" && g.login != nil && !isOutlineKey(key):
		return auth.Principal{}, unauthorized(reasonLogin, "this is neither a login token of this server nor an Outline API key: log in again, or send your key, which begins with "+keyPrefix)
	case key != "":
		principal = auth.ForAPIKey(auth.APIKey(key))
	case g.fallback != nil && (g.login == nil || g.anonymous || tokened || g.isToken(h.Get(headerToken))):
		principal = *g.fallback
	default:
		return auth.Principal{}, missingCredential("", reasonKey, "no Outline API key: "+g.orLogIn()+"send yours as Authorization: Bearer or in "+headerKey+
			"; create one in Outline under "+outline.KeysPage)
	}
	return withLimits(principal, h)
}

const (
	keyPrefix    = "ol_api_"
	oldKeyLength = 38 // of a key that Outline made before keys had a prefix
)

// isOutlineKey reports whether a value has the form of a key that Outline may accept. A
// client with a login needs to be told to renew any other; Outline would refuse the calls
// one by one, and no client renews a login after that.
func isOutlineKey(value string) bool {
	rest, prefixed := strings.CutPrefix(value, keyPrefix)
	return rest != "" && !strings.ContainsAny(rest, "-.~+/=") && (prefixed || len(rest) == oldKeyLength)
}

// withLimits returns a principal with the limits that a request sets itself.
func withLimits(principal auth.Principal, h http.Header) (auth.Principal, *refusal) {
	readOnly, problem := readOnlyOf(h)
	if problem != nil {
		return principal, problem
	}
	principal.ReadOnly = principal.ReadOnly || readOnly
	principal.Upgradable = principal.Upgradable && !readOnly
	principal.Collections, problem = collectionsOf(h)
	return principal, problem
}

// unauthorized refuses a credential.
func unauthorized(reason, message string) *refusal {
	return &refusal{status: http.StatusUnauthorized, reason: reason, message: message, wrong: wrongToken}
}

// missingCredential refuses a request that lacks a credential. If it brings no other either, there
// is nothing wrong with one.
func missingCredential(other, reason, message string) *refusal {
	problem := unauthorized(reason, message)
	if other == "" {
		problem.wrong = ""
	}
	return problem
}

// orLogIn returns the advice to log in, before another one.
func (g guard) orLogIn() string {
	if g.login == nil {
		return ""
	}
	return "log in with Outline, which MCP clients offer for this address, or "
}

// token68 are the characters of keys and tokens (RFC 9110, section 11.2).
const token68 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// credentialIn returns the key or token in a header, or "" if the request does
// not have the header. In Authorization it follows Bearer (RFC 6750, section
// 2.1). A value that cannot be a key is refused, such as a variable that the
// client did not expand.
func credentialIn(h http.Header, name string) (string, *refusal) {
	values := h.Values(name)
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", unauthorized(reasonKey, "there are several "+name+" headers; send one")
	}
	value := strings.TrimSpace(values[0])
	if name == headerAuthorization {
		scheme, token, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", unauthorized(reasonKey, name+" must be Bearer, followed by the key")
		}
		value = strings.TrimSpace(token)
	}
	switch {
	case value == "":
		return "", unauthorized(reasonKey, name+" is empty; send a key, or leave the header out")
	case len(value) > maxKey:
		return "", unauthorized(reasonKey, name+" is too long to be a key")
	case strings.Trim(value, token68) != "":
		return "", unauthorized(reasonKey, name+" contains a space or another character that keys never have; copy the key again, and check that the client expands variables")
	}
	return value, nil
}

// readOnlyOf reports whether a request limits itself to reading. A value that
// is not a boolean is refused, even an empty one, because it may have been meant as
// true.
func readOnlyOf(h http.Header) (bool, *refusal) {
	limited := false
	for _, value := range h.Values(headerReadOnly) {
		on, ok := text.ParseBool(value)
		if !ok {
			return false, &refusal{status: http.StatusBadRequest, reason: reasonHeader, message: headerReadOnly + " must be true or false, or left out"}
		}
		limited = limited || on
	}
	return limited, nil
}

// Limits of the collections that a request names.
const (
	maxCollections     = 100
	maxCollectionBytes = 200 // of one
)

// collectionsOf returns the collections that a request limits itself to; nil does not
// limit it. An empty header is refused, because it may have been meant as a limit.
func collectionsOf(h http.Header) ([]string, *refusal) {
	values := h.Values(headerCollections)
	if len(values) == 0 {
		return nil, nil
	}
	var named []string
	for entry := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if entry = strings.TrimSpace(entry); entry == "" || len(entry) > maxCollectionBytes || !utf8.ValidString(entry) || len(named) == maxCollections {
			return nil, &refusal{status: http.StatusBadRequest, reason: reasonHeader, message: fmt.Sprintf(
				"%s must name collections by UUID, URL id or name in UTF-8, separated by commas, at most %d; or leave it out", headerCollections, maxCollections)}
		}
		named = append(named, entry)
	}
	slices.Sort(named)
	return slices.Compact(named), nil
}

// hosts decides which Host headers are served. With DNS rebinding, an attacker's
// host name resolves to an address of this machine, and browsers send that name.
type hosts struct {
	loopback bool // the server listens on loopback only
	allowed  []string
	public   string // under which clients reach the server; "" if that is not known
}

func (h hosts) check(r *http.Request) *refusal {
	name, _ := splitHost(r.Host)
	switch {
	case h.loopback && transport.IsLoopback(name), !h.loopback && len(h.allowed) == 0, h.public != "" && sameHost(h.public, r.Host),
		slices.ContainsFunc(h.allowed, func(allowed string) bool { return sameHost(allowed, r.Host) }):
		return nil
	}
	return &refusal{status: http.StatusForbidden, reason: reasonHost, message: "this server does not accept the host name in the request; its operator can add it to MCP_ALLOWED_HOSTS"}
}

// sameHost compares an allowed host, with a port or without one that stands for
// any, with that of a request.
func sameHost(allowed, host string) bool {
	allowedName, allowedPort := splitHost(allowed)
	name, port := splitHost(host)
	return name != "" && name == allowedName && (allowedPort == "" || allowedPort == port)
}

// splitHost returns a host's name, in lower case and without brackets, and its
// port, "" if it has none.
func splitHost(host string) (name, port string) {
	name = host
	if n, p, err := net.SplitHostPort(host); err == nil {
		name, port = n, p
		if strings.Trim(port, "0123456789") != "" {
			return "", "" // no host at all
		}
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	return strings.TrimSuffix(strings.ToLower(name), "."), port
}

// checkOrigin refuses a web page that neither was served under the host that it
// calls nor is of an allowed origin. Browsers send the page's origin in Origin;
// other clients send none. It reports whether the answer needs the headers of
// CORS.
func checkOrigin(r *http.Request, allowedOrigins []string) (cross bool, problem *refusal) {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return false, nil
	}
	if len(values) == 1 {
		origin, ok := transport.ParseOrigin(strings.TrimRight(strings.TrimSpace(values[0]), "/"))
		isOrigin := func(allowed string) bool { allowed, _ = transport.ParseOrigin(allowed); return allowed == origin }
		if ok && slices.ContainsFunc(allowedOrigins, isOrigin) {
			return true, nil
		}
		// Only the host: behind a proxy the scheme is not known here.
		if scheme, host, ok := strings.Cut(strings.ToLower(values[0]), "://"); ok && (scheme == "http" || scheme == "https") && host != "" && host == strings.ToLower(r.Host) {
			return false, nil
		}
	}
	return false, &refusal{status: http.StatusForbidden, reason: reasonOrigin, message: "web pages of this origin may not call this server; its operator can add the origin to MCP_ALLOWED_ORIGINS"}
}

// What web pages of allowed origins may send and read (Fetch standard, CORS
// protocol). Browsers send a preflight request first, because of Authorization
// and the headers of MCP.
const (
	corsMethods = "POST"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, " +
		headerKey + ", " + headerToken + ", " + headerReadOnly + ", " + headerCollections + ", traceparent, tracestate"
	corsExposed = "Mcp-Session-Id, Retry-After, WWW-Authenticate"
	corsMaxAge  = "600" // seconds that a browser may cache the answer
)

// allowReading lets a page of the given origin read the answer.
func allowReading(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", corsExposed)
}

// answerOptions answers OPTIONS, which browsers send as a preflight request.
func answerOptions(w http.ResponseWriter, cross bool) {
	h := w.Header()
	h.Set("Allow", allowedMethods)
	if cross {
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}

// mostRequests is how many requests may be under way. HTTP/2 brings many on one
// connection, and each takes memory even if its body does not arrive or its answer
// is not read.
const mostRequests = 1024

// admit serves a request unless too many are under way. Then it resets its stream:
// an answer would take memory, too, until it is read.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, hosts hosts) {
	select {
	case s.requests <- struct{}{}:
	default:
		panic(http.ErrAbortHandler)
	}
	defer func() { <-s.requests }()
	s.serve(w, r, hosts)
	if r.ProtoMajor >= 2 {
		// The library would send the rest of the answer when the request is not
		// counted any more. HTTP/1 has as few requests as connections.
		_ = http.NewResponseController(w).Flush() // a client that has gone needs none
	}
}
