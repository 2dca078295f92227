package fakeoutline

import "cmp"

// The application of [Options.OAuth] in the demo.
const (
	ClientID     = "demo0outline0mcp0app"
	ClientSecret = "ol_sk_demo_outline_mcp"
)

// An Application is a confidential OAuth client, as an admin makes it in Outline's
// settings. The zero value is none.
type Application struct {
	ClientID, Secret string
	Redirects        []string // the redirect URIs, compared letter for letter
}

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
	Secret     string        `json:"clientSecret,omitempty"`
	Type       string        `json:"clientType"`
	Redirects  []string      `json:"redirectUris"`
	LastActive *apiTimestamp `json:"lastActiveAt"`
	Created    apiTimestamp  `json:"createdAt"`
	Updated    apiTimestamp  `json:"updatedAt"`
}

func presentClient(c *caller, client oauthClient) presentedClient {
	shown := presentedClient{
		Name: client.Name, Description: stringOrNull(client.Description), Developer: stringOrNull(client.Developer),
		URL: stringOrNull(client.URL), AvatarURL: stringOrNull(client.AvatarURL), ClientID: client.ClientID, Published: client.Published,
	}
	if c.Role != Admin {
		return shown
	}
	shown.ID = client.ID
	shown.clientSettings = &clientSettings{
		Type: "confidential", Redirects: client.Redirects, LastActive: timeOrNull(client.LastActive),
		Created: apiTimestamp(client.Created), Updated: apiTimestamp(client.Updated),
	}
	if client.Public {
		shown.Type = "public"
	}
	if c.hasScope("oauthClients.update") {
		shown.Secret = client.Secret
	}
	return shown
}

// clientAnswer returns the answer with one client.
func clientAnswer(r *request, client oauthClient) apiAnswer {
	return apiAnswer{Data: encodeJSON(presentClient(r.caller, client))}
}

// oauthClientsList implements oauthClients.list, which omits the clients that
// registered themselves.
func (s *store) oauthClientsList(r *request) (apiAnswer, error) {
	clients := s.oauth.Clients()
	page := apiSlice(clients, r.Page)
	list := make([]apiJSON, len(page))
	for i, client := range page {
		list[i] = encodeJSON(presentClient(r.caller, client))
	}
	return apiAnswer{Data: jsonArray(list...), Page: r.Counted(len(clients))}, nil
}

// oauthClientsInfo implements oauthClients.info, with which a consent page also checks
// the redirect URI.
func (s *store) oauthClientsInfo(r *request, in struct {
	ID       string `in:"id,uuid"`
	ClientID string `in:"clientId"`
	Redirect string `in:"redirectUri"`
}) (apiAnswer, error) {
	id, redirect := cmp.Or(in.ID, in.ClientID), in.Redirect
	if id == "" {
		return apiAnswer{}, apiInvalidField("body")
	}
	client, ok := s.oauth.Client(id)
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case redirect != "" && !client.Allows(redirect):
		return apiAnswer{}, apiInvalid("redirect_uri is invalid")
	}
	return clientAnswer(r, client), nil
}

// oauthClientsCreate implements oauthClients.create.
func (s *store) oauthClientsCreate(r *request, in struct {
	Name        string   `in:"name,required"`
	Redirects   []string `in:"redirectUris,required,url"`
	Description string   `in:"description,null"`
	Developer   string   `in:"developerName,null"`
	URL         string   `in:"developerUrl,null"`
	AvatarURL   string   `in:"avatarUrl,null"`
	Published   bool     `in:"published"`
	Type        string   `in:"clientType,one=confidential|public"`
}) (apiAnswer, error) {
	if len(in.Redirects) == 0 {
		return apiAnswer{}, apiInvalidField("redirectUris")
	}
	return clientAnswer(r, s.oauth.Add(oauthClient{
		Name: in.Name, Redirects: in.Redirects, Description: in.Description, Developer: in.Developer, URL: in.URL,
		AvatarURL: in.AvatarURL, Published: in.Published, Public: in.Type == "public",
	})), nil
}

// oauthClientsDelete implements oauthClients.delete.
func (s *store) oauthClientsDelete(r *request, in uuidInput) (apiAnswer, error) {
	if !s.oauth.Remove(in.ID) {
		return apiAnswer{}, apiNotFound()
	}
	return apiDone, nil
}
