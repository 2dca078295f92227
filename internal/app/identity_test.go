package app_test

import (
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`
	modernMeta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

func TestTheServerIntroducesItselfOnceInBothErasOfTheProtocol(t *testing.T) {
	server, _, _ := onWorkspace(t)
	ctx := server.AsOperator(t.Context())
	for method, params := range map[string]string{"initialize": initializeParams, "server/discover": "{" + modernMeta + "}"} {
		answer := ask(ctx, t, server, method, params)
		for _, part := range []string{
			`"name":"outline"`, `"title":"Outline"`, `"version":"test"`, `"websiteUrl":"http://outline.demo.invalid/"`,
			`"src":"data:image/svg+xml;base64,`, `"src":"data:image/png;base64,`, `"completions":{}`, `"instructions":"Outline is a wiki`,
		} {
			if !strings.Contains(answer, part) {
				t.Errorf("%s: no %s in %s", method, part, answer)
			}
		}
	}
	// From protocol version 2026-07-28 on, each answer names the server.
	for method, params := range map[string]string{"tools/call": `{"name":"list_collections","arguments":{},` + modernMeta + "}", "tools/list": "{" + modernMeta + "}"} {
		if answer := ask(ctx, t, server, method, params); !strings.Contains(answer, `"title":"Outline"`) || strings.Contains(answer, `"icons"`) || strings.Contains(answer, "websiteUrl") {
			t.Errorf("%s: %.600s", method, answer)
		}
	}
}

func TestToolsHaveIconsIfTheOperatorAsksForThem(t *testing.T) {
	for setting, want := range map[string]bool{"OUTLINE_TOOL_ICONS=": false, "OUTLINE_TOOL_ICONS=true": true} {
		c := connect(t, io.Discard, setting)
		listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range listed.Tools {
			if got := len(tool.Icons) == 1; got != want {
				t.Errorf("%s: %s has %d icons", setting, tool.Name, len(tool.Icons))
			}
		}
	}
}
