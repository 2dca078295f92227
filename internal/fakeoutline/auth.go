package fakeoutline

import (
	"net/http"
	"strings"

	"outline-mcp/internal/fakeoutline/api"
	"outline-mcp/internal/fakeoutline/oauth"
)

const keyPrefix = "ol_api_"

// A request is a request to an endpoint and its caller.
type request struct {
	*api.Request
	caller  *caller
	version int // of the API
}

// The versions of the API from which answers differ.
const (
	nestedVersion = 2 // documents.info answers data.document
	treeVersion   = 3 // trees take the place of texts
)

// nobody returns the caller of a request without a key, who may do nothing.
func nobody() *caller { return &caller{User: &User{}, Scopes: []string{}} }

// authenticate returns the caller of a request.
func (s *store) authenticate(r *request) (*caller, error) {
	token := r.Token()
	userID, scopes, err := s.owner(r, token)
	if err != nil {
		return nil, err
	}
	user, ok := s.user(userID)
	switch {
	case !ok:
		return nil, api.Unauthorized("Invalid API key")
	case user.Suspended && !s.features.august2026 && r.Method == "documents.info":
		return nil, api.Unauthorized("Authentication required") // as if without a key; measured on 1.9.2
	case user.Suspended && !s.features.august2026 && r.Method == "documents.search":
		return nil, api.Unauthorized("Authentication error")
	case user.Suspended:
		return nil, &api.Error{
			Status:  http.StatusForbidden,
			Code:    "user_suspended",
			Message: "Your access has been suspended by a workspace admin",
			Data: struct {
				AdminEmail string `json:"adminEmail"`
			}{s.adminEmail()},
		}
	}
	return &caller{
		User: user, Scopes: scopes, groups: s.groupsOf(user.ID), Commenting: s.team.Commenting, narrowScopes: !s.features.august2026,
		oauth: strings.HasPrefix(token, oauth.AccessPrefix),
	}, nil
}

// owner returns the user and the scopes of the API key, access token or session of a
// request.
func (s *store) owner(r *request, token string) (userID string, scopes []string, err error) {
	switch {
	case token == "":
		return "", nil, api.Unauthorized("Authentication required")
	case strings.HasPrefix(token, oauth.AccessPrefix):
		if r.Header.Get("Authorization") == "" {
			return "", nil, api.Unauthorized("OAuth access token must be passed in the Authorization header")
		}
		return s.oauth.Access(token)
	case !isKey(token):
		userID, ok := s.oauth.SessionUser(token)
		if !ok {
			return "", nil, api.Unauthorized("Unable to decode token")
		}
		return userID, nil, nil
	}
	key, ok := s.key(token)
	switch {
	case !ok:
		return "", nil, api.Unauthorized("Invalid API key")
	case !key.ExpiresAt.IsZero() && !s.now().Before(key.ExpiresAt):
		return "", nil, api.Unauthorized("API key is expired")
	}
	return key.UserID, key.Scopes, nil
}

// isKey reports whether a token has the form of an API key: the prefix and
// letters or digits, or, for a key of an old version of Outline, 38 letters or
// digits.
func isKey(token string) bool {
	rest, prefixed := strings.CutPrefix(token, keyPrefix)
	if !prefixed && len(rest) != 38 {
		return false
	}
	return rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// mayCall returns an error unless the caller may call a method that requires a
// role.
func (c *caller) mayCall(method string, role Role) error {
	if !c.hasScope(method) {
		if c.oauth {
			return api.Denied("Access token does not have access to this resource")
		}
		return api.Denied("API key does not have access to this resource")
	}
	if !c.Role.atLeast(role) {
		return api.Denied(role.Title() + " role required")
	}
	return nil
}

// apiKeysList implements apiKeys.list, which lists the caller's own keys.
func (s *store) apiKeysList(r *request) (api.Answer, error) {
	var list []api.JSON
	for _, key := range s.keysOf(r.caller.ID) {
		list = append(list, api.Encode(struct {
			ID           string         `json:"id"`
			User         presentedUser  `json:"user"`
			UserID       string         `json:"userId"`
			Name         string         `json:"name"`
			Scope        []string       `json:"scope"`
			Last4        string         `json:"last4"`
			CreatedAt    api.Timestamp  `json:"createdAt"`
			UpdatedAt    api.Timestamp  `json:"updatedAt"`
			ExpiresAt    *api.Timestamp `json:"expiresAt"`
			LastActiveAt api.Timestamp  `json:"lastActiveAt"`
		}{
			ID: key.ID, User: presentUser(r.caller.User, brief), UserID: key.UserID, Name: key.Name,
			Scope: key.Scopes, Last4: key.Secret[max(0, len(key.Secret)-4):],
			CreatedAt: api.Timestamp(key.CreatedAt), UpdatedAt: api.Timestamp(key.CreatedAt),
			ExpiresAt: api.TimeOrNull(key.ExpiresAt), LastActiveAt: api.Timestamp(s.now()),
		}))
	}
	return api.Answer{Data: api.Array(api.Slice(list, r.Page)...), Page: r.Uncounted()}, nil
}
