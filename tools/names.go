package tools

import (
	"cmp"
	"context"
	"fmt"
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

func nameOfNode(n outline.Node) documentName {
	return documentName{n.ID, output.Label(n.Title), n.URLID()}
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

// documentLink is a documentName with the address of the page, which people send to others.
type documentLink struct {
	documentName
	URL string `json:"url,omitempty" format:"uri"`
}

func linkTo(env mcptool.Env, d outline.DocumentSummary) documentLink {
	return documentLink{nameOf(d), env.Outline.AbsoluteURL(d.URL)}
}

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
	name := names[id]
	return home{id, name.Name, name.URLID, name.Unique}
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

// place is a position in the document tree. IDs are UUIDs. Both are empty for a
// draft outside of collections; parentID is empty at the top level of a
// collection.
type place struct {
	collectionID string
	parentID     string

	parent documentName // of the document parentID; zero if it was not read
}

// targetIn holds the target arguments of moves.
type targetIn struct {
	CollectionID     string `json:"collection_id,omitempty"`
	ParentDocumentID string `json:"parent_document_id,omitempty"`
}

// nowhere reports whether the target is missing.
func (in targetIn) nowhere() bool { return in.CollectionID == "" && in.ParentDocumentID == "" }

// place returns the place that the arguments name, or the one that a document has.
func (in targetIn) place(ctx context.Context, env mcptool.Env, document outline.DocumentSummary) (place, error) {
	if in.nowhere() {
		return place{collectionID: document.CollectionID, parentID: document.ParentDocumentID}, nil
	}
	return findPlace(ctx, env, in.CollectionID, in.ParentDocumentID)
}

// named returns the parts of the place that the arguments name.
func (in targetIn) named(to place) place {
	if in.CollectionID == "" {
		to.collectionID = ""
	}
	if in.ParentDocumentID == "" {
		to.parentID, to.parent = "", documentName{}
	}
	return to
}

// optionalCollection returns the UUID of a collection for any form of its ID,
// and "" for "".
func optionalCollection(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	return collectionID(ctx, env, given)
}

// optionalDocument returns the UUID of a document for any form of its ID, and "" for
// "".
func optionalDocument(ctx context.Context, env mcptool.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	id, err := documentID(ctx, env, given)
	if err != nil || outline.IsUUID(id) {
		return id, err
	}
	document, err := env.Outline.Document(ctx, id)
	return document.ID, err
}

// findPlace returns the place for a collection and a parent, each by any form
// of its ID or "". If the parent is in another collection Outline silently
// ignores the collection; findPlace returns an error instead.
func findPlace(ctx context.Context, env mcptool.Env, collection, parent string) (place, error) {
	collectionID, err := optionalCollection(ctx, env, collection)
	if err != nil || parent == "" {
		return place{collectionID: collectionID}, aboutArgument("collection_id", collection, err)
	}
	document, err := fetchToChange(ctx, env, parent)
	if err != nil {
		err = onFailure(err, func(f *output.Failure) { f.CollectionID = collectionID })
		return place{}, aboutArgument("parent_document_id", parent, err)
	}
	name := nameOf(document.DocumentSummary)
	refuse := func(reason string) (place, error) {
		return place{}, output.Failure{Code: output.InvalidArguments, CollectionID: collectionID,
			Sentence: fmt.Sprintf("parent_document_id: %s %s", name, reason)}
	}
	switch {
	case document.DeletedAt != nil:
		return refuse("is in the trash. Restore it first, or choose another parent.")
	case document.ArchivedAt != nil:
		return refuse("is archived. Unarchive it first, or choose another parent.")
	case document.CollectionID == "" || document.PublishedAt == nil:
		return refuse("is a draft, and documents can be nested only below published ones. Publish it first, or choose another parent.")
	case collectionID != "" && collectionID != document.CollectionID:
		return refuse("is in another collection. Leave out collection_id, or choose a parent in that collection.")
	}
	return place{document.CollectionID, document.ID, name}, nil
}

// aboutArgument says which argument a failure is about if that is what it is about, and
// repeats its value unless the failure does.
func aboutArgument(name, given string, err error) error {
	return onFailure(err, func(f *output.Failure) {
		switch {
		case f.Unresolved:
			f.Sentence = name + ": " + f.Sentence
		case f.Code == output.NotFound || f.Code == output.Forbidden:
			f.Sentence = fmt.Sprintf("%s: %s: %s", name, output.Excerpt(given, 100), f.Sentence)
		}
	})
}

// nameParent looks up the name of the parent if it was not read.
func (p *place) nameParent(ctx context.Context, env mcptool.Env) {
	if p.parent.DocumentID == "" {
		p.parent = findName(ctx, env, p.parentID)
	}
}

// children returns the documents directly below the place, in order.
func (p place) children(tree []outline.Node) []outline.Node {
	if p.parentID == "" {
		return tree
	}
	if parent := findNode(tree, p.parentID); parent != nil {
		return parent.Children
	}
	return nil
}

// mostNames is how many documents a sentence names.
const mostNames = 20

// listNames names documents in a sentence.
func listNames(documents []documentName) string {
	return firstOf(documents, mostNames, ", ", "and ", documentName.String)
}

// writeDone writes what was done to a document, and to which below it.
func (n documentName) writeDone(t *output.Text, done string, below belowIt) {
	t.Printf("%s %s", done, n)
	t.If(len(below) > 0).Printf(" and %s", below)
	t.Line(".")
}
