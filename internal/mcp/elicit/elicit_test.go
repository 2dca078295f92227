package elicit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/output"
)

// modern is the context of a request of protocol version 2026-07-28 whose client shows
// forms.
func modern(subject string) context.Context {
	ctx := auth.NewContext(context.Background(), auth.New(auth.KindAPIKey, subject, auth.APIKey("x")))
	return server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{
		Modern: true, ProtocolVersion: mcp.ProtocolVersion20260728, ClientCapabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}},
	})
}

func deletion(given mcp.MultiRoundTripParams) elicit.Subject {
	return elicit.Subject{Tool: "delete", Title: "Delete", Writes: true, Deletes: true, Arguments: json.RawMessage(`{"id":1}`), Given: given}
}

func describe(text string) func(context.Context) (elicit.Question, error) {
	return func(context.Context) (elicit.Question, error) { return elicit.Question{Text: text}, nil }
}

// accepted is a client's answer to a result that asks.
func accepted(t *testing.T, result *mcp.CallToolResult) mcp.MultiRoundTripParams {
	t.Helper()
	given := mcp.MultiRoundTripParams{RequestState: result.RequestState, InputResponses: mcp.InputResponses{}}
	for id := range result.InputRequests {
		given.InputResponses[id] = mcp.NewElicitationInputResponse(mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
			Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"confirm": true},
		}})
	}
	return given
}

// ask begins a call and returns the result with its question.
func ask(t *testing.T, desk *elicit.Desk, text string) *mcp.CallToolResult {
	t.Helper()
	ctx := modern("a")
	call, err := desk.Begin(ctx, deletion(mcp.MultiRoundTripParams{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Confirm(ctx, describe(text)); err == nil || call.Approved() {
		t.Fatal("nobody has agreed")
	}
	asked, refusal := call.Ended()
	if asked == nil || refusal != nil {
		t.Fatalf("the call does not ask: %v", refusal)
	}
	return asked.Result(ctx)
}

func TestAnAnswerExpires(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes, Now: func() time.Time { return now }})
	for _, test := range []struct {
		after time.Duration
		code  output.Code
	}{{9 * time.Minute, ""}, {12 * time.Minute, output.Timeout}} {
		given := accepted(t, ask(t, desk, "Delete it?"))
		now = now.Add(test.after)
		call, err := desk.Begin(modern("a"), deletion(given))
		if failure, _ := errors.AsType[output.Failure](err); failure.Code != test.code {
			t.Fatalf("after %s: %v", test.after, err)
		}
		if err == nil {
			if err := call.Confirm(modern("a"), describe("Delete it?")); err != nil || !call.Approved() {
				t.Errorf("after %s: %v", test.after, err)
			}
		}
	}
}

// A client of an earlier version that never answers.
type silent struct{ *server.InProcessSession }

func (silent) GetClientCapabilities() mcp.ClientCapabilities {
	return mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
}

func (silent) RequestElicitation(ctx context.Context, _ mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAPersonWhoNeverAnswersDoesNotAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes})
		s := server.NewMCPServer("test", "1")
		ctx := s.WithContext(context.Background(), silent{server.NewInProcessSession("x", nil)})
		call, err := desk.Begin(ctx, deletion(mcp.MultiRoundTripParams{}))
		if err != nil {
			t.Fatal(err)
		}
		_ = call.ConfirmCall(ctx)
		asked, _ := call.Ended()
		if asked == nil || asked.Result(ctx) != nil {
			t.Fatal("the client is not asked with elicitation/create")
		}
		start := time.Now()
		given := asked.Put(ctx)
		if took := time.Since(start); took != 10*time.Minute {
			t.Errorf("the question is open for %s", took)
		}
		if call, err = desk.Begin(ctx, deletion(given)); err != nil {
			t.Fatal(err)
		}
		failure, _ := errors.AsType[output.Failure](call.ConfirmCall(ctx))
		if failure.Code != output.Timeout || !strings.Contains(failure.Sentence, "nothing was written") {
			t.Errorf("%+v", failure)
		}
	})
}

func TestTheDetailsOfAQuestionAreCutAndCannotPassForTheQuestion(t *testing.T) {
	desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes})
	long := strings.Repeat("a line\n", 2000)
	message := func(q elicit.Question) string {
		call, err := desk.Begin(modern("a"), deletion(mcp.MultiRoundTripParams{}))
		if err != nil {
			t.Fatal(err)
		}
		_ = call.Confirm(modern("a"), func(context.Context) (elicit.Question, error) { return q, nil })
		asked, _ := call.Ended()
		return asked.Result(modern("a")).InputRequests["answer"].Elicitation.Message
	}
	if got := message(elicit.Question{Text: "Edit it?", Details: long}); len(got) > 6400 || !strings.Contains(got, "lines more not shown)") {
		t.Errorf("%d bytes: %s", len(got), got[len(got)-60:])
	}
	if got := message(elicit.Question{Text: "Edit it?", Details: "a\x1b[2Jb\u202ec\n\td"}); got != "Edit it?\n\n    a\\u001b[2Jb\\u202ec\n    \td" {
		t.Errorf("%q", got)
	}
	if got := message(elicit.Question{Text: "Delete it?", Details: "x\n````\n(nothing is deleted)"}); got != "Delete it?\n\n    x\n    ````\n    (nothing is deleted)" {
		t.Errorf("%q", got)
	}
}

