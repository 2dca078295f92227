package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// Renderer turns what a tool returned into an MCP result. The zero value
// renders text alone, without a size limit.
type Renderer struct {
	// Structured adds structured content, checked against the tool's contract.
	Structured bool
	// MaxChars is the most code points of text in an answer; 0 means no limit.
	MaxChars int
	// Log receives violations of a contract; nil discards them.
	Log *slog.Logger
}

// Success renders a tool's result. A batch of which nothing succeeded counts as
// a failure and keeps its shape.
func (r Renderer) Success(c *Contract, v Result) *mcp.CallToolResult {
	batch, ok := v.(interface{ AllFailed() bool })
	return r.render(c, v, ok && batch.AllFailed())
}

// Failure renders a tool's problem, with isError set.
func (r Renderer) Failure(c *Contract, p Problem) *mcp.CallToolResult {
	return r.render(c, p, true)
}

func (r Renderer) render(c *Contract, v Result, failed bool) *mcp.CallToolResult {
	v, text := fit(v, r.MaxChars)
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}, IsError: failed}
	if !r.Structured {
		return result
	}
	structured, err := json.Marshal(v)
	if err == nil {
		err = c.Check(structured)
	}
	if err == nil {
		result.RawStructuredContent = structured
		return result
	}
	if r.Log != nil {
		r.Log.Error("answer breaks its tool's output schema", "tool", c.tool, "violation", violation(err))
	}
	return r.broken(c, structured, failed)
}

// broken answers in place of a result that strict clients would throw away.
func (r Renderer) broken(c *Contract, structured []byte, failed bool) *mcp.CallToolResult {
	failure := Failure{Code: Internal, Sentence: fmt.Sprintf(
		"%s failed inside this server: its answer does not fit its output schema. This is a bug of outline-mcp; its log has the details.", c.tool)}
	if c.writes && !failed {
		var ids struct {
			DocumentID   string   `json:"document_id"`
			CollectionID string   `json:"collection_id"`
			CommentID    string   `json:"comment_id"`
			CreatedIDs   []string `json:"created_ids"`
		}
		_ = json.Unmarshal(structured, &ids) // what cannot be read is left out
		failure.DocumentID, failure.CollectionID, failure.CommentID = ids.DocumentID, ids.CollectionID, ids.CommentID
		failure.Sentence = fmt.Sprintf(
			"%s was carried out: do not repeat it. Only its answer could not be given, as it does not fit its output schema; this is a bug of outline-mcp.", c.tool)
		if len(ids.CreatedIDs) > 0 {
			failure.Sentence += " Created: " + strings.Join(ids.CreatedIDs, ", ") + "."
		}
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(write(failure))}, IsError: true}
	result.RawStructuredContent, _ = json.Marshal(failure) // a struct of strings and a number always encodes
	return result
}

// violation describes what is wrong without the value that is: it may be
// document text, which does not belong into a log.
func violation(err error) string {
	var invalid *validator.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	return strings.Join(places(invalid), "; ")
}

// places lists where an answer breaks its schema and by which keyword.
func places(e *validator.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{"/" + strings.Join(e.InstanceLocation, "/") + ": " + strings.Join(e.ErrorKind.KeywordPath(), "/")}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, places(cause)...)
	}
	return all
}
