package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
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

// String returns the title and the ID, as text shows them, or only the ID if nothing
// else is known.
func (n documentName) String() string {
	if n.Title == "" && n.URLID == "" {
		return "document_id " + n.DocumentID
	}
	return titleOf(n.Title) + " " + n.id()
}

func (n documentName) write(t *output.Text) { t.Printf("%s", n) }

// parentName identifies the document that another is or was below. Title and URL id
// are absent if the caller may not see it.
type parentName struct {
	ParentDocumentID string `json:"parent_document_id,omitempty" format:"uuid"`
	ParentTitle      string `json:"parent_title,omitempty"`
	ParentURLID      string `json:"parent_url_id,omitempty"`
}

func parentNameOf(n documentName) parentName { return parentName{n.DocumentID, n.Title, n.URLID} }

// after returns the name after a text, or "" if there is no parent.
func (p parentName) after(text string) string {
	if p.ParentDocumentID == "" {
		return ""
	}
	return text + documentName{p.ParentDocumentID, p.ParentTitle, p.ParentURLID}.String()
}

// findName returns the name of a document by its UUID, or only the UUID if Outline
// does not give the document to the caller, or not soon. A name is a convenience.
func findName(ctx context.Context, env mcptool.Env, id string) documentName {
	if id == "" {
		return documentName{}
	}
	ctx, cancel := context.WithTimeout(outline.WithCallOptions(ctx, outline.NoRetries()), 2*time.Second)
	defer cancel()
	document, err := env.Outline.Document(ctx, id)
	if err != nil {
		return documentName{DocumentID: id}
	}
	return nameOf(document.DocumentSummary)
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

func (n collectionName) String() string {
	return titleOf(n.Name) + " " + cmp.Or(n.URLID, n.CollectionID)
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
	if !known {
		return h
	}
	title := titleOf(name.Name)
	for other, n := range names {
		if other != id && titleOf(n.Name) == title {
			h.unique = false
			break
		}
	}
	return h
}

// String returns the name and the ID of the collection.
func (h home) String() string {
	if h.CollectionURLID == "" {
		return h.CollectionID
	}
	return titleOf(h.CollectionName) + " " + h.CollectionURLID
}

// in returns the collection for the end of a phrase, or "" if there is none.
func (h home) in() string {
	if h.CollectionID == "" {
		return ""
	}
	return " in " + h.String()
}

// inShort is in without the ID, which writeHomes writes, if the name is unique.
func (h home) inShort() string {
	if h.unique {
		return " in " + titleOf(h.CollectionName)
	}
	return h.in()
}

// writeHomes writes the names and the IDs of the collections that entries of a list
// name without their IDs.
func writeHomes(t *output.Text, homes []home) {
	var names []string
	for _, h := range homes {
		if h.unique && !slices.Contains(names, h.String()) {
			names = append(names, h.String())
		}
	}
	if len(names) > 0 {
		t.Blank()
		t.Line("Collections: %s", strings.Join(names, ", "))
	}
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

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// stamp formats a time in text, where seconds do not matter.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// day formats a time in long lists.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
