package oauth

import (
	"context"
	"crypto/rand"
	_ "embed" // the texts
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"outline-mcp/outline"
)

// This file sets up the application in Outline that people log in to this server with,
// and the secrets that the server needs for it.

// DefaultName is the name of the application, which Outline shows to people who log
// in.
const DefaultName = "outline-mcp"

// newSecret returns a new MCP_OAUTH_SECRET: 256 random bits in hexadecimal.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	return hex.EncodeToString(random[:])
}

// createdText is what the setup says when it has done its work.
//
//go:embed created.txt
var createdText string

// find returns the application with a redirect URI, as admins see it.
func find(ctx context.Context, client *outline.Client, redirectURI string) (app outline.OAuthClient, found bool, err error) {
	all, err := client.OAuthClients(ctx)
	if err != nil {
		return app, false, withAdvice("list the applications in Outline", err)
	}
	i := slices.IndexFunc(all, func(one outline.OAuthClient) bool {
		return slices.Contains(one.RedirectURIs, redirectURI)
	})
	if i < 0 {
		return app, false, nil
	}
	return all[i], true, nil
}

// withAdvice returns the error of a call with what was attempted and what to do.
func withAdvice(attempted string, err error) error {
	next := ""
	switch {
	case outline.OutcomeUnknown(err):
		next = "it may have been carried out, or not: look in Outline under Settings → Applications before you repeat it"
	case errors.Is(err, outline.ErrNoKey):
		next = "set OUTLINE_API_KEY to the key of an admin of the workspace"
	case errors.Is(err, outline.ErrUnauthorized):
		next = "check OUTLINE_API_KEY; outline-mcp doctor says what is wrong with it"
	case outline.OutOfScope(err):
		next = "the key is limited to scopes that do not include this; use an admin's key without scopes"
	case errors.Is(err, outline.ErrForbidden):
		next = "only admins manage applications; use the key of an admin of the workspace, or ask one to create the application by hand (docs/team/login.md)"
	case errors.Is(err, outline.ErrNotFound):
		next = "this Outline has no OAuth applications, which 0.84 and later versions have; update it, and check OUTLINE_API_URL"
	case errors.Is(err, outline.ErrRateLimited):
		next = "Outline allows five new applications an hour"
	default:
		next = "outline-mcp doctor checks the connection to Outline"
	}
	return fmt.Errorf("cannot %s: %w; %s", attempted, err, next)
}

// Setup describes an application to create.
type Setup struct {
	Outline   *outline.Client // acts for an admin
	Address   string          // of Outline, as in OUTLINE_API_URL; "" for the sample workspace
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
	if s.ClientSecretFile, err = filepath.Abs(s.ClientSecretFile); err != nil {
		return Created{}, err
	}
	if s.SecretFile, err = filepath.Abs(s.SecretFile); err != nil {
		return Created{}, err
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

	redirect := Callback(s.PublicURL)
	existing, found, err := find(ctx, s.Outline, redirect)
	if err != nil {
		return Created{}, err
	}
	if found {
		return Created{}, fmt.Errorf("an application in Outline has the redirect URI %s already: %q, client ID %s; "+
			"check it with outline-mcp oauth status, or give it a new client secret or delete it in Outline under Settings → Applications", redirect, existing.Name, existing.ClientID)
	}
	made, err := s.Outline.CreateOAuthClient(ctx, s.Name, redirect)
	if err != nil {
		return Created{}, withAdvice("create the application in Outline", err)
	}
	if err = secret.write(newSecret()); err == nil {
		if err = clientSecret.write(string(made.Secret)); err != nil && !s.Force {
			_ = os.Remove(s.SecretFile)
		}
	}
	if err != nil {
		undo := "the application was deleted again"
		if s.Outline.DeleteOAuthClient(context.WithoutCancel(ctx), made) != nil {
			undo = "the application " + made.ClientID + " stays in Outline: delete it under Settings → Applications"
		}
		return Created{}, fmt.Errorf("%w; %s", err, undo)
	}
	return Created{s, made.ClientID}, nil
}

// WriteText writes what was done, the settings to add, and the next steps.
func (c Created) WriteText(w io.Writer) error {
	values := map[string]string{
		"name": strconv.Quote(c.Name), "redirect": Callback(c.PublicURL), "url": c.PublicURL, "path": c.Endpoint,
		"client": c.ClientID, "client secret": c.ClientSecretFile, "secret": c.SecretFile, "outline": "",
	}
	if c.Address != "" {
		values["outline"] = "OUTLINE_API_URL=" + c.Address + "\n"
	}
	_, err := io.WriteString(w, string(fill(markup(createdText), values)))
	return err
}
