package app

import (
	"context"
	"io"

	"outline-mcp/internal/stdio"
)

// ServeStdio serves one client on in and out, who acts for the operator, until the input ends and all
// requests are answered, or ctx is done. Nothing else may write to out. It
// fails when requests are left without an answer at the end of input.
func (a *App) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return stdio.Server{MCP: a.server, Log: a.log, CallTimeout: a.config.CallTimeout, HoldArguments: true, Subscribe: a.updates.subscriber}.Serve(a.AsOperator(ctx), in, out)
}
