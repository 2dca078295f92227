package outline

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// The failures of an attempt, by what they leave open.
var (
	refused       = Error{Status: http.StatusConflict, Code: "document_conflict"}
	refusedForbid = Error{Status: http.StatusForbidden, Code: "authorization_error"}
	answerLost    = Error{kind: ErrUnreachable, outcomeUnknown: true, transient: true}
	endedInError  = Error{Status: http.StatusInternalServerError, Code: "internal_error", outcomeUnknown: true}
)

// attempts lists the failures of the attempts that lead to each writeFailure.
var attempts = [writeFailures][]Error{
	conflicted:  {refused},
	lostPending: {answerLost},
	lostEnded:   {endedInError},
	lostRefused: {answerLost, refusedForbid},
}

func TestWhatWasLostAndWhatIsSeenDecideWhatFollows(t *testing.T) {
	const (
		found     = "returns what was seen"
		certain   = "fails, nothing was done"
		unknown   = "fails, outcome unknown"
		again     = "sends the same again"
		anew      = "makes it anew"
		checked   = "fails, nothing was changed"
		different = "different states"
	)
	for what, row := range [writeFailures][writeStates]string{
		conflicted:  {anew, certain, anew, anew, certain, certain, certain},
		lostPending: {found, again, anew, unknown, again, unknown, again},
		lostEnded:   {found, checked, anew, unknown, unknown, unknown, unknown},
		lostRefused: {found, certain, certain, unknown, unknown, unknown, unknown},
	} {
		for seen, want := range row {
			synctest.Test(t, func(t *testing.T) {
				sent, planned := 0, 0
				failures := attempts[what]
				value := ""
				err := (&Client{maxRetries: 3, maxRetryWait: 1 << 40}).Resolve(t.Context(), Write{
					Send: func(context.Context) error {
						sent++
						if sent <= len(failures) {
							failure := failures[sent-1]
							return &failure
						}
						value = "sent"
						return nil
					},
					Observe: func(_ context.Context, refused bool) (WriteState, string) {
						if sent < len(failures) {
							return SeenUnchanged, ""
						}
						if refused != (writeFailure(what) == conflicted) {
							t.Errorf("after %v: refused is %v", failures, refused)
						}
						value = "seen"
						return WriteState(seen), ""
					},
					Replan: func(context.Context) error { planned++; return nil },
				})
				got := different
				var e *Error
				switch errors.As(err, &e); {
				case err == nil && value == "seen" && sent == len(failures):
					got = found
				case err == nil && value == "sent" && planned == 1:
					got = anew
				case err == nil && value == "sent" && sent == len(failures)+1:
					got = again
				case OutcomeUnknown(err) && (WriteState(seen) == SeenAmbiguous || e.Afterwards == afterwards[seen]) && sent == len(failures):
					got = unknown
				case err != nil && e.Afterwards == "nothing was changed":
					got = checked
				case err != nil && !OutcomeUnknown(err) && sent == len(failures):
					got = certain
				}
				if got != want {
					t.Errorf("failure %d, state %d: %s, want %s (%q, %v, %d sent)", what, seen, got, want, value, err, sent)
				}
			})
		}
	}
}

func TestARequestIsResentOnlyWhereThatIsSafeAndOfUse(t *testing.T) {
	lasting := Error{kind: ErrBadAnswer, outcomeUnknown: true}
	for name, test := range map[string]struct {
		failure    Error
		options    []CallOption
		repeatable func() bool
		sent       int
	}{
		"it passes":                {answerLost, nil, nil, 4},
		"it lasts":                 {lasting, nil, nil, 1},
		"it must not happen twice": {answerLost, nil, func() bool { return false }, 1},
		"the call has no retries":  {answerLost, []CallOption{NoRetries()}, nil, 1},
		"the call may not wait":    {answerLost, []CallOption{MaxRetryWait(1)}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := 0
				err := (&Client{maxRetries: 3, maxRetryWait: 1 << 40}).Resolve(WithCallOptions(t.Context(), test.options...), Write{
					Send:       func(context.Context) error { sent++; failure := test.failure; return &failure },
					Observe:    func(context.Context, bool) (WriteState, string) { return SeenUnchanged, "" },
					Repeatable: test.repeatable,
				})
				if !OutcomeUnknown(err) || sent != test.sent {
					t.Errorf("%d sent, want %d: %v", sent, test.sent, err)
				}
			})
		})
	}
}

func TestARefusalIsNotLookedInto(t *testing.T) {
	for name, test := range map[string]struct {
		failure Error
		replan  func(context.Context) error
	}{
		"forbidden":                          {refusedForbid, func(context.Context) error { return nil }},
		"a conflict that cannot be resolved": {refused, nil},
	} {
		sent := 0
		err := (&Client{maxRetries: 3}).Resolve(t.Context(), Write{
			Send: func(context.Context) error { sent++; failure := test.failure; return &failure },
			Observe: func(context.Context, bool) (WriteState, string) {
				t.Errorf("%s: it was looked up", name)
				return SeenOvertaken, ""
			},
			Replan: test.replan,
		})
		if err == nil || OutcomeUnknown(err) || sent != 1 {
			t.Errorf("%s: %d sent, %v", name, sent, err)
		}
	}
}

func TestAConflictIsTriedAgainOnlySoOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		err := (&Client{}).Resolve(t.Context(), Write{
			Send:    func(context.Context) error { sent++; failure := refused; return &failure },
			Observe: func(context.Context, bool) (WriteState, string) { return SeenOvertaken, "" },
			Replan:  func(context.Context) error { return nil },
		})
		if !errors.Is(err, ErrConflict) || sent != 1+maxConflicts {
			t.Errorf("%d sent: %v", sent, err)
		}
	})
}

func TestAPlanThatDoesNotFitAnyMoreEndsTheWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the passage is gone")
		err := (&Client{}).Resolve(t.Context(), Write{
			Send:    func(context.Context) error { failure := refused; return &failure },
			Observe: func(context.Context, bool) (WriteState, string) { return SeenOvertaken, "" },
			Replan:  func(context.Context) error { return gone },
		})
		if err != gone {
			t.Errorf("%v, want %v", err, gone)
		}
	})
}

func TestAConflictIsLookedIntoAfterThePauseSoThatThePlanIsForTheLatestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen time.Time
		sent := 0
		err := (&Client{maxRetries: 3, maxRetryWait: 1 << 40}).Resolve(t.Context(), Write{
			Send: func(context.Context) error {
				if sent++; sent == 1 {
					failure := refused
					return &failure
				}
				if !time.Now().Equal(seen) {
					t.Errorf("sent %s after it was seen", time.Since(seen))
				}
				return nil
			},
			Observe: func(context.Context, bool) (WriteState, string) {
				seen = time.Now()
				return SeenOvertaken, ""
			},
			Replan: func(context.Context) error { return nil },
		})
		if err != nil || sent != 2 {
			t.Errorf("%d sent: %v", sent, err)
		}
	})
}
