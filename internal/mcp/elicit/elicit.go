// Package elicit asks the user of a client: whether a call may write, and
// which of several people or documents is meant. It also asks the client for its roots.
//
// The client shows the question (MCP specification, elicitation). In protocol version
// 2026-07-28, a call that has to ask ends with the question and a sealed state, and the
// client calls again with the answer and the state. Earlier clients on stdio get
// elicitation/create instead. Either way the tool runs anew and asks the same question
// again: if the question has changed, so has what it is about, and the answer does not
// count. Earlier clients over HTTP cannot be asked, because an answer could not come
// back without a session.
//
// Between the two runs, the client has the state: AES-GCM with a key derived from
// MCP_STATE_SECRET, and the caller, the tool and the arguments as additional data. The
// UUIDs of what a call creates follow from the state, so that they are the same in both
// runs.
//
// No argument of a tool answers a question, so a model cannot answer for the user. The
// client shows the question and sends the answer: it could answer by itself, as often as it
// likes. So nothing is kept to refuse an answer that it sends twice.
package elicit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/wire"
	"outline-mcp/output"
)

// When says which calls the user has to confirm.
type When string

// The calls that the user has to confirm.
const (
	Off     When = "off"
	Deletes When = "deletes" // those of tools that delete
	Writes  When = "writes"  // those of all tools that change something
)

// answerWithin is how long the user may take to answer. A state is valid a little
// longer.
const answerWithin = 10 * time.Minute

// mostRounds is how often a call may ask: more than the choices it may need, and
// than a document is likely to change while the user reads. Clients call again at
// most ten times.
const mostRounds = 8

// Options configure a [Desk].
type Options struct {
	When When // "" is Off
	// Unasked lets calls write without a question if the client cannot ask.
	// Otherwise they are refused.
	Unasked bool
	// Secret is what states are sealed with. Servers with the same secret accept
	// each other's states. "" stands for a random one.
	Secret string
	Now    func() time.Time // nil means time.Now
	Login  Login            // offered to clients that can show a page; nil offers none
}

// A Desk asks the questions of all calls of a server. It is safe for concurrent use.
// The nil Desk asks nothing.
type Desk struct {
	options Options
	seal    sealer
	roots   atomic.Pointer[mcp.ListRootsResult] // of the one client of this machine
}

// NewDesk returns a desk.
func NewDesk(o Options) *Desk {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Desk{options: o, seal: newSealer(o.Secret)}
}

// A Subject is the call that a question is about.
type Subject struct {
	Tool, Title     string // of the tool: its name, and its title for people
	Deletes, Writes bool   // what the tool does
	// Arguments are those of the call, written in the same way if they are the same.
	Arguments json.RawMessage
	// Given is what the client sent along with the call: nothing the first time.
	Given mcp.MultiRoundTripParams
}

// Begin returns what asks the user for a call. It fails with ErrState if the client
// sent a state that was not sealed for this call of this caller, and with an
// [output.Failure] if the state has expired.
func (d *Desk) Begin(ctx context.Context, s Subject) (*Call, error) {
	if d == nil {
		return nil, nil
	}
	confirms := s.Writes && (d.options.When == Writes || d.options.When == Deletes && s.Deletes)
	canAsk := canAsk(ctx)
	if !confirms && !canAsk {
		return nil, nil
	}
	c := &Call{desk: d, subject: s, confirms: confirms, canAsk: canAsk}
	if !canAsk {
		return c, nil
	}
	c.boundTo = boundTo(ctx, s)
	if s.Given.RequestState == "" {
		c.state = state{ID: rand.Text()}
		return c, nil
	}
	var err error
	if c.state, err = d.seal.open(s.Given.RequestState, c.boundTo); err != nil {
		return nil, err
	}
	if !d.options.Now().Before(time.Unix(c.state.Until, 0)) {
		return nil, failure(output.Timeout, "nothing was written: the user took more than %d minutes to answer, and the answer no longer counts. Call again to ask anew.", int(answerWithin.Minutes()))
	}
	if given := server.ElicitationResponse(s.Given.InputResponses, field); given != nil {
		c.answer = &given.ElicitationResponse
	}
	return c, nil
}

// canAsk reports whether the client of a request can show a form to the user. The
// library does not check it.
func canAsk(ctx context.Context) bool {
	_, asks := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	return (asks || server.IsModernRequest(ctx)) && showsForms(wire.ClientCapabilities(ctx))
}

