package oauth

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
	Denied        Reason = "denied"        // the person did not allow it
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
