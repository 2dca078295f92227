package mcptool_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/elicit"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// sends counts requests and answers none.
type sends struct{ atomic.Int64 }

func (s *sends) RoundTrip(*http.Request) (*http.Response, error) {
	s.Add(1)
	return nil, http.ErrHandlerTimeout
}

type nothing struct{}

func (nothing) WriteText(t *output.Text) { t.Line("done, whatever happened") }

func TestAToolThatForgetsToAskCannotWrite(t *testing.T) {
	const document = "488d6e14-db91-4e8e-99b4-c468545e6dc7"
	sent := new(sends)
	client, err := outline.New(outline.Options{BaseURL: "http://outline.invalid/api", Transport: sent, Credentials: outline.StaticKey("ol_api_x")})
	if err != nil {
		t.Fatal(err)
	}
	forgetful := mcptool.Spec[struct{}, nothing]{
		Name: "forgetful", Title: "Forgetful tool", Description: "Deletes a document.", Effect: mcptool.Deletes,
		Run: func(ctx context.Context, env mcptool.Env, _ struct{}) (nothing, error) {
			_ = env.Outline.DeleteDocument(ctx, document, false)
			return nothing{}, nil // it does not even look at the error
		},
	}
	bound, err := mcptool.Bind([]mcptool.Tool{forgetful}, mcptool.Deps{
		Env: mcptool.Env{Outline: client}, Desk: elicit.NewDesk(elicit.Options{When: elicit.Deletes}),
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(capabilities mcp.ClientCapabilities, given mcp.MultiRoundTripParams) *mcp.CallToolResult {
		t.Helper()
		ctx := server.WithRequestProtocolInfo(t.Context(), &server.RequestProtocolInfo{Modern: true, ProtocolVersion: mcp.ProtocolVersion20260728, ClientCapabilities: &capabilities})
		request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "forgetful", Arguments: map[string]any{}}}
		request.Params.MultiRoundTripParams = given
		result, err := bound[0].Handler(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	asks := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
	asked := call(asks, mcp.MultiRoundTripParams{})
	if question := asked.InputRequests["answer"].Elicitation; question == nil || question.Message != "Forgetful tool in Outline (forgetful), with these arguments?\n\n```\n{}\n```" || sent.Load() > 0 {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), asked)
	}
	refused := call(mcp.ClientCapabilities{}, mcp.MultiRoundTripParams{})
	if !refused.IsError || sent.Load() > 0 || !strings.Contains(refused.Content[0].(mcp.TextContent).Text, "this client cannot ask one") {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), refused)
	}
	yes := mcp.NewElicitationInputResponse(mcp.ElicitationResult{ElicitationResponse: elicit.Agreement()})
	agreed := call(asks, mcp.MultiRoundTripParams{RequestState: asked.RequestState, InputResponses: mcp.InputResponses{"answer": yes}})
	if agreed.IsError || agreed.NeedsInput() || sent.Load() == 0 {
		t.Errorf("%d requests are sent, and the result is %+v", sent.Load(), agreed)
	}
}
