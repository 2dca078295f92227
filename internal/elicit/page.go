package elicit

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/jsonrpc"
)

// A Login is a page on which the person can log in to Outline while a call waits.
type Login interface {
	// Page returns the page that helps against the error of a call, or "".
	Page(ctx context.Context, err error) string
	// Wait waits until the person has logged in, or ctx is done. Cancel gives up.
	Wait(ctx context.Context)
	Cancel()
}

// pageField is the name of the answer to a page, in place of that to a form.
const pageField = "login"

// loginSlack is what is left of the time of a call when nobody has logged in: enough to
// answer.
const loginSlack = 2 * time.Second

// OfferLogin returns the question that a call ends with in place of an error, if the client
// can show a page on which the person helps against it.
func (d *Desk) OfferLogin(ctx context.Context, err error) *Asked {
	if err == nil || d == nil || d.options.Login == nil || !showsPages(ctx) {
		return nil
	}
	page := d.options.Login.Page(ctx, err)
	if page == "" {
		return nil
	}
	params := mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, URL: page,
		Message: "Log in to Outline in your browser, so that this server can work with it. The login stays on this computer."}
	if !server.IsModernRequest(ctx) {
		params.ElicitationID = uuid.NewString()
	}
	// The state says nothing, because the answer decides nothing: whether somebody has logged
	// in shows when the call is made again. A sealed one would be bound to nobody.
	return &Asked{params, pageField, pageField}
}

// AwaitLogin waits for the person if the client has shown them the page, and reports whether
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

// showsPages reports whether the client of a request can send the person to a page.
func showsPages(ctx context.Context) bool {
	_, asks := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	declared := jsonrpc.ClientCapabilities(ctx).Elicitation
	return (asks || server.IsModernRequest(ctx)) && declared != nil && declared.URL != nil
}
