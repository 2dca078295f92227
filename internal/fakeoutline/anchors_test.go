package fakeoutline

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"outline-mcp/outline/prosemirror"
)

func TestCommentsAreAttachedToPassagesAsRecorded(t *testing.T) {
	source, err := os.ReadFile("testdata/anchors.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Markdown, Text string
		Data           *prosemirror.Node
		Users, Anchors map[string]string
		Comments       []map[string]any
	}
	decode(t, source, &recorded)
	var seed Seed
	for role, id := range recorded.Users {
		seed.Users = append(seed.Users, User{ID: id, Name: role, Role: Role(role)})
		seed.Keys = append(seed.Keys, Key{ID: id, Secret: keyOf(role), UserID: id})
	}
	author := recorded.Users["admin"]
	seed.Collections = []Collection{{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite}}
	seed.Documents = []Document{{
		ID: documentID(0), URLID: "document00", Title: "Commented", Text: recorded.Markdown, CollectionID: openID,
		CreatedBy: author, UpdatedBy: author, PublishedAt: noon, Revision: 3,
	}}
	w, err := Empty(Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	revision := 3
	for _, comment := range recorded.Comments {
		as, ok := comment["as"].(string)
		if !ok {
			as = "admin"
		}
		if anchor := comment["anchorText"]; ok && anchor != "" {
			revision++
		}
		body := maps.Clone(comment)
		body["documentId"], body["text"] = documentID(0), "A comment."
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		e := call(t, w, keyOf(as), "comments.create", string(encoded))
		if message, _ := comment["message"].(string); e.Status != int(comment["status"].(float64)) || e.Message != message {
			t.Errorf("%s is answered with %d %s", encoded, e.Status, e.Message)
		}
	}

	e := editor{w}
	var shown struct {
		Text     string
		Revision int
	}
	_, _, data := e.ask(t, 1, "documents.info", map[string]any{"id": documentID(0)})
	decode(t, data, &shown)
	if shown.Text != recorded.Text || shown.Revision != revision {
		t.Errorf("revision %d is %q, recorded %d %q", shown.Revision, shown.Text, revision, recorded.Text)
	}
	// Outline's tree ends with an empty paragraph, which its text does not show.
	want := recorded.Data.Content[:len(recorded.Data.Content)-1]
	if got := e.tree(t, documentID(0)); !slices.EqualFunc(got.Content, want, prosemirror.Equal) {
		t.Errorf("the tree is %s", got.AppendJSON(nil))
	}
	for id, want := range recorded.Anchors {
		var comment struct{ AnchorText string }
		_, _, data := e.ask(t, 1, "comments.info", map[string]any{"id": id, "includeAnchorText": true})
		decode(t, data, &comment)
		if comment.AnchorText != want {
			t.Errorf("the anchor of %s is %q, recorded %q", id, comment.AnchorText, want)
		}
	}
}

func TestSeededCommentsAreAttachedToTheirPassages(t *testing.T) {
	var seed Seed
	author := people["member"]
	seed.Users = []User{{ID: author, Name: "Author", Role: Member}}
	seed.Keys = []Key{{ID: author, Secret: keyOf("member"), UserID: author}}
	seed.Documents = []Document{
		{ID: documentID(0), URLID: "document00", Title: "Text", Text: "one *two* three", CreatedBy: author, UpdatedBy: author},
		{ID: documentID(1), URLID: "document01", Title: "Tree", Tree: prosemirror.Parse("one two three"), CreatedBy: author, UpdatedBy: author},
	}
	data := json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x"}]}]}`)
	for i, c := range []Comment{{Anchor: "two three", ResolvedAt: noon, ResolvedBy: author}, {Anchor: "absent"}} {
		for d := range seed.Documents {
			c.ID = documentID(100 + 10*i + d)
			c.DocumentID, c.Data, c.CreatedBy = documentID(d), data, author
			seed.Comments = append(seed.Comments, c)
		}
	}
	w, err := Empty(Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	for d := range seed.Documents {
		if got := w.store.documents[documentID(d)].body.read().Anchors; !maps.Equal(got, map[string]string{documentID(100 + d): "two three"}) {
			t.Errorf("anchors are %q", got)
		}
	}
	tree := editor{w}.tree(t, documentID(0))
	mark, _ := tree.Content[0].Content[1].Mark(prosemirror.Comment)
	if resolved, _ := mark.Attrs.Get("resolved"); resolved != true || mark.Attrs.String("userId") != author {
		t.Errorf("the mark is %v", mark)
	}
}

func FuzzAttach(f *testing.F) {
	for _, markdown := range []string{"one *two* three", "* a\n* b", "a $x$ :tada: b", "| a |\n|---|\n| b |", "a\n\n\\\n\nb", "![a](b.png) c", "```\na\nb\n```", "[f 1](/api/attachments.redirect?id=x)"} {
		f.Add(markdown, 0, 3)
		f.Add(markdown, 2, 4)
	}
	f.Fuzz(func(t *testing.T, markdown string, start, length int) {
		doc := prosemirror.Parse(markdown)
		text := readContent(doc).Plain
		if start < 0 || length <= 0 || start > len(text) || length > len(text)-start {
			return
		}
		passage := prosemirror.Passage{Prefix: text[:start], Text: text[start : start+length], Suffix: text[start+length:]}
		attached, ok := prosemirror.Attach(doc, passage, prosemirror.CommentMark("id", "user", false))
		if !ok {
			t.Fatalf("%q is not found in %q", passage.Text, text)
		}
		if !prosemirror.EqualWithoutComments(attached, doc) {
			t.Errorf("%q on %q becomes %s", passage.Text, markdown, attached.AppendJSON(nil))
		}
		after := readContent(attached)
		if after.Plain != text {
			t.Errorf("the text is %q, was %q", after.Plain, text)
		}
		// Line breaks, images and the like carry no mark.
		if got := after.Anchors["id"]; len(got) > length {
			t.Errorf("%q is attached to %q", passage.Text, got)
		}
	})
}

func TestCommentsComeInTheOrderInWhichTheyBeginInTheBlock(t *testing.T) {
	doc := prosemirror.Parse("one two\n\nthree four")
	for _, c := range []struct{ id, passage string }{
		{"a", "two"}, {"b", "three"}, {"c", "one two"}, {"d", "two\nthree"}, {"e", "three four"},
	} {
		var ok bool
		if doc, ok = prosemirror.Attach(doc, prosemirror.Passage{Text: c.passage}, prosemirror.CommentMark(c.id, "user", false)); !ok {
			t.Fatalf("%q is not found", c.passage)
		}
	}
	got := map[string]string{}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		for _, mark := range n.Marks {
			got[n.Text] += mark.Attrs.String("id")
		}
		return true
	})
	if want := map[string]string{"one ": "c", "two": "cad", "three": "bde", " four": "e"}; !maps.Equal(got, want) {
		t.Errorf("comments are %v, want %v", got, want)
	}
}
