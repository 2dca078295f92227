package workspace

import (
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
)

// apiKeysList is apiKeys.list: the caller's own keys.
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
			ID: key.ID, User: presentUser(r.caller.user, access.Brief), UserID: key.UserID, Name: key.Name,
			Scope: key.Scopes, Last4: key.Secret[max(0, len(key.Secret)-4):],
			CreatedAt: api.Timestamp(key.CreatedAt), UpdatedAt: api.Timestamp(key.CreatedAt),
			ExpiresAt: api.TimeOrNull(key.ExpiresAt), LastActiveAt: api.Timestamp(s.now()),
		}))
	}
	return api.Answer{Data: api.Array(api.Slice(list, r.Page)...), Page: r.Uncounted()}, nil
}
