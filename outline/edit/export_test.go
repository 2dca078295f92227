package edit

import "outline-mcp/outline/prosemirror"

// NewSource returns the source of a document on the main branch of Outline.
func NewSource(doc *prosemirror.Node) *Source { return newSource(prosemirror.Main, doc) }

func newSource(d prosemirror.Dialect, doc *prosemirror.Node) *Source {
	return &Source{Doc: doc, Markdown: d.ToMarkdown(doc)}
}

// Find returns the only occurrence of old in text.
func Find(text, old string) (Match, error) { return (&document{text: text}).find(old) }

// PlanWhole plans the update of a document to another whole text.
func PlanWhole(doc *prosemirror.Node, text string) (Plan, error) {
	return planWhole(NewSource(doc), text)
}

// PlanWholeIn is like PlanWhole, for a version of Outline.
func PlanWholeIn(d prosemirror.Dialect, doc *prosemirror.Node, text string) (Plan, error) {
	return planWhole(newSource(d, doc), text)
}

// Changes returns the changes that edits make of a text.
func Changes(text string, edits ...Edit) ([]Change, error) {
	_, changes, err := changesOf(text, edits)
	return changes, err
}
