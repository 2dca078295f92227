package workspace

import (
	"cmp"
	"fmt"
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"strings"
	"time"
)

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
func (s *store) usersInfo(r *request) (api.Answer, error) {
	user := r.caller.user
	if r.Fields.Has("id") {
		id := r.Fields.UUID("id")
		if r.Fields.Err != nil {
			return api.Answer{}, r.Fields.Err
		}
		found, ok := s.user(id)
		if !ok {
			return api.Answer{}, api.Forbidden()
		}
		user = found
	}
	show := r.caller.DetailOf(user.ID)
	if show == access.WithEmail {
		show = access.Brief // recorded: members see the addresses of others in lists only
	}
	return api.Answer{
		Data: api.Encode(presentUser(user, show)),
	}, nil
}

type presentedUser struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	AvatarURL    *string        `json:"avatarUrl"`
	Color        string         `json:"color"`
	Role         Role           `json:"role"`
	IsSuspended  bool           `json:"isSuspended"`
	CreatedAt    api.Timestamp  `json:"createdAt"`
	UpdatedAt    api.Timestamp  `json:"updatedAt"`
	DeletedAt    *api.Timestamp `json:"deletedAt"`
	LastActiveAt api.Timestamp  `json:"lastActiveAt"`
	Timezone     *string        `json:"timezone"`
	Email        string         `json:"email,omitempty"`
	*userSettings
}

// userSettings are the members of a user that only the user and admins see.
type userSettings struct {
	Language             string   `json:"language"`
	Preferences          *string  `json:"preferences"`
	NotificationSettings struct{} `json:"notificationSettings"`
}

func presentUser(u *User, show access.Detail) presentedUser {
	p := presentedUser{
		ID: u.ID, Name: u.Name, Color: u.Color, Role: u.Role, IsSuspended: u.Suspended,
		CreatedAt: api.Timestamp(u.CreatedAt), UpdatedAt: api.Timestamp(u.CreatedAt), LastActiveAt: api.Timestamp(u.CreatedAt),
	}
	if show >= access.WithEmail {
		p.Email = u.Email
	}
	if show == access.Full {
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
