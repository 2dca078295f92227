package docedit

// Undo returns a request that turns the document from now into exactly the
// earlier tree, if there is one.
func Undo(now, before *Source) (Request, bool) {
	return Request{}, false
}
