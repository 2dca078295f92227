package oauth

import (
	"context"
	"crypto/rand"
	_ "embed" // the texts
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

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

// What the commands say when they have done their work.
var (
	//go:embed created.txt
	created string
	//go:embed prepared.txt
	prepared string
	//go:embed rotated.txt
	rotated string
)

// write writes a text with a value for each {name} in it.
func write(w io.Writer, text string, values map[string]string) error {
	_, err := io.WriteString(w, string(fill(markup(text), values)))
	return err
}

// find returns the application with a client ID or, if that is "", with a redirect
// URI, as admins see it.
func find(ctx context.Context, client *outline.Client, clientID, redirectURI string) (app outline.OAuthClient, found bool, err error) {
	all, err := client.OAuthClients(ctx)
	if err != nil {
		return app, false, explained("list the applications in Outline", err)
	}
	i := slices.IndexFunc(all, func(one outline.OAuthClient) bool {
		return clientID != "" && one.ClientID == clientID || clientID == "" && slices.Contains(one.RedirectURIs, redirectURI)
	})
	if i < 0 {
		return app, false, nil
	}
	return all[i], true, nil
}

// explained returns the error of a call with what was attempted and what to do.
func explained(attempted string, err error) error {
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
		next = "only admins manage applications; use the key of an admin of the workspace, or ask one to create the application by hand (docs/login.md)"
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
	if err := makeAbsolute(&s.ClientSecretFile, &s.SecretFile); err != nil {
		return Created{}, err
	}
	clientSecret, err := newSecretFile(s.ClientSecretFile, "", s.Force)
	if err != nil {
		return Created{}, err
	}
	defer clientSecret.discard()
	secret, err := newSecretFile(s.SecretFile, "", s.Force)
	if err != nil {
		return Created{}, err
	}
	defer secret.discard()

	redirect := Callback(s.PublicURL)
	existing, found, err := find(ctx, s.Outline, "", redirect)
	if err != nil {
		return Created{}, err
	}
	if found {
		return Created{}, fmt.Errorf("an application in Outline has the redirect URI %s already: %q, client ID %s; "+
			"check it with outline-mcp oauth status, give it a new client secret with outline-mcp oauth rotate client-secret, or delete it in Outline under Settings → Applications", redirect, existing.Name, existing.ClientID)
	}
	made, err := s.Outline.CreateOAuthClient(ctx, s.Name, redirect)
	if err != nil {
		return Created{}, explained("create the application in Outline", err)
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
	return write(w, created, map[string]string{
		"name": strconv.Quote(c.Name), "redirect": Callback(c.PublicURL), "url": c.PublicURL, "path": c.Endpoint,
		"client": c.ClientID, "client secret": c.ClientSecretFile, "secret": c.SecretFile,
	})
}

// ClientSecret describes a rotation of the client secret.
type ClientSecret struct {
	Outline *outline.Client // acts for an admin
	// ClientID of the application; if it is "", PublicURL names it.
	ClientID, PublicURL string
	File                string // that holds the client secret
}

// Rotate gives the application a new client secret and writes that to the file.
// Outline rejects the one before from then on.
func (c ClientSecret) Rotate(ctx context.Context, w io.Writer) error {
	path, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	file, err := newSecretFile(path, "", true)
	if err != nil {
		return err
	}
	defer file.discard()
	app, found, err := find(ctx, c.Outline, c.ClientID, Callback(c.PublicURL))
	switch {
	case err != nil:
		return err
	case !found && c.ClientID != "":
		return fmt.Errorf("no application in Outline has the client ID %s; check MCP_OAUTH_CLIENT_ID and OUTLINE_API_URL, or create one with outline-mcp oauth setup", c.ClientID)
	case !found:
		return fmt.Errorf("no application in Outline has the redirect URI %s; create one with outline-mcp oauth setup", Callback(c.PublicURL))
	}
	made, err := c.Outline.RotateOAuthSecret(ctx, app)
	if err != nil {
		return explained("rotate the client secret in Outline", err)
	}
	if err := file.write(string(made.Secret)); err != nil {
		return fmt.Errorf("the application %s has a new client secret in Outline, but it was not saved: %w; run this again", app.ClientID, err)
	}
	_, err = fmt.Fprintf(w, `Outline has a new client secret for the application %q (%s). It is in %s.

Restart all servers now, or roll them out: until a server has the new secret, nobody can log in to it or renew a login.
People stay logged in.
`, app.Name, app.ClientID, path)
	return err
}

// Secret describes a rotation of MCP_OAUTH_SECRET.
type Secret struct {
	// File holds the secret, PreviousFile the one before.
	File, PreviousFile string
	// Prepare only makes servers accept the next secret, before any of them uses it.
	Prepare bool
	Force   bool // replace a previous secret that may still be in use
	Now     time.Time
}

// nextFile returns the file that holds a secret between preparation and rotation.
func (s Secret) nextFile() string { return s.File + ".next" }

// Rotate replaces the secret, or prepares that, and writes what to do next.
func (s Secret) Rotate(w io.Writer) error {
	if err := makeAbsolute(&s.File, &s.PreviousFile); err != nil {
		return err
	}
	present, err := readSecret(s.File)
	if err != nil {
		return fmt.Errorf("cannot read the current secret: %w; set --secret-file to the file in MCP_OAUTH_SECRET_FILE", err)
	}
	next, err := readSecret(s.nextFile())
	isPrepared := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot read the secret that was prepared: %w", err)
	case isPrepared && s.Prepare:
		return fmt.Errorf("a rotation has already been prepared; when all servers have been restarted, run outline-mcp oauth rotate secret, without --prepare")
	case !isPrepared:
		if err := s.checkPrevious(); err != nil {
			return err
		}
		next = newSecret()
	}
	if s.Prepare {
		if err := s.save(s.nextFile(), next); err != nil {
			return err
		}
		if err := s.save(s.PreviousFile, next); err != nil {
			return errors.Join(err, os.Remove(s.nextFile()))
		}
		return write(w, prepared, map[string]string{"previous": s.PreviousFile})
	}
	// In this order, the current secret is never lost.
	if err := s.save(s.PreviousFile, present); err != nil {
		return err
	}
	if err := s.save(s.File, next); err != nil {
		return err
	}
	restart := restartOne
	if isPrepared {
		restart = restartAll
		if err := os.Remove(s.nextFile()); err != nil {
			return fmt.Errorf("the secret was rotated, but %s could not be removed: %w; remove it", s.nextFile(), err)
		}
	}
	return write(w, rotated, map[string]string{
		"file": s.File, "previous": s.PreviousFile, "restart": restart, "date": s.Now.Add(refreshLifetime).Format("January 2, 2006"),
	})
}

const (
	restartAll = "Restart all servers one after the other."
	restartOne = "Restart the server. If there are several, stop all before you start them again: one with only the previous secret\n   rejects logins of the others. To rotate without an interruption, begin with --prepare the next time."
)

// checkPrevious returns an error if the previous secret may still be in use.
func (s Secret) checkPrevious() error {
	info, err := os.Stat(s.PreviousFile)
	if err != nil || s.Force {
		return nil // save reports any problem
	}
	if until := info.ModTime().Add(refreshLifetime); s.Now.Before(until) {
		return fmt.Errorf("the secret in %s was in use until %s, and logins that depend on it may last until %s; wait until then, or rotate with --force, "+
			"after which people who have not used the server since have to log in again", s.PreviousFile, info.ModTime().Format("January 2"), until.Format("January 2, 2006"))
	}
	return nil
}

// save writes a secret to a file, in place of the one that is there. A new file has
// the owner and the mode of the current secret.
func (s Secret) save(path, secret string) error {
	file, err := newSecretFile(path, s.File, true)
	if err != nil {
		return err
	}
	return file.write(secret)
}
