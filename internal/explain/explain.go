// Package explain turns errors of the Outline client into failures that say what
// happened and what to do next, in terms of this server's settings and tools.
package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Error returns the failure for an error of a tool call.
func Error(err error) output.Failure {
	// What kept a request from being sent explains itself.
	if failure, ok := errors.AsType[output.Failure](err); ok && errors.Is(err, outline.ErrWithheld) {
		return failure
	}
	var wrong *outline.IdentifierError
	if errors.As(err, &wrong) {
		failure := output.Invalid("%s.", wrong)
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
	says = output.Excerpt(says, 300)
	next := ""
	fail := func(code output.Code, format string, args ...any) output.Failure {
		return output.Failure{Code: code, Sentence: fmt.Sprintf(format, args...), Next: next}
	}
	switch {
	case outline.OutcomeUnknown(err) && cause.Code == outline.Mixed:
		next = "Check [with read_document|in Outline] what is there, and add only what is missing."
		return fail(output.OutcomeUnknown, "%s.", says)
	case outline.OutcomeUnknown(err):
		next = "Before you repeat it, check [with " + whereToLook(cause.Endpoint) + "|in Outline]."
		return fail(output.OutcomeUnknown, "the answer to %s was lost (%s): it may have been carried out, or not%s.", cause.Endpoint, says, afterwards(cause))
	case errors.Is(err, outline.ErrNoKey):
		return fail(output.NoKey, "no Outline API key is set. Create one in Outline under %s and run outline-mcp install CLIENT, or set it as OUTLINE_API_KEY "+
			"in the env block of the MCP client's entry and restart the client; outline-mcp doctor checks it. Without a key, outline-mcp --demo serves a sample workspace.", outline.KeysPage)
	case errors.Is(err, outline.ErrUnauthorized):
		return fail(output.Unauthorized, "Outline does not accept the API key (%s). Create a new key in Outline under %s and replace this one: "+
			"OUTLINE_API_KEY in the MCP client's entry or, for a server over HTTP, the header in the entry. outline-mcp doctor checks a key.", says, outline.KeysPage)
	case outline.Suspended(err):
		return fail(output.Forbidden, "Outline refused %s: the owner of the API key is suspended (%s). No call with this key can succeed. "+
			"Have an admin of the workspace activate the account, or use the key of another user.", cause.Endpoint, says)
	case outline.OutOfScope(err):
		return fail(output.Forbidden, "Outline refused %[1]s (%[2]s): the scopes of this key do not include it. Use a key with the scope %[1]s, or one without scopes.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrForbidden) && strings.HasPrefix(cause.Endpoint, "revisions."):
		next = "Use a member's or a viewer's key, or look at the history in Outline."
		return fail(output.Forbidden, "Outline refused %s (%s): guests may not see the history of documents, or the key cannot see the document.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrForbidden):
		next = "Check the ID[ with list_collections or search_documents]; otherwise use a key with more rights."
		return fail(output.Forbidden, "Outline refused %s (%s): the key's role or scopes do not allow it, or this key cannot see the ID.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrNotFound) && cause.Remedy == outline.CheckAddress:
		return fail(output.BadAnswer, "%s.", says)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "comments."):
		next = "list_document_comments lists the comments on a document."
		return fail(output.NotFound, "no comment found with this ID (%s).", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "attachments."):
		next = "list_attachments lists the files of a document."
		return fail(output.NotFound, "no attachment found with this ID (%s).", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "files."):
		return fail(output.NotFound, "Outline knows this file, but cannot find what it holds: its upload failed, or it was removed from the storage.")
	case errors.Is(err, outline.ErrNotFound) && strings.HasPrefix(cause.Endpoint, "revisions."):
		next = "list_revisions lists the revisions of a document."
		return fail(output.NotFound, "no revision found with this ID (%s); it may have been deleted.", cause.Endpoint)
	case errors.Is(err, outline.ErrNotFound):
		next = "Find the right one with search_documents or get_document_id_from_title."
		if strings.HasPrefix(cause.Endpoint, "collections.") {
			next = "list_collections shows the right one."
		}
		return fail(output.NotFound, "nothing found with this ID (%s).", cause.Endpoint)
	case cause.Code == outline.Overwritten:
		next = "Read it again[ with read_document] and repeat the change on what is there now."
		return fail(output.Conflict, "%s.", says)
	case errors.Is(err, outline.ErrConflict) && (cause.Endpoint == "documents.import" || strings.HasPrefix(cause.Endpoint, "attachments.") || strings.HasPrefix(cause.Endpoint, "files.")):
		return fail(output.Conflict, "Outline refused %s because of a conflict (%s). Try again.", cause.Endpoint, says)
	case errors.Is(err, outline.ErrConflict):
		return fail(output.Conflict, "somebody else changed the document in the meantime (%s). Read it again and repeat the change on what is there now.", says)
	case errors.Is(err, outline.ErrRateLimited):
		failure := fail(output.RateLimited, "Outline's rate limit for %s is used up. Call again later; other tools still work.", cause.Endpoint)
		if cause.RetryAfter > 0 {
			failure.RetryAfterSeconds = math.Ceil(cause.RetryAfter.Seconds())
			failure.Sentence = fmt.Sprintf("Outline's rate limit for %s is used up. Call again in %g seconds; other tools still work.", cause.Endpoint, failure.RetryAfterSeconds)
		}
		return failure
	case errors.Is(err, outline.ErrBusy):
		return fail(output.Timeout, "the answer to %s is large, and until the time ran out this server was busy with others. Try again later, or ask for less.", cause.Endpoint)
	case errors.Is(err, outline.ErrTimeout):
		return fail(output.Timeout, "Outline did not answer %s in time. Try again, or ask for less; the operator can raise OUTLINE_REQUEST_TIMEOUT and OUTLINE_CALL_TIMEOUT.", cause.Endpoint)
	case errors.Is(err, outline.ErrCancelled):
		return fail(output.Cancelled, "the call was cancelled before Outline answered %s.", cause.Endpoint)
	case errors.Is(err, outline.ErrUnreachable):
		if cause.Remedy == outline.CheckAddress { // whose advice names doctor already
			return fail(output.Unreachable, "%s", sentence(cause))
		}
		return fail(output.Unreachable, "%s Try again; if it fails again, run outline-mcp doctor.", sentence(cause))
	case errors.Is(err, outline.ErrBadAnswer):
		return fail(output.BadAnswer, "%s", sentence(cause)+outcome(cause))
	case errors.Is(err, outline.ErrAnswerTooLarge), errors.Is(err, outline.ErrTooLarge):
		return fail(output.TooLarge, "%s", sentence(cause)+outcome(cause))
	case errors.Is(err, outline.ErrInvalid):
		return fail(output.InvalidArguments, "Outline refused the arguments of %s: %s. Correct them and call again.", cause.Endpoint, strings.TrimSuffix(says, "."))
	default:
		failure := fail(output.UpstreamError, "Outline failed while answering %s (%s). Try again later; if it fails again, the cause is in Outline's own log.%s", cause.Endpoint, says, outcome(cause))
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

// outcome describes what was seen after a call that failed for certain.
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

// Other returns the failure for an error that does not come from the Outline
// client. nil stands for a panic.
func Other(err error) output.Failure {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return output.Failure{Code: output.Timeout, Sentence: "the call took longer than OUTLINE_CALL_TIMEOUT allows. Ask for less, or try again."}
	case errors.Is(err, context.Canceled):
		return output.Failure{Code: output.Cancelled, Sentence: "the call was cancelled."}
	}
	return output.Failure{Code: output.Internal, Sentence: "the call failed inside this server. This is a bug in outline-mcp; its log names the kind of error."}
}

// sentence returns an error of the client as a complete sentence.
func sentence(err error) string {
	return output.Excerpt(err.Error(), 400) + "."
}
