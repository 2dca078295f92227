package workspace

import "strings"

// An edit is what a request does to the text of a document.
type edit struct {
	given bool   // the request has a text
	mode  string // replace, append, prepend or patch
	text  string
	find  string // what patch replaces
}

// readEdit reads the fields of documents.update that change the text. The
// older form of appending is "append": true.
func readEdit(f *fields) edit {
	e := edit{
		given: f.has("text"),
		text:  f.string("text"),
		mode:  f.oneOf("editMode", "replace", "replace", "append", "prepend", "patch"),
		find:  f.string("findText"),
	}
	asked := f.bool("append") || f.has("editMode")
	if f.bool("append") && !f.has("editMode") {
		e.mode = "append"
	}
	switch {
	case f.err != nil:
	case asked && !e.given:
		f.err = errValidation("text is required when using append, prepend, or editMode")
	case e.mode == "patch" && e.find == "":
		f.err = errValidation("findText is required when using patch editMode")
	}
	return e
}

// apply returns what becomes of a text. The error is that of a missing
// document, as recorded, if what patch looks for is not in it.
func (e *edit) apply(text string) (string, error) {
	switch e.mode {
	case "append":
		return appended(text, e.text), nil
	case "prepend":
		return prepended(e.text, text), nil
	case "patch":
		if !strings.Contains(text, e.find) {
			return "", errNotFound()
		}
		return patched(text, e.find, e.text), nil
	}
	return normalize(e.text), nil
}
