package output

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// Renderer turns the result of a tool into an MCP result. The zero value
// renders text only, without a size limit.
type Renderer struct {
	// Structured adds structured content, which is checked against the tool's
	// contract.
	Structured bool
	// MetaKey is the key of _meta under which an answer has the structured content if
	// Structured is not set; "" leaves it out.
	MetaKey string
	// MaxChars limits the text of an answer, in code points; 0 means no limit.
	MaxChars int
	// Offers limits the advice in answers to tools that are offered.
	Offers Offers
	// Log receives violations of a contract; nil discards them.
	Log *slog.Logger
}

// Success renders the result of a tool. The result of a batch in which every
// item failed is marked as an error.
func (r Renderer) Success(c *Contract, v Result) *mcp.CallToolResult {
	batch, ok := v.(interface{ AllFailed() bool })
	return r.render(c, v, ok && batch.AllFailed())
}

// Failure renders the problem of a tool, marked as an error.
func (r Renderer) Failure(c *Contract, p Problem) *mcp.CallToolResult {
	return r.render(c, p, true)
}

func (r Renderer) render(c *Contract, v Result, failed bool) *mcp.CallToolResult {
	v, text := r.fit(v)
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}, IsError: failed}
	if more, ok := v.(Attached); ok {
		result.Content = append(result.Content, more.Content()...)
	}
	if !r.Structured && r.MetaKey == "" {
		return result
	}
	structured, err := json.Marshal(v)
	if err == nil {
		err = c.Check(structured)
	}
	if err != nil {
		cmp.Or(r.Log, slog.New(slog.DiscardHandler)).Error("answer does not match its tool's output schema", "tool", c.tool, "violation", violation(err))
		if r.Structured {
			return broken(c, structured, failed)
		}
		return result
	}
	if r.Structured {
		result.RawStructuredContent = structured
	} else {
		result.Meta = &mcp.Meta{AdditionalFields: map[string]any{r.MetaKey: json.RawMessage(structured)}}
	}
	return result
}

// broken returns the answer for a result that violates the contract. Strict
// clients would discard the result itself.
func broken(c *Contract, structured []byte, failed bool) *mcp.CallToolResult {
	failure := Failure{Code: Internal, Sentence: fmt.Sprintf(
		"%s failed inside this server: its answer does not fit its output schema. This is a bug in outline-mcp; its log has the details.", c.tool)}
	if c.writes && !failed {
		var ids struct {
			DocumentID   string   `json:"document_id"`
			CollectionID string   `json:"collection_id"`
			CommentID    string   `json:"comment_id"`
			CreatedIDs   []string `json:"created_ids"`
		}
		_ = json.Unmarshal(structured, &ids) // unreadable IDs are left out
		failure.DocumentID, failure.CollectionID, failure.CommentID = ids.DocumentID, ids.CollectionID, ids.CommentID
		failure.Sentence = fmt.Sprintf(
			"%s was carried out: do not repeat it. Only its answer could not be given, as it does not fit its output schema; this is a bug in outline-mcp.", c.tool)
		if len(ids.CreatedIDs) > 0 {
			failure.Sentence += " Created: " + strings.Join(ids.CreatedIDs, ", ") + "."
		}
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(Renderer{}.write(failure))}, IsError: true}
	result.RawStructuredContent, _ = json.Marshal(failure) // a struct of strings and a number always encodes
	return result
}

// violation describes a violation without the offending value, because document
// text must not be logged.
func violation(err error) string {
	var invalid *validator.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	return strings.Join(places(invalid), "; ")
}

// places returns the locations of violations and the violated keywords.
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
