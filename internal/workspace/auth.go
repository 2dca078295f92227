package workspace

import (
	"net/http"
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"strings"
)

const keyPrefix = "ol_api_"

// A request is a request to an endpoint by a caller.
type request struct {
	*api.Request
	caller *caller
}

// A caller is the user behind a request, with what the key allows.
type caller struct {
	access.Caller
	user *User
}

func newCaller(u *User, scopes []string) *caller {
	return &caller{access.Caller{ID: u.ID, Role: u.Role, Scopes: scopes}, u}
}

// authenticate finds out who calls.
func (s *store) authenticate(r *request) (*caller, error) {
	token := r.Token()
	switch {
	case token == "":
		return nil, api.Unauthorized("Authentication required")
	case !isKey(token):
		return nil, api.Unauthorized("Unable to decode token")
	}
	key, ok := s.key(token)
	switch {
	case !ok:
		return nil, api.Unauthorized("Invalid API key")
	case !key.ExpiresAt.IsZero() && !s.now().Before(key.ExpiresAt):
		return nil, api.Unauthorized("API key is expired")
	}
	user, ok := s.user(key.UserID)
	switch {
	case !ok:
		return nil, api.Unauthorized("Invalid API key")
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
	return newCaller(user, key.Scopes), nil
}

// isKey reports whether a token has the form of an API key: the prefix and
// letters or digits, or, for a key of an old Outline, 38 of those alone.
func isKey(token string) bool {
	rest, prefixed := strings.CutPrefix(token, keyPrefix)
	if !prefixed && len(rest) != 38 {
		return false
	}
	return rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// mayCall reports as an error why the caller may not call a method.
func (c *caller) mayCall(method string, role Role) error {
	if !c.HasScope(method) {
		return api.Denied("API key does not have access to this resource")
	}
	if !c.Role.AtLeast(role) {
		return api.Denied(role.Title() + " role required")
	}
	return nil
}

// authInfo is auth.info: who calls, and in which team.
func (s *store) authInfo(r *request) (api.Answer, error) {
	type team struct {
		ID                     string   `json:"id"`
		Name                   string   `json:"name"`
		Description            *string  `json:"description"`
		AvatarURL              *string  `json:"avatarUrl"`
		Sharing                bool     `json:"sharing"`
		MemberCollectionCreate bool     `json:"memberCollectionCreate"`
		MemberTeamCreate       bool     `json:"memberTeamCreate"`
		DefaultCollectionID    *string  `json:"defaultCollectionId"`
		DocumentEmbeds         bool     `json:"documentEmbeds"`
		GuestSignin            bool     `json:"guestSignin"`
		PasskeysEnabled        bool     `json:"passkeysEnabled"`
		Subdomain              string   `json:"subdomain"`
		Domain                 *string  `json:"domain"`
		URL                    string   `json:"url"`
		DefaultUserRole        Role     `json:"defaultUserRole"`
		InviteRequired         bool     `json:"inviteRequired"`
		AllowedDomains         []string `json:"allowedDomains"`
		Preferences            struct {
			MCP              bool `json:"mcp"`
			MembersCanInvite bool `json:"membersCanInvite"`
		} `json:"preferences"`
		GuidanceMCP *string `json:"guidanceMCP"`
	}
	type availableTeam struct {
		ID         string  `json:"id"`
		Name       string  `json:"name"`
		AvatarURL  *string `json:"avatarUrl"`
		URL        string  `json:"url"`
		IsSignedIn bool    `json:"isSignedIn"`
	}
	t := team{
		ID: s.team.ID, Name: s.team.Name, URL: r.Origin, Subdomain: ident.Slug(s.team.Name),
		Sharing: true, MemberCollectionCreate: true, MemberTeamCreate: true, DocumentEmbeds: true,
		DefaultUserRole: Member, AllowedDomains: []string{},
	}
	t.Preferences.MCP = true
	t.Preferences.MembersCanInvite = true

	groups, groupUsers := s.presentGroups(r.caller.ID)
	policies := []api.JSON{{r.caller.TeamPolicy(s.team.ID)}, userPolicy(r.caller, r.caller.user)}
	for _, group := range groups {
		policies = append(policies, api.JSON{r.caller.GroupPolicy(group.ID)})
	}
	return api.Answer{
		Data: api.Encode(struct {
			User           presentedUser     `json:"user"`
			Team           team              `json:"team"`
			Groups         []presentedGroup  `json:"groups"`
			GroupUsers     []presentedMember `json:"groupUsers"`
			AvailableTeams []availableTeam   `json:"availableTeams"`
		}{
			User:           presentUser(r.caller.user, access.Full),
			Team:           t,
			Groups:         groups,
			GroupUsers:     groupUsers,
			AvailableTeams: []availableTeam{{ID: t.ID, Name: t.Name, URL: t.URL, IsSignedIn: true}},
		}),
		Policies: api.Array(policies...),
	}, nil
}
