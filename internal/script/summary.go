package script

import "fmt"

// Summary describes how a stream went.
type Summary struct {
	Done, Failed int        // outcomes that were written, and failures among them
	Lost         int        // outcomes from the first one that could not be written on
	Last         int        // the last line whose call was made
	First        Outcome    // the first failure
	Stopped      StopReason // why lines may be left; "" if the stream came to its end
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
	return fmt.Sprintf("%d of %d calls failed, the first of them on line %d (%s)", sum.Failed, sum.Done, sum.First.Line, sum.First.Code)
}

// Progress describes how far a stream came that was not processed to its end.
func (sum Summary) Progress() string {
	text := fmt.Sprintf("%d calls are answered, %d of them with failures; ", sum.Done, sum.Failed)
	if sum.Lost > 0 {
		text += fmt.Sprintf("%d more were carried out whose answers are lost, look before you repeat them; ", sum.Lost)
	}
	return text + fmt.Sprintf("nothing after line %d of the stream was carried out", sum.Last)
}
