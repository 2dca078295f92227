package prosemirror

import (
	"cmp"
	"testing"
)

// The recordings of whole texts and of trees were made with the main branch of Outline
// and with 1.9.2. What is recorded of the one is of the other as well, unless that has its
// own.

type stored struct {
	Text  string
	Tree  *Node
	Again *stored // what became of the text when it was written once more
}

type wholeText struct {
	ID, Sent string
	Head     stored
	Rel      *stored
}

type recordedTree struct {
	ID, Head string
	Tree     *Node
	Rel      *string // nil in one that 1.9.2 fails to show
}

var dialects = map[string]Dialect{"main": Main, "1.9.2": Until192}

func (r wholeText) in(d Dialect) *stored {
	if d == Until192 {
		return cmp.Or(r.Rel, &r.Head)
	}
	return &r.Head
}

func TestWholeTextsBecomeWhatEachVersionOfOutlineStoresAndShows(t *testing.T) {
	except := map[string]string{
		"corpus/l/youtube":       "documents.create turns the URL of an embed into a link before it parses the text",
		"corpus/l/vimeo":         "the same",
		"corpus/l/gist":          "the same",
		"corpus/p/rnd/35/l/gist": "the same",
		"inline/x/113":           "the same",
		"inline/x-wrap/113":      "the same",
		"corpus/i/data":          "documents.create stores the data of an image as an attachment",
		"corpus/mention/short":   "the id of the mention is random",
	}
	list := records[wholeText](t, "whole")
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			inRecordedYear(t, func(t *testing.T) {
				check(t, list, func(r wholeText) string { return r.ID }, except, func(r wholeText) string {
					sent := r.Sent
					for s := r.in(d); s != nil; sent, s = s.Text, s.Again {
						if got := d.Parse(sent); !Equal(got, s.Tree) {
							return describe(sent, got, s.Tree)
						}
						if got := d.ToText(s.Tree); got != s.Text {
							return "text " + quote(got) + ", want " + quote(s.Text)
						}
					}
					return ""
				})
			})
		})
	}
}

func TestTreesAreTheTextThatEachVersionOfOutlineShows(t *testing.T) {
	list := records[recordedTree](t, "trees")
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			inRecordedYear(t, func(t *testing.T) {
				check(t, list, func(r recordedTree) string { return r.ID }, nil, func(r recordedTree) string {
					want := r.Head
					if d == Until192 && r.Rel != nil {
						want = *r.Rel
					}
					if got := d.ToText(r.Tree); got != want {
						return "text " + quote(got) + ", want " + quote(want)
					}
					return ""
				})
			})
		})
	}
}
