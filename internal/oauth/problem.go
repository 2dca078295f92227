package oauth

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"outline-mcp/outline/expiring"
)

// A problem is why a request is refused, as the client is told (RFC 6749, section 5.2).
type problem struct {
	status      int
	code        string
	description string // ASCII, without what the request contains
	reason      Reason
	retryAfter  time.Duration // how long to wait; 0 if nobody knows
	cause       error         // for the log; nil if there is nothing to say
}

func (p *problem) Error() string { return p.code + ": " + p.description }

// badRequest refuses a request with its own code.
func badRequest(code string, reason Reason, description string) *problem {
	return &problem{status: http.StatusBadRequest, code: code, description: description, reason: reason}
}

func invalidRequest(reason Reason, description string) *problem {
	return badRequest("invalid_request", reason, description)
}

func invalidGrant(reason Reason, description string) *problem {
	return badRequest("invalid_grant", reason, description)
}

// isGrantProblem reports whether an error means that a code or a token is not valid.
func isGrantProblem(err error) bool {
	p, ok := errors.AsType[*problem](err)
	return ok && p.code == "invalid_grant"
}

// tooManyCodes refuses a login that could use up what Outline allows this server.
func tooManyCodes(wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many logins have failed; try again later", reason: OutlineBusy,
		retryAfter: wait, cause: errors.New("Outline has refused too many codes in the last hour; until the hour is over, nobody can log in, but logins are renewed")}
}

// invalidClient makes clients register anew.
func invalidClient() *problem {
	return &problem{status: http.StatusUnauthorized, code: "invalid_client", description: "unknown or expired client_id; register again", reason: BadClient}
}

func invalidTarget() *problem {
	return &problem{status: http.StatusBadRequest, code: "invalid_target", description: "resource is not the URL of this server's MCP endpoint", reason: BadTarget}
}

// fail answers a client with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = misconfigured(err)
	}
	s.refused(r, p)
	p.sayWhen(w)
	writeJSON(w, p.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{p.code, p.description})
}

// sayWhen tells when to try again.
func (p *problem) sayWhen(w http.ResponseWriter) {
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
}

// refused counts a refusal, and logs it: what the operator can do something about as a
// warning, what strangers send for debugging only.
func (s *Server) refused(r *http.Request, p *problem) {
	s.options.Observe(Event{Refused, p.reason})
	level := slog.LevelDebug
	if p.reason == Misconfigured || p.reason == OutlineDown || p.reason == OutlineBusy {
		level = slog.LevelWarn
	}
	attributes := []slog.Attr{slog.String("endpoint", r.URL.Path), slog.String("reason", string(p.reason)), slog.Int("status", p.status)}
	if p.cause != nil {
		attributes = append(attributes, slog.String("cause", p.cause.Error()))
	}
	s.options.Log.LogAttrs(r.Context(), level, "login refused", attributes...)
}

// did logs what a person has done with an app, and counts it.
func (s *Server) did(r *http.Request, what EventKind, subject string) {
	s.options.Observe(Event{Kind: what})
	s.options.Log.InfoContext(r.Context(), "login", "event", string(what), "subject", subject)
}

func writeJSON(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(content) // a client that has gone needs no answer
}

// An Event is something that happened, for metrics.
type Event struct {
	Kind   EventKind
	Reason Reason // of a refusal
}

// An EventKind is a kind of event.
type EventKind string

// The kinds of events.
const (
	Registered EventKind = "register" // a client has registered
	LoggedIn   EventKind = "login"    // a client got its first tokens
	Refreshed  EventKind = "refresh"
	Revoked    EventKind = "revoke"
	Refused    EventKind = "refusal"
)

// A Reason says why a request was refused.
type Reason string

// The reasons for refusals.
const (
	BadRequest    Reason = "bad_request"   // malformed, or a parameter is missing or unknown
	BadClient     Reason = "bad_client"    // unknown or expired client ID, refused registration
	BadRedirect   Reason = "bad_redirect"  // a redirect URI that the client has not registered
	BadChallenge  Reason = "bad_challenge" // PKCE is missing or does not match
	BadTarget     Reason = "bad_target"    // for another resource than this server
	BadGrant      Reason = "bad_grant"     // a code or token that is not ours, not the client's, or expired
	Forged        Reason = "forged"        // a form or state that is not ours or of another browser
	Expired       Reason = "expired"       // a page or login that has taken too long
	Denied        Reason = "denied"        // the user did not allow it
	Limited       Reason = "limited"       // too many registrations
	Used          Reason = "used"          // Outline refuses the code or token inside: used, expired or revoked
	OutlineBusy   Reason = "outline_busy"  // Outline's rate limit, or what keeps logins below it
	OutlineDown   Reason = "outline_down"  // no usable answer from Outline
	Misconfigured Reason = "misconfigured" // Outline does not accept this server's application
)

