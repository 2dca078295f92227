package outline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"outline-mcp/outline/prosemirror"
)

// A User is a user of the workspace.
type User struct {
	ID           string     `json:"id"` // UUID
	Name         string     `json:"name"`
	Email        string     `json:"email"` // "" if the caller may not see it
	Role         string     `json:"role"`  // admin, member, viewer or guest
	IsSuspended  bool       `json:"isSuspended"`
	CreatedAt    time.Time  `json:"createdAt"`
	LastActiveAt *time.Time `json:"lastActiveAt"` // nil if the user was never there
}

func (u User) incomplete() string { return incompleteID("the user", u.ID) }

// UserListParams describe a list of users.
type UserListParams struct {
	Query     string `json:"query,omitempty"`     // part of the name or the e-mail address, in any case; "" for all
	Role      string `json:"role,omitempty"`      // admin, member, viewer or guest; "" for all
	Filter    string `json:"filter,omitempty"`    // active (default), all, suspended or invited; only admins see those who are suspended
	Sort      string `json:"sort,omitempty"`      // e.g. name; the default is createdAt
	Direction string `json:"direction,omitempty"` // ASC or DESC (default)
	Limit     int    `json:"limit,omitempty"`     // 1–100; 0 is Outline's default, 25
	Offset    int    `json:"offset,omitempty"`    // of the first user, 0 or more
}

// Users returns a page of the users of the workspace (users.list). A guest gets
// ErrForbidden, as does a token without the scope.
func (c *Client) Users(ctx context.Context, p UserListParams) (Page[User], error) {
	return counted(ctx, c, listing.request("users.list", p), User.incomplete)
}

// User returns a user by UUID (users.info), without the e-mail address unless the caller
// is the user or an admin. An unknown one fails with ErrForbidden.
func (c *Client) User(ctx context.Context, id string) (User, error) {
	return query(ctx, c, "users.info", byID{id}, User.incomplete)
}

// AuthInfo describes the caller and the workspace.
type AuthInfo struct {
	User struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Email string `json:"email"`
		Role  string `json:"role"` // admin, member, viewer or guest
	} `json:"user"`
	Team struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		URL  string `json:"url"` // absolute
		// Preferences are the team's settings that differ from Outline's defaults.
		Preferences struct {
			Commenting Commenting `json:"commenting"`
		} `json:"preferences"`
		// GuidanceMCP is what admins tell AI clients about the workspace; "" if nothing.
		GuidanceMCP string `json:"guidanceMCP"`
	} `json:"team"`
	// Release is set if the server is a release up to 1.9.2: only these give out a
	// token for the editor.
	Release presence `json:"collaborationToken"`
}

// A presence is whether an answer holds a value, which is not kept.
type presence bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *presence) UnmarshalJSON(value []byte) error {
	*p = string(value) != "null"
	return nil
}

// Commenting is the team's setting for who may comment: none, members or
// everyone, or "" if it is not set. Servers before July 2026 have true or false
// instead, which UnmarshalJSON reads as everyone and none.
type Commenting string

// UnmarshalJSON implements json.Unmarshaler. A value of another type is not set.
func (c *Commenting) UnmarshalJSON(data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case string:
		*c = Commenting(value)
	case bool:
		*c = map[bool]Commenting{true: "everyone", false: "none"}[value]
	}
	return nil
}

// AuthInfo returns the owner of the token and the workspace (auth.info). A token
// without the scope fails with ErrForbidden.
func (c *Client) AuthInfo(ctx context.Context) (AuthInfo, error) {
	return query(ctx, c, "auth.info", struct{}{}, func(info AuthInfo) string {
		if info.User.ID == "" || info.Team.ID == "" {
			return "the user or the team has no id"
		}
		return ""
	})
}

// An APIKey describes an API key. Outline does not return the key itself.
type APIKey struct {
	UserID string   `json:"userId"`
	Scope  []string `json:"scope"` // nil if it is unrestricted
	Last4  string   `json:"last4"` // last four characters
}

// APIKeys returns up to 100 API keys of the caller (apiKeys.list); an admin may
// also get those of others. A token without the scope fails with ErrForbidden.
func (c *Client) APIKeys(ctx context.Context) ([]APIKey, error) {
	return query[[]APIKey](ctx, c, "apiKeys.list", struct {
		Limit int `json:"limit"`
	}{100}, nil)
}

// Version returns the version of the server (installation.info), such as 1.9.1. A token
// without the scope fails with ErrForbidden.
func (c *Client) Version(ctx context.Context) (string, error) {
	info, err := query[struct {
		Version string `json:"version"`
	}](ctx, c, "installation.info", struct{}{}, nil)
	return info.Version, err
}

// A ListedDocument is a document of a list, with the length of its text.
type ListedDocument struct {
	DocumentSummary
	TextBytes int // of the Markdown text without line breaks at its end and the padding of tables, in UTF-8; 0 if the server does not send texts in lists
}

// UnmarshalJSON implements json.Unmarshaler. The text itself is not kept.
func (d *ListedDocument) UnmarshalJSON(data []byte) error {
	var text struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &d.DocumentSummary); err != nil {
		return err
	}
	err := json.Unmarshal(data, &text)
	d.TextBytes = len(strings.TrimRight(prosemirror.Unpadded(text.Text), "\n"))
	return err
}

// favorites is the answer to stars.list and pins.list. Documents are those of
// the stars or pins that the caller sees in lists, in any order.
type favorites struct {
	Stars     []favorite       `json:"stars"`
	Pins      []favorite       `json:"pins"`
	Documents []ListedDocument `json:"documents"`
}

type favorite struct {
	DocumentID string `json:"documentId"` // "" for the star of a collection
}

// RecentDocuments returns the published documents that were changed last, at most
// limit (1–100) of them, the latest first (documents.list).
func (c *Client) RecentDocuments(ctx context.Context, limit int) ([]ListedDocument, error) {
	page, err := list(ctx, c, listing.request("documents.list", listRequest{listFilter{StatusFilter: DocumentFilter{}.statuses()}, "updatedAt", direction(false), ListParams{Limit: limit}}), ListedDocument.incomplete)
	return page.Items, err
}

// StarredDocuments returns the documents that the caller has starred, in the order
// of the sidebar, at most 100 (stars.list). Those that the caller no longer sees in
// lists are left out.
func (c *Client) StarredDocuments(ctx context.Context) ([]ListedDocument, error) {
	return c.favorites(ctx, "stars.list")
}

// PinnedDocuments returns the documents that are pinned to the home page, in their
// order, at most 100 (pins.list). Those that the caller does not see in lists are
// left out.
func (c *Client) PinnedDocuments(ctx context.Context) ([]ListedDocument, error) {
	return c.favorites(ctx, "pins.list")
}

func (c *Client) favorites(ctx context.Context, endpoint string) ([]ListedDocument, error) {
	found, err := fetch(ctx, c, listing.request(endpoint, ListParams{Limit: maxPage}), func(f favorites) string { return incompleteAmong(f.Documents, ListedDocument.incomplete) })
	if err != nil {
		return nil, err
	}
	byID := map[string]ListedDocument{}
	for _, d := range found.Documents {
		byID[d.ID] = d
	}
	var documents []ListedDocument
	for _, f := range append(found.Stars, found.Pins...) {
		if d, ok := byID[f.DocumentID]; ok {
			documents = append(documents, d)
		}
	}
	return documents, nil
}

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
			return observation(OAuthClient{}, false, err)
		}
		return observation(all[i], all[i].withSecret() == "", nil)
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
