package fakeoutline

import (
	"cmp"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// A recordedWhole is a whole text, and the page that came of it on the newest source and,
// if that differs, on 1.9.2.
type recordedWhole struct {
	ID, Sent string
	Head     storedWhole
	Rel      *storedWhole
}

type storedWhole struct {
	Text  string
	Tree  *prosemirror.Node
	Again *storedWhole // after the text was written once more
}

func TestWholeTextsAreStoredAndShownAsInEachRelease(t *testing.T) {
	unlike := map[string]string{
		"corpus/i/data":        "the ID of the attachment is random",
		"corpus/mention/short": "the ID of the mention is random",
		"inline/x/113":         "Outline can embed documents of Google, too",
		"inline/x-wrap/113":    "the same",
	}
	list := fixtures.Some(fixtures.Recorded[recordedWhole](t, "whole"), 400)
	for _, release := range []Release{"", "1.9.2"} {
		t.Run(string(release), func(t *testing.T) {
			e := editorOf(t, release)
			compareRecordings(t, list, unlike, func(r recordedWhole) string { return r.ID }, func(t *testing.T, r recordedWhole) (list []string) {
				want := &r.Head
				if release != "" {
					want = cmp.Or(r.Rel, want)
				}
				id := e.create(t, r.Sent)
				list = e.differences(t, id, recordedContent{want.Text, want.Tree})
				if again := want.Again; again != nil && len(list) == 0 {
					e.ask(t, 1, "documents.update", map[string]any{"id": id, "text": want.Text})
					list = e.differences(t, id, recordedContent{again.Text, again.Tree})
				}
				return list
			})
		})
	}
}
