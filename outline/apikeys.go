package outline

import "context"

// APIKey is an API key as its owner sees it. The key itself is not told.
type APIKey struct {
	UserID string   `json:"userId"`
	Scope  []string `json:"scope"` // nil: not limited
	Last4  string   `json:"last4"` // its last four characters
}

// APIKeys returns up to 100 API keys of the caller (apiKeys.list), for an admin
// perhaps those of others too. A key whose scopes do not include it gets
// ErrForbidden.
func (c *Client) APIKeys(ctx context.Context) ([]APIKey, error) {
	a, err := query[[]APIKey](ctx, c, "apiKeys.list", struct {
		Limit int `json:"limit"`
	}{100})
	if err != nil {
		return nil, err
	}
	return *a.Data, nil
}
