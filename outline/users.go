package outline

import (
	"context"
	"time"
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
	return counted(ctx, c, "users.list", p, User.incomplete)
}

// User returns a user by UUID (users.info), without the e-mail address unless the caller
// is the user or an admin. An unknown one fails with ErrForbidden.
func (c *Client) User(ctx context.Context, id string) (User, error) {
	return query(ctx, c, "users.info", byID{id}, User.incomplete)
}
