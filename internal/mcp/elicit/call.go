package elicit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/output"
)

// A Call asks the user for one call. It is safe for concurrent use. The nil Call
// asks nothing.
type Call struct {
	desk     *Desk
	subject  Subject
	boundTo  []byte
	confirms bool // the user has to confirm the call
	canAsk   bool

	mu       sync.Mutex
	state    state
	answer   *mcp.ElicitationResponse // to the question of state; nil if there is none
	approved bool
	asked    *mcp.ElicitationParams // the call ends with this question
	refusal  error                  // the call must not write
	writes   bool                   // it may have written, without being confirmed
}

// errAsked ends a call that has to ask. It is never shown: the question takes its place.
var errAsked = errors.New("the user is asked first")

// Confirms reports whether the user has to confirm the call.
func (c *Call) Confirms() bool { return c != nil && c.confirms }

// Approved reports whether the user has confirmed the call. What it then does must
// be what the question said.
func (c *Call) Approved() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.approved
}

// Confirm has the user confirm the call, unless that is not necessary or has been
// done. describe returns the question; it is called only if there is a user to ask.
// An error ends the call: nothing may be written. Tools call Confirm when they know
// all that they are going to do, and before they write.
func (c *Call) Confirm(ctx context.Context, describe func(context.Context) (Question, error)) error {
	if !c.Confirms() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.approved:
		return nil
	case c.refusal != nil:
		return c.refusal
	case c.asked != nil:
		return errAsked
	case !c.canAsk && c.desk.options.Unasked:
		return nil
	case !c.canAsk:
		return c.refuse(output.Forbidden, "nothing was written: this server asks the user to confirm such calls (OUTLINE_CONFIRM=%s), but this client cannot show the question. "+
			"Use a client that supports elicitation, on stdio or with protocol version %s, or have the operator set OUTLINE_CONFIRM_FALLBACK=allow.", c.desk.options.When, mcp.ProtocolVersion20260728)
	}
	question, err := describe(ctx)
	if err != nil {
		return err
	}
	params, id := question.form(), question.id()
	if c.state.Asked == "" || c.state.Asked == choiceMark || c.answer == nil {
		return c.ask(params, id)
	}
	if problem := refusalOf(c.answer); problem != nil {
		return c.refuse(problem.Code, "%s", problem.Sentence)
	}
	if c.state.Asked != id {
		params.Message = "What this is about has changed since you were asked.\n\n" + params.Message
		return c.ask(params, id)
	}
	c.approved = true
	return nil
}

// ConfirmCall is Confirm with a question that shows the arguments of the call.
func (c *Call) ConfirmCall(ctx context.Context) error {
	return c.Confirm(ctx, func(context.Context) (Question, error) { return c.subject.question(), nil })
}

// MayWrite is called before each request that changes something. An error means that
// the request must not be sent: the user has not confirmed the call, whatever the
// tool does, or is asked first. A call that asks is made again, so it must not have
// written before.
func (c *Call) MayWrite(ctx context.Context) error {
	if c.confirms {
		return c.ConfirmCall(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked != nil {
		return errAsked
	}
	c.writes = true
	return nil
}

// choiceMark marks a state whose question was a choice.
const choiceMark = "choice"

// Choose has the user choose one of several options, if the client can ask, and
// returns its index, or -1 if there is no choice: the user did not want to choose,
// cannot be asked, or has not been asked before the call began to write. An error ends
// the call.
func (c *Call) Choose(choice Choice) (int, error) {
	if c == nil || !c.canAsk || len(choice.Options) > mostOptions {
		return -1, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked != nil {
		return -1, errAsked
	}
	id := choice.id()
	if made, ok := c.state.Choices[id]; ok {
		return made, nil
	}
	if c.state.Asked == choiceMark && c.state.Choice == id && c.answer != nil {
		made := choice.indexOf(c.answer)
		if c.state.Choices == nil {
			c.state.Choices = map[string]int{}
		}
		c.state.Choices[id] = made
		return made, nil
	}
	if c.approved || c.writes || c.state.Rounds >= mostRounds {
		return -1, nil
	}
	c.state.Choice = id
	return -1, c.ask(choice.form(), choiceMark)
}

// ask ends the call with a question.
func (c *Call) ask(params mcp.ElicitationParams, id string) error {
	if c.state.Rounds++; c.state.Rounds > mostRounds {
		return c.refuse(output.Conflict, "nothing was written: the subject of the call changes faster than the user can confirm it. Try again later.")
	}
	c.asked, c.state.Asked = &params, id
	return errAsked
}

func (c *Call) refuse(code output.Code, format string, args ...any) error {
	c.refusal = failure(code, format, args...)
	return c.refusal
}

func failure(code output.Code, format string, args ...any) output.Failure {
	return output.Failure{Code: code, Sentence: fmt.Sprintf(format, args...)}
}

// Ended returns the question that the call has to end with, or the failure if the
// user does not let it write, whatever the tool returned. Both are nil if the result
// of the tool counts.
func (c *Call) Ended() (*Asked, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal != nil || c.asked == nil {
		return nil, c.refusal
	}
	state := c.state
	state.Until = c.desk.options.Now().Add(answerWithin + time.Minute).Unix()
	return &Asked{*c.asked, c.desk.seal.close(state, c.boundTo), field}, nil
}

// IDs returns what takes the place of newID, a function that returns random UUIDs. In
// a call that may ask, the UUIDs follow from the state: each time that the tool runs
// they are the same, so that a question that shows one stays the same, and a request
// that is sent twice does not create a document or a comment twice.
func (c *Call) IDs(newID func() string) func() string {
	if c == nil || !c.canAsk {
		return newID
	}
	return c.state.ids()
}
