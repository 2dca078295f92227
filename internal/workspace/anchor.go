package workspace

import "strings"

// anchored reports whether a passage stands in a document, between what comes
// before and after it.
func anchored(d *document, prefix, passage, suffix string) bool {
	return strings.Contains(d.body.prepared().Plain, prefix+passage+suffix)
}

// keepAnchors looks after the comments on a passage of a document whose text
// has changed: they lose a passage that is gone, and all of them lose theirs
// if the text was replaced, because the marks are not part of its Markdown.
func (s *store) keepAnchors(d *document, replaced bool) {
	for _, id := range s.commentIDs {
		c := s.comments[id]
		if c.DocumentID == d.ID && c.Anchor != "" && (replaced || !anchored(d, "", c.Anchor, "")) {
			next := *c
			next.Anchor = ""
			s.comments[id] = &next
		}
	}
}
