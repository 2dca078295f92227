package fakeoutline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// authInfo implements auth.info, which returns the caller and the team.
func (s *store) authInfo(r *request) (apiAnswer, error) {
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
	return apiAnswer{
		Data: encodeJSON(struct {
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
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Description     *string      `json:"description"`
	ExternalID      *string      `json:"externalId"`
	MemberCount     int          `json:"memberCount"`
	DisableMentions bool         `json:"disableMentions"`
	CreatedAt       apiTimestamp `json:"createdAt"`
	UpdatedAt       apiTimestamp `json:"updatedAt"`
}

func presentGroup(g Group) presentedGroup {
	return presentedGroup{ID: g.ID, Name: g.Name, MemberCount: len(g.UserIDs), CreatedAt: apiTimestamp(g.CreatedAt), UpdatedAt: apiTimestamp(g.CreatedAt)}
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
func (s *store) installationInfo(*request) (apiAnswer, error) {
	return apiAnswer{
		Data: encodeJSON(struct {
			Version        string `json:"version"`
			LatestVersion  string `json:"latestVersion"`
			VersionsBehind int    `json:"versionsBehind"`
		}{s.features.version, s.features.version, 0}),
	}, nil
}

// demoKeyPrefix is the prefix of the keys of numbered demo users.
const demoKeyPrefix = "ol_api_demo_user_"

// user returns the user with an ID.
func (s *store) user(id string) (*User, bool) {
	if u, ok := s.users[id]; ok {
		return u, true
	}
	number, ok := strings.CutPrefix(id, demoUserPrefix)
	if !s.demo || !ok {
		return nil, false
	}
	return demoUser(number), true
}

// demoUserPrefix is the prefix of the IDs of numbered demo users. The remaining
// twelve digits are the number.
const demoUserPrefix = "d3300000-0000-4000-8000-"

// demoUser returns the demo user with a number. Demo users are created on
// demand and not stored, so there is no limit to them.
func demoUser(number string) *User {
	trimmed := cmp.Or(strings.TrimLeft(number, "0"), "0")
	return &User{
		ID:        demoUserPrefix + strings.Repeat("0", 12-len(trimmed)) + trimmed,
		Name:      "Demo User " + trimmed,
		Email:     fmt.Sprintf("user-%s@example.com", trimmed),
		Color:     avatarColor(trimmed),
		Role:      Member,
		CreatedAt: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC),
	}
}

// key returns the API key with a secret.
func (s *store) key(secret string) (*Key, bool) {
	if k, ok := s.keys[secret]; ok {
		return k, true
	}
	number, ok := strings.CutPrefix(secret, demoKeyPrefix)
	if !s.demo || !ok || len(number) < 1 || len(number) > 12 || strings.Trim(number, "0123456789") != "" {
		return nil, false
	}
	u := demoUser(number)
	return &Key{
		ID:        "d33a0000" + strings.TrimPrefix(u.ID, "d3300000"),
		Secret:    secret,
		Name:      "demo",
		UserID:    u.ID,
		CreatedAt: u.CreatedAt,
	}, true
}

// keysOf returns the API keys of a user.
func (s *store) keysOf(userID string) []*Key {
	if number, ok := strings.CutPrefix(userID, demoUserPrefix); ok && s.demo {
		k, _ := s.key(demoKeyPrefix + cmp.Or(strings.TrimLeft(number, "0"), "0"))
		return []*Key{k}
	}
	var keys []*Key
	for _, secret := range s.secrets {
		if k := s.keys[secret]; k.UserID == userID {
			keys = append(keys, k)
		}
	}
	return keys
}

// usersInfo implements users.info for a user, by default the caller.
func (s *store) usersInfo(r *request, in struct {
	ID string `in:"id,uuid"`
}) (apiAnswer, error) {
	user := r.caller.User
	if in.ID != "" {
		found, ok := s.user(in.ID)
		if !ok {
			return apiAnswer{}, apiForbidden()
		}
		user = found
	}
	show := r.caller.detailOf(user.ID)
	if show == withEmail {
		show = brief // recorded: members see the addresses of others in lists only
	}
	return apiAnswer{
		Data: encodeJSON(presentUser(user, show)),
	}, nil
}

type presentedUser struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	AvatarURL    *string       `json:"avatarUrl"`
	Color        string        `json:"color"`
	Role         Role          `json:"role"`
	IsSuspended  bool          `json:"isSuspended"`
	CreatedAt    apiTimestamp  `json:"createdAt"`
	UpdatedAt    apiTimestamp  `json:"updatedAt"`
	DeletedAt    *apiTimestamp `json:"deletedAt"`
	LastActiveAt apiTimestamp  `json:"lastActiveAt"`
	Timezone     *string       `json:"timezone"`
	Email        string        `json:"email,omitempty"`
	*userSettings
}

// userSettings are the members of a user that only the user and admins see.
type userSettings struct {
	Language             string   `json:"language"`
	Preferences          *string  `json:"preferences"`
	NotificationSettings struct{} `json:"notificationSettings"`
}

func presentUser(u *User, show detail) presentedUser {
	p := presentedUser{
		ID: u.ID, Name: u.Name, Color: u.Color, Role: u.Role, IsSuspended: u.Suspended,
		CreatedAt: apiTimestamp(u.CreatedAt), UpdatedAt: apiTimestamp(u.CreatedAt), LastActiveAt: apiTimestamp(u.CreatedAt),
	}
	if show >= withEmail {
		p.Email = u.Email
	}
	if show == full {
		p.userSettings = &userSettings{Language: "en_US"}
	}
	return p
}

// avatarColor returns a color that depends only on a text.
func avatarColor(text string) string {
	colors := [...]string{"#FF5C80", "#2930FF", "#8F1CCA", "#00D084", "#FF825C", "#3633FF", "#00B8D9", "#BE0F6B"}
	sum := 0
	for i := range len(text) {
		sum = sum*31 + int(text[i])
	}
	return colors[uint(sum)%uint(len(colors))]
}

// usersList implements users.list, latest first. Suspended users are listed on
// request, and for admins only.
func (s *store) usersList(r *request, in struct {
	Query  string   `in:"query"`
	Filter string   `in:"filter,one=invited|viewers|admins|members|active|all|suspended"`
	Role   string   `in:"role,one=admin|member|viewer|guest"`
	IDs    []string `in:"ids,uuid"`
	Emails []string `in:"emails,email"`
	orderInput
}) (apiAnswer, error) {
	query, role, filter := strings.ToLower(in.Query), Role(in.Role), cmp.Or(in.Filter, "active")
	compare, err := userOrder(in.orderInput)
	if err != nil {
		return apiAnswer{}, err
	}
	if r.caller.Role != Admin && (filter == "suspended" || filter == "all") {
		filter = "active"
	}
	if r.Fields.Err != nil {
		return apiAnswer{}, r.Fields.Err
	}
	if r.caller.Role == Guest {
		return apiAnswer{}, apiForbidden()
	}
	keep := func(u *User) bool {
		switch filter {
		case "active":
			if u.Suspended {
				return false
			}
		case "suspended":
			if !u.Suspended {
				return false
			}
		case "invited":
			return false
		case "admins", "members", "viewers":
			if string(u.Role)+"s" != filter {
				return false
			}
		}
		if u.Suspended && r.caller.Role != Admin {
			return false
		}
		return (role == "" || u.Role == role) &&
			(len(in.IDs) == 0 || slices.Contains(in.IDs, u.ID)) &&
			(len(in.Emails) == 0 || slices.ContainsFunc(in.Emails, func(email string) bool { return strings.EqualFold(email, u.Email) })) &&
			(strings.Contains(strings.ToLower(u.Name), query) || strings.Contains(strings.ToLower(u.Email), query))
	}
	var users []*User
	for _, id := range slices.Backward(s.userIDs) {
		if u := s.users[id]; keep(u) {
			users = append(users, u)
		}
	}
	slices.SortStableFunc(users, compare)
	return countedAnswer(r, users, func(u *User) apiJSON { return encodeJSON(presentUser(u, r.caller.detailOf(u.ID))) })
}

// userOrder reads the sort and direction of a list of users. Only some of the
// columns that Outline accepts are here.
func userOrder(in orderInput) (func(a, b *User) int, error) {
	by := func(a, b *User) int { return a.CreatedAt.Compare(b.CreatedAt) }
	if in.Sort != nil {
		switch *in.Sort {
		case "createdAt", "updatedAt", "lastActiveAt":
		case "name":
			by = func(a, b *User) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }
		case "email":
			by = func(a, b *User) int { return cmp.Compare(a.Email, b.Email) }
		case "role":
			by = func(a, b *User) int { return cmp.Compare(a.Role, b.Role) }
		default:
			return nil, apiInvalidField("sort")
		}
	}
	return inDirection(by, in.ascending()), nil
}
