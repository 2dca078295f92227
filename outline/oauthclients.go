package outline

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// An OAuthClient is an application that people can log in to with Outline.
type OAuthClient struct {
	ID           string      `json:"id"` // UUID; "" if the caller is not an admin
	Name         string      `json:"name"`
	ClientID     string      `json:"clientId"`
	Secret       OAuthSecret `json:"clientSecret"` // "" if the caller may not change the application
	Type         string      `json:"clientType"`   // confidential or public; "" if the caller is not an admin
	RedirectURIs []string    `json:"redirectUris"` // nil if the caller is not an admin
	LastActiveAt *time.Time  `json:"lastActiveAt"` // nil if nobody has logged in yet
}

// An OAuthSecret is the secret of an application. Printing it shows nothing of it.
type OAuthSecret string

// Format implements fmt.Formatter, for all verbs.
func (OAuthSecret) Format(state fmt.State, _ rune) { fmt.Fprint(state, "****") }

// MarshalText implements encoding.TextMarshaler.
func (OAuthSecret) MarshalText() ([]byte, error) { return []byte("****"), nil }

func (c OAuthClient) incomplete() string {
	if c.ClientID == "" {
		return "the application has no client ID"
	}
	return ""
}

// withSecret is the incomplete of answers to an admin that must hold the secret.
func (c OAuthClient) withSecret() string {
	if c.Secret == "" {
		return "the application has no secret"
	}
	if why := c.incomplete(); why != "" {
		return why
	}
	return incompleteID("the application", c.ID)
}

// OAuthClients returns the applications of the workspace, at most 1,000, the newest
// first (oauthClients.list). Only admins may; others get ErrForbidden. Servers
// without OAuth answer with ErrNotFound.
func (c *Client) OAuthClients(ctx context.Context) ([]OAuthClient, error) {
	return Collect(All(ctx, func(ctx context.Context, p ListParams) (Page[OAuthClient], error) {
		return list(ctx, c, reading.request("oauthClients.list", p), OAuthClient.incomplete)
	}, Paging{Most: 1000}))
}

// OAuthClient returns the application with a client ID (oauthClients.info), to users
// who are not admins only its name. An unknown one fails with ErrNotFound, and, if
// redirectURI is not "", one without that redirect URI with ErrInvalid.
func (c *Client) OAuthClient(ctx context.Context, clientID, redirectURI string) (OAuthClient, error) {
	return query(ctx, c, "oauthClients.info", struct {
		ClientID    string `json:"clientId"`
		RedirectURI string `json:"redirectUri,omitempty"`
	}{clientID, redirectURI}, OAuthClient.incomplete)
}

// CreateOAuthClient creates a confidential application with one redirect URI, which
// no other application has, and returns it with its secret (oauthClients.create).
// Only admins may, five times an hour; others get ErrForbidden.
func (c *Client) CreateOAuthClient(ctx context.Context, name, redirectURI string) (OAuthClient, error) {
	params := struct {
		Name         string   `json:"name"`
		RedirectURIs []string `json:"redirectUris"`
	}{name, []string{redirectURI}}
	// The server chooses the client ID, so that a repetition could create a second one.
	return commandOnce(ctx, c, changing.request("oauthClients.create", params), OAuthClient.withSecret, func(ctx context.Context) (OAuthClient, WriteState) {
		all, err := c.OAuthClients(ctx)
		i := slices.IndexFunc(all, func(one OAuthClient) bool { return slices.Contains(one.RedirectURIs, redirectURI) })
		if err != nil || i < 0 {
			return observed(OAuthClient{}, false, err)
		}
		return observed(all[i], all[i].withSecret() == "", nil)
	})
}

// RotateOAuthSecret gives an application a new secret and returns the application
// (oauthClients.rotate_secret). From then on, the server rejects the one before. The
// application is one as admins get it.
func (c *Client) RotateOAuthSecret(ctx context.Context, before OAuthClient) (OAuthClient, error) {
	// After a repetition, a late first request would replace the secret of the second.
	return commandOnce(ctx, c, changing.request("oauthClients.rotate_secret", byID{before.ID}), OAuthClient.withSecret, func(ctx context.Context) (OAuthClient, WriteState) {
		now, err := c.OAuthClient(ctx, before.ClientID, "")
		return observed(now, now.Secret != before.Secret && now.withSecret() == "", err)
	})
}

// DeleteOAuthClient deletes an application, as admins get it, with all its logins
// (oauthClients.delete).
func (c *Client) DeleteOAuthClient(ctx context.Context, before OAuthClient) error {
	return c.remove(ctx, changing.request("oauthClients.delete", byID{before.ID}), func(ctx context.Context) (bool, error) {
		_, err := c.OAuthClient(ctx, before.ClientID, "")
		return false, err
	})
}
