package outline

import "context"

// An APIKey describes an API key. Outline does not return the key itself.
type APIKey struct {
	UserID string   `json:"userId"`
	Scope  []string `json:"scope"` // nil if it is unrestricted
	Last4  string   `json:"last4"` // last four characters
}

// APIKeys returns up to 100 API keys of the caller (apiKeys.list); an admin may
// also get those of others. A token without the scope fails with ErrForbidden.
func (c *Client) APIKeys(ctx context.Context) ([]APIKey, error) {
	a, err := query[[]APIKey](ctx, c, "apiKeys.list", struct {
		Limit int `json:"limit"`
	}{100})
	if err != nil {
		return nil, err
	}
	return *a.Data, nil
}
