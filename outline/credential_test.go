package outline_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

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

func TestCancellingEndsACallAtOnce(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"while waiting for a rate limit": rateLimits("Retry-After", "15"),
		"while waiting for an answer":    hangs,
		"while reading an answer":        stalls,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				c, s := scripted(t, nil, step)
				start := time.Now()
				_, err := c.Document(ctx, "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrCancelled) || !errors.Is(err, context.Canceled) || errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrCancelled and context.Canceled", err)
				}
				contains(t, err, "documents.info: the call was cancelled")
				equal(t, "attempts", s.calls, 1)
				equal(t, "time taken", time.Since(start), 2*time.Second)
			})
		})
	}
}

func TestTheEndOfTheContextIsToldWithoutRetriesToo(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){"no header": hangs, "half a body": stalls} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := scripted(t, nil, step)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				if _, err := c.Document(once(ctx), "1FF9VyHA4X"); !errors.Is(err, outline.ErrCancelled) || errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrCancelled", err)
				}
				late, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, err := c.Document(once(late), "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrTimeout", err)
				}
				contains(t, err, "the time for the call ran out")
			})
		})
	}
}

func TestTheContextsDeadlineEndsACall(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"while waiting for an answer": hangs,
		"while reading an answer":     stalls,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				c, s := scripted(t, nil, step)
				start := time.Now()
				_, err := c.Document(ctx, "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, outline.ErrCancelled) {
					t.Errorf("error %v, want ErrTimeout and context.DeadlineExceeded", err)
				}
				equal(t, "attempts", s.calls, 1)
				equal(t, "time taken", time.Since(start), 2*time.Second)
			})
		})
	}
}

func TestOneAttemptTakesAtMostTheRequestTimeout(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){"no header": hangs, "half a body": stalls} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := scripted(t, func(o *outline.Options) { o.RequestTimeout = 3 * time.Second }, step)
				start := time.Now()
				_, err := c.Document(once(t.Context()), "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want ErrTimeout and context.DeadlineExceeded", err)
				}
				contains(t, err, "no complete answer from wiki.example.com within 3s")
				equal(t, "time taken", time.Since(start), 3*time.Second)
			})
		})
	}
}

func TestDefaultsBoundAnAttemptAndAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero := func(o *outline.Options) { o.RequestTimeout, o.MaxRetryWait = 0, 0 }
		silent, _ := scripted(t, zero, hangs)
		start := time.Now()
		if _, err := silent.Document(once(t.Context()), "1FF9VyHA4X"); !errors.Is(err, outline.ErrTimeout) {
			t.Error(err)
		}
		equal(t, "attempt", time.Since(start), 20*time.Second)

		c, s := scripted(t, zero, rateLimits("Retry-After", "20"), rateLimits("Retry-After", "21"))
		if _, err := c.Document(t.Context(), "1FF9VyHA4X"); !errors.Is(err, outline.ErrRateLimited) {
			t.Error(err)
		}
		equal(t, "attempts", s.calls, 2)
		equal(t, "wait", s.gap(1), 20*time.Second)
	})
}

func TestADoneContextSendsNothing(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, test := range []struct {
		ctx  context.Context
		kind error
	}{{cancelled, outline.ErrCancelled}, {late, outline.ErrTimeout}} {
		c, s := scripted(t, nil, gives(200, jsonType, okDocument))
		if _, err := c.Document(test.ctx, "1FF9VyHA4X"); !errors.Is(err, test.kind) {
			t.Errorf("error %v, want %v", err, test.kind)
		}
		equal(t, "attempts", s.calls, 0)
	}
}
