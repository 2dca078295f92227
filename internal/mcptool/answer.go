package mcptool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/output"
)

// Answer is what a tool returns within another request.
type Answer struct {
	result output.Result
	render output.Renderer
}

// Answer runs the tool within another request, such as one for a prompt, which has
// passed the steps of the pipeline. arguments are those of a call. An error is that of
// the tool, without the tool's name.
func (b Bound) Answer(ctx context.Context, arguments map[string]any) (Answer, error) {
	var request mcp.CallToolRequest
	request.Params.Arguments = arguments
	decoded, _, err := b.call.decode(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	env := b.call.deps.Env
	env.Offers = b.call.deps.Pipeline.Names(ctx)
	result, err := b.call.run(ctx, env, decoded)
	return Answer{result, output.Renderer{Offers: env.Offers}}, err
}

// Text returns the text of the answer. If it is longer than maxChars code points, it
// is cut as far as the tool can cut it; 0 means no limit.
func (a Answer) Text(maxChars int) string {
	a.render.MaxChars = maxChars
	_, text := a.render.Fit(a.result)
	return text
}

// Decode reads the structured content of the whole answer into a value, as
// json.Unmarshal does.
func (a Answer) Decode(into any) error {
	structured, err := json.Marshal(a.result)
	if err == nil {
		err = json.Unmarshal(structured, into)
	}
	if err != nil {
		return fmt.Errorf("read the answer of a tool: %w", err)
	}
	return nil
}
