package tools

import (
	"cmp"
	"time"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// documentName identifies a document in answers. Text shows the title in quotation
// marks, which it cannot end itself, and the URL id, which every tool accepts.
type documentName struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title"`
	URLID      string `json:"url_id,omitempty"`
}

func nameOf(d outline.DocumentSummary) documentName {
	return documentName{d.ID, output.Label(d.Title), d.URLID}
}

// id returns the ID that text shows.
func (n documentName) id() string { return cmp.Or(n.URLID, n.DocumentID) }

// write writes the title and the ID.
func (n documentName) write(t *output.Text) { t.Printf("%s %s", titleOf(n.Title), n.id()) }

// writeWith writes the name followed by the times that are not nil.
func (n documentName) writeWith(t *output.Text, times ...*time.Time) {
	n.write(t)
	for _, at := range times {
		if at != nil {
			t.Printf(", %s", stamp(*at))
		}
	}
}

// collectionName identifies a collection in answers, as documentName a document.
type collectionName struct {
	CollectionID string `json:"collection_id" format:"uuid"`
	Name         string `json:"name"`
	URLID        string `json:"url_id,omitempty"`
}

func nameOfCollection(c outline.Collection) collectionName {
	return collectionName{c.ID, output.Label(c.Name), c.URLID}
}

func (n collectionName) write(t *output.Text) {
	t.Printf("%s %s", titleOf(n.Name), cmp.Or(n.URLID, n.CollectionID))
}

// home is the collection that a document is in. Its name is absent if the caller's
// key may not list collections.
type home struct {
	CollectionID    string `json:"collection_id,omitempty" format:"uuid"`
	CollectionName  string `json:"collection_name,omitempty"`
	CollectionURLID string `json:"collection_url_id,omitempty"`

	unique bool // no other collection that the caller can see has this name
}

func homeOf(names mcptool.CollectionNames, id string) home {
	name, known := names[id]
	h := home{CollectionID: id, CollectionName: name.Name, CollectionURLID: name.URLID, unique: known}
	for other, n := range names {
		h.unique = h.unique && (other == id || titleOf(n.Name) != titleOf(name.Name))
	}
	return h
}

// write writes the name and the ID of the collection.
func (h home) write(t *output.Text) {
	if h.CollectionID != "" {
		t.Printf(" in ")
		h.writeFull(t)
	}
}

func (h home) writeFull(t *output.Text) {
	t.If(h.CollectionURLID != "").Printf("%s ", titleOf(h.CollectionName))
	t.Printf("%s", cmp.Or(h.CollectionURLID, h.CollectionID))
}

// writeShort leaves out the ID, which writeHomes writes, if the name is unique.
func (h home) writeShort(t *output.Text) {
	if h.unique {
		t.Printf(" in %s", titleOf(h.CollectionName))
	} else {
		h.write(t)
	}
}

// writeHomes writes the names and the IDs of the collections that entries of a list
// name without their IDs.
func writeHomes(t *output.Text, homes []home) {
	seen := map[string]bool{}
	for _, h := range homes {
		if !h.unique || seen[h.CollectionID] {
			continue
		}
		if len(seen) == 0 {
			t.Blank()
			t.Printf("Collections: ")
		} else {
			t.Printf(", ")
		}
		seen[h.CollectionID] = true
		h.writeFull(t)
	}
	t.If(len(seen) > 0).Blank()
}

// longestTitle is the maximum length of a title, name, or heading in an answer,
// in characters. Outline limits titles to 100 but not headings.
const longestTitle = 300

// untitled returns a title on one line, or "(untitled)".
func untitled(title string) string {
	if title = output.Excerpt(title, longestTitle); title == "" {
		return "(untitled)"
	}
	return title
}

// titleOf returns a title or a name in quotation marks, or (untitled) without them.
func titleOf(title string) string {
	if title = output.Excerpt(title, longestTitle); title == "" {
		return "(untitled)"
	}
	return output.Quote(title)
}

// stamp formats a time in text, where seconds do not matter.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// day formats a time in long lists.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
