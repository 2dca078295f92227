package oauthapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"outline-mcp/internal/oauth"
	"outline-mcp/outline"
)

// refreshLifetime is how long a login lasts that is not used: the lifetime of
// Outline's refresh tokens unless its operator has changed it
// (OAUTH_PROVIDER_REFRESH_TOKEN_LIFETIME).
const refreshLifetime = 30 * 24 * time.Hour

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
	file, err := newSecretFile(path, true)
	if err != nil {
		return err
	}
	defer file.discard()
	app, found, err := find(ctx, c.Outline, c.ClientID, oauth.Callback(c.PublicURL))
	switch {
	case err != nil:
		return err
	case !found && c.ClientID != "":
		return fmt.Errorf("no application in Outline has the client ID %s; check MCP_OAUTH_CLIENT_ID and OUTLINE_API_URL, or create one with outline-mcp oauth setup", c.ClientID)
	case !found:
		return fmt.Errorf("no application in Outline has the redirect URI %s; create one with outline-mcp oauth setup", oauth.Callback(c.PublicURL))
	}
	rotated, err := c.Outline.RotateOAuthSecret(ctx, app)
	if err != nil {
		return explained("rotate the client secret in Outline", err)
	}
	if err := file.write(string(rotated.Secret)); err != nil {
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
	var err error
	for _, path := range []*string{&s.File, &s.PreviousFile} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if s.File == s.PreviousFile {
		return fmt.Errorf("both secrets would be in %s; name a file for each", s.File)
	}
	present, err := readSecret(s.File)
	if err != nil {
		return fmt.Errorf("cannot read the present secret: %w; name the file that MCP_OAUTH_SECRET_FILE names with --secret-file", err)
	}
	next, err := readSecret(s.nextFile())
	prepared := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot read the secret that was prepared: %w", err)
	case prepared && s.Prepare:
		return fmt.Errorf("a rotation is prepared already; when all servers have been restarted, run outline-mcp oauth rotate secret, without --prepare")
	case !prepared:
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
		_, err = fmt.Fprintf(w, preparedText, s.PreviousFile)
		return err
	}
	// In this order, the present secret is never lost.
	if err := s.save(s.PreviousFile, present); err != nil {
		return err
	}
	if err := s.save(s.File, next); err != nil {
		return err
	}
	restart := restartOne
	if prepared {
		restart = restartAll
		if err := os.Remove(s.nextFile()); err != nil {
			return fmt.Errorf("the secret was rotated, but %s could not be removed: %w; remove it", s.nextFile(), err)
		}
	}
	_, err = fmt.Fprintf(w, rotatedText, s.File, s.PreviousFile, restart, s.Now.Add(refreshLifetime).Format("January 2, 2006"))
	return err
}

const preparedText = `Prepared the next secret. The servers go on using the present one, and will accept both.

1. Add this setting to all servers, unless they have it:
   MCP_OAUTH_SECRET_PREVIOUS_FILE=%s
2. Restart them one after the other.
3. Run outline-mcp oauth rotate secret, and restart them once more.
`

const rotatedText = `Rotated the secret in %[1]s. The previous one is in %[2]s.

1. Add this setting, unless the server has it:
   MCP_OAUTH_SECRET_PREVIOUS_FILE=%[2]s
2. %[3]s
3. Remove the setting and the file after %[4]s, when no token needs the previous secret. Clients that registered
   themselves before the rotation, such as Cursor, stay logged in, and register again before their next login.
`

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
// the owner and the mode of the present secret.
func (s Secret) save(path, secret string) error {
	file, err := newSecretFile(path, true)
	if err != nil {
		return err
	}
	if like, err := os.Stat(s.File); err == nil && file.like == nil {
		if err := keepOwner(file.temp, like); err != nil {
			file.discard()
			return fmt.Errorf("%s belongs to another user (%w); run this as that user, or as root", s.File, err)
		}
	}
	return file.write(secret)
}
