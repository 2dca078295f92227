package outline

import "context"

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
	a, err := query[AuthInfo](ctx, c, "auth.info", struct{}{})
	if err != nil {
		return AuthInfo{}, err
	}
	if a.Data.User.ID == "" || a.Data.Team.ID == "" {
		return AuthInfo{}, wrongShape("auth.info", "the user or the team has no id")
	}
	return *a.Data, nil
}
