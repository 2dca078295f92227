package docedit

// Kind tells why a change was refused.
type Kind string

// The kinds of refusals.
const (
	// OpenBlock means that the new text opens a code block, callout, toggle or
	// math block without closing it, so that it would take in what follows.
	OpenBlock Kind = "open_block"
	// NotMarkdown means that the change touches blocks that hold something
	// that Markdown cannot carry, such as a mention of a document.
	NotMarkdown Kind = "not_markdown"
	// Dropped means that Outline would drop part of the text without a word.
	Dropped Kind = "dropped"
	// NoExactForm means that every form of the request stores something else.
	NoExactForm Kind = "no_exact_form"
	// OutOfRange means that the changes overlap, are not sorted or lie outside
	// of the text.
	OutOfRange Kind = "out_of_range"
)

// RefusedError says why no request makes a change exactly.
type RefusedError struct {
	Kind    Kind
	Reason  string // a clause without a capital or a full stop, in terms of the document
	Instead string // a sentence that says what would work; may be empty
}

func (e *RefusedError) Error() string {
	if e.Instead == "" {
		return e.Reason
	}
	return e.Reason + ". " + e.Instead
}
