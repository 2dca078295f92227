package fakeoutline

import (
	"slices"

	"outline-mcp/internal/fakeoutline/api"
)

// authInfo implements auth.info, which returns the caller and the team.
func (s *store) authInfo(r *request) (api.Answer, error) {
	type availableTeam struct {
		ID         string  `json:"id"`
		Name       string  `json:"name"`
		AvatarURL  *string `json:"avatarUrl"`
		URL        string  `json:"url"`
		IsSignedIn bool    `json:"isSignedIn"`
	}
	t := s.presentTeam(r.Origin)
	token := ""
	if !s.features.august2026 {
		token = "collaboration-token-of-" + r.caller.ID
	}
	groups, groupUsers := s.presentGroups(r.caller.ID)
	return api.Answer{
		Data: api.Encode(struct {
			User           presentedUser     `json:"user"`
			Team           presentedTeam     `json:"team"`
			Groups         []presentedGroup  `json:"groups"`
			GroupUsers     []presentedMember `json:"groupUsers"`
			AvailableTeams []availableTeam   `json:"availableTeams"`
			Token          string            `json:"collaborationToken,omitempty"` // for the editor
		}{
			User:           presentUser(r.caller.User, full),
			Team:           t,
			Groups:         groups,
			GroupUsers:     groupUsers,
			AvailableTeams: []availableTeam{{ID: t.ID, Name: t.Name, URL: t.URL, IsSignedIn: true}},
			Token:          token,
		}),
	}, nil
}

// presentedTeam is the team in answers.
type presentedTeam struct {
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
		MCP              bool       `json:"mcp"`
		MembersCanInvite bool       `json:"membersCanInvite"`
		Commenting       Commenting `json:"commenting,omitempty"`
	} `json:"preferences"`
	GuidanceMCP *string `json:"guidanceMCP"`
}

func (s *store) presentTeam(origin string) presentedTeam {
	t := presentedTeam{
		ID: s.team.ID, Name: s.team.Name, URL: origin, Subdomain: slugOf(s.team.Name),
		Sharing: true, MemberCollectionCreate: true, MemberTeamCreate: true, DocumentEmbeds: true,
		DefaultUserRole: Member, AllowedDomains: []string{},
	}
	t.Preferences.MCP, t.Preferences.MembersCanInvite = true, true
	t.Preferences.Commenting = s.team.Commenting
	if s.team.Guidance != "" {
		t.GuidanceMCP = &s.team.Guidance
	}
	return t
}

type presentedGroup struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	Description     *string       `json:"description"`
	ExternalID      *string       `json:"externalId"`
	MemberCount     int           `json:"memberCount"`
	DisableMentions bool          `json:"disableMentions"`
	CreatedAt       api.Timestamp `json:"createdAt"`
	UpdatedAt       api.Timestamp `json:"updatedAt"`
}

func presentGroup(g Group) presentedGroup {
	return presentedGroup{ID: g.ID, Name: g.Name, MemberCount: len(g.UserIDs), CreatedAt: api.Timestamp(g.CreatedAt), UpdatedAt: api.Timestamp(g.CreatedAt)}
}

type presentedMember struct {
	ID         string `json:"id"`
	UserID     string `json:"userId"`
	GroupID    string `json:"groupId"`
	Permission string `json:"permission"`
}

// groupsOf returns the IDs of the groups of a user.
func (s *store) groupsOf(userID string) (ids []string) {
	for _, g := range s.groups {
		if slices.Contains(g.UserIDs, userID) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// presentGroups returns the groups of a user and the user's membership in each.
func (s *store) presentGroups(userID string) ([]presentedGroup, []presentedMember) {
	groups, members := []presentedGroup{}, []presentedMember{}
	for _, g := range s.groups {
		for _, id := range g.UserIDs {
			if id != userID {
				continue
			}
			groups = append(groups, presentGroup(g))
			members = append(members, presentedMember{
				ID: id + "-" + g.ID, UserID: id, GroupID: g.ID, Permission: "member",
			})
		}
	}
	return groups, members
}

// installationInfo implements installation.info.
func (s *store) installationInfo(*request) (api.Answer, error) {
	return api.Answer{
		Data: api.Encode(struct {
			Version        string `json:"version"`
			LatestVersion  string `json:"latestVersion"`
			VersionsBehind int    `json:"versionsBehind"`
		}{s.features.version, s.features.version, 0}),
	}, nil
}
