package workspace

import "outline-mcp/internal/workspace/access"

// apiKeysList is apiKeys.list: the caller's own keys.
func (s *store) apiKeysList(r *request) (answer, error) {
	var list []pieces
	for _, key := range s.keysOf(r.caller.ID) {
		list = append(list, encode(struct {
			ID           string        `json:"id"`
			User         presentedUser `json:"user"`
			UserID       string        `json:"userId"`
			Name         string        `json:"name"`
			Scope        []string      `json:"scope"`
			Last4        string        `json:"last4"`
			CreatedAt    timestamp     `json:"createdAt"`
			UpdatedAt    timestamp     `json:"updatedAt"`
			ExpiresAt    *timestamp    `json:"expiresAt"`
			LastActiveAt timestamp     `json:"lastActiveAt"`
		}{
			ID: key.ID, User: presentUser(r.caller.user, access.Brief), UserID: key.UserID, Name: key.Name,
			Scope: key.Scopes, Last4: key.Secret[max(0, len(key.Secret)-4):],
			CreatedAt: timestamp(key.CreatedAt), UpdatedAt: timestamp(key.CreatedAt),
			ExpiresAt: moment(key.ExpiresAt), LastActiveAt: timestamp(s.now()),
		}))
	}
	return answer{data: array(cut(list, r.page)...), page: r.uncounted()}, nil
}
