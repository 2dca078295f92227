package output

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"outline-mcp/outline"
)

// A failureRule says how to report the errors of the Outline client that it matches. In its
// sentence and in next, {endpoint} stands for the endpoint, {message} for what went wrong,
// {error} for the whole error, {outcome} and {; outcome} for what was seen afterwards, {wait}
// for when to call again, and {tools} for the tools that show the result of the call.
type failureRule struct {
	matches  func(*outline.Error) bool
	code     Code
	sentence string
	next     string // as in Failure
}

// is matches errors of one kind, at the endpoints with one of the prefixes if there are any.
func is(kind error, endpoints ...string) func(*outline.Error) bool {
	return func(e *outline.Error) bool {
		return errors.Is(e, kind) && (len(endpoints) == 0 || slices.ContainsFunc(endpoints, func(prefix string) bool { return strings.HasPrefix(e.Endpoint, prefix) }))
	}
}

// isWith matches errors of one kind with a remedy.
func isWith(kind error, remedy outline.Remedy) func(*outline.Error) bool {
	return func(e *outline.Error) bool { return errors.Is(e, kind) && e.Remedy == remedy }
}

// toList names the tool that lists what has an ID, by the kind of the ID.
var toList = map[string]string{
	"attachment": "list_attachments lists the files of a document.",
	"revision":   "list_revisions lists the revisions of a document.",
	"comment":    "list_document_comments lists the comments on a document.",
	"template":   "[list_templates lists all.]",
}

// failureRules are in order: the first one that matches an error applies.
var failureRules = []failureRule{
	{func(e *outline.Error) bool { return outline.OutcomeUnknown(e) && e.Code == outline.Mixed }, OutcomeUnknown,
		"{message}.", "Check [with read_document|in Outline] what is there, and add only what is missing."},
	{func(e *outline.Error) bool { return outline.OutcomeUnknown(e) }, OutcomeUnknown,
		"the answer to {endpoint} was lost ({message}): it may have been carried out, or not{; outcome}.", "Before you repeat it, check [with {tools}|in Outline]."},
	{is(outline.ErrNoKey), NoKey,
		"no Outline API key is set. Create one in Outline under " + outline.KeysPage + " and run outline-mcp install CLIENT, or set it as OUTLINE_API_KEY " +
			"in the env block of the MCP client's entry and restart the client; outline-mcp doctor checks it. Without a key, outline-mcp --demo serves a sample workspace.", ""},
	{is(outline.ErrUnauthorized), Unauthorized,
		"Outline does not accept the API key ({message}). Create a new key in Outline under " + outline.KeysPage + " and replace this one: " +
			"OUTLINE_API_KEY in the MCP client's entry or, for a server over HTTP, the header in the entry. outline-mcp doctor checks a key.", ""},
	{func(e *outline.Error) bool { return outline.Suspended(e) }, Forbidden,
		"Outline refused {endpoint}: the owner of the API key is suspended ({message}). No call with this key can succeed. " +
			"Have an admin of the workspace activate the account, or use the key of another user.", ""},
	{func(e *outline.Error) bool { return outline.OutOfScope(e) }, Forbidden,
		"Outline refused {endpoint} ({message}): the scopes of this key do not include it. Use a key with the scope {endpoint}, or one without scopes.", ""},
	{is(outline.ErrForbidden, "revisions."), Forbidden,
		"Outline refused {endpoint} ({message}): guests may not see the history of documents, or the key cannot see the document.",
		"Use a member's or a viewer's key, or look at the history in Outline."},
	{is(outline.ErrForbidden), Forbidden,
		"Outline refused {endpoint} ({message}): the key's role or scopes do not allow it, or this key cannot see the ID.",
		"Check the ID[ with list_collections or search_documents]; otherwise use a key with more rights."},
	{isWith(outline.ErrNotFound, outline.CheckAddress), BadAnswer, "{message}.", ""},
	{is(outline.ErrNotFound, "comments."), NotFound, "no comment found with this ID.", toList["comment"]},
	{is(outline.ErrNotFound, "attachments."), NotFound, "no attachment found with this ID.", toList["attachment"]},
	{is(outline.ErrNotFound, "files."), NotFound,
		"Outline knows this file, but cannot find what it holds: its upload failed, or it was removed from the storage.", ""},
	{is(outline.ErrNotFound, "revisions."), NotFound, "no revision found with this ID; it may have been deleted.", toList["revision"]},
	{is(outline.ErrNotFound, "collections."), NotFound, "nothing found with this ID.", "list_collections shows the right one."},
	{is(outline.ErrNotFound), NotFound, "nothing found with this ID.", "Find the right one with search_documents or get_document_id_from_title."},
	{is(outline.ErrUnsupported), Unsupported, "{message}. Have its operator update Outline.", ""},
	{func(e *outline.Error) bool { return e.Code == outline.Overwritten }, Conflict,
		"{message}.", "Read it again[ with read_document] and repeat the change on what is there now."},
	{is(outline.ErrConflict, "documents.import", "attachments.", "files."), Conflict,
		"Outline refused {endpoint} because of a conflict ({message}). Try again.", ""},
	{is(outline.ErrConflict), Conflict,
		"another user changed the document in the meantime ({message}). Read it again and repeat the change on what is there now.", ""},
	{isWith(outline.ErrRateLimited, outline.CheckGateway), RateLimited, "{error}.", ""},
	{is(outline.ErrRateLimited), RateLimited, "Outline's rate limit for {endpoint} is used up. Call again {wait}; other tools still work.", ""},
	{is(outline.ErrBusy), Timeout,
		"the answer to {endpoint} is large, and until the time ran out this server was busy with others. Try again later, or ask for less.", ""},
	{is(outline.ErrTimeout), Timeout,
		"Outline did not answer {endpoint} in time. Try again, or ask for less; the operator can raise OUTLINE_REQUEST_TIMEOUT and OUTLINE_CALL_TIMEOUT.", ""},
	{is(outline.ErrCancelled), Cancelled, "the call was cancelled before Outline answered {endpoint}.", ""},
	{isWith(outline.ErrUnreachable, outline.CheckAddress), Unreachable, "{error}.", ""}, // its advice names doctor already
	{is(outline.ErrUnreachable), Unreachable, "{error}. Try again; if it fails again, run outline-mcp doctor.", ""},
	{is(outline.ErrBadAnswer), BadAnswer, "{error}.{outcome}", ""},
	{is(outline.ErrAnswerTooLarge), TooLarge, "{error}.{outcome}", ""},
	{is(outline.ErrTooLarge), TooLarge, "{error}.{outcome}", ""},
	{is(outline.ErrTables), InvalidArguments, "nothing was written: {message}.", ""},
	{is(outline.ErrInvalid), InvalidArguments, "Outline refused the arguments of {endpoint}: {refusal}. Correct them and call again.", ""},
	{func(*outline.Error) bool { return true }, UpstreamError,
		"Outline failed while answering {endpoint} ({message}). Try again later; if it fails again, the cause is in Outline's own log.{outcome}", ""},
}

