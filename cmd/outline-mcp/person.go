package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/mcp/elicit"
)

// person returns what lets the person at the terminal confirm a call. It is nil if
// there is no terminal, and for a stream, which nobody attends.
func (o callOptions) person() client.ElicitationHandler {
	terminal := cli.OpenTerminal(o.environment.stdin, o.environment.stderr)
	if terminal == nil || o.given("stream") || !cli.IsTerminal(o.environment.stderr) {
		return nil
	}
	return terminalPerson{terminal, o.environment}
}

// terminalPerson asks the person at a terminal.
type terminalPerson struct {
	terminal *cli.Terminal
	process
}

// Elicit implements client.ElicitationHandler. Choices are declined, because scripts
// that are started at a terminal expect a list.
func (p terminalPerson) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	result := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}
	if !elicit.IsConfirmation(request.Params) {
		return result, nil
	}
	fmt.Fprintln(p.stderr, request.Params.Message)
	line, err := p.terminal.Ask(ctx, "Do it? [y/N] ", false, func(line string) (string, error) { return line, nil })
	switch {
	case err != nil:
		result.Action = mcp.ElicitationResponseActionCancel
	case slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line))):
		result.ElicitationResponse = elicit.Agreement()
	}
	return result, nil
}
