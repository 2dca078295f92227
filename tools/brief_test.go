package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/cli"
	"outline-mcp/test/fixtures"
)

// named makes a client one with another name.
func named(t *testing.T, c *client.Client, name string) *client.Client {
	var request mcp.InitializeRequest
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: name}
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientsThatShowStructuredContentGetAShortTextBesideIt(t *testing.T) {
	t.Parallel()
	floor := readContract(t)
	of := func(name string, structured bool) *client.Client { return named(t, connect(t, structured), name) }
	sharedText, sharedBoth := of("claude-code", false), of("claude-code", true)
	all, plain := 0, 0
	for _, tool := range fixtures.Some(listTools(t, sharedBoth), 12) {
		both, alone := 0, 0
		for _, call := range successes(t, tool.Name) {
			text, brief := sharedText, sharedBoth
			if !*tool.Annotations.ReadOnlyHint {
				text, brief = of("claude-code", false), of("claude-code", true)
			}
			arguments := decoded[map[string]any](t, call.Arguments)
			one, err := cli.Call(t.Context(), text, tool.Name, arguments)
			if err != nil {
				t.Fatal(err)
			}
			two, err := cli.Call(t.Context(), brief, tool.Name, arguments)
			if err != nil {
				t.Fatal(err)
			}
			both, alone = both+len(two.Text)+len(two.Structured), alone+len(one.Text)
			validate(t, tool.Name+": its outputSchema", tool.OutputSchema, two.Structured)
			if promised, ok := floor.Tools[tool.Name]; ok {
				validate(t, tool.Name+": the contract", promised.Output, two.Structured)
			}
			if !alwaysStructured(tool.Name) && len(one.Text) > 300 && len(two.Text) >= len(one.Text) {
				t.Errorf("%s/%s: the text is not short: %s", tool.Name, call.Name, two.Text)
			}
		}
		if !alwaysStructured(tool.Name) {
			all, plain = all+both, plain+alone
			if both > 3*alone {
				t.Errorf("%s: %d bytes for %d of text", tool.Name, both, alone)
			}
		}
	}
	if 10*all > 18*plain && fixtures.Thorough() {
		t.Errorf("%d bytes for %d of text", all, plain)
	}
}

func TestClientsThatShowOnlyTextGetAllOfIt(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{"document_id": soup}
	for name, whole := range map[string]bool{"gemini-cli-mcp-client": true, "opencode": true, "ai-sdk-mcp-client": true, "outline-mcp": true, "claude-code": false, "codex-mcp-client": false} {
		answer, err := cli.Call(t.Context(), named(t, connect(t, true), name), "read_document", arguments)
		if err != nil {
			t.Fatal(err)
		}
		var told struct{ Text string }
		if err := json.Unmarshal(answer.Structured, &told); err != nil || !strings.Contains(told.Text, "Soup is at 12:30") {
			t.Fatalf("%v: %s", err, answer.Structured)
		}
		if got := strings.Contains(answer.Text, "Soup is at 12:30"); got != whole || !strings.HasPrefix(answer.Text, "# Friday soup") {
			t.Errorf("%s: %s", name, answer.Text)
		}
	}
}

func TestTheOperatorDecidesAboutTheTextBesideStructuredContent(t *testing.T) {
	t.Parallel()
	for setting, whole := range map[string]bool{"short": false, "full": true} {
		for _, name := range []string{"claude-code", "opencode"} {
			c := limited(t, defaultLimit, true, newSample(t).Transport(), "OUTLINE_STRUCTURED_TEXT="+setting)
			answer := success(t, named(t, c, name), defaultLimit, "read_document", map[string]any{"document_id": soup})
			if strings.Contains(answer.Text, "Soup is at 12:30") != whole {
				t.Errorf("%s for %s: %s", setting, name, answer.Text)
			}
		}
	}
}
