// Package oauthapp sets up the application in Outline that people log in to this
// server with, and the secrets that the server needs for it.
package oauthapp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"outline-mcp/outline"
)

// DefaultName is the name of the application, which Outline shows to people who log
// in.
const DefaultName = "outline-mcp"

// newSecret returns a new MCP_OAUTH_SECRET: 256 random bits in hexadecimal.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	return hex.EncodeToString(random[:])
}

// find returns the application with a client ID or, if that is "", with a redirect
// URI, as admins see it.
func find(ctx context.Context, client *outline.Client, clientID, redirectURI string) (app outline.OAuthClient, found bool, err error) {
	all, err := client.OAuthClients(ctx)
	if err != nil {
		return app, false, explained("list the applications in Outline", err)
	}
	i := slices.IndexFunc(all, func(one outline.OAuthClient) bool {
		return clientID != "" && one.ClientID == clientID || clientID == "" && slices.Contains(one.RedirectURIs, redirectURI)
	})
	if i < 0 {
		return app, false, nil
	}
	return all[i], true, nil
}

// explained returns the error of a call with what was attempted and what to do.
func explained(attempted string, err error) error {
	next := ""
	switch {
	case outline.OutcomeUnknown(err):
		next = "it may have been carried out, or not: look in Outline under Settings → Applications before you repeat it"
	case errors.Is(err, outline.ErrNoKey):
		next = "set OUTLINE_API_KEY to the key of an admin of the workspace"
	case errors.Is(err, outline.ErrUnauthorized):
		next = "check OUTLINE_API_KEY; outline-mcp doctor says what is wrong with it"
	case outline.OutOfScope(err):
		next = "the key is limited to scopes that do not include this; use an admin's key without scopes"
	case errors.Is(err, outline.ErrForbidden):
		next = "only admins manage applications; use the key of an admin of the workspace, or ask one to create the application by hand (docs/login.md)"
	case errors.Is(err, outline.ErrNotFound):
		next = "this Outline has no OAuth applications, which 0.84 and later versions have; update it, and check OUTLINE_API_URL"
	case errors.Is(err, outline.ErrRateLimited):
		next = "Outline allows five new applications an hour"
	default:
		next = "outline-mcp doctor checks the connection to Outline"
	}
	return fmt.Errorf("cannot %s: %w; %s", attempted, err, next)
}
