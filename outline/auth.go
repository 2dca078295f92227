package outline

import "context"

// AuthInfo tells whose key the client uses and which workspace it belongs to.
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

// AuthInfo returns the owner of the key (auth.info). A key whose scopes do not
// include it gets ErrForbidden.
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
