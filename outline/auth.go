package outline

import (
	"context"
	"encoding/json"
)

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
	} `json:"team"`
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
