package workspace

import (
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/oauth"
)

// presentedClient is an OAuth client as those see it who may log in to it.
type presentedClient struct {
	ID          string  `json:"id,omitempty"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Developer   *string `json:"developerName"`
	URL         *string `json:"developerUrl"`
	AvatarURL   *string `json:"avatarUrl"`
	ClientID    string  `json:"clientId"`
	Published   bool    `json:"published"`
	*clientSettings
}

// clientSettings are the members of a client that admins see, and its secret those
// whose key may change it.
type clientSettings struct {
	Secret     string         `json:"clientSecret,omitempty"`
	Type       string         `json:"clientType"`
	Redirects  []string       `json:"redirectUris"`
	LastActive *api.Timestamp `json:"lastActiveAt"`
	Created    api.Timestamp  `json:"createdAt"`
	Updated    api.Timestamp  `json:"updatedAt"`
}

func presentClient(c *caller, client oauth.Client) presentedClient {
	shown := presentedClient{
		Name: client.Name, Description: api.StringOrNull(client.Description), Developer: api.StringOrNull(client.Developer),
		URL: api.StringOrNull(client.URL), AvatarURL: api.StringOrNull(client.AvatarURL), ClientID: client.ClientID, Published: client.Published,
	}
	if c.Role != Admin {
		return shown
	}
	shown.ID = client.ID
	shown.clientSettings = &clientSettings{
		Type: "confidential", Redirects: client.Redirects, LastActive: api.TimeOrNull(client.LastActive),
		Created: api.Timestamp(client.Created), Updated: api.Timestamp(client.Updated),
	}
	if client.Public {
		shown.Type = "public"
	}
	if c.HasScope("oauthClients.update") {
		shown.Secret = client.Secret
	}
	return shown
}

// clientAnswer returns the answer with one client.
func clientAnswer(r *request, client oauth.Client) api.Answer {
	return api.Answer{Data: api.Encode(presentClient(r.caller, client))}
}

// oauthClientsList implements oauthClients.list, which leaves out the clients that
// registered themselves.
func (s *store) oauthClientsList(r *request) (api.Answer, error) {
	clients := s.oauth.Clients()
	page := api.Slice(clients, r.Page)
	list := make([]api.JSON, len(page))
	for i, client := range page {
		list[i] = api.Encode(presentClient(r.caller, client))
	}
	return api.Answer{Data: api.Array(list...), Page: r.Counted(len(clients))}, nil
}

// oauthClientsInfo implements oauthClients.info, with which a consent page also checks
// the redirect URI.
func (s *store) oauthClientsInfo(r *request) (api.Answer, error) {
	id, redirect := r.Fields.UUID("id"), r.Fields.String("redirectUri")
	if id == "" {
		id = r.Fields.String("clientId")
	}
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case id == "":
		return api.Answer{}, api.Invalid("body: Either id or clientId is required")
	}
	client, ok := s.oauth.Client(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case redirect != "" && !client.Allows(redirect):
		return api.Answer{}, api.Invalid("redirect_uri is invalid")
	}
	return clientAnswer(r, client), nil
}

// oauthClientsCreate implements oauthClients.create.
func (s *store) oauthClientsCreate(r *request) (api.Answer, error) {
	f := &r.Fields
	var c oauth.Client
	if c.Name = f.String("name"); !f.Has("name") {
		f.Fail("name", "Invalid input: expected string, received undefined")
	}
	if !f.Has("redirectUris") {
		f.Fail("redirectUris", "Invalid input: expected array, received undefined")
	}
	readClient(f, &c)
	c.Public = f.OneOf("clientType", "confidential", "confidential", "public") == "public"
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	return clientAnswer(r, s.oauth.Add(c)), nil
}

// readClient reads what a request says of a client.
func readClient(f *api.Fields, c *oauth.Client) {
	texts := []struct {
		name string
		to   *string
	}{{"name", &c.Name}, {"description", &c.Description}, {"developerName", &c.Developer}, {"developerUrl", &c.URL}, {"avatarUrl", &c.AvatarURL}}
	for _, text := range texts {
		if f.Values[text.name] != nil {
			*text.to = f.String(text.name)
		}
	}
	if f.Has("redirectUris") {
		if c.Redirects = f.Strings("redirectUris", oauth.IsURL, "Invalid URL"); len(c.Redirects) == 0 {
			f.Fail("redirectUris", "At least one redirect uri is required")
		}
	}
	if f.Has("published") {
		c.Published = f.Bool("published")
	}
}

// oauthClientsRotateSecret implements oauthClients.rotate_secret.
func (s *store) oauthClientsRotateSecret(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	client, ok := s.oauth.RotateSecret(id)
	if !ok {
		return api.Answer{}, api.NotFound()
	}
	return clientAnswer(r, client), nil
}

// oauthClientsDelete implements oauthClients.delete.
func (s *store) oauthClientsDelete(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	if !s.oauth.Remove(id) {
		return api.Answer{}, api.NotFound()
	}
	return api.Done, nil
}