// Error returns the failure for an error of a tool call.
func Error(err error) Failure {
	// What kept a request from being sent explains itself.
	if failure, ok := errors.AsType[Failure](err); ok && errors.Is(err, outline.ErrWithheld) {
		return failure
	}
	if wrong, ok := errors.AsType[*outline.IdentifierError](err); ok {
		return wrongIdentifier(wrong)
	}
	failed, ok := errors.AsType[*outline.Error](err)
	if !ok {
		return Other(err)
	}
	if errors.Is(failed, outline.ErrNoKey) && failed.Err != nil {
		return loginFailure(failed.Err)
	}
	cause := advised(failed)
	rule := failureRules[slices.IndexFunc(failureRules, func(r failureRule) bool { return r.matches(failed) })]
	words := wordsOf(cause)
	failure := Failure{Code: rule.code, Sentence: words.Replace(rule.sentence), Next: words.Replace(rule.next)}
	if rule.code == RateLimited || rule.code == UpstreamError {
		failure.RetryAfterSeconds = math.Ceil(cause.RetryAfter.Seconds())
	}
	return failure
}

// wordsOf replaces what stands for parts of an error in the sentences of failureRules.
func wordsOf(e *outline.Error) *strings.Replacer {
	message, wait, outcome, after := e.Message, "later", "", ""
	if message == "" {
		message = fmt.Sprintf("status %d", e.Status)
	}
	message = Excerpt(message, 300)
	if e.RetryAfter > 0 {
		wait = fmt.Sprintf("in %g seconds", math.Ceil(e.RetryAfter.Seconds()))
	}
	if e.Afterwards != "" {
		outcome, after = " Checked afterwards: "+e.Afterwards+".", "; "+e.Afterwards
	}
	return strings.NewReplacer("{endpoint}", e.Endpoint, "{message}", message, "{refusal}", strings.TrimSuffix(message, "."),
		"{error}", Excerpt(e.Error(), 400), "{wait}", wait, "{outcome}", outcome, "{; outcome}", after, "{tools}", whereToLook(e.Endpoint))
}

// wrongIdentifier is the failure for an ID in no form that Outline has.
func wrongIdentifier(wrong *outline.IdentifierError) Failure {
	failure := Invalid("%s.", wrong)
	failure.Unresolved = true
	if wrong.Unknown {
		failure.Code = NotFound
	}
	switch advice := toList[wrong.Kind]; {
	case advice != "":
		failure.Next = advice
	case wrong.Unknown && wrong.Kind == "collection":
		failure.Next = "[list_collections shows the names.]"
	case wrong.Unknown && wrong.Hint == "":
		failure.Next = "[Find it with search_documents.]"
	case wrong.Unknown:
		failure.Next = "Give one of these[, or find it with search_documents]."
	case wrong.Kind == "document" && wrong.Hint == "":
		failure.Next = "If it is a title, find its ID with get_document_id_from_title or search_documents."
	default:
		failure.Next = "Find IDs with search_documents or list_collections."
	}
	if wrong.ForeignHost != "" {
		failure.Next += " If that host is the same Outline, the operator of this server can add it to OUTLINE_URL_ALIASES."
	}
	return failure
}

// loginFailure is the failure for a login that gives no key. Its error says what to do.
func loginFailure(err error) Failure {
	failure := Failure{Code: NoKey, Sentence: Excerpt(err.Error(), 600) + "."}
	login, ok := errors.AsType[interface {
		error
		Temporary() bool
		Ended() bool
	}](err)
	switch {
	case ok && login.Ended():
		failure.Code = Unauthorized
	case ok && login.Temporary():
		failure.Code = Unreachable
	}
	return failure
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
