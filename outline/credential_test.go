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
		"no source":                    {t.Context(), nil, outline.ErrNoKey, outline.ErrNoKey},
		"a source that fails":          {t.Context(), func(context.Context) (outline.Credential, error) { return outline.Credential{}, broken }, outline.ErrNoKey, broken},
		"a source that is cancelled":   {cancelled, func(ctx context.Context) (outline.Credential, error) { return outline.Credential{}, ctx.Err() }, outline.ErrCancelled, context.Canceled},
		"a credential without a token": {t.Context(), func(context.Context) (outline.Credential, error) { return outline.Credential{Subject: "Ada"}, nil }, outline.ErrNoKey, outline.ErrNoKey},
	} {
		c, s := scripted(t, func(o *outline.Options) { o.Credentials = test.source }, gives(200, jsonType, okDocument))
		_, err := c.Document(test.ctx, uuid)
		if !errors.Is(err, test.kind) || !errors.Is(err, test.cause) {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, name+": requests", s.calls, 0)
	}
}
