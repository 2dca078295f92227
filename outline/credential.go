package outline

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
)

// KeysPage is where people create API keys in Outline: the page of current
// versions, and the one of older versions.
const KeysPage = "Settings → API & Apps (older versions: Settings → API)"

// A Credential authorizes one request.
type Credential struct {
	// Token is the API key or access token to send. If it is empty or blank, the
	// call fails with ErrNoKey.
	Token string
	// Subject is a stable name for the owner of the token. It is never sent. Rate
	// limits are tracked by subject, so that they survive the renewal of a token.
	// If it is empty, a hash of the token is used.
	Subject string
}

// subject returns the name by which limits are tracked, never the token itself.
func (c Credential) subject() string {
	if c.Subject != "" {
		return "subject:" + c.Subject
	}
	sum := sha256.Sum256([]byte(c.Token))
	return "token:" + string(sum[:])
}

// A CredentialSource returns the credential for a call. It is called once for
// each attempt, with the context of the call, and must be safe for concurrent
// use. The token must stay valid for at least Options.MaxRetryWait, because the
// attempt may have to wait for a rate limit. If the source fails, nothing is
// sent, and the call fails with ErrNoKey or, if the context has ended, with
// ErrCancelled or ErrTimeout.
type CredentialSource func(ctx context.Context) (Credential, error)

// StaticKey returns a source of one API key for all calls.
func StaticKey(key string) CredentialSource {
	return func(context.Context) (Credential, error) { return Credential{Token: key}, nil }
}

// credential returns the credential for one attempt.
func (c *Client) credential(ctx context.Context, endpoint string) (Credential, *Error) {
	credential, err := c.credentials(ctx)
	switch {
	case err == nil:
		return credential, checkToken(endpoint, credential.Token)
	case ctxErr(ctx) != nil:
		return Credential{}, ended(endpoint, ctxErr(ctx))
	}
	// An error that the source has from Outline says nothing about this
	// request, which was not sent: only its text is kept.
	var fromOutline *Error
	if errors.As(err, &fromOutline) {
		err = errors.New(err.Error())
	}
	return Credential{}, &Error{Endpoint: endpoint, Message: "no credential for Outline could be obtained", Err: err, kind: ErrNoKey}
}

// checkToken rejects a token that cannot be sent. net/http would reject one
// with a line break, too, but only after the connection is made.
func checkToken(endpoint, token string) *Error {
	if strings.TrimSpace(token) == "" {
		return &Error{Endpoint: endpoint, Message: "no Outline API key", Remedy: SetCredential, kind: ErrNoKey}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &Error{Endpoint: endpoint, Message: "the Outline API key holds a space, a line break or another character that no key has", Remedy: CheckCredential, kind: ErrUnauthorized}
	}
	return nil
}
