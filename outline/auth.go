package outline

import (
	"context"
)

// AuthInfo describes the caller and the workspace.
type AuthInfo struct {
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Role string `json:"role"` // admin, member, viewer or guest
	} `json:"user"`
	Team struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		URL  string `json:"url"` // absolute
	} `json:"team"`
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