// showsForms reports whether a client declares forms. One that names no kind means
// forms (MCP specification, client/elicitation).
func showsForms(c mcp.ClientCapabilities) bool {
	return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// field is the name of the question in the result of a call, and of the answer.
const field = "answer"

// Asked is the question that a call ends with.
type Asked struct {
	params mcp.ElicitationParams
	state  string
	field  string // of the answer
}

// Result returns the result of a call that asks a client of protocol version
// 2026-07-28. It returns nil for other clients; see Put.
func (a *Asked) Result(ctx context.Context) *mcp.CallToolResult {
	switch {
	case !server.IsModernRequest(ctx):
		return nil
	case a.field == rootsField:
		return server.NewInputRequestBuilder(a.state).Roots(a.field).ToolResult()
	}
	return server.NewInputRequestBuilder(a.state).Elicit(a.field, a.params).ToolResult()
}

// Put asks a client of an earlier version with elicitation/create, waits for the
// answer, and returns what to call the tool with again.
func (a *Asked) Put(ctx context.Context) mcp.MultiRoundTripParams {
	within := answerWithin
	if a.field == rootsField {
		within = rootsWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithRoots); ok && a.field == rootsField {
		result, err := session.ListRoots(ctx, mcp.ListRootsRequest{Request: mcp.Request{Method: string(mcp.MethodListRoots)}})
		if err != nil {
			result = new(mcp.ListRootsResult)
		}
		return mcp.MultiRoundTripParams{InputResponses: mcp.InputResponses{a.field: mcp.NewRootsInputResponse(*result)}, RequestState: a.state}
	}
	answer := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: notShown}}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation); ok {
		request := mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: a.params}
		if given, err := session.RequestElicitation(ctx, request); err == nil {
			answer = given
		} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			answer.Action = timedOut
		}
	}
	return mcp.MultiRoundTripParams{InputResponses: mcp.InputResponses{a.field: mcp.NewElicitationInputResponse(*answer)}, RequestState: a.state}
}

// A Login is a page on which the user can log in to Outline while a call waits.
type Login interface {
	// Page returns the page that helps against the error of a call, or "".
	Page(ctx context.Context, err error) string
	// Wait waits until the user has logged in, or ctx is done. Cancel gives up.
	Wait(ctx context.Context)
	Cancel()
}

// pageField is the name of the answer to a page, in place of that to a form.
const pageField = "login"

// loginSlack is what is left of the time of a call when nobody has logged in: enough to
// answer.
const loginSlack = 2 * time.Second

// OfferLogin returns the question that a call ends with in place of an error, if the client
// can show a page on which the user helps against it.
func (d *Desk) OfferLogin(ctx context.Context, err error) *Asked {
	if err == nil || d == nil || d.options.Login == nil || !showsPages(ctx) {
		return nil
	}
	page := d.options.Login.Page(ctx, err)
	if page == "" {
		return nil
	}
	where, _, _ := strings.Cut(page, "/oauth/")
	params := mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, URL: page,
		Message: "Log in to Outline at " + where + " in your browser, so that this server can work with it. The login stays on this computer. Decline if this is not your Outline."}
	if !server.IsModernRequest(ctx) {
		params.ElicitationID = uuid.NewString()
	}
	// The state says nothing, because the answer decides nothing: whether the user has logged
	// in shows when the call is made again. A sealed one would be bound to nobody.
	return &Asked{params, pageField, pageField}
}

// AwaitLogin waits for the user if the client has shown them the page, and reports whether
// it has been asked to. The call is then one without an answer.
func (d *Desk) AwaitLogin(ctx context.Context, given *mcp.MultiRoundTripParams) bool {
	answer := server.ElicitationResponse(given.InputResponses, pageField)
	if d == nil || d.options.Login == nil || answer == nil {
		return false
	}
	*given = mcp.MultiRoundTripParams{}
	if answer.Action != mcp.ElicitationResponseActionAccept {
		d.options.Login.Cancel()
		return true
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-loginSlack))
		defer cancel()
	}
	d.options.Login.Wait(ctx)
	return true
}

// showsPages reports whether the client of a request can send the user to a page.
func showsPages(ctx context.Context) bool {
	_, asks := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	declared := wire.ClientCapabilities(ctx).Elicitation
	return (asks || server.IsModernRequest(ctx)) && declared != nil && declared.URL != nil
}
