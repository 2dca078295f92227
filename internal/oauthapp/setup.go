package oauthapp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"outline-mcp/internal/oauth"
	"outline-mcp/outline"
)

// Setup describes an application to create.
type Setup struct {
	Outline   *outline.Client // acts for an admin
	PublicURL string          // as in MCP_PUBLIC_URL, without a slash at its end
	Endpoint  string          // path of the MCP endpoint, as in MCP_PATH
	Name      string          // of the application
	// Files that the secrets are written to.
	ClientSecretFile, SecretFile string
	Force                        bool // replace files that exist
}

// Created is the application that a setup has created, with absolute paths.
type Created struct {
	Setup
	ClientID string
}

// Run creates the application and writes the secrets to files that only this user can
// read. If it fails, it leaves nothing behind, unless the error says so.
func (s Setup) Run(ctx context.Context) (Created, error) {
	var err error
	for _, path := range []*string{&s.ClientSecretFile, &s.SecretFile} {
		if *path, err = filepath.Abs(*path); err != nil {
			return Created{}, err
		}
	}
	if s.ClientSecretFile == s.SecretFile {
		return Created{}, fmt.Errorf("both secrets would be in %s; name a file for each", s.SecretFile)
	}
	clientSecret, err := newSecretFile(s.ClientSecretFile, s.Force)
	if err != nil {
		return Created{}, err
	}
	defer clientSecret.discard()
	secret, err := newSecretFile(s.SecretFile, s.Force)
	if err != nil {
		return Created{}, err
	}
	defer secret.discard()

	redirect := oauth.Callback(s.PublicURL)
	existing, found, err := find(ctx, s.Outline, "", redirect)
	if err != nil {
		return Created{}, err
	}
	if found {
		return Created{}, fmt.Errorf("an application in Outline has the redirect URI %s already: %q, client ID %s; "+
			"check it with outline-mcp oauth status, give it a new client secret with outline-mcp oauth rotate client-secret, or delete it in Outline under Settings → Applications", redirect, existing.Name, existing.ClientID)
	}
	created, err := s.Outline.CreateOAuthClient(ctx, s.Name, redirect)
	if err != nil {
		return Created{}, explained("create the application in Outline", err)
	}
	if err = secret.write(newSecret()); err == nil {
		if err = clientSecret.write(string(created.Secret)); err != nil && !s.Force {
			_ = os.Remove(s.SecretFile)
		}
	}
	if err != nil {
		undo := "the application was deleted again"
		if s.Outline.DeleteOAuthClient(context.WithoutCancel(ctx), created) != nil {
			undo = "the application " + created.ClientID + " stays in Outline: delete it under Settings → Applications"
		}
		return Created{}, fmt.Errorf("%w; %s", err, undo)
	}
	return Created{s, created.ClientID}, nil
}

// WriteText writes what was done, the settings to add, and the next steps.
func (c Created) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, `Created the application %[1]q in Outline, with the redirect URI %[2]s.
Wrote the secrets to files that only you can read.

Settings of the server:

MCP_TRANSPORT=http
MCP_PUBLIC_URL=%[3]s
MCP_OAUTH_CLIENT_ID=%[4]s
MCP_OAUTH_CLIENT_SECRET_FILE=%[5]s
MCP_OAUTH_SECRET_FILE=%[6]s

With Docker, whose user 65532 must be able to read the files:

sudo chown 65532 %[5]s %[6]s
docker run ... \
  -e MCP_PUBLIC_URL=%[3]s \
  -e MCP_OAUTH_CLIENT_ID=%[4]s \
  -v %[5]s:/run/secrets/oauth-client-secret:ro -e MCP_OAUTH_CLIENT_SECRET_FILE=/run/secrets/oauth-client-secret \
  -v %[6]s:/run/secrets/oauth-secret:ro -e MCP_OAUTH_SECRET_FILE=/run/secrets/oauth-secret

Next:
1. Start the server with these settings, the same for all replicas. The secrets are read when it starts.
2. In the reverse proxy, forward %[7]s, /oauth/ and /.well-known/oauth-* to it.
3. Check it all: outline-mcp oauth status, with the same settings.
4. In the AI client, add the URL %[3]s%[7]s, and log in.
`, c.Name, oauth.Callback(c.PublicURL), c.PublicURL, c.ClientID, c.ClientSecretFile, c.SecretFile, c.Endpoint)
	return err
}
