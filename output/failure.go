package output

import "fmt"

// Code names a kind of failure for programs. The list is closed; scripts may
// switch on it. Schemas say only that it is a string: the list in each of them
// would be a third of what tools/list costs.
type Code string

// The codes of all failures.
const (
	InvalidArguments Code = "invalid_arguments" // the arguments cannot be used: by this server or, where it says so, by Outline
	NoKey            Code = "no_key"            // no Outline API key is configured or was sent
	Unauthorized     Code = "unauthorized"      // Outline does not accept the key
	Forbidden        Code = "forbidden"         // the key may not do this, or there is nothing it may see
	NotFound         Code = "not_found"         // Outline knows nothing under this ID
	Conflict         Code = "conflict"          // the document is not in the state that the call needs, or somebody changed it meanwhile
	RateLimited      Code = "rate_limited"      // Outline wants a pause longer than the server may wait
	Timeout          Code = "timeout"           // no answer in time
	Cancelled        Code = "cancelled"         // the client took the call back
	Unreachable      Code = "unreachable"       // no connection to Outline
	BadAnswer        Code = "bad_answer"        // what answered is not Outline, or its answer was cut
	TooLarge         Code = "too_large"         // the request or the answer is over a limit
	UpstreamError    Code = "upstream_error"    // Outline failed inside
	Unsupported      Code = "unsupported"       // this Outline cannot do it
	HeadingNotFound  Code = "heading_not_found" // the document has no such heading
	HeadingAmbiguous Code = "heading_ambiguous" // several headings fit
	NotAttempted     Code = "not_attempted"     // an item of a batch that was not reached
	OutcomeUnknown   Code = "outcome_unknown"   // a write whose answer was lost and that could not be checked
	WriteMismatch    Code = "write_mismatch"    // what was written is not what was asked
	Internal         Code = "internal"          // a bug of this server
)

// Codes returns every code, in documentation order.
func Codes() []Code {
	return []Code{
		InvalidArguments, NoKey, Unauthorized, Forbidden, NotFound, Conflict, RateLimited, Timeout, Cancelled,
		Unreachable, BadAnswer, TooLarge, UpstreamError, Unsupported, HeadingNotFound, HeadingAmbiguous,
		NotAttempted, OutcomeUnknown, WriteMismatch, Internal,
	}
}

// Problem is an error that a tool answers with: its exported fields are the
// structured content of the failure, WriteText its text.
type Problem interface {
	error
	Result
	// FailureCode is the kind of the failure, for logs and statistics.
	FailureCode() Code
}

// Failure is the Problem that every tool can answer with. The error is one or
// two sentences for the reader: what was attempted, what went wrong, what to
// do next.
type Failure struct {
	Sentence          string  `json:"error"`
	Code              Code    `json:"code"`
	DocumentID        string  `json:"document_id,omitempty"`
	CollectionID      string  `json:"collection_id,omitempty"`
	CommentID         string  `json:"comment_id,omitempty"`
	RetryAfterSeconds float64 `json:"retry_after_seconds,omitempty"`

	// Cause is the error behind the failure, for errors.Is and errors.As; nil
	// if there is none. It is no part of the answer.
	Cause error `json:"-"`
}

// Invalid returns the failure for arguments that cannot be used.
func Invalid(format string, args ...any) Failure {
	return Failure{Code: InvalidArguments, Sentence: fmt.Sprintf(format, args...)}
}

// FailureCode returns the failure's code.
func (f Failure) FailureCode() Code { return f.Code }

// Error returns the failure's sentence.
func (f Failure) Error() string { return f.Sentence }

// Unwrap returns the cause.
func (f Failure) Unwrap() error { return f.Cause }

// Completed returns what complete makes of the failure. A Problem that embeds a
// Failure and adds to it has a Completed of its own, which keeps the rest.
func (f Failure) Completed(complete func(Failure) Failure) Problem { return complete(f) }

// WriteText writes the sentence and what a caller needs beside it.
func (f Failure) WriteText(t *Text) {
	t.Line("%s", f.Sentence)
	t.Printf("(code %s", f.Code)
	for _, id := range []struct{ name, value string }{
		{"document_id", f.DocumentID}, {"collection_id", f.CollectionID}, {"comment_id", f.CommentID},
	} {
		t.If(id.value != "").Printf(", %s %s", id.name, OneLine(id.value))
	}
	t.If(f.RetryAfterSeconds > 0).Printf(", retry_after_seconds %g", f.RetryAfterSeconds)
	t.Line(")")
}
