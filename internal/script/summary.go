package script

import (
	"fmt"

	"outline-mcp/output"
)

// Summary describes how a stream went.
type Summary struct {
	Done, Failed int        // outcomes that were written, and failures among them
	Lost         int        // outcomes from the first that could not be written
	Last         int        // the last line whose call was made
	First        Outcome    // the first failure
	Stopped      StopReason // why lines may be left; "" if the stream was processed to its end
}

// StopReason says why a stream was not processed to its end.
type StopReason string

// The reasons.
const (
	Interrupted StopReason = "interrupted"   // ctx was done
	FailedFast  StopReason = "a call failed" // and FailFast is set
)

func (sum *Summary) add(outcome Outcome) {
	sum.Done++
	if outcome.OK {
		return
	}
	if sum.Failed == 0 {
		sum.First = outcome
	}
	sum.Failed++
}

// Failures counts the calls that failed, and names the line of the first one.
func (sum Summary) Failures() string {
	return fmt.Sprintf("%d of %d calls failed, the first on line %d (%s)", sum.Failed, sum.Done, sum.First.Line, sum.First.Code)
}

// Progress describes how far a stream was processed that did not reach its end.
func (sum Summary) Progress() string {
	text := output.Count(sum.Done, "call was answered", "calls were answered")
	if sum.Failed > 0 {
		text += fmt.Sprintf(", %d with a failure", sum.Failed)
	}
	text += "; "
	if sum.Lost > 0 {
		text += fmt.Sprintf("%d more were made, but the answers are lost: check before you repeat them; ", sum.Lost)
	}
	return text + fmt.Sprintf("no call after line %d of the stream was made", sum.Last)
}
