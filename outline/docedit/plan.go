package docedit

// Plan returns the one request that makes all changes and nothing else. Of the
// forms that do, it is the one that loses least, then the one that touches the
// fewest blocks, then the shortest. The error is a *RefusedError where no form
// does. The changes are sorted and do not overlap.
func Plan(s *Source, changes []Change) (Request, error) {
	return Request{}, &RefusedError{Kind: NoExactForm, Reason: "not implemented yet"}
}
