package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"outline-mcp/internal/text"
)

// Renderer turns the result of a tool into an MCP result. The zero value
// renders text only, without a size limit.
type Renderer struct {
	// Structured adds structured content, which is checked against the tool's
	// contract.
	Structured bool
	// Brief makes the text short where it accompanies structured content, which then has
	// one identifier of each document: for clients that show the structured content.
	Brief bool
	// MetaKey is the key of _meta under which an answer has the structured content if
	// Structured is not set; "" leaves it out.
	MetaKey string
	// MaxBytes limits the text of an answer, in bytes of UTF-8; 0 means no limit. Some
	// clients cut answers by bytes, others by characters, of which there are fewer.
	MaxBytes int
	// Available limits the advice in answers to tools that are offered.
	Available Available
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
	v, text := r.Fit(v)
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
		if r.Brief && !failed && r.MetaKey == "" { // a view reads all of the structured content
			structured = r.oneIdentifier(c, structured)
			result.Content[0] = mcp.NewTextContent(r.brief(v))
		}
		result.RawStructuredContent = structured
	} else {
		result.Meta = &mcp.Meta{AdditionalFields: map[string]any{r.MetaKey: json.RawMessage(structured)}}
	}
	return result
}

// These members stand beside UUIDs. Within a string of JSON, the quotation marks would be
// escaped.
var (
	urlIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,"(?:[a-z_]+_)?url_id":"[^"\\]*"`) })
	rowURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,"url":"[^"\\]*/doc/[^"\\]*"`) })
)

// oneIdentifier leaves URL ids, and the URLs of the rows of a list, out of structured content
// if its contract does not ask for them.
func (r Renderer) oneIdentifier(c *Contract, structured []byte) []byte {
	short := urlIDs().ReplaceAll(structured, nil)
	if row := bytes.Index(short, []byte("[{")); row >= 0 {
		short = append(bytes.Clone(short[:row]), rowURL().ReplaceAll(short[row:], nil)...)
	}
	if c.Check(short) != nil {
		return structured
	}
	return short
}

// explains finds the lines that say what structured content has keys for.
var explains = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Each line|Note|To undo|Collections): `) })

// longestBrief is how many characters of a line a brief text shows.
const longestBrief = 36

// brief returns the beginning of each line of a result, without foreign text.
func (r Renderer) brief(v Result) string {
	t := Text{available: r.Available, brief: true}
	v.WriteText(&t)
	var b strings.Builder
	for line := range strings.Lines(t.String()) {
		if line = strings.TrimSpace(line); line != "" && !explains().MatchString(line) {
			b.WriteString(text.Truncate(line, longestBrief) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
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

// Cuttable is a Result that can be shortened to keep an answer within the size
// limit. Its methods have pointer receivers, so that a result that embeds a
// Cuttable is one as well.
type Cuttable interface {
	Result
	// Cuts returns the ways to shorten the result, in the order in which to
	// use them. A later one is used only if the earlier ones are exhausted.
	Cuts() []Cut
}

// Cut is one way to shorten a result.
type Cut struct {
	// Units is the number of units (lines, entries, characters) in the result, or an
	// upper bound that takes less time. Each unit accounts for at least one character
	// of text.
	Units int
	// Least is the minimum number of units to keep.
	Least int
	// Keep shortens the result in place to its first n units and records how
	// to get the rest. A larger n must not give a shorter text. Keep is called
	// at most once, and on a shallow copy: slices and pointers are shared with
	// other copies.
	Keep func(n int)
}

// Fit returns v and its text or, if the text is too long, the longest cut of v
// with at most MaxBytes bytes of text. If the result has a method Shown, it is
// called.
func (r Renderer) Fit(v Result) (Result, string) {
	v, text := r.fit(v)
	if told, ok := v.(interface{ Shown() }); ok {
		told.Shown()
	}
	return v, text
}

func (r Renderer) fit(v Result) (Result, string) {
	text, limit := r.write(v), r.MaxBytes
	if limit == 0 || len(text) <= limit {
		return v, text
	}
	whole, ok := copyOf(v)
	if !ok {
		return v, text
	}
	best, bestText := v, text
	for i, cut := range whole.Cuts() {
		low, high := cut.Least, max(cut.Least, min(cut.Units, limit)) // low fits or is the minimum; high+1 is too long
		for low <= high {
			middle := (low + high) / 2
			shorter := truncated(v, i, middle)
			text := r.write(shorter)
			if len(text) > limit && middle > cut.Least {
				high = middle - 1
				continue
			}
			best, bestText = shorter, text
			low = middle + 1
		}
		if len(bestText) <= limit {
			break
		}
	}
	return best, bestText
}

// truncated returns a copy of v with n units of its cut number i, after
// exhausting the cuts before it.
func truncated(v Result, i, n int) Result {
	shorter, _ := copyOf(v)
	cuts := shorter.Cuts()
	for _, used := range cuts[:i] {
		used.Keep(used.Least)
	}
	cuts[i].Keep(n)
	return shorter
}

// copyOf returns a pointer to a copy of v, and whether v can be cut.
func copyOf(v Result) (Cuttable, bool) {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	c, ok := p.Interface().(Cuttable)
	return c, ok
}

func (r Renderer) write(v Result) string {
	t := Text{available: r.Available}
	v.WriteText(&t)
	text := t.String()
	if about := AboutUnseen(text); about != "" && !t.json {
		text += "\n" + about
	}
	return text
}
