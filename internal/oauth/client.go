package oauth

import (
	"context"

	"outline-mcp/internal/oauth/client"
)

// find returns the client of an ID. The problem is invalid_client if the ID is
// unknown, and others if the client's metadata document is not usable.
func (s *Server) find(ctx context.Context, id string) (client.Client, *problem) {
	switch {
	case id == ConfiguredClient && len(s.options.Redirects) > 0:
		return client.Client{ID: id, RedirectURIs: s.options.Redirects, Source: client.Configured}, nil
	case client.IsDocumentID(id) && s.options.Documents != nil:
		found, err := s.options.Documents.Client(ctx, id)
		if err != nil {
			return client.Client{}, asProblem(err)
		}
		return found, nil
	}
	known, err := s.values.client.open(id)
	if err != nil {
		return client.Client{}, invalidClient()
	}
	return client.Client{ID: id, Name: known.Name, RedirectURIs: known.Redirects, Source: client.Registered}, nil
}

// isKnown reports whether a client ID is one that find would find, as far as that can be
// said without fetching anything. Codes and tokens say which client they are for.
func (s *Server) isKnown(id string) bool {
	if client.IsDocumentID(id) {
		return s.options.Documents != nil
	}
	_, problem := s.find(context.Background(), id)
	return problem == nil
}
