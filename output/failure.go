package output

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"outline-mcp/outline"
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
	if f.Sentence != "" && advice != "" && !strings.ContainsAny(advice[:1], " ,;:") {
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
		{"document_id", f.DocumentID}, {"collection_id", f.CollectionID}, {"comment_id", f.CommentID},
	} {
		t.If(id.value != "").Printf(", %s %s", id.name, OneLine(id.value))
	}
	t.If(f.RetryAfterSeconds > 0).Printf(", retry_after_seconds %g", f.RetryAfterSeconds)
	t.Line(")")
}

// Error returns the failure for an error of a tool call.
func Error(err error) Failure {
	// What kept a request from being sent explains itself.
	if failure, ok := errors.AsType[Failure](err); ok && errors.Is(err, outline.ErrWithheld) {
		return failure
	}
	var wrong *outline.IdentifierError
	if errors.As(err, &wrong) {
		failure := Invalid("%s.", wrong)
		failure.Next = "Find IDs with search_documents or list_collections."
		if wrong.Kind == "document" && wrong.Hint == "" {
			failure.Next = "If it is a title, find its ID with get_document_id_from_title or search_documents."
		}
		if wrong.Kind == "attachment" {
			failure.Next = "list_attachments lists the files of a document."
		}
		if wrong.Kind == "revision" {
			failure.Next = "list_revisions lists the revisions of a document."
		}
		if wrong.ForeignHost != "" {
			failure.Next += " If that host is the same Outline, the operator of this server can add it to OUTLINE_URL_ALIASES."
		}
		return failure
	}
	var failed *outline.Error
	if !errors.As(err, &failed) {
		return Other(err)
	}
	cause := advised(failed)
	says := cause.Message
	if says == "" {
		says = fmt.Sprintf("status %d", cause.Status)
	}
	says = Excerpt(says, 300)
	next := ""
	fail := func(code Code, format string, args ...any) Failure {
		return Failure{Code: code, Sentence: fmt.Sprintf(format, args...), Next: next}
	}
	switch {
	case outline.OutcomeUnknown(err) && cause.Code == outline.Mixed:
		next = "Check [with read_document|in Outline] what is there, and add only what is missing."
		return fail(OutcomeUnknown, "%s.", says)
	case outline.OutcomeUnknown(err):
		next = "Before you repeat it, check [with " + whereToLook(cause.Endpoint) + "|in Outline]."
		return fail(OutcomeUnknown, "the answer to %s was lost (%s): it may have been carried out, or not%s.", cause.Endpoint, says, afterwards(cause))
	case errors.Is(err, outline.ErrNoKey) && cause.Err != nil: // a login, whose error says what to do
		code := NoKey
		if failed, ok := errors.AsType[interface {
			error
			Temporary() bool
			Ended() bool
		}](cause.Err); ok && failed.Ended() {
			code = Unauthorized
		} else if ok && failed.Temporary() {
			code = Unreachable
		}
		return fail(code, "%s.", Excerpt(cause.Err.Error(), 600))
	case errors.Is(err, outline.ErrNoKey):
		return fail(NoKey, "no Outline API key is set. Create one in Outline under %s and run outline-mcp install CLIENT, or set it as OUTLINE_API_KEY "+
			"in the env block of the MCP client's entry and restart the client; outline-mcp doctor checks it. Without a key, outline-mcp --demo serves a sample workspace.", outline.KeysPage)
	case errors.Is(err, outline.ErrUnauthorized):
		return fail(Unauthorized, "Outline does not accept the API key (%s). Create a new key in Outline under %s and replace this one: "+
			"OUTLINE_API_KEY in the MCP client's entry or, for a server over HTTP, the header in the entry. outline-mcp doctor checks a key.", says, outline.KeysPage)
	case outline.Suspended(err):
		return fail(Forbidden, "Outline refused %s: the owner of the API key is suspended (%s). No call with this key can succeed. "+
			"Have an admin of the workspace activate the account, or use the key of another user.", cause.Endpoint, says)
	case outline.OutOfScope(err):
		return fail(Forbidden, "Outline refused %[1]s (%[2]s): the scopes of this key do not include it. Use a key with the scope %[1]s, or one without scopes.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrForbidden) && strings.HasPrefix(cause.Endpoint, "revisions."):
		next = "Use a member's or a viewer's key, or look at the history in Outline."
		return fail(Forbidden, "Outline refused %s (%s): guests may not see the history of documents, or the key cannot see the document.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrForbidden):
		next = "Check the ID[ with list_collections or search_documents]; otherwise use a key with more rights."
		return fail(Forbidden, "Outline refused %s (%s): the key's role or scopes do not allow it, or this key cannot see the ID.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrNotFound) && cause.Remedy == outline.CheckAddress:
		return fail(BadAnswer, "%s.", says)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "comments."):
		next = "list_document_comments lists the comments on a document."
		return fail(NotFound, "no comment found with this ID (%s).", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "attachments."):
		next = "list_attachments lists the files of a document."
		return fail(NotFound, "no attachment found with this ID (%s).", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "files."):
		return fail(NotFound, "Outline knows this file, but cannot find what it holds: its upload failed, or it was removed from the storage.")
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "revisions."):
		next = "list_revisions lists the revisions of a document."
		return fail(NotFound, "no revision found with this ID (%s); it may have been deleted.", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound):
		next = "Find the right one with search_documents or get_document_id_from_title."
		if strings.HasPrefix(cause.Endpoint, "collections.") {
			next = "list_collections shows the right one."
		}
		return fail(NotFound, "nothing found with this ID (%s).", cause.Endpoint)
	case cause.Code == outline.Overwritten:
		next = "Read it again[ with read_document] and repeat the change on what is there now."
		return fail(Conflict, "%s.", says)
	case errors.Is(err, outline.ErrConflict) && (cause.Endpoint == "documents.import" || strings.HasPrefix(cause.Endpoint, "attachments.") || strings.HasPrefix(cause.Endpoint, "files.")):
		return fail(Conflict, "Outline refused %s because of a conflict (%s). Try again.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrConflict):
		return fail(Conflict, "another user changed the document in the meantime (%s). Read it again and repeat the change on what is there now.", says)
	case errors.Is(err, outline.ErrRateLimited) && cause.Remedy == outline.CheckGateway:
		failure := fail(RateLimited, "%s", sentence(cause))
		failure.RetryAfterSeconds = math.Ceil(cause.RetryAfter.Seconds())
		return failure
	case errors.Is(err, outline.ErrRateLimited):
		failure := fail(RateLimited, "Outline's rate limit for %s is used up. Call again later; other tools still work.", cause.Endpoint)
		if cause.RetryAfter > 0 {
			failure.RetryAfterSeconds = math.Ceil(cause.RetryAfter.Seconds())
			failure.Sentence = fmt.Sprintf("Outline's rate limit for %s is used up. Call again in %g seconds; other tools still work.", cause.Endpoint, failure.RetryAfterSeconds)
		}
		return failure
	case errors.Is(err, outline.ErrBusy):
		return fail(Timeout, "the answer to %s is large, and until the time ran out this server was busy with others. Try again later, or ask for less.", cause.Endpoint)
	case errors.Is(err, outline.ErrTimeout):
		return fail(Timeout, "Outline did not answer %s in time. Try again, or ask for less; the operator can raise OUTLINE_REQUEST_TIMEOUT and OUTLINE_CALL_TIMEOUT.", cause.Endpoint)
	case errors.Is(err, outline.ErrCancelled):
		return fail(Cancelled, "the call was cancelled before Outline answered %s.", cause.Endpoint)
	case errors.Is(err, outline.ErrUnreachable):
		if cause.Remedy == outline.CheckAddress { // whose advice names doctor already
			return fail(Unreachable, "%s", sentence(cause))
		}
		return fail(Unreachable, "%s Try again; if it fails again, run outline-mcp doctor.", sentence(cause))
	case errors.Is(err, outline.ErrBadAnswer):
		return fail(BadAnswer, "%s", sentence(cause)+outcome(cause))
	case errors.Is(err, outline.ErrAnswerTooLarge), errors.Is(err, outline.ErrTooLarge):
		return fail(TooLarge, "%s", sentence(cause)+outcome(cause))
	case errors.Is(err, outline.ErrTables):
		return fail(InvalidArguments, "nothing was written: %s.", says)
	case errors.Is(err, outline.ErrInvalid):
		return fail(InvalidArguments, "Outline refused the arguments of %s: %s. Correct them and call again.", cause.Endpoint, strings.TrimSuffix(says, "."))
	default:
		failure := fail(UpstreamError, "Outline failed while answering %s (%s). Try again later; if it fails again, the cause is in Outline's own log.%s", cause.Endpoint, says, outcome(cause))
		failure.RetryAfterSeconds = math.Ceil(cause.RetryAfter.Seconds())
		return failure
	}
}

// afterwards describes what was seen after the answer to a call was lost.
func afterwards(e *outline.Error) string {
	if e.Afterwards == "" {
		return ""
	}
	return "; " + e.Afterwards
}

// outcome describes what was seen after a call that certainly failed.
func outcome(e *outline.Error) string {
	if e.Afterwards == "" {
		return ""
	}
	return " Checked afterwards: " + e.Afterwards + "."
}

// whereToLook returns the tools that show the result of a call.
func whereToLook(endpoint string) string {
	switch resource, action, _ := strings.Cut(endpoint, "."); {
	case strings.HasPrefix(action, "export"):
		return "Outline under Settings → Export"
	case resource == "collections":
		return "list_collections"
	case resource == "comments":
		return "list_document_comments"
	case action == "delete":
		return "list_trash"
	case action == "archive", action == "restore", action == "unarchive":
		return "read_document, list_archived_documents or list_trash"
	case action == "create", action == "import":
		return "search_documents or get_document_id_from_title"
	}
	return "read_document"
}

// Other returns the failure for an error that is not the Outline client's; nil is a panic.
func Other(err error) Failure {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Failure{Code: Timeout, Sentence: "the call took longer than OUTLINE_CALL_TIMEOUT allows. Ask for less, or try again."}
	case errors.Is(err, context.Canceled):
		return Failure{Code: Cancelled, Sentence: "the call was cancelled."}
	}
	return Failure{Code: Internal, Sentence: "the call failed inside this server. This is a bug in outline-mcp; its log names the kind of error."}
}

// sentence returns an error of the client as a complete sentence.
func sentence(err error) string {
	return Excerpt(err.Error(), 400) + "."
}

// Advised adds the advice for its remedy to the message of an error of the Outline client,
// for places that show the error itself, such as a log. It returns other errors unchanged.
func Advised(err error) error {
	var cause *outline.Error
	if !errors.As(err, &cause) {
		return err
	}
	return advised(cause)
}

// advised returns a copy of an error whose message ends with the advice.
func advised(e *outline.Error) *outline.Error {
	advice := *e
	if what := remedies[e.Remedy]; what != "" {
		if e.Remedy == outline.CheckGateway && !errors.Is(e, outline.ErrBadAnswer) {
			what = "if this continues, " + what
		}
		advice.Message += "; " + what
	}
	return &advice
}

// Advice returns how the operator of this server applies a remedy.
func Advice(r outline.Remedy) string { return remedies[r] }

var remedies = map[outline.Remedy]string{
	outline.SetCredential:         "set OUTLINE_API_KEY",
	outline.CheckCredential:       "check OUTLINE_API_KEY",
	outline.CheckAddress:          "check OUTLINE_API_URL, or run outline-mcp doctor",
	outline.CheckAddressOrGateway: "check OUTLINE_API_URL, or run outline-mcp doctor; if a gateway answers, let this server in with OUTLINE_HEADERS",
	outline.CheckAddressNetwork:   "check OUTLINE_API_URL and the network",
	outline.CheckAddressServer:    "check OUTLINE_API_URL and whether Outline is running",
	outline.CheckGateway:          "check OUTLINE_API_URL and what is in front of Outline, or run outline-mcp doctor",
	outline.PassGateway:           "configure it to pass /api without a login (Outline checks the key itself), let this server in with OUTLINE_HEADERS or OUTLINE_CLIENT_CERT, or set OUTLINE_API_URL to an address of Outline behind it",
	outline.ExemptAPI:             "add an exception for /api there, or let this server in with OUTLINE_HEADERS",
	outline.CheckProxy:            "check HTTPS_PROXY and HTTP_PROXY",
	outline.TrustIssuer:           "if its issuer is a private one, name the issuer's certificate in OUTLINE_CA_FILE",
	outline.RaiseAnswerLimit:      "raise OUTLINE_MAX_ANSWER_BYTES or ask for less",
}
