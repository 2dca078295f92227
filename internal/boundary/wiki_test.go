package boundary_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
)

// common is a word in everything that a wiki holds, so that searches find all of it.
const common = "lighthouse"

// A thing is something in a wiki that has its own text.
type thing struct {
	kind       string // of the object: document, comment, …
	id         string // UUID
	urlID      string // "" if it has none
	marker     string // a word that is nowhere else
	collection int    // index; -1 for none
	mine       bool   // it is the caller's, or of a document that is
	listed     bool   // of documents: published, and neither archived nor deleted
}

// A wiki is a random workspace and what is in it.
type wiki struct {
	seed   fakeoutline.Seed
	names  []string // of the collections
	things []thing
	random *rand.Rand
	n      int
}

const (
	me      = "10000000-0000-4000-8000-000000000001"
	another = "10000000-0000-4000-8000-000000000002"
	myKey   = fakeoutline.AdminKey
)

func at(n int) time.Time { return time.Date(2026, 3, 1, 8, n, 0, 0, time.UTC) }

func (w *wiki) id() string {
	w.n++
	return fmt.Sprintf("20000000-0000-4000-8000-%012d", w.n)
}

// add notes a new thing and returns it with its IDs and its marker.
func (w *wiki) add(kind string, collection int) *thing {
	id := w.id()
	w.things = append(w.things, thing{
		kind: kind, id: id, urlID: fmt.Sprintf("U%09d", w.n), marker: fmt.Sprintf("zq%dx%c%cq", w.n, 'a'+w.random.IntN(26), 'a'+w.random.IntN(26)), collection: collection,
	})
	return &w.things[len(w.things)-1]
}

// of returns the things of some kinds.
func (w *wiki) of(kinds string) (found []thing) {
	for _, t := range w.things {
		if strings.Contains(kinds, t.kind) {
			found = append(found, t)
		}
	}
	return found
}

func newWiki(random *rand.Rand) *wiki {
	w := &wiki{random: random}
	w.seed.Team = fakeoutline.Team{ID: "10000000-0000-4000-8000-000000000003", Name: "Lights"}
	for id, name := range map[string]string{me: "Hana Weissbach", another: "Tom Okafor"} {
		w.seed.Users = append(w.seed.Users, fakeoutline.User{ID: id, Name: name, Email: id[35:] + "@lights.example", Role: fakeoutline.Admin, CreatedAt: at(0)})
	}
	w.seed.Keys = []fakeoutline.Key{{ID: "10000000-0000-4000-8000-000000000004", Secret: myKey, Name: "k", UserID: me, CreatedAt: at(0)}}
	for range 3 + random.IntN(3) {
		w.collection()
	}
	for range 1 + random.IntN(3) {
		w.document(-1, "draft")
	}
	w.template(-1)
	w.export(-1)
	return w
}

func (w *wiki) collection() {
	i := len(w.names)
	c := *w.add("collection", i)
	w.names = append(w.names, "Harbour "+c.marker)
	collection := fakeoutline.Collection{
		ID: c.id, URLID: c.urlID, Name: w.names[i], Description: common + " " + w.add("description", i).marker, Permission: fakeoutline.ReadWrite, CreatedAt: at(i), UpdatedAt: at(i),
	}
	if i > 2 && w.random.IntN(3) == 0 {
		collection.ArchivedAt, collection.ArchivedBy = at(50), me
	}
	w.seed.Collections = append(w.seed.Collections, collection)
	parent := ""
	for n := range 2 + w.random.IntN(4) {
		d := w.document(i, "published")
		if n > 0 && w.random.IntN(2) == 0 {
			w.seed.Documents[len(w.seed.Documents)-1].ParentID = parent
		} else {
			parent = d.id
		}
	}
	for _, state := range []string{"draft", "archived", "deleted"} {
		w.document(i, state)
	}
	w.template(i)
	w.export(i)
	w.seed.Stars = append(w.seed.Stars, fakeoutline.Favorite{ID: w.id(), UserID: me, CollectionID: c.id, CreatedAt: at(3)})
}

