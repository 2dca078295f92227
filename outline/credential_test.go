package outline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"outline-mcp/outline"
)

func TestTheCredentialIsAskedForOncePerAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, s := scripted(t, func(o *outline.Options) {
			o.Credentials = func(ctx context.Context) (outline.Credential, error) {
				asked++
				return outline.Credential{Token: testKey}, nil
			}
		}, gives(503, "", ""), rateLimits("Retry-After", "1"), gives(200, jsonType, okDocument))
		if _, err := c.Document(t.Context(), uuid); err != nil {
			t.Fatal(err)
		}
		equal(t, "attempts", s.calls, 3)
		equal(t, "asked", asked, 3)
	})
}

func TestWithoutACredentialNothingIsSent(t *testing.T) {
	broken := errors.New("the token could not be renewed")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		source outline.CredentialSource
		kind   error
		cause  error
	}{
		"no source":           {t.Context(), nil, outline.ErrNoKey, outline.ErrNoKey},
		"a source that fails": {t.Context(), func(context.Context) (outline.Credential, error) { return outline.Credential{}, broken }, outline.ErrNoKey, broken},
		"a source that Outline refuses": {t.Context(), func(context.Context) (outline.Credential, error) {
			return outline.Credential{}, &outline.Error{Status: 404}
		}, outline.ErrNoKey, outline.ErrNoKey},
		"a source that is cancelled":   {cancelled, func(ctx context.Context) (outline.Credential, error) { return outline.Credential{}, ctx.Err() }, outline.ErrCancelled, context.Canceled},
		"a credential without a token": {t.Context(), func(context.Context) (outline.Credential, error) { return outline.Credential{Subject: "Ada"}, nil }, outline.ErrNoKey, outline.ErrNoKey},
	} {
		c, s := scripted(t, func(o *outline.Options) { o.Credentials = test.source }, gives(200, jsonType, okDocument))
		_, err := c.Document(test.ctx, uuid)
		if !errors.Is(err, test.kind) || !errors.Is(err, test.cause) || errors.Is(err, outline.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, name+": requests", s.calls, 0)
	}
}

func TestASourceThatFailsLeavesTheOutcomeOfALostRequestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, _ := scripted(t, func(o *outline.Options) {
			o.Credentials = func(context.Context) (outline.Credential, error) {
				if asked++; asked == 3 { // after the request and the reading
					return outline.Credential{}, &outline.Error{Status: 401, Code: "invalid_grant"}
				}
				return outline.Credential{Token: testKey}, nil
			}
		}, gives(504, "text/html", "gateway timeout"), gives(404, jsonType, `{"ok":false,"error":"not_found"}`), gives(404, jsonType, `{"ok":false,"error":"not_found"}`), gives(404, jsonType, `{"ok":false,"error":"not_found"}`))
		_, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{ID: uuid, Title: "Note"})
		if !outline.OutcomeUnknown(err) || errors.Is(err, outline.ErrUnauthorized) {
			t.Errorf("after %d requests for a credential: %v", asked, err)
		}
	})
}
