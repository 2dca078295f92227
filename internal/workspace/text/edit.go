package text

import (
	"errors"
	"strings"
)

// ErrNoMatch is the error of a patch whose text to find is not in the document.
var ErrNoMatch = errors.New("the text to replace is not in the document")

// An edit is a change of a document's text.
type Edit struct {
	Mode string // replace, append, prepend or patch
	Text string
	Find string // what patch replaces
}

// apply returns the text of a document after the edit.
func (e Edit) Apply(stored string) (string, error) {
	switch e.Mode {
	case "append":
		return appendText(stored, e.Text), nil
	case "prepend":
		return prependText(e.Text, stored), nil
	case "patch":
		if !strings.Contains(stored, e.Find) {
			return "", ErrNoMatch
		}
		return patchText(stored, e.Find, e.Text), nil
	}
	return Normalize(e.Text), nil
}
