package app

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/jsonrpc"
)

// answerUnreadable answers requests that the library cannot read with a sentence. The
// library repeats what the decoders of Go say, with the names of its own types.
func answerUnreadable(hooks *server.Hooks) {
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		if _, ok := errors.AsType[base64.CorruptInputError](err); ok {
			jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": unknown cursor. Ask for the first page without a cursor."})
			return
		}
		if _, ok := errors.AsType[*server.UnparsableMessageError](err); !ok {
			return
		}
		about := "its parameters"
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			_, parameter, _ := strings.Cut(wrong.Field, "params.")
			about = cmp.Or(strings.TrimPrefix(parameter, "Alias."), about) // a type of the library
		}
		jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": wrong type of " + about + ". Send what the MCP specification says."})
	})
}