// Reasons returns all reasons, for the labels of a metric.
func Reasons() []Reason {
	return []Reason{BadRequest, BadClient, BadRedirect, BadChallenge, BadTarget, BadGrant, Forged, Expired, Denied, Limited, Used, OutlineBusy, OutlineDown, Misconfigured}
}

// A counter limits how often something happens in a window of time, for each address and in
// all. The limit in all also limits its memory.
type counter struct {
	window            time.Duration
	perAddress, inAll int

	mu        sync.Mutex
	ends      time.Time // of the current window
	total     int
	byAddress map[string]int
}

// acquire counts one more for an address, or returns how long to wait if that would be too
// many.
func (c *counter) acquire(now time.Time, address string) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.ends) || c.ends.Sub(now) > c.window {
		c.ends, c.total, c.byAddress = now.Add(c.window), 0, map[string]int{}
	}
	if c.total >= c.inAll || c.byAddress[address] >= c.perAddress {
		return c.ends.Sub(now)
	}
	c.total++
	c.byAddress[address]++
	return 0
}

// How many codes of Outline may be refused in an hour.
const (
	refusedPerNetwork = 10 // and per registration
	refusedAtFirst    = 2  // of a network: these have a budget that other networks cannot use up alone
	refusedOfFirsts   = 50
	refusedOfOthers   = 10
)

// refusedCodes limits how many codes Outline refuses. Anyone can make one up, and have it
// sealed and exchanged without an account. Without a limit, they would use up the 100
// requests an hour that Outline allows this server, and nobody could renew a login. Few
// networks cannot keep people of other ones from logging in, and none can keep those of a
// network from it where somebody has logged in before.
type refusedCodes struct {
	mu             sync.Mutex
	ends           time.Time      // of the current hour
	counts         map[string]int // by network and by registration
	firsts, others int
	known          expiring.Map[string, struct{}] // networks in which somebody has logged in
}

// acquire counts a code of a network, and of a registration unless it is "", as refused, or
// returns how long to wait if that would be too many. release takes that back.
func (c *refusedCodes) acquire(now time.Time, network, registration string) (wait time.Duration, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.ends) || c.ends.Sub(now) > time.Hour {
		c.ends, c.counts, c.firsts, c.others = now.Add(time.Hour), map[string]int{}, 0, 0
	}
	counts, budget, most := c.counts, &c.others, refusedOfOthers
	if counts[network] < refusedAtFirst {
		budget, most = &c.firsts, refusedOfFirsts
	}
	if _, known := c.known.Get(network); known {
		budget, registration = new(int), ""
	}
	if *budget >= most || counts[network] >= refusedPerNetwork || registration != "" && counts[registration] >= refusedPerNetwork {
		return c.ends.Sub(now), nil
	}
	count := func(n int) {
		*budget += n
		counts[network] += n
		counts[registration] += n
	}
	count(1)
	hour := c.ends
	return 0, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ends.Equal(hour) {
			count(-1)
		}
	}
}

// Proxies are the reverse proxies in front of a server, which add to X-Forwarded-For the
// address that a request came from: so many of them, or those with an address in one of the
// networks. Without any, the header counts for nothing: anyone can send it.
type Proxies struct {
	Count    int
	Networks []netip.Prefix
}

// ParseProxies reads a number of proxies, or their addresses and networks.
func ParseProxies(list []string) (p Proxies, err error) {
	if len(list) == 1 {
		if p.Count, err = strconv.Atoi(list[0]); err == nil {
			if p.Count < 0 || p.Count > 10 {
				err = errors.New("the number of proxies is not from 0 to 10")
			}
			return p, err
		}
	}
	for _, one := range list {
		network, err := netip.ParsePrefix(one)
		if address, addressErr := netip.ParseAddr(one); addressErr == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return Proxies{}, errors.New("not a number, an address, or a network such as 10.0.0.0/8")
		}
		p.Networks = append(p.Networks, network.Masked())
	}
	return p, nil
}

// network returns the IP address that a request came from, or the /48 network of an IPv6
// address, all of which one site can have. It reads X-Forwarded-For from the right, as
// far as it comes from proxies.
func (p Proxies) network(r *http.Request) string {
	from := r.RemoteAddr
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	isProxy := func(network netip.Prefix) bool { return network.Contains(addressOf(from)) }
	for left := p.Count; len(hops) > 0 && (left > 0 || slices.ContainsFunc(p.Networks, isProxy)); left-- {
		hop := strings.TrimSpace(hops[len(hops)-1])
		if !addressOf(hop).IsValid() {
			break
		}
		from, hops = hop, hops[:len(hops)-1]
	}
	address := addressOf(from)
	switch {
	case !address.IsValid():
		return from
	case address.Is6():
		network, _ := address.Prefix(48)
		return network.Addr().String()
	}
	return address.String()
}

// addressOf returns the address in a text that may have a port, brackets or a zone, and an
// invalid one if there is none.
func addressOf(text string) netip.Addr {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	address, _ := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.WithZone("").Unmap()
}
