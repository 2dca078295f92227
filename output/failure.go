package output

import (
	"cmp"
	"fmt"
	"strings"
)

// Code identifies a kind of failure for programs. The set of codes is fixed, so
// scripts may switch on it. Schemas describe a code only as a string: listing
// all codes in every schema would make up a third of tools/list.
type Code string

// The codes of all failures.
const (
	InvalidArguments Code = "invalid_arguments" // rejected arguments, by this server or by Outline
	NoKey            Code = "no_key"            // no Outline API key configured or sent
	Unauthorized     Code = "unauthorized"      // Outline rejects the key
	Forbidden        Code = "forbidden"         // the key lacks the permission
	NotFound         Code = "not_found"         // nothing found with this ID
	Conflict         Code = "conflict"          // wrong state of the document, or a concurrent change
	RateLimited      Code = "rate_limited"      // Outline asks for a longer pause than the server may wait
	Timeout          Code = "timeout"           // no answer in time
	Cancelled        Code = "cancelled"         // cancelled by the client
	Unreachable      Code = "unreachable"       // no connection to Outline
	BadAnswer        Code = "bad_answer"        // not an answer of Outline, or an incomplete one
	TooLarge         Code = "too_large"         // request or answer over a size limit
	UpstreamError    Code = "upstream_error"    // internal error of Outline
	Unsupported      Code = "unsupported"       // not supported by this Outline
	HeadingNotFound  Code = "heading_not_found" // the document has no such heading
	HeadingAmbiguous Code = "heading_ambiguous" // several headings match
	NotAttempted     Code = "not_attempted"     // batch item that was not started
	OutcomeUnknown   Code = "outcome_unknown"   // write whose answer was lost and whose outcome could not be checked
	WriteMismatch    Code = "write_mismatch"    // the document differs from what was to be written
	Internal         Code = "internal"          // bug in this server
)

// Codes returns all codes in documentation order.
func Codes() []Code {
	return []Code{
		InvalidArguments, NoKey, Unauthorized, Forbidden, NotFound, Conflict, RateLimited, Timeout, Cancelled,
		Unreachable, BadAnswer, TooLarge, UpstreamError, Unsupported, HeadingNotFound, HeadingAmbiguous,
		NotAttempted, OutcomeUnknown, WriteMismatch, Internal,
	}
}

// Problem is an error with its own answer: its exported fields are the
// structured content and WriteText writes the text.
type Problem interface {
	error
	Result
	// FailureCode returns the kind of failure, for logs and metrics.
	FailureCode() Code
}

// Failure is the Problem that every tool can return. Its sentence (one or two)
// says what was attempted, what went wrong, and what to do next.
type Failure struct {
	Sentence          string  `json:"error"`
	Code              Code    `json:"code"`
	DocumentID        string  `json:"document_id,omitempty"`
	CollectionID      string  `json:"collection_id,omitempty"`
	CommentID         string  `json:"comment_id,omitempty"`
	RetryAfterSeconds float64 `json:"retry_after_seconds,omitempty"`

	// DocumentURLID identifies the document in the text, as in that of a success; "" if it
	// is not known.
	DocumentURLID string `json:"-"`
	// Unresolved says that an ID in the arguments identifies nothing, or not one thing only.
	Unresolved bool `json:"-"`
	// Next says which tools help, as [Available.Advise] reads it. Advised makes it
	// a part of the sentence; until then it is not part of the answer.
	Next string `json:"-"`
	// Cause is the underlying error for errors.Is and errors.As, or nil. It is
	// not part of the answer.
	Cause error `json:"-"`
}

// Invalid returns the failure for invalid arguments.
func Invalid(format string, args ...any) Failure {
	return Failure{Code: InvalidArguments, Sentence: fmt.Sprintf(format, args...)}
}

// FailureCode returns the failure's code.
func (f Failure) FailureCode() Code { return f.Code }

// Error returns the sentence.
func (f Failure) Error() string { return f.Sentence }

// Unwrap returns Cause.
func (f Failure) Unwrap() error { return f.Cause }

// Advised returns the failure with the advice of Next at the end of its
// sentence, as far as the tools are offered. One that is a single line ends with
// a full stop.
func (f Failure) Advised(available Available) Failure {
	advice := available.Advise(f.Next)
	if f.Sentence != "" && advice != "" && !strings.ContainsAny(advice[:1], " ,;:.") {
		f.Sentence += " "
	}
	f.Sentence, f.Next = f.Sentence+advice, ""
	if !strings.HasSuffix(f.Sentence, ".") && !strings.Contains(f.Sentence, "\n") {
		f.Sentence += "."
	}
	return f
}

// Completed returns the result of complete. A Problem that embeds a Failure
// must override it, so that its other fields are kept.
func (f Failure) Completed(complete func(Failure) Failure) Problem { return complete(f) }

// WriteText writes the sentence, the code, and the IDs.
func (f Failure) WriteText(t *Text) {
	t.Line("%s", f.Sentence)
	t.Printf("(code %s", f.Code)
	for _, id := range []struct{ name, value string }{
		{"document_id", cmp.Or(f.DocumentURLID, f.DocumentID)}, {"collection_id", f.CollectionID}, {"comment_id", f.CommentID},
	} {
		t.If(id.value != "").Printf(", %s %s", id.name, OneLine(id.value))
	}
	t.If(f.RetryAfterSeconds > 0).Printf(", retry_after_seconds %g", f.RetryAfterSeconds)
	t.Line(")")
}