// document adds a document with comments, a revision and a file. It links to others of
// its collection only, because links are a document's own text.
func (w *wiki) document(collection int, state string) thing {
	n := len(w.things)
	d := w.add("document", collection)
	d.mine, d.listed = collection >= 0 || w.random.IntN(2) == 0, state == "published"
	author := me
	if !d.mine {
		author = another
	}
	is := *d
	defer func() { // what belongs to the document is the author's, too
		for i := n + 1; i < len(w.things); i++ {
			w.things[i].mine = is.mine
		}
	}()
	text := w.add("text", collection)
	words := common + " " + text.marker
	w.add("attachment", collection)
	w.add("content", collection)
	document := fakeoutline.Document{
		ID: is.id, URLID: is.urlID, Title: "Page " + is.marker, CreatedBy: author, UpdatedBy: author, Collaborators: []string{author}, Revision: 2, Opened: true,
		Text:      "# Heading " + common + "\n\n" + words + "\n\n![shown](/api/attachments.redirect?id=" + w.things[n+2].id + ")\n",
		CreatedAt: at(n), UpdatedAt: at(n + 1),
	}
	if collection >= 0 {
		document.CollectionID = w.seed.Collections[collection].ID
	}
	if state != "draft" {
		document.PublishedAt = at(n)
	}
	if state == "archived" {
		document.ArchivedAt = at(n + 2)
	}
	if state == "deleted" {
		document.DeletedAt, document.DeletedBy = at(n+2), me
	}
	w.seed.Documents = append(w.seed.Documents, document)
	w.seed.Attachments = append(w.seed.Attachments, fakeoutline.Attachment{
		ID: w.things[n+2].id, DocumentID: is.id, UserID: me, Name: w.things[n+2].marker + ".txt", ContentType: "text/plain", Content: []byte(common + " " + w.things[n+3].marker),
	})
	revision := w.add("revision", collection)
	w.seed.Revisions = append(w.seed.Revisions, fakeoutline.Revision{ID: revision.id, DocumentID: is.id, Title: "Was " + revision.marker, Text: common + " before", CreatedBy: author, CreatedAt: at(n)})
	comment := w.add("comment", collection)
	w.seed.Comments = append(w.seed.Comments, fakeoutline.Comment{
		ID: comment.id, DocumentID: is.id, Data: said(common + " " + comment.marker), CreatedBy: me, CreatedAt: at(n), UpdatedAt: at(n),
	})
	if state == "published" {
		w.seed.Stars = append(w.seed.Stars, fakeoutline.Favorite{ID: w.id(), UserID: me, DocumentID: is.id, CreatedAt: at(n)})
		w.seed.Pins = append(w.seed.Pins, fakeoutline.Favorite{ID: w.id(), DocumentID: is.id, CreatedAt: at(n)})
	}
	if w.random.IntN(3) == 0 {
		w.seed.Documents[len(w.seed.Documents)-1].Memberships = []fakeoutline.Membership{{ID: w.id(), UserID: me, Permission: fakeoutline.ReadWrite}}
	}
	return is
}

func (w *wiki) template(collection int) {
	t := w.add("template", collection)
	template := fakeoutline.Template{
		ID: t.id, URLID: t.urlID, Title: "Form " + t.marker, Tree: prosemirror.Parse(common), CreatedBy: me, UpdatedBy: me, CreatedAt: at(1), UpdatedAt: at(w.n), PublishedAt: at(1),
	}
	if collection >= 0 {
		template.CollectionID = w.seed.Collections[collection].ID
	}
	w.seed.Templates = append(w.seed.Templates, template)
}

func (w *wiki) export(collection int) {
	e := w.add("export", collection)
	export := fakeoutline.Export{ID: e.id, Name: "Export " + e.marker, UserID: me, CreatedAt: at(2)}
	if collection >= 0 {
		export.CollectionID = w.seed.Collections[collection].ID
	}
	w.seed.Exports = append(w.seed.Exports, export)
}

// said is the editor's document of a comment.
func said(text string) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"type": "doc", "content": []any{
		map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": text}}},
	}})
	if err != nil {
		panic(err) // strings always encode
	}
	return raw
}

// start returns the workspace of a wiki.
func (w *wiki) start(t *testing.T, release fakeoutline.Release) *fakeoutline.Workspace {
	t.Helper()
	started, err := fakeoutline.Empty(fakeoutline.Options{Answers: true, Release: release}, w.seed)
	if err != nil {
		t.Fatal(err)
	}
	return started
}
