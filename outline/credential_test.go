package outline_test

import (
	"context"
	"errors"
	"net/http"
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

// TestARejectedTokenIsRenewedAndTheRequestMadeAgain holds for commands, too, and without
// retries: what Outline rejects it has not carried out.
func TestARejectedTokenIsRenewedAndTheRequestMadeAgain(t *testing.T) {
	over := errors.New("the login is over")
	rejects := gives(401, jsonType, `{"ok":false,"error":"authentication_required"}`)
	for name, test := range map[string]struct {
		rejected int
		problem  error // of the renewal
		kind     error
		requests int
	}{
		"once":                    {1, nil, nil, 2},
		"as others renew as well": {3, nil, nil, 4},
		"always":                  {9, nil, outline.ErrUnauthorized, 4},
		"and cannot be renewed":   {9, over, over, 1},
	} {
		renewed := 0
		var answers []func(*http.Request) (*http.Response, error)
		for range test.rejected {
			answers = append(answers, rejects)
		}
		c, s := scripted(t, func(o *outline.Options) {
			o.Credentials = func(context.Context) (outline.Credential, error) {
				return outline.Credential{Token: testKey, Renew: func(context.Context) error { renewed++; return test.problem }}, nil
			}
		}, append(answers, gives(200, jsonType, okDocument))...)
		ctx := outline.WithCallOptions(t.Context(), outline.NoRetries())
		if _, err := c.CreateDocument(ctx, outline.CreateDocumentParams{ID: uuid, Title: "Note"}); !errors.Is(err, test.kind) || outline.OutcomeUnknown(err) {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, name+": requests", s.calls, test.requests)
		equal(t, name+": renewals", renewed, min(test.rejected, max(1, test.requests-1)))
	}
}

func TestWhoMayCommentIsReadFromTheTeamsPreferences(t *testing.T) {
	for preferences, want := range map[string]outline.Commenting{
		`{"commenting":"everyone"}`: "everyone",
		`{"commenting":"none"}`:     "none",
		`{"commenting":true}`:       "everyone",
		`{"commenting":false}`:      "none",
		`{"commenting":null}`:       "",
		`{"commenting":{}}`:         "",
		`{"mcp":true}`:              "",
		`null`:                      "",
	} {
		info, err := answer(t, `%s`, `{"user":{"id":"u","role":"guest"},"team":{"id":"t","preferences":`+preferences+`}}`).AuthInfo(t.Context())
		if err != nil || info.Team.Preferences.Commenting != want {
			t.Errorf("%s: %q, want %q (%v)", preferences, info.Team.Preferences.Commenting, want, err)
		}
	}
}

func TestAMissingScopeIsToldFromAMissingRight(t *testing.T) {
	for message, want := range map[string]bool{
		"API key does not have access to this resource":      true,
		"Access token does not have access to this resource": true,
		"Authorization error":                                false,
	} {
		c, _ := ordered(t, "", nil, gives(403, jsonType, `{"ok":false,"error":"authorization_error","status":403,"message":"`+message+`"}`))
		_, err := c.AuthInfo(t.Context())
		if outline.OutOfScope(err) != want || !errors.Is(err, outline.ErrForbidden) {
			t.Errorf("%s: out of scope is %t (%v)", message, !want, err)
		}
	}
	if outline.OutOfScope(nil) {
		t.Error("no error is out of scope")
	}
}

func TestASuspendedUserIsToldFromOneWithoutTheRight(t *testing.T) {
	for code, want := range map[string]bool{"user_suspended": true, "authorization_error": false} {
		c, _ := ordered(t, "", nil, gives(403, jsonType, `{"ok":false,"error":"`+code+`","status":403,"message":"x"}`))
		_, err := c.AuthInfo(t.Context())
		if outline.Suspended(err) != want || !errors.Is(err, outline.ErrForbidden) {
			t.Errorf("%s: suspended is %t (%v)", code, !want, err)
		}
	}
	if outline.Suspended(nil) {
		t.Error("no error is a suspension")
	}
}