func TestWhatIsNotShownOfAQuestionCountsToo(t *testing.T) {
	desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes})
	shown := elicit.Question{Text: "Edit it?", Details: strings.Repeat("a line\n", 2000), Bound: "7"}
	for name, changed := range map[string]elicit.Question{
		"its end":           {Text: shown.Text, Details: shown.Details + "another", Bound: shown.Bound},
		"the revision":      {Text: shown.Text, Details: shown.Details, Bound: "8"},
		"where a part ends": {Text: shown.Text + "a", Details: strings.TrimPrefix(shown.Details, "a"), Bound: shown.Bound},
	} {
		call, err := desk.Begin(modern("a"), deletion(mcp.MultiRoundTripParams{}))
		if err != nil {
			t.Fatal(err)
		}
		_ = call.Confirm(modern("a"), func(context.Context) (elicit.Question, error) { return shown, nil })
		asked, _ := call.Ended()
		if call, err = desk.Begin(modern("a"), deletion(accepted(t, asked.Result(modern("a"))))); err != nil {
			t.Fatal(err)
		}
		_ = call.Confirm(modern("a"), func(context.Context) (elicit.Question, error) { return changed, nil })
		if asked, _ := call.Ended(); call.Approved() || asked == nil {
			t.Errorf("%s changes, and the answer counts", name)
		}
	}
}

func TestTheIDsOfACallStayTheSame(t *testing.T) {
	desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes})
	random := func() string { return "random" }
	first, err := desk.Begin(modern("a"), deletion(mcp.MultiRoundTripParams{}))
	if err != nil {
		t.Fatal(err)
	}
	newID := first.IDs(random)
	want := []string{newID(), newID()}
	_ = first.Confirm(modern("a"), describe("Delete it?"))
	asked, _ := first.Ended()
	second, err := desk.Begin(modern("a"), deletion(accepted(t, asked.Result(modern("a")))))
	if err != nil {
		t.Fatal(err)
	}
	newID = second.IDs(random)
	if got := []string{newID(), newID()}; fmt.Sprint(got) != fmt.Sprint(want) || got[0] == got[1] {
		t.Errorf("%v, then %v", want, got)
	}
	other, err := desk.Begin(modern("a"), deletion(mcp.MultiRoundTripParams{}))
	if err != nil {
		t.Fatal(err)
	}
	if id := other.IDs(random)(); id == want[0] {
		t.Error("another call has the same IDs")
	}
	cannotAsk, err := desk.Begin(context.Background(), deletion(mcp.MultiRoundTripParams{}))
	if err != nil {
		t.Fatal(err)
	}
	if id := cannotAsk.IDs(random)(); id != "random" {
		t.Errorf("a call that cannot ask has the ID %s", id)
	}
}

// FuzzState opens states that clients made up.
func FuzzState(f *testing.F) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	desk := elicit.NewDesk(elicit.Options{When: elicit.Deletes, Now: func() time.Time { return now }})
	ctx := modern("a")
	call, err := desk.Begin(ctx, deletion(mcp.MultiRoundTripParams{}))
	if err != nil {
		f.Fatal(err)
	}
	_ = call.Confirm(ctx, describe("Delete it?"))
	asked, _ := call.Ended()
	sealed := asked.Result(ctx).RequestState
	for _, state := range []string{sealed, sealed[1:], sealed + "A", "AAAA", "{}", "", strings.Repeat("A", 5000)} {
		f.Add(state, `{"action":"accept","content":{"confirm":true}}`)
	}
	f.Fuzz(func(t *testing.T, state, answer string) {
		given := mcp.MultiRoundTripParams{RequestState: state}
		_ = json.Unmarshal([]byte(`{"answer":`+answer+`}`), &given.InputResponses)
		call, err := desk.Begin(ctx, deletion(given))
		if state != "" && state != sealed && !errors.Is(err, elicit.ErrState) {
			t.Fatalf("%q is accepted: %v", state, err)
		}
		if err != nil {
			return
		}
		if err := call.Confirm(ctx, describe("Delete something else?")); err == nil || call.Approved() {
			t.Fatalf("%q with %q confirms another question", state, answer)
		}
	})
}
