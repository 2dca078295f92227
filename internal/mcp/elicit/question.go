package elicit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/seal"
	"outline-mcp/internal/text"
	"outline-mcp/output"
)

// A Question is what a call is going to do, for the user to confirm.
type Question struct {
	Text string // what is going to happen, with names rather than IDs
	// Details follow the text: a diff, a list, or the beginning of a new text. They may
	// hold the text of documents.
	Details string
	// Bound is what the answer depends on beside what is shown, such as the revision
	// of a document.
	Bound string
}

// mostDetails limits the details that are shown, in code points. The answer is bound
// to all of them.
const mostDetails = 4000

// id identifies the question.
func (q Question) id() string { return digest("confirm", q.Text, q.Details, q.Bound) }

// form returns the question as the client shows it, perhaps as Markdown: the details are
// indented, so that they are a code block, which nothing in them can end, and cannot pass
// for the question. Accepting the form confirms the call: clients show its first lines and
// two buttons.
func (q Question) form() mcp.ElicitationParams {
	message := q.Text
	if details := strings.Trim(q.Details, "\n"); details != "" {
		shown := text.Truncate(details, mostDetails)
		message += "\n\n" + indent + strings.ReplaceAll(strings.ReplaceAll(shown, "\n", "\n"+indent), "\n"+indent+"\n", "\n\n")
		if left := strings.Count(details, "\n") - strings.Count(shown, "\n"); shown != details {
			message += fmt.Sprintf("\n\n(%s more not shown)", output.Count(max(1, left), "line", "lines"))
		}
	}
	if about := output.AboutUnseen(output.Visible(message)); about != "" {
		message += "\n\n" + about
	}
	return form(message, map[string]any{}, nil)
}

// indent begins the lines of a code block (CommonMark 0.31, section 4.4).
const indent = "    "

// confirmField is the field that confirmed a call in forms of earlier versions.
const confirmField = "confirm"

// IsConfirmation reports whether a form confirms a call, and is not a choice.
func IsConfirmation(form mcp.ElicitationParams) bool {
	schema, _ := form.RequestedSchema.(map[string]any)
	fields, _ := schema["properties"].(map[string]any)
	return len(fields) == 0
}

// Agreement returns the answer that confirms a call.
func Agreement() mcp.ElicitationResponse {
	return mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{}}
}

// question returns the question for a call of which only the arguments are known.
func (s Subject) question() Question {
	var arguments bytes.Buffer
	_ = json.Indent(&arguments, s.Arguments, "", "  ") // they are valid JSON
	return Question{Text: fmt.Sprintf("%s in Outline (%s), with these arguments?", s.Title, s.Tool), Details: arguments.String()}
}

// A Choice is between people or documents that a call may mean.
type Choice struct {
	Text    string
	Options []string // different from each other; see output.Label
}

// mostOptions is how many options the user can choose from.
const mostOptions = 20

func (c Choice) id() string { return digest(append([]string{"choose", c.Text}, c.Options...)...) }

func (c Choice) form() mcp.ElicitationParams {
	return form(c.Text, map[string]any{"choice": map[string]any{"type": "string", "title": "Which one", "enum": c.Options}}, []string{"choice"})
}

// indexOf returns the index of the option in an answer, or -1.
func (c Choice) indexOf(answer *mcp.ElicitationResponse) int {
	option, _ := value(answer, "choice").(string)
	return slices.Index(c.Options, option)
}

// form returns a form. Its schema is of the kind that all versions of the protocol have.
func form(message string, fields map[string]any, required []string) mcp.ElicitationParams {
	schema := map[string]any{"type": "object", "properties": fields}
	if required != nil {
		schema["required"] = required
	}
	return mcp.ElicitationParams{Message: output.Visible(message), RequestedSchema: schema}
}

// value returns the value of a field of an accepted form, or nil.
func value(answer *mcp.ElicitationResponse, field string) any {
	if answer.Action != mcp.ElicitationResponseActionAccept {
		return nil
	}
	fields, _ := answer.Content.(map[string]any)
	return fields[field]
}

// What became of a question that was never answered, in place of an action. They are
// never accepted, so it does no harm if a client sends them.
const (
	timedOut mcp.ElicitationResponseAction = "timed_out"
	notShown mcp.ElicitationResponseAction = "not_shown"
)

// refusalOf returns why an answer does not confirm a call, or nil if it does.
func refusalOf(answer *mcp.ElicitationResponse) *output.Failure {
	var f output.Failure
	no := value(answer, confirmField) == false
	const nobody = "nothing was written, because no one confirmed it: the user %s, or this client cannot ask in this mode. "
	switch {
	case answer.Action == mcp.ElicitationResponseActionAccept && !no:
		return nil
	case no, answer.Action == mcp.ElicitationResponseActionDecline:
		f = failure(output.Forbidden, nobody+"Do not call again unless the user asks for it.", "declined")
	case answer.Action == timedOut:
		f = failure(output.Timeout, "nothing was written: the user did not answer within %d minutes. Ask them before you call again.", int(answerWithin.Minutes()))
	case answer.Action == notShown:
		f = failure(output.Forbidden, "nothing was written: a person has to confirm it, and the client did not show the question.")
	default:
		f = failure(output.Cancelled, nobody+"Ask the user what to do.", "closed the question")
	}
	return &f
}

// digest returns a text that identifies a list of texts.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// ErrState means that a client sent a state that this server, or one with the same
// secret, has not sealed for this call of this caller.
var ErrState = errors.New("requestState is not what this server gave for this call: it was changed, belongs to another caller, tool or arguments, or the server was restarted without MCP_STATE_SECRET; call again without it")

// A state is what the client carries from one round of a call to the next.
type state struct {
	ID      string         `json:"i"`           // of the call; random
	Rounds  int            `json:"r"`           // questions up to now
	Asked   string         `json:"a"`           // the question, or chosen
	Choice  string         `json:"c,omitempty"` // the choice, if that was asked
	Choices map[string]int `json:"m,omitempty"` // the choices that were made, by their IDs
	Until   int64          `json:"u"`           // when it expires, in seconds since 1970
}

// ids returns a function that returns UUIDs which follow from the ID of the call. They
// look like random ones (version 4).
func (s state) ids() func() string {
	var count atomic.Int64
	return func() string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", s.ID, count.Add(1)))
		id, _ := uuid.FromBytes(sum[:16])
		id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
		return id.String()
	}
}

// boundTo returns what the states of a call are bound to: who calls, and what.
func boundTo(ctx context.Context, s Subject) []byte {
	principal, _ := auth.FromContext(ctx)
	return []byte(digest(string(principal.Kind), principal.Subject, s.Tool, string(s.Arguments)))
}

// A sealer returns the box that seals states. It is made when it is first needed: random
// texts and keys take time, and a start needs none.
type sealer func() *seal.Box

func newSealer(secret string) sealer {
	return sync.OnceValue(func() *seal.Box { return seal.New("requestState", cmp.Or(secret, rand.Text())) })
}

func (s sealer) close(what state, boundTo []byte) string {
	plain, err := json.Marshal(what)
	if err != nil {
		panic(err) // texts and numbers
	}
	return s().Seal(plain, boundTo)
}

func (s sealer) open(sealed string, boundTo []byte) (state, error) {
	var opened state
	plain, err := s().Open(sealed, boundTo)
	if err != nil || json.Unmarshal(plain, &opened) != nil {
		return state{}, ErrState
	}
	return opened, nil
}
