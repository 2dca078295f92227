package workspace

import "outline-mcp/internal/workspace/api"

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

type presentedMember struct {
	ID         string `json:"id"`
	UserID     string `json:"userId"`
	GroupID    string `json:"groupId"`
	Permission string `json:"permission"`
}

// presentGroups returns the groups that a user belongs to, and the user's
// membership in each.
func (s *store) presentGroups(userID string) ([]presentedGroup, []presentedMember) {
	groups, members := []presentedGroup{}, []presentedMember{}
	for _, g := range s.groups {
		for _, id := range g.UserIDs {
			if id != userID {
				continue
			}
			groups = append(groups, presentedGroup{
				ID: g.ID, Name: g.Name, MemberCount: len(g.UserIDs),
				CreatedAt: api.Timestamp(g.CreatedAt), UpdatedAt: api.Timestamp(g.CreatedAt),
			})
			members = append(members, presentedMember{
				ID: id + "-" + g.ID, UserID: id, GroupID: g.ID, Permission: "member",
			})
		}
	}
	return groups, members
}
